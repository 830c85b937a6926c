// Jobs: the two blocking loops of a transfer, one for each side, and what they tell their caller. Each runs on a
// thread of the caller's; `cancel` may come from any other.

/// What a receiving transfer writes down so that it can go on after a crash. The daemon implements it on its database.
///
/// Every call blocks until it is durable. Calls come one at a time, from the transfer's thread or its checkpoint
/// thread. One that throws stops the transfer with ``TransferFailure/journal(_:)``.
public protocol TransferJournal: Sendable {
    /// The sender's list, checked; before any byte of content. Not called when the plan had it.
    func manifestReceived(_ manifest: Manifest) throws
    /// Chunks of before turned out wrong on disk: these, and only these, count from now on.
    func committedChunksReplaced(_ runs: [ChunkRun]) throws
    /// These files are left out from now on, over all connections; nothing of them is on disk any more. Just before the
    /// next checkpoint.
    func leftOut(_ files: [LeftOutFile]) throws
    /// More chunks are on disk for good. `bytesDone` and `filesDone` are totals.
    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) throws
    /// Everything is on disk and will now be renamed to that path. May come again with another path if the name was
    /// taken.
    func willFinish(_ mark: FinishMark) throws
    /// It has its final name.
    func finished(path: String) throws
}

/// Which file is about to get which name: after a crash its inode tells whether it has.
public struct FinishMark: Hashable, Sendable {
    /// Absolute.
    public let path: String
    public let inode: UInt64

    public init(path: String, inode: UInt64) {
        self.path = path
        self.inode = inode
    }
}

/// How far a transfer is.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes of content that are there (receiver) or sent (sender), those of earlier connections included.
    public let bytesDone: UInt64
    /// Bytes of chunks that are on their way and not yet known to be right (receiver): a chunk takes a while on a slow link.
    public let arriving: UInt64
    /// Bytes of content in all.
    public let size: UInt64
    public let filesDone: Int
    public let files: Int
    /// Of this connection, smoothed over a few reports; 0 until something is known.
    public let bytesPerSecond: UInt64

    /// What a person sees as done.
    public var bytesShown: UInt64 { min(size, bytesDone + arriving) }

    /// Nil while the rate is unknown.
    public var secondsLeft: UInt64? {
        bytesPerSecond > 0 ? (size - bytesShown) / bytesPerSecond : nil
    }
}
