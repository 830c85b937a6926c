// Source: the sending side's disk. What is offered is scanned once, and must stay unchanged from then on.

/// The data by which the sender recognises a file. ``matches(_:kind:numbersLast:)`` says which changes mean another
/// source.
public struct SourceIdentity: Hashable, Sendable {
    /// The time when a folder was made, in nanoseconds since 1970; 0 if it isn't known.
    public let born: Int64
    public let inode: UInt64
    /// The size in bytes.
    public let size: UInt64
    /// The time of the last change of the content, in nanoseconds since 1970.
    public let modified: Int64
    /// The time of the last change of anything, in nanoseconds since 1970; users can't set it back.
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

    /// Whether a file is still the same, even if its file system was mounted again. ``changed`` doesn't count: a
    /// backup's hard link or a new mode or attribute moves that time and leaves the content. For a folder only its
    /// identity counts: a new file in it does not change what is sent.
    /// - Parameter numbersLast: whether inodes survive another mount; evaluated only if they differ.
    func matches(_ status: FileStatus, kind: ManifestEntry.Kind, numbersLast: @autoclosure () -> Bool) -> Bool {
        switch kind {
        case .file:
            status.kind == .file && size == status.size && modified == status.modified
                && (inode == status.inode || !numbersLast())
        case .folder:
            status.kind == .folder && (inode == status.inode || !numbersLast())
                && (born == 0 || status.born == 0 || born == status.born)
        }
    }
}

/// An entry of the manifest with the identity of its source.
public struct SourceEntry: Hashable, Sendable {
    public let entry: ManifestEntry
    public let identity: SourceIdentity
}
