/// How long this disk takes for a small commit, which is nearly all synchronising. A large commit would measure the
/// work instead of the disk.
struct CommitCost {
    private(set) var value: Duration?

    /// - Parameters:
    ///   - time: how long a commit took.
    ///   - rows: how many rows it changed. A commit that changed none has written nothing.
    mutating func note(_ time: Duration, rows: Int64) {
        guard rows > 0 else { return }
        // The host may have slept.
        let time = min(time, StoreLimits.longestCommit)
        guard let mean = value else { return value = time }
        if rows <= StoreLimits.rowsOfSmallCommit {
            value = mean + (time - mean) / 8
        } else if time < mean {
            // The disk has become quicker, however much there was to write.
            value = time
        }
    }
}
