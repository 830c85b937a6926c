/// The bounds of the control interface in the daemon, with unit and reason. The limits of requests are in
/// ControlProtocol.
enum ControlLimits {
    /// Parcels in one answer: a list that somebody looks through.
    static let parcels = 1000

    // MARK: The control socket

    /// Connections at once.
    static let controlConnections = 256
    /// How long a line may take from its first byte to its end.
    static let controlLineDeadline = Duration.seconds(30)
    /// Requests of one connection being worked on; above it, reading pauses.
    static let controlRequestsAtOnce = 1024
    /// If more bytes than this wait for a client, nothing more is read from it, and its events wait in the log.
    static let controlOutputHighMark = 4 << 20
    /// Bytes waiting for a client that doesn't read, above which the connection is closed.
    static let controlOutputLimit = 64 << 20
    /// A commit with at most this many events is looked up on the store's own thread: the events of a message or two.
    static let promptEvents = 8
    /// Events read from the log at once for a subscriber that catches up.
    static let eventPage = 500
    /// Bytes of events' objects looked up at once, above which the rest waits for the next time: one more than fits is
    /// less than half a megabyte.
    static let composedBytes = 1 << 20
    /// The pause between two counts of the totals for a badge: a burst of messages changes them once or twice.
    static let totalsPause = Duration.milliseconds(100)
    /// The same for what couriers do: friends may leave many parcels at once.
    static let courierPause = Duration.seconds(1)
    /// The pause before events that could not be looked up are looked up again.
    static let eventRetry = Duration.seconds(1)
    /// Bytes of JSON in one page of messages or conversations; at least one is in it. A client reads it in one go, and a
    /// dozen of them may wait for it.
    static let listBytes = 4 << 20
    /// Messages read at once for a page: of the longest, some 4 MiB.
    static let listPiece = 64
    /// Descriptors that may wait for a client that doesn't read. Further requests for one are refused as `busy`.
    static let descriptorsWaiting = 16
    /// Subscriptions of one connection.
    static let subscriptions = 64

    // MARK: Links and peers

    /// Columns of a code in a terminal: what fits the usual 80. If a link makes a larger code, its name is left out,
    /// then its further addresses.
    static let codeColumns = 72
    /// Addresses of a link that are tried, one after another: a host has one or two networks that matter.
    static let linkAddresses = 3
    /// Strangers' devices whose cards are asked for again when a client lists peers by name, so that the next list is
    /// up to date.
    static let looksOfQuestion = 4

    /// Pictures that are searched for codes, or wait for that, at once: one of each client. Each takes two seconds at
    /// most.
    static let codePictures = 4

    // MARK: Uploads

    /// Uploads at once that no message names yet: what a person chooses in a few windows, where the files of the next
    /// messages are copied while one is sent.
    static let uploads = 256
    /// Files of a folder that is uploaded: a browser hands them over one by one.
    static let uploadedFiles: Int64 = 10_000
    /// Bytes of a picture that becomes an avatar, and of an address book: no more than this is read of either.
    static let uploadedPicture: Int64 = 64 << 20
    static let uploadedAddressBook: Int64 = 1 << 30
    /// The age at which an upload that no message names is removed.
    static let uploadAge = Duration.seconds(86_400)
    /// Bytes of the file beside an upload: a name, and a place of 4,096 bytes that JSON may escape.
    static let uploadAbout = 64 << 10

    /// Bytes of an upload that are read at once, and how often in one go: others have their turn after 8 MiB.
    static let uploadRead = 256 << 10
    static let uploadReads = 32

    // MARK: Files on a page

    /// Bytes of all thumbnails that are kept: some three thousand.
    static let thumbnailCache: Int64 = 256 << 20
    /// How long making a thumbnail may take: two runs of a program that has ten seconds of processor time.
    static let thumbnailTime = Duration.seconds(20)

    /// How long a file manager may take to show a file: it may have to be started.
    static let fileManagerAnswer = Duration.seconds(10)

}
