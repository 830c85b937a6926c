import Glibc
import PeerProtocol

/// Every bound that the daemon's shells keep, with its unit and reason. Limits of the wire stand in PeerProtocol.
enum DaemonLimits {
    // MARK: Connections from the network

    /// Descriptors: a session or client has one, a transfer a handful, and the database a few.
    static let fileDescriptors: rlim_t = 4096
    /// Strangers whose last such look is remembered, and of one question those that are looked at.
    static let looksOfQuestion = 4

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

    // MARK: The control socket

    /// Connections at once.
    static let controlConnections = 256
    /// From the first byte of a line to its end.
    static let controlLineDeadline = Duration.seconds(30)
    /// Requests of one connection being worked on; above it, reading pauses.
    static let controlRequestsAtOnce = 1024
    /// Bytes waiting for a client above which nothing more is read from it and events wait in the log.
    static let controlOutputHighMark = 4 << 20
    /// Bytes waiting for a client that doesn't read, above which the connection is closed.
    static let controlOutputLimit = 64 << 20
    /// Events of a commit that are looked up on the store's own thread: those of a message or two.
    static let promptEvents = 8
    /// Events read from the log at once for a subscriber that catches up.
    static let eventPage = 500
    /// Bytes of events' objects looked up at once, above which the rest waits for the next time: one more than fits is
    /// less than half a megabyte.
    static let composedBytes = 1 << 20
    /// Until events are looked up again that could not be.
    static let eventRetry = Duration.seconds(1)
    /// Bytes of JSON in one page of messages or conversations; at least one is in it. A client reads it in one go, and a
    /// dozen of them may wait for it.
    static let listBytes = 4 << 20
    /// Messages read at once for a page: of the longest, some 4 MiB.
    static let listPiece = 64
    /// Subscriptions of one connection.
    static let subscriptions = 64

    // MARK: The account

    /// The wait after the first wrong passphrase, which doubles with each, and the longest: nobody who mistypes notices the
    /// first, and no program gets through more than a thousand tries a day.
    static let passphraseDelay = (first: Duration.seconds(1), longest: Duration.seconds(60))
    /// Columns of a code in a terminal: what fits the usual 80. A link that makes a larger one goes into it without its name,
    /// then without its further addresses.
    static let codeColumns = 72

    // MARK: Contacts and messages

    /// How long it must be quiet after a deletion before the log is emptied.
    static let logEmptying = Duration.seconds(1)
    /// How long the log may wait to be emptied where something is deleted all the time, and how soon it is tried again where
    /// somebody was reading or writing.
    static let logEmptyingLatest = Duration.seconds(5)
    static let logEmptyingRetry = Duration.milliseconds(300)

    // MARK: Address book

    /// Bytes of an imported file read at once.
    static let filePiece = 256 << 10
    /// Events of one change of what fits the address book; whoever sees many lists it again anyway.
    static let matchEvents = 200

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
