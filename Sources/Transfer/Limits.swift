// Transfer moves files and folders from one disk to another over a connection of their own.
//
// `Machines` hold the logic without I/O, `Wire` and `Manifest` the bytes. Only `Names`, `Source` and `Files` touch a
// file system. `Bulk` moves records over a socket that the caller made. `Jobs` join all of this in two blocking loops,
// one for each side, that run on threads of the caller. Nothing here knows the database, the session or the reactor:
// what must be remembered goes to a `TransferJournal`.

/// Every limit of a transfer, with its unit and reason. Both sides hold each other to them.
public enum TransferLimits {
    /// Bytes of a chunk. At this size a record's system calls and cipher start cost next to nothing, and it fits a
    /// second-level cache.
    public static let chunkBytes = 1 << 20
    /// Bytes of a chunk's XXH3-128 checksum.
    public static let checksumBytes = 16
    /// Bytes of the authentication tag after each ciphertext (both ciphers).
    public static let tagBytes = 16
    /// Entries of a manifest, including folders. A list of this length still fits in memory on both sides.
    public static let entries = 100_000
    /// Bytes of all relative paths of a manifest together: 160 bytes per path on average in the longest manifest.
    public static let manifestPathBytes = 16 << 20
    /// Bytes of one manifest page before sealing, so that reading a page takes little memory.
    public static let manifestPageBytes = 128 << 10
    /// Bytes of one name: NAME_MAX of every common Linux file system.
    public static let nameBytes = 255
    /// Bytes of a relative path: PATH_MAX, less room for its terminator and our suffixes.
    public static let pathBytes = 4_000
    /// Levels of nested folders.
    public static let depth = 64
    /// Bytes of one transfer (4 TiB). The map of its chunks and their checksums then takes 64 MiB at most.
    public static let transferBytes: UInt64 = 4 << 40
    /// Ranges of chunks that a receiver may ask for. A receiver that lacks more ranges asks for a few chunks again.
    public static let wantedRanges = 16_384
    /// Ranges in one `want` message, which must fit a Noise message of 65,535 bytes. A range takes up to 18 bytes.
    public static let rangesPerMessage = 2_048
    /// Files in one `refused` message, which must fit a Noise message of 65,535 bytes. A file takes up to 24 bytes.
    public static let refusalsPerMessage = 2_048
    /// Bytes of records that a sender may have under way: several round trips of a fast network, in little memory.
    public static let window: UInt64 = 8 << 20
    /// Bytes consumed before the receiver grants as many again.
    public static let creditStep: UInt64 = 2 << 20
    /// Bytes of credit that may be open at once. More credit means that the peer lies or overflows.
    public static let openCredit: UInt64 = 1 << 30
    /// Records under one key (1 TiB of full chunks). A longer transfer continues over a new connection with a new key.
    public static let recordsPerKey: UInt64 = 1 << 20
    /// Noise messages of one direction before its key is changed, as on a session.
    public static let messagesPerKey: UInt64 = 1 << 16
    /// Bytes of small records that are gathered before they are written.
    public static let coalescedBytes = 256 << 10
    /// Bytes of a chunk that are read, checksummed and sealed (or received, opened and checksummed) at a time: as many
    /// as a core's own cache holds.
    static let pieceBytes = 128 << 10
    /// A link that brings a piece within this time (13 MB/s) counts as fast, and the next piece is read with one call.
    /// On slower links every packet is reported.
    static let fastPiece: Duration = .milliseconds(10)
    /// How long messages take precedence over files after the last sign of a message: about as long as one takes from
    /// end to end.
    static let interactivePriority = Duration.milliseconds(5)
    /// Microseconds for which a thread that moves files then gives up its core: long enough to wake another thread,
    /// short compared with a piece.
    static let givingWayMicroseconds: UInt32 = 30
    /// Small steps that are gathered before the writing thread gets them.
    static let stepsPerBlock = 256
    /// Full chunks between the socket and the disk: enough for a disk that pauses now and then.
    static let receiveBlocks = 6
    /// Bytes of a file from which on its full chunks bypass the page cache.
    static let directBytes: UInt64 = 8 << 20
    /// Bytes that are written past the page cache in one call. Every other durable write to that disk, such as a
    /// message's, waits for the running call: at 1 MiB a hundred times as long as at this size (measured).
    static let directPieceBytes = 256 << 10
    /// Bytes that are read ahead beyond the current record, so that small records do not cost a system call each.
    public static let readAheadBytes = 64 << 10
    /// Seconds without progress on a connection before it counts as broken.
    public static let stallSeconds = 30
    /// Seconds of silence before TCP asks whether the other side is there, seconds between its questions, and their
    /// number.
    static let keepAlive: (CInt, CInt, CInt) = (10, 5, 4)
    /// Milliseconds of the longest retransmission pause that the kernel's TCP uses by itself (TCP_RTO_MAX).
    static let kernelsRetransmissionPause: CInt = 120_000
    /// Seconds within which the side that dialled has to send its whole first message.
    public static let greetingSeconds = 10
    /// Seconds of waiting for the other side's last bytes, so that our last message is not lost.
    static let farewellSeconds = 2
    /// How long a sender may reread files on one connection to compare them with what it has sent. The other side waits
    /// only 30 seconds for a sign.
    static let comparison = Duration.seconds(20)
    /// Seconds that the sender waits for the receiver's disk at the end, which may be the fsync of gigabytes on a slow
    /// disk.
    public static let finishSeconds = 300
    /// Bytes received before a checkpoint begins.
    public static let checkpointBytes: UInt64 = 64 << 20
    /// The longest time between two checkpoints.
    public static let checkpointInterval: Duration = .seconds(2)
    /// Time between two progress reports.
    public static let progressInterval: Duration = .milliseconds(200)
    /// Bytes kept free on the destination's file system unless the settings say otherwise.
    public static let freeSpaceReserve: UInt64 = 256 << 20
    /// Attempts at "name (n)" before the transfer fails.
    public static let nameAttempts = 10_000
    /// Characters of the detail of a reason that goes to a peer or comes from one.
    public static let detailCharacters = 200

    /// Limits of files of groups, which come from several members at once.
    public enum Swarm {
        /// Chunks requested from one source at a time.
        static let batch = 8
        /// Milliseconds that the answer to one request should take.
        static let batchMilliseconds: Int64 = 500
        /// How long a source is not asked after it had none of the requested chunks.
        static let pause = Duration.milliseconds(100)
        /// If nothing has arrived from any source for this long, the author is also asked for chunks that others have.
        static let stillness = Duration.seconds(5)
        /// How long a source may take to answer before other sources are asked for the same chunks. They are asked only
        /// if no other chunks are left to ask for.
        static let patience = Duration.seconds(2)
        /// How long the author waits before it gives the same chunk again: several times as long as a receiver needs to
        /// write the chunk and announce it, which takes seconds on busy machines.
        static let restraint = Duration.seconds(6)
        /// The author gives a file of at most this many chunks to every member in full: at most a gigabyte to 255
        /// members.
        static let small: UInt64 = 4
        /// Chunks that are examined to find the rarest.
        static let looked = 256
        /// Chunks that one message may ask for.
        static let asked = 64
        /// Sources of one file at a time, not counting the author.
        public static let sources = 6
        /// Members to which one file is given at a time.
        public static let takers = 16
        /// Milliseconds between two looks for news when there is nothing else to do.
        static let lookMilliseconds: Int32 = 40
        /// Bytes of one page of chunk hashes (4,096 of them) and of one record of places.
        static let pageBytes = 128 << 10
        /// The time between two checks whether a member may still have the file.
        static let look = Duration.seconds(1)
        /// How long a member may stay connected without a request.
        static let idle = Duration.seconds(120)
        /// How long a fetch continues without any source, and how long without data from the sources it has.
        static let alone = Duration.seconds(5)
        static let stuck = Duration.seconds(60)
        /// How long a second source waits for the list that another source is sending.
        static let listPatience = Duration.seconds(5)
    }
}
