import Basics

private let mode = SQL("PRAGMA auto_vacuum")
private let pageCount = SQL("PRAGMA page_count")
private let freePages = SQL("PRAGMA freelist_count")
private let step = SQL("PRAGMA incremental_vacuum(\(StoreLimits.pagesGivenBack))")
private let thinned = SQL("SELECT value FROM meta WHERE name = 'thinned_message'")
private let thinnedUpdate = SQL("INSERT OR REPLACE INTO meta (name, value) VALUES ('thinned_message', ?)")
// Row numbers are in the order of arrival, and so of age.
private let thinnable = SQL(
    """
    SELECT number FROM (
        SELECT number, coalesce(first_seen, received_at) AS seen FROM message WHERE number > ? ORDER BY number LIMIT ?)
    WHERE seen <= ?
    """)
// A message that has not reached all recipients keeps all its rows, because its state is computed from them.
private let reached = SQL(
    """
    DELETE FROM recipient WHERE message = ?1 AND state IN (2, 3)
        AND (SELECT state FROM message WHERE number = ?1) IN (2, 3)
        AND (SELECT count(*) FROM recipient WHERE message = ?1) > 1
        AND NOT EXISTS (SELECT 1 FROM recipient WHERE message = ?1 AND state NOT IN (2, 3))
    """)
private let sendKeyRemoval = SQL("DELETE FROM send_key WHERE message = ?")

/// Keeps the file from growing beyond its content (docs/PERFORMANCE.md, Growth).
extension WriteTransaction {
    /// Forgets data of old messages that matter only for a while: which of a group's members have a message, once it
    /// has reached all, and the client's idempotency key.
    /// - Returns: whether there is more.
    public func thinOldMessages() throws(StoreError) -> Bool {
        let start = try connection.integer(thinned) ?? 0
        let numbers = try connection.rows(
            thinnable, start, StoreLimits.thinnedAtOnce, trusted.stamp(before: StoreLimits.detailAge)
        ) { $0.integer(0) }
        guard let last = numbers.last else { return false }
        for number in numbers {
            try connection.run(reached, number)
            try connection.run(sendKeyRemoval, number)
        }
        try connection.run(thinnedUpdate, last)
        return Int64(numbers.count) == StoreLimits.thinnedAtOnce
    }

    /// Gives some of the empty pages back to the file system if there are many.
    /// - Returns: whether there are more.
    public func giveBackPages() throws(StoreError) -> Bool {
        guard try connection.integer(mode) == 2 else { return false }
        let free = try connection.integer(freePages) ?? 0
        let all = try connection.integer(pageCount) ?? 0
        guard free > max(StoreLimits.freePagesKept, all / StoreLimits.freeShareKept) else { return false }
        // Each row stands for a page that was moved.
        _ = try connection.rows(step) { _ in }
        return true
    }
}
