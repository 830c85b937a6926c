// Source: the sending side's disk. What is offered is scanned once; from then on it must stay what it was.

/// By what the sender knows a file again: a change of any of these is a changed source.
public struct SourceIdentity: Hashable, Sendable {
    /// Of a folder: when it was made, in nanoseconds since 1970, where that is known. Older versions stored a device number
    /// here, which another mount changes: it counts for nothing.
    public let born: Int64
    public let inode: UInt64
    /// Bytes.
    public let size: UInt64
    /// Time of the last change of the content, nanoseconds since 1970.
    public let modified: Int64
    /// Time of the last change of anything, nanoseconds since 1970; nobody can set it back.
    public let changed: Int64

    public init(born: Int64 = 0, inode: UInt64, size: UInt64, modified: Int64, changed: Int64) {
        self.born = born
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    init(_ status: FileStatus) {
        self.init(
            born: status.born, inode: status.inode, size: status.size, modified: status.modified,
            changed: status.changed)
    }

    /// Whether a file is still the same, also after its file system was mounted again. Of a folder only which one it is
    /// counts: something put beside what is sent is no change of what is sent.
    /// - Parameter numbersLast: whether inodes mean anything after another mount; asked only where they differ.
    func matches(_ status: FileStatus, kind: ManifestEntry.Kind, numbersLast: @autoclosure () -> Bool) -> Bool {
        switch kind {
        case .file:
            status.kind == .file && size == status.size && modified == status.modified
                && (inode == status.inode && changed == status.changed || !numbersLast())
        case .folder:
            status.kind == .folder && (inode == status.inode || !numbersLast())
                && (min(born, status.born) < Self.firstTime || born == status.born)
        }
    }

    /// Device numbers are below this, times of making above: 2^48 ns are three days of 1970.
    private static let firstTime: Int64 = 1 << 48
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
