/// What a small commit takes on this disk: a mean of the last ones. Commits of many jobs don't count, so that it says how slow
/// the disk is, and not how much there is to do.
struct CommitCost {
    private(set) var value = Duration.zero

    /// - Parameters:
    ///   - time: how long a commit took.
    ///   - jobs: how many jobs were in it.
    mutating func note(_ time: Duration, jobs: Int) {
        guard jobs <= StoreLimits.jobsOfSmallCommit else { return }
        value += (time - value) / 8
    }
}
