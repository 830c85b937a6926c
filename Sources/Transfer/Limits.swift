// Transfer: files and folders from one disk to another over a connection of their own.
//
// `Machines` hold the logic without I/O; `Wire` and `Manifest` the bytes; `Names`, `Source` and `Files` are the only
// places that touch a file system; `Bulk` moves records over a socket that somebody else made; `Jobs` join all of it
// in two blocking loops, one for each side, that run on threads of the caller. Nothing here knows the database, the
// session or the reactor: what must be remembered goes to a `TransferJournal`.

/// Every limit of a transfer, with its unit and reason. Both sides hold each other to them.
public enum TransferLimits {
    /// Bytes. A record's system calls and cipher start cost nothing at this size, and it fits a second-level cache.
    public static let chunkBytes = 1 << 20
    /// Bytes of a chunk's XXH3-128 checksum.
    public static let checksumBytes = 16
    /// Bytes of the tag behind each ciphertext (both ciphers).
    public static let tagBytes = 16
    /// Entries of a manifest, folders included: a listing that still fits in memory on both sides.
    public static let entries = 100_000
    /// Bytes of all relative paths of a manifest together: 160 a path on average for the largest.
    public static let manifestPathBytes = 16 << 20
    /// Bytes of one manifest page before sealing, so that reading a page never takes much memory.
    public static let manifestPageBytes = 128 << 10
    /// Bytes of one name: NAME_MAX of every common Linux file system.
    public static let nameBytes = 255
    /// Bytes of a relative path: PATH_MAX, less room for its terminator and our suffixes.
    public static let pathBytes = 4_000
    /// Folders within folders.
    public static let depth = 64
    /// Bytes of one transfer (4 TiB). The map of its chunks and their checksums then takes 64 MiB at worst.
    public static let transferBytes: UInt64 = 4 << 40
    /// Ranges of chunks a receiver may ask for; one that lacks more asks for a few again.
    public static let wantedRanges = 16_384
    /// Ranges in one `want` message, which must fit a Noise message of 65,535 bytes: 18 bytes each at worst.
    public static let rangesPerMessage = 2_048
    /// Files in one `refused` message, which must fit a Noise message of 65,535 bytes: 24 bytes each at worst.
    public static let refusalsPerMessage = 2_048
    /// Bytes of records a sender may have under way: several round trips of a fast network, little memory.
    public static let window: UInt64 = 8 << 20
    /// Bytes consumed before the receiver grants as many again.
    public static let creditStep: UInt64 = 2 << 20
    /// Bytes of credit that may be open at once; more is a peer that lies or overflows.
    public static let openCredit: UInt64 = 1 << 30
    /// Records under one key (1 TiB of full chunks); a longer transfer goes on over a new connection with a new key.
    public static let recordsPerKey: UInt64 = 1 << 20
    /// Noise messages of one direction before its key is changed, as on a session.
    public static let messagesPerKey: UInt64 = 1 << 16
    /// Bytes of small records gathered before they are written.
    public static let coalescedBytes = 256 << 10
    /// Bytes of a chunk that are read, checksummed and sealed (or received, opened and checksummed) in one go: what a core's
    /// own cache holds.
    static let pieceBytes = 128 << 10
    /// A piece that came within this time (13 MB/s) is one of a fast link: the next is waited for in one go. Of others every
    /// packet is told of.
    static let fastPiece: Duration = .milliseconds(10)
    /// How long a message has right of way before files, from the last sign of it: as long as one takes from hand to hand.
    static let interactivePriority = Duration.milliseconds(5)
    /// How long a thread that moves files leaves its core then: long enough to wake another, short beside a piece.
    static let givingWayMicroseconds: UInt32 = 30
    /// Small steps gathered before the writing thread gets them.
    static let stepsPerBlock = 256
    /// Full chunks between the socket and the disk: enough for a disk that pauses now and then.
    static let receiveBlocks = 6
    /// Bytes of a file from which on its full chunks go past the page cache.
    static let directBytes: UInt64 = 8 << 20
    /// Bytes that are written past the page cache in one call. Whatever else wants to be durable on that disk, such as a
    /// message, waits for the call that is under way: at 1 MiB a hundred times as long as at this size (measured).
    static let directPieceBytes = 256 << 10
    /// Bytes read ahead beyond the record at hand, so that small records do not cost a system call each.
    public static let readAheadBytes = 64 << 10
    /// Seconds without progress on a connection before it counts as broken.
    public static let stallSeconds = 30
    /// Seconds of silence before TCP asks whether the other side is there, seconds between its questions, and how many.
    static let keepAlive: (CInt, CInt, CInt) = (10, 5, 4)
    /// Milliseconds: the longest pause that the kernel's TCP makes by itself (TCP_RTO_MAX).
    static let kernelsRetransmissionPause: CInt = 120_000
    /// Seconds that whoever dialled may take until its first message is there whole.
    public static let greetingSeconds = 10
    /// Seconds that the last bytes of the other side are waited for, so that our last message is not lost.
    static let farewellSeconds = 2
    /// Seconds the sender waits for the receiver's disk at the end: fsync of gigabytes on a slow one.
    public static let finishSeconds = 300
    /// Bytes received before a checkpoint is begun.
    public static let checkpointBytes: UInt64 = 64 << 20
    /// Time after which a checkpoint is begun in any case.
    public static let checkpointInterval: Duration = .seconds(2)
    /// Time between two progress reports.
    public static let progressInterval: Duration = .milliseconds(200)
    /// Bytes kept free on the destination's file system unless the settings say otherwise.
    public static let freeSpaceFloor: UInt64 = 256 << 20
    /// Attempts at "name (n)" before giving up.
    public static let nameAttempts = 10_000
    /// Characters of a reason's detail that goes to a peer or comes from one.
    public static let detailCharacters = 200

    /// Limits of files of groups, which come from several members at once.
    public enum SwarmBench {
        /// Chunks asked of one source at a time.
        static let batch = 8
        /// Milliseconds that the answer to one request should take.
        static let batchMilliseconds: Int64 = 500
        /// How long a source is left alone that had nothing to give of what it was asked for.
        static let pause = Duration.milliseconds(100)
        /// How long nothing may have come from anybody before the author is asked for what others have too.
        static let stillness = Duration.seconds(5)
        /// How long a source may take before others are asked for the same, where nothing else is left to ask for.
        static let patience = Duration.seconds(2)
        /// How long the author doesn't give again what it has just given: what its receiver needs to write it and to
        /// tell others, and that some times: on busy machines seconds.
        static let restraint = Duration.seconds(6)
        /// Chunks of a file of which the author gives all to everybody at once: to 255 members a gigabyte at most.
        static let small: UInt64 = 4
        /// Chunks looked at for the rarest.
        static let looked = 256
        /// Chunks that may be asked for in one message.
        static let asked = 64
        /// Sources of one file at a time, the author not counted.
        public static let sources = 6
        /// Members that one file is given to at a time.
        public static let takers = 16
        /// Milliseconds between two looks for news where nothing else is to be done.
        static let lookMilliseconds: Int32 = 40
        /// Bytes of one page of chunk hashes (4,096 of them) and of one record of places.
        static let pageBytes = 128 << 10
        /// How often it is looked at whether a member may still have what it takes.
        static let look = Duration.seconds(1)
        /// How long a member may stay connected without asking for anything.
        static let idle = Duration.seconds(120)
        /// How long a fetch goes on without any source, and without anything coming from those that there are.
        static let alone = Duration.seconds(5)
        static let stuck = Duration.seconds(60)
        /// How long a second source waits for the list that another is giving.
        static let listPatience = Duration.seconds(5)
    }
}
