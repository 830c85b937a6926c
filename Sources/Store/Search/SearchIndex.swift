import Basics
import CSQLite

private let waiting = SQL(
    "SELECT number, length(CAST(text AS BLOB)) FROM message WHERE number > ? ORDER BY number LIMIT ?")
private let addition = SQL(
    """
    INSERT INTO search (rowid, text, names, conversation)
    SELECT number, text, names, conversation FROM search_source WHERE number > ? AND number <= ? ORDER BY number
    """)
private let entryOf = SQL("SELECT text, names, conversation FROM search_source WHERE number = ?")
// The index doesn't keep the indexed text: to remove an entry it has to be given all of it again. The values are passed
// plainly, because for an INSERT from a SELECT SQLite makes a savepoint, at which the index writes out what it has
// gathered (20 times as slow).
private let removal = SQL(
    "INSERT INTO search (search, rowid, text, names, conversation) VALUES ('delete', ?, ?, ?, ?)")
private let insertion = SQL("INSERT INTO search (rowid, text, names, conversation) VALUES (?, ?, ?, ?)")
private let setMeta = SQL("UPDATE meta SET value = ? WHERE name = ?")
private let merge = SQL("INSERT INTO search (search, rank) VALUES ('merge', ?)")

/// The result of a step of a purge.
public enum PurgeProgress: Hashable, Sendable {
    /// The purge needs further steps.
    case going
    /// The purge is over, but what was deleted since it began needs another one.
    case complete
    /// No deleted text is left.
    case clean
}

extension WriteTransaction {
    /// Indexes waiting messages, the oldest first: at most `limit`, and for long ones at most
    /// ``StoreLimits/indexedBytes``.
    /// - Returns: the number of indexed messages; 0 if none waits.
    @discardableResult
    public func indexMessages(limit: Int) throws(StoreError) -> Int {
        let start = try searchMeta(.indexed)
        let rows = try connection.rows(waiting, start, Int64(max(limit, 1))) { ($0.integer(0), $0.integer(1)) }
        var (end, count, bytes) = (start, 0, Int64(0))
        for (number, size) in rows where bytes < StoreLimits.indexedBytes {
            (end, count, bytes) = (number, count + 1, bytes + size)
        }
        guard count > 0 else { return 0 }
        try connection.run(addition, start, end)
        try set(.indexed, end)
        return count
    }

    /// Removes a message from the index by its present text. Call it before the message's text or deleted flag, or the
    /// names of its files, change, and before its row goes. Does nothing for a message that was not indexed yet.
    /// - Parameter number: the row's number.
    func textWillChange(_ number: Int64) throws(StoreError) {
        guard let entry = try indexedEntry(number) else { return }
        try connection.run(removal, number, entry.text, entry.names, entry.conversation)
        try set(.deleted, try searchMeta(.deleted) + 1)
    }

    /// Adds the changed message to the index. Call it after a change that ``textWillChange(_:)`` announced. A message
    /// that was not indexed yet will be later.
    func textChanged(_ number: Int64) throws(StoreError) {
        guard let entry = try indexedEntry(number) else { return }
        try connection.run(insertion, number, entry.text, entry.names, entry.conversation)
    }

    /// What the index holds of a message; nil for a message without words or one that was not looked at yet.
    private func indexedEntry(
        _ number: Int64
    ) throws(StoreError) -> (text: String, names: String?, conversation: String)? {
        guard number <= (try searchMeta(.indexed)) else { return nil }
        return try connection.first(entryOf, number) { ($0.text(0), $0.optionalText(1), $0.text(2)) }
    }

    /// Makes a change of a message's text, deleted flag or file names, and updates the index.
    /// - Parameter message: nil for a change that concerns no message.
    func reindexing<T>(_ message: UUIDv7?, _ change: () throws(StoreError) -> T) throws(StoreError) -> T {
        guard let message, let number = try connection.messageNumber(message) else { return try change() }
        try textWillChange(number)
        let result = try change()
        try textChanged(number)
        return result
    }

    /// Does one step of removing the words of deleted messages from the disk. Deleted entries are only marked as such
    /// until the parts of the index that hold them are merged; this merges all parts into one, which drops them.
    /// - Parameter pages: how much to write, in pages of 4 KiB.
    public func purgeSearch(pages: Int) throws(StoreError) -> PurgeProgress {
        let (deleted, purging) = (try searchMeta(.deleted), try searchMeta(.purging))
        let isRunning = try searchMeta(.purged) != purging
        if !isRunning && deleted == purging { return .clean }
        let before = sqlite3_total_changes64(connection.handle)
        // A negative number chooses the parts to merge and begins; a positive one continues that merge.
        try connection.run(merge, Int64(isRunning ? pages : -pages))
        if !isRunning { try set(.purging, deleted) }
        // The statement itself counts as one change; with fewer than two it found nothing to do.
        guard isRunning, sqlite3_total_changes64(connection.handle) - before < 2 else { return .going }
        try set(.purged, purging)
        // The write-ahead log still has the pages as they were.
        wantsPurge = true
        return deleted == purging ? .clean : .complete
    }

    private func set(_ name: SearchMeta, _ value: Int64) throws(StoreError) {
        try connection.run(setMeta, value, name.rawValue)
    }
}
