import Glibc

/// The bounds that the start keeps, with unit and reason.
enum DaemonLimits {
    /// Bytes of the note in the lock file: a host's name and a process number.
    static let lockNoteBytes = 300
    /// Descriptors: a session or client has one, a transfer a handful, and the database a few.
    static let fileDescriptors: rlim_t = 4096
    /// Arenas of the allocator. Few of the daemon's 17 threads work at a time. With up to eight arenas for each core,
    /// memory that one thread has freed is of no use to the others. More arenas make a stream of messages no faster.
    static let arenas: CInt = 2
    /// Bytes of a roster's file: the most members with the longest names, and space between them.
    static let rosterBytes = 4 << 20
    /// How long systemd is asked to wait for the next report of an upgrade, which comes each second. While a slow disk
    /// commits a step, no report comes.
    static let upgradePause = Duration.seconds(300)
    /// How often the free bytes of a full disk are read, and how many count as room: many times what a commit and the
    /// log's index need.
    static let diskLook = Duration.seconds(2)
    static let roomForData: UInt64 = 1 << 20
    /// How long after a failure we try to open the network again: the other program that has the port may have ended.
    static let networkRetry = Duration.seconds(5)
}
