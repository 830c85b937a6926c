// Manifest: the list of a transfer's content, its rules and its bytes, without I/O.
import Basics

/// One file or folder of a transfer. Entry 0 is what was offered: its path is empty, and its name is the offer's. Every
/// other entry's folder stands before it.
public struct ManifestEntry: Hashable, Sendable {
    /// The kinds that are transferred; links and devices never are.
    public enum Kind: UInt8, Hashable, Sendable {
        case file = 0
        case folder = 1
    }

    /// The components joined by `/`, relative to the offered folder; empty for entry 0.
    public let path: String
    public let kind: Kind
    /// The size in bytes; 0 for a folder.
    public let size: UInt64
    /// The permission bits, at most 0777.
    public let mode: UInt16
    /// The time of the last change of the content, in nanoseconds since 1970.
    public let modified: Int64

    /// Makes an entry. Mode bits beyond 0777 are dropped, and a folder's size becomes 0.
    public init(path: String, kind: Kind, size: UInt64, mode: UInt16, modified: Int64) {
        self.path = path
        self.kind = kind
        self.size = kind == .folder ? 0 : size
        self.mode = mode & 0o777
        self.modified = modified
    }

    /// The last component; empty for entry 0.
    public var name: Substring {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path[...] }
        return path[path.utf8.index(after: slash)...]
    }

    /// The folder's path; nil for entry 0, empty for an entry directly in the offered folder.
    public var folder: Substring? {
        guard !path.isEmpty else { return nil }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return path[..<slash]
    }
}
