// Jobs: the two blocking loops of a transfer, one for each side, and what they report to their caller. Each runs on a
// thread of the caller's; any other thread may call `cancel`.

/// The data that a receiving transfer stores so that it can continue after a crash. The daemon implements it on its
/// database.
///
/// Every call blocks until its data is durable. Calls come one at a time, from the transfer's thread or its checkpoint
/// thread. If a call throws, the transfer stops with ``TransferFailure/journal(_:)``.
public protocol TransferJournal: Sendable {
    /// The sender's list was received and checked; comes before any content. Not called if the plan had the list.
    func manifestReceived(_ manifest: Manifest) throws
    /// Some committed chunks are wrong on disk: only these runs count from now on.
    func committedChunksReplaced(_ runs: [ChunkRun]) throws
    /// These files are left out from now on, on all connections, and nothing of them is on disk any more. Comes just
    /// before the next checkpoint.
    func leftOut(_ files: [LeftOutFile]) throws
    /// More chunks are durably on disk. `bytesDone` and `filesDone` are totals.
    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) throws
    /// Everything is on disk and is about to be renamed to that path. May come again with another path if the name was
    /// taken.
    func willFinish(_ mark: FinishMark) throws
    /// Everything has its final name. `renamed` are the names that the disk didn't take.
    func finished(path: String, renamed: [RenamedEntry]) throws
}

/// A file or folder that has another name on the receiver's disk, because the disk doesn't take the offered one.
public struct RenamedEntry: Hashable, Sendable {
    /// The name as offered; of an entry of a folder, its path there.
    public let offered: String
    /// The name here, without the folders above it.
    public let name: String

    public init(offered: String, name: String) {
        self.offered = offered
        self.name = name
    }
}

/// Which file is about to get which name. After a crash the inode tells whether the file was renamed.
public struct FinishMark: Hashable, Sendable {
    /// The absolute path.
    public let path: String
    public let inode: UInt64

    public init(path: String, inode: UInt64) {
        self.path = path
        self.inode = inode
    }

    /// The last component of the path.
    var name: String { Self.name(of: path) }

    static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }
}

/// The progress of a transfer.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes of content that are there (receiver) or sent (sender), including those of earlier connections.
    public let bytesDone: UInt64
    /// Bytes of chunks that are on their way and not yet verified (receiver): on a slow link a chunk takes a while.
    public let arriving: UInt64
    /// Bytes of content in all.
    public let size: UInt64
    public let filesDone: Int
    public let files: Int
    /// The rate of this connection, smoothed over a few reports; 0 until it is known.
    public let bytesPerSecond: UInt64

    /// The bytes that the user sees as done.
    public var bytesShown: UInt64 { min(size, bytesDone + arriving) }

    /// The estimated seconds left; nil while the rate is unknown.
    public var secondsLeft: UInt64? {
        bytesPerSecond > 0 ? (size - bytesShown) / bytesPerSecond : nil
    }
}
