import Basics

/// The bounds of notifications and of the hook command, with unit and reason.
enum NotificationLimits {
    // MARK: What is reported

    /// Messages and chats that wait to be looked up; beyond them the oldest are left out.
    static let waiting = 1024
    /// How many messages are looked up at once, and the time between two look-ups. A friend who writes without a pause
    /// costs ten such reads a second, on the thread that reads for events.
    static let page = 128
    /// See ``page``.
    static let pause = Duration.milliseconds(100)
    /// Characters of a title and of a body: more is not seen on any desktop.
    static let title = 80
    /// See ``title``.
    static let body = 300

    /// Friend requests that are reported one by one; the others are summed up.
    static let requests = RateLimit(burst: 5, every: .seconds(300))
    /// How long requests are gathered for a sum, and the time between two sums.
    static let requestsGather = Duration.seconds(10)
    /// See ``requestsGather``.
    static let requestsPause = Duration.seconds(300)

    // MARK: On the desktop

    /// The time between two notifications in one place, and between any two: a person reads no faster.
    static let samePlace = Duration.seconds(1)
    /// See ``samePlace``.
    static let anyPlace = Duration.milliseconds(200)
    /// Places that have a notification or wait for one; beyond them the oldest is taken away.
    static let places = 64
    /// How long kibo-notify may take for one order: the bus gives up after 25 s.
    static let answer = Duration.seconds(30)
    /// The first and the longest pause after kibo-notify has ended or the server has refused.
    static let firstPause = Duration.seconds(1)
    /// See ``firstPause``.
    static let longestPause = Duration.seconds(60)
    /// How long a window that has gone while a call rings may take to come back, before the desktop rings.
    static let windowComesBack = Duration.seconds(3)
    /// How long the browser may take to open for a call, with the start of the gateway.
    static let browser = Duration.seconds(20)
    /// Bytes of a line of kibo-notify, whose longest is an answer that the user has written.
    static let line = 64 << 10

    // MARK: The hook command

    /// How long a command may run: a message a second is the usual most, and the queue waits meanwhile.
    static let hookSeconds = 10
    /// How long kibo-hook may take beyond ``hookSeconds``.
    static let hookGrace = Duration.seconds(5)
    /// Pauses after a failure; after the last one has passed and the command has failed again, it is given up.
    static let hookPauses = [Duration.seconds(1), .seconds(5)]
    /// Runs that wait, and their bytes; beyond them the oldest are left out.
    static let hookQueue = 256
    /// See ``hookQueue``.
    static let hookBytes = 4 << 20
    /// Bytes kept of what a command says when it fails.
    static let hookOutput = 4 << 10
}
