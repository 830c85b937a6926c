/// The bounds of what all shells stand on, with unit and reason.
enum RuntimeLimits {
    /// Milliseconds that a log line waits for its reader.
    static let logPatience: CInt = 20
    /// Changes that the disk has refused and that are tried again: more than transfers and contacts can cause before a
    /// person looks. Then the first and the longest pause between two attempts, each of which is one small transaction.
    static let standingCommits = (
        count: 16_384, firstPause: Duration.milliseconds(100), longestPause: Duration.seconds(10)
    )
}
