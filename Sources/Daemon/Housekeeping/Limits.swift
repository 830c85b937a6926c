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
    /// Bytes of a configuration file: some hundred peers with long names, and comments.
    static let configurationBytes = 1 << 20
    /// Bytes of a roster's file: the most members with the longest names, and space between them.
    static let rosterBytes = 4 << 20
    /// How long systemd is asked to wait for the next report of an upgrade, which comes each second. While a slow disk
    /// commits a step, no report comes.
    static let upgradePause = Duration.seconds(300)
    /// How often the free bytes of the disk are read while it is full, short of room, and otherwise.
    static let diskLooks = (
        full: Duration.seconds(2), short: Duration.seconds(5), enough: Duration.seconds(30)
    )
    /// How many free bytes count as room on a full disk: many times what a commit and the log's index need.
    static let roomForData: UInt64 = 1 << 20
    /// How long after a failure we try to open the network again: the other program that has the port may have ended.
    static let networkRetry = Duration.seconds(5)
}

/// The bounds of housekeeping, with unit and reason.
enum HousekeepingLimits {
    // MARK: Contacts and messages

    /// Messages removed in one commit: no other change waits for more than some milliseconds.
    static let removalsAtOnce = 200
    /// How often expired traces are removed.
    static let traces = Duration.seconds(3600)
    /// How long no deletion may come before the log is emptied.
    static let logEmptying = Duration.seconds(1)
    /// The longest wait where deletions come all the time, and the pause before another attempt if the database was in use.
    static let logEmptyingLatest = Duration.seconds(5)
    static let logEmptyingRetry = Duration.milliseconds(300)
    /// How often the clock for the ages of rows is read where nothing is committed: more often than TrustedClock.longestStep, which
    /// it takes for a sleep.
    static let clockLook = Duration.seconds(600)

    /// Conversations whose muting ends in one commit.
    static let mutesAtOnce = 200
    /// The longest wait before the wall clock, which can be set, is asked again whether muting is over; also the pause after
    /// an error.
    static let muteLook = Duration.seconds(60)

    // MARK: Search

    /// Messages indexed in one piece: some ten milliseconds of the writer's time.
    static let indexedAtOnce = 500
    /// Pieces that a search waits for, so that it finds new messages. It doesn't wait for a longer backlog.
    static let searchPieces = 10
    /// Without a commit for this long the writer is idle, and new messages are indexed.
    static let indexPause = Duration.milliseconds(250)
    /// Where the writer is never idle, a piece is indexed this often.
    static let indexLatest = Duration.seconds(2)
    /// Pages (4 KiB each) of one step of purging deleted words, the time between two steps, and the rest for each step before the
    /// next purge: a purge rewrites the whole index, so a large one is purged more rarely.
    static let purge = (pages: 64, pace: Duration.milliseconds(50), rest: Duration.seconds(1))
    /// The least rest after a purge during which more was deleted, however small it was.
    static let purgeRest = Duration.seconds(60)
    /// The pause after an error, such as a full disk.
    static let indexRetry = Duration.seconds(60)
}
