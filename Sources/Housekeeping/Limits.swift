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
