// Source: the sending side's disk. What is offered is scanned once; from then on it must stay what it was.

/// By what the sender knows a file again: a change of any of these is a changed source.
public struct SourceIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64
    /// Bytes.
    public let size: UInt64
    /// Time of the last change of the content, nanoseconds since 1970.
    public let modified: Int64
    /// Time of the last change of anything, nanoseconds since 1970; nobody can set it back.
    public let changed: Int64

    public init(device: UInt64, inode: UInt64, size: UInt64, modified: Int64, changed: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: FileStatus) {
        self.init(
            device: status.device, inode: status.inode, size: status.size, modified: status.modified,
            changed: status.changed)
    }

    /// Whether a file is still the same. Of a folder only which one it is counts: something put beside what is sent
    /// is no change of what is sent.
    func matches(_ status: FileStatus, kind: ManifestEntry.Kind) -> Bool {
        switch kind {
        case .file: status.kind == .file && self == SourceIdentity(status)
        case .folder: status.kind == .folder && device == status.device && inode == status.inode
        }
    }
}

/// An entry of the manifest and by what its source is known.
public struct SourceEntry: Hashable, Sendable {
    public let entry: ManifestEntry
    public let identity: SourceIdentity

    public init(entry: ManifestEntry, identity: SourceIdentity) {
        self.entry = entry
        self.identity = identity
    }
}
