/// The bounds of what all shells stand on, with unit and reason.
enum RuntimeLimits {
    /// Milliseconds that a log line waits for its reader.
    static let logPatience: CInt = 20
    /// The first piece of a chore after the start, the pause after each piece, in which other work goes on, and the rest after the
    /// last one.
    static let chore = (first: Duration.seconds(5), pause: Duration.milliseconds(20), rest: Duration.seconds(3600))
    /// How long a file or folder that the configuration names may let a start or a reload wait: a disk that has to spin up, or
    /// a share that has to be mounted first, is there by then.
    static let namedPlacePatience = Duration.seconds(5)
    /// Changes that the disk has refused and that are tried again: more than transfers and contacts can cause before a
    /// user looks. Then the first and the longest pause between two attempts; each attempt is one small transaction.
    static let retriedCommits = (
        count: 16_384, firstPause: Duration.milliseconds(100), longestPause: Duration.seconds(10)
    )
    /// For how long somebody is shown as put off whose words don't come again: twice the longest pause before they do.
    static let putOffShown: Duration = .seconds(1200)
    /// Accounts that are shown as put off: more than write at one time.
    static let putOffAccounts = 1024
}
