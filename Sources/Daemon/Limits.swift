import Glibc
import PeerProtocol

/// Every bound that the daemon's shells keep, with its unit and reason. Limits of the wire stand in PeerProtocol.
enum DaemonLimits {
    // MARK: Connections from the network

    /// Descriptors: a session or client has one, a transfer a handful, and the database a few.
    static let fileDescriptors: rlim_t = 4096

    // MARK: Groups

    /// The greatest number that the clock can give to a start of the daemon: in the year 2096. Behind it are as many as it takes.
    static let leastIncarnation: Int64 = 4_000_000_000

    // MARK: The doctor

    /// Until our own announcement must have come back: three of them go out meanwhile.
    static let echo = Duration.seconds(4)
    /// Friends asked to dial us, one after another until one has reached us.
    static let askedFriends = 3
    /// Clocks further apart than this are worth a word: messages then seem to come from the past or the future.
    static let clockApart = Duration.seconds(60)
    /// Free bytes without which the database soon can't grow.
    static let wantedDataBytes: UInt64 = 100 << 20
    /// How often a full disk is looked at, and the free bytes with which it counts as having room: what a commit and the log's
    /// index take many times over.
    static let diskLook = Duration.seconds(2)
    static let roomForData: UInt64 = 1 << 20
    /// How long the look through the database may take: some gigabytes.
    static let databaseCheck = Duration.seconds(30)

    // MARK: The account

    /// The wait after the first wrong passphrase, which doubles with each, and the longest: nobody who mistypes notices the
    /// first, and no program gets through more than a thousand tries a day.
    static let passphraseDelay = (first: Duration.seconds(1), longest: Duration.seconds(60))

    // MARK: Contacts and messages

    /// How long it must be quiet after a deletion before the log is emptied.
    static let logEmptying = Duration.seconds(1)
    /// How long the log may wait to be emptied where something is deleted all the time, and how soon it is tried again where
    /// somebody was reading or writing.
    static let logEmptyingLatest = Duration.seconds(5)
    static let logEmptyingRetry = Duration.milliseconds(300)

    // MARK: Search

    /// Messages indexed in one go: some ten milliseconds of the writer's time.
    static let indexedAtOnce = 500
    /// Pieces that a search waits for, so that it finds what has just come: beyond them it finds what is indexed.
    static let searchPieces = 10
    /// Without a commit for this long the writer has a pause, and what is new is indexed.
    static let indexPause = Duration.milliseconds(250)
    /// Where there is no pause, a piece is indexed each so often all the same.
    static let indexLatest = Duration.seconds(2)
    /// Pages (4 KiB each) of one step of purging deleted words, the time between two, and the rest for each step before the
    /// next purge: a purge writes the whole index anew, so that a large one is purged more rarely.
    static let purge = (pages: 64, pace: Duration.milliseconds(50), rest: Duration.seconds(1))
    /// The least rest after a purge during which more was deleted, however small it was.
    static let purgeRest = Duration.seconds(60)
    /// After an error, such as a full disk.
    static let indexRetry = Duration.seconds(60)

    // MARK: Files

    /// How often the clock by which things grow old is looked at where nothing is committed: more often than it takes a sleep
    /// for (TrustedClock.longestStep).
    static let clockLook = Duration.seconds(600)
}
