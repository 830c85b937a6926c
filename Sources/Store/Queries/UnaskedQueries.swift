import Basics
import Vocabulary

private let kept = SQL("SELECT account, kind, since, bytes FROM unasked")
private let keeping = SQL("INSERT OR REPLACE INTO unasked (account, kind, since, bytes) VALUES (?, ?, ?, ?)")
private let dropping = SQL("DELETE FROM unasked WHERE account = ? AND kind = ?")
private let freePages = SQL("PRAGMA freelist_count")
private let pageSize = SQL("PRAGMA page_size")

extension ReadTransaction {
    /// What came unasked, as it was last stored.
    func unaskedTally() throws(StoreError) -> UnaskedTally {
        let rows = try connection.rows(kept) { row throws(StoreError) in
            (
                account: AccountID(bytes: row.bytes(0)), kind: UnaskedKind(rawValue: row.integer(1)),
                count: UnaskedTally.Count(since: row.integer(2), bytes: row.integer(3))
            )
        }
        var counts: [UnaskedTally.Key: UnaskedTally.Count] = [:]
        for row in rows {
            // A later version may have stored a kind that this one doesn't know.
            guard let account = row.account, let kind = row.kind else { continue }
            counts[UnaskedTally.Key(account: account, kind: kind)] = row.count
        }
        return UnaskedTally(counts)
    }

    /// Bytes of the file's empty pages: room for later rows, without any more of the disk.
    public func emptyBytes() throws(StoreError) -> Int64 {
        let (pages, size) = (try connection.integer(freePages) ?? 0, try connection.integer(pageSize) ?? 0)
        let (bytes, overflow) = pages.multipliedReportingOverflow(by: size)
        return overflow ? .max : bytes
    }
}

extension WriteTransaction {
    /// Bytes that came unasked from an account within its day, those of this commit included.
    public func unasked(_ kind: UnaskedKind, of account: AccountID) -> Int64 {
        let key = UnaskedTally.Key(account: account, kind: kind)
        let (sum, overflow) = tally.bytes(key, ended: dayEnded).addingReportingOverflow(counted[key] ?? 0)
        return overflow ? .max : sum
    }

    /// Counts bytes that came unasked. They count once this commit has succeeded, and a later commit stores them: after
    /// a crash, ``StoreLimits/unaskedUnkept`` bytes may be missing.
    public func countUnasked(_ bytes: Int64, _ kind: UnaskedKind, of account: AccountID) {
        let key = UnaskedTally.Key(account: account, kind: kind)
        let (sum, overflow) = (counted[key] ?? 0).addingReportingOverflow(max(0, bytes))
        counted[key] = overflow ? .max : sum
    }

    private var dayEnded: Int64 { trusted.stamp(before: StoreLimits.unaskedDay) }

    /// Stores the counts that have changed, and forgets the days that are over.
    func keepUnasked() throws(StoreError) {
        tally.forget(ended: dayEnded)
        for key in tally.stale {
            if let count = tally.counts[key] {
                try connection.run(keeping, key.account.bytes, key.kind.rawValue, count.since, count.bytes)
            } else {
                try connection.run(dropping, key.account.bytes, key.kind.rawValue)
            }
        }
    }

    /// Call when the commit has succeeded.
    /// - Parameter isKept: whether the counts were stored with it.
    func settleUnasked(isKept: Bool) {
        if isKept { tally.kept() }
        guard !counted.isEmpty else { return }
        for (key, bytes) in counted { tally.add(bytes, to: key, at: trusted.seen, ended: dayEnded) }
        counted = [:]
    }
}
