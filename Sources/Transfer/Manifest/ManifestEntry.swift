// Manifest: the list of what a transfer holds, its rules and its bytes. No I/O.
import Basics

/// One file or folder of a transfer. Entry 0 is what was offered (its path is empty, its name is the offer's); every
/// other entry's folder stands before it.
public struct ManifestEntry: Hashable, Sendable {
    /// Nothing else is ever transferred: no links, no devices.
    public enum Kind: UInt8, Hashable, Sendable {
        case file = 0
        case folder = 1
    }

    /// Components joined by `/`, relative to what was offered; empty for entry 0.
    public let path: String
    public let kind: Kind
    /// Bytes; 0 for a folder.
    public let size: UInt64
    /// Permission bits, at most 0777.
    public let mode: UInt16
    /// Time of the last change of the content, nanoseconds since 1970.
    public let modified: Int64

    /// Mode bits beyond 0777 are dropped, a folder's size becomes 0.
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

    /// The folder's path; nil for entry 0, empty for what stands directly in the offered folder.
    public var folder: Substring? {
        guard !path.isEmpty else { return nil }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return path[..<slash]
    }
}
