import Basics
import CSQLite

private let waiting = SQL(
    "SELECT number, length(CAST(text AS BLOB)) FROM message WHERE number > ? ORDER BY number LIMIT ?")
private let addition = SQL(
    """
    INSERT INTO search (rowid, text, names, conversation)
    SELECT number, text, names, conversation FROM search_source WHERE number > ? AND number <= ? ORDER BY number
    """)
private let entriesOf = SQL(
    "SELECT number, text, names, conversation FROM search_source WHERE number > ? AND number <= ? ORDER BY number")
private let entryOf = SQL("SELECT number, text, names, conversation FROM search_source WHERE number = ?")
private let latestNumber = SQL("SELECT max(number) FROM message")
private let meta = SQL("SELECT value FROM meta WHERE name = ?")
private let setMeta = SQL("UPDATE meta SET value = ? WHERE name = ?")

/// The statements of one index. Both have the same columns.
private struct IndexStatements {
    /// An index doesn't keep the indexed text: to remove an entry it has to be given all of it again. The values are passed
    /// plainly, because for an INSERT from a SELECT SQLite makes a savepoint, at which the index writes out what it has
    /// gathered (20 times as slow).
    let removal: SQL
    let insertion: SQL
    let merge: SQL

    init(_ table: String) {
        removal = SQL("INSERT INTO \(table) (\(table), rowid, text, names, conversation) VALUES ('delete', ?, ?, ?, ?)")
        insertion = SQL("INSERT INTO \(table) (rowid, text, names, conversation) VALUES (?, ?, ?, ?)")
        merge = SQL("INSERT INTO \(table) (\(table), rank) VALUES ('merge', ?)")
    }

    static let words = IndexStatements("search")
    static let bigrams = IndexStatements("search_bigrams")
}

/// What the indexes hold of a message.
private struct IndexEntry {
    let number: Int64
    let text: [UInt8]
    let names: [UInt8]?
    let conversation: String

    init(_ row: StoredRow) {
        number = row.integer(0)
        text = row.bytes(1)
        names = row.optionalBytes(2)
        conversation = row.text(3)
    }

    /// Whether the message is in the index of bigrams too.
    var hasBigrams: Bool { BigramTokenizer.applies(to: text) || names.map(BigramTokenizer.applies) ?? false }

    func wordValues() -> (text: String, names: String?) {
        (String(decoding: text, as: UTF8.self), names.map { String(decoding: $0, as: UTF8.self) })
    }

    func bigramValues(_ tokenizer: BigramTokenizer) -> (text: String, names: String?) {
        (tokenizer.indexed(text), names.map(tokenizer.indexed))
    }
}

/// The result of a step of a purge.
public enum PurgeProgress: Hashable, Sendable {
    /// The purge needs further steps.
    case going
    /// The purge is over, but what was deleted since it began needs another one.
    case complete
    /// No deleted text is left.
    case clean
}

/// The two indexes of messages, of words and of bigrams, and how far each is.
struct SearchIndexes {
    let connection: Connection

    /// The rows of `meta` that belong to the indexes.
    private enum Position: String {
        /// The number of the last message that was looked at.
        case indexed = "search_indexed"
        /// The number of the last message that was looked at for bigrams.
        case bigramsIndexed = "search_bigrams_indexed"
        /// The number of entries ever deleted.
        case deleted = "search_deleted"
        /// That number at the beginning of the running purge; equal to ``purged`` if none runs.
        case purging = "search_purging"
        /// That number at the beginning of the last completed purge.
        case purged = "search_purged"
    }

    private func position(_ name: Position) throws(StoreError) -> Int64 {
        try connection.integer(meta, name.rawValue) ?? 0
    }

    /// See ``ReadTransaction/searchBacklog()``.
    func backlog() throws(StoreError) -> Int64 {
        let latest = try connection.integer(latestNumber) ?? 0
        return max(0, latest - min(try position(.indexed), try position(.bigramsIndexed)))
    }

    /// Indexes waiting messages, the oldest first: at most `limit`, and for long ones at most
    /// ``StoreLimits/indexedBytes``.
    /// - Returns: the number of messages that were looked at for an index; 0 if none waits.
    func indexMessages(limit: Int) throws(StoreError) -> Int {
        let words = try waitingPart(after: position(.indexed), limit)
        if let words {
            try connection.run(addition, words.start, words.end)
            try set(.indexed, words.end)
        }
        let bigrams = try waitingPart(after: position(.bigramsIndexed), limit)
        if let bigrams {
            try addBigrams(after: bigrams.start, through: bigrams.end)
            try set(.bigramsIndexed, bigrams.end)
        }
        return max(words?.count ?? 0, bigrams?.count ?? 0)
    }

    /// The messages to be indexed next: those with numbers after `start` and up to `end`; nil if none waits.
    private func waitingPart(
        after start: Int64, _ limit: Int
    ) throws(StoreError) -> (start: Int64, end: Int64, count: Int)? {
        let rows = try connection.rows(waiting, start, Int64(max(limit, 1))) { ($0.integer(0), $0.integer(1)) }
        var (end, count, bytes) = (start, 0, Int64(0))
        for (number, size) in rows where bytes < StoreLimits.indexedBytes {
            (end, count, bytes) = (number, count + 1, bytes + size)
        }
        return count > 0 ? (start, end, count) : nil
    }

    private func addBigrams(after start: Int64, through end: Int64) throws(StoreError) {
        for entry in try connection.rows(entriesOf, start, end, read: IndexEntry.init) where entry.hasBigrams {
            try changeBigrams(IndexStatements.bigrams.insertion, entry)
        }
    }

    /// Removes a message from the indexes by its present text. Call it before the message's text or deleted flag, or the
    /// names of its files, change, and before its row goes. Does nothing for a message that was not indexed yet.
    /// - Parameter number: the row's number.
    func textWillChange(_ number: Int64) throws(StoreError) {
        if try changeEntries(number, IndexStatements.words.removal, IndexStatements.bigrams.removal) {
            try set(.deleted, try position(.deleted) + 1)
        }
    }

    /// Adds the changed message to the indexes. Call it after a change that ``textWillChange(_:)`` announced. A message
    /// that was not indexed yet will be later.
    func textChanged(_ number: Int64) throws(StoreError) {
        try changeEntries(number, IndexStatements.words.insertion, IndexStatements.bigrams.insertion)
    }

    /// Changes what the indexes hold of a message.
    /// - Returns: false for a message without words, and for one that no index has looked at yet.
    @discardableResult
    private func changeEntries(_ number: Int64, _ words: SQL, _ bigrams: SQL) throws(StoreError) -> Bool {
        let isInWords = number <= (try position(.indexed))
        let isInBigrams = number <= (try position(.bigramsIndexed))
        guard isInWords || isInBigrams, let entry = try connection.first(entryOf, number, read: IndexEntry.init) else {
            return false
        }
        if isInWords {
            let values = entry.wordValues()
            try connection.run(words, number, values.text, values.names, entry.conversation)
        }
        if isInBigrams, entry.hasBigrams { try changeBigrams(bigrams, entry) }
        return true
    }

    private func changeBigrams(_ sql: SQL, _ entry: IndexEntry) throws(StoreError) {
        let values = entry.bigramValues(BigramTokenizer(words: try connection.tokenizer()))
        try connection.run(sql, entry.number, values.text, values.names, entry.conversation)
    }

    /// Does one step of removing the words of deleted messages from the disk. Deleted entries are only marked as such
    /// until the parts of the index that hold them are merged; this merges all parts into one, which drops them.
    /// - Parameter pages: how much to write, in pages of 4 KiB.
    /// - Parameter completed: called when a purge is over.
    func purge(pages: Int, completed: () -> Void) throws(StoreError) -> PurgeProgress {
        let (deleted, purging) = (try position(.deleted), try position(.purging))
        let isRunning = try position(.purged) != purging
        if !isRunning && deleted == purging { return .clean }
        // A negative number chooses the parts to merge and begins; a positive one continues that merge.
        let amount = Int64(isRunning ? pages : -pages)
        let isMerging = try [IndexStatements.words, .bigrams].map { (index) throws(StoreError) in
            let before = sqlite3_total_changes64(connection.handle)
            try connection.run(index.merge, amount)
            // The statement itself counts as one change; with fewer than two it found nothing to do.
            return sqlite3_total_changes64(connection.handle) - before >= 2
        }
        if !isRunning { try set(.purging, deleted) }
        guard isRunning, !isMerging.contains(true) else { return .going }
        try set(.purged, purging)
        completed()
        return deleted == purging ? .clean : .complete
    }

    private func set(_ name: Position, _ value: Int64) throws(StoreError) {
        try connection.run(setMeta, value, name.rawValue)
    }
}

extension WriteTransaction {
    private var indexes: SearchIndexes { SearchIndexes(connection: connection) }

    /// Indexes waiting messages, the oldest first: at most `limit`, and for long ones at most
    /// ``StoreLimits/indexedBytes``.
    /// - Returns: the number of messages that were looked at for an index; 0 if none waits.
    @discardableResult
    public func indexMessages(limit: Int) throws(StoreError) -> Int { try indexes.indexMessages(limit: limit) }

    /// See ``SearchIndexes/textWillChange(_:)``.
    func textWillChange(_ number: Int64) throws(StoreError) { try indexes.textWillChange(number) }

    /// See ``SearchIndexes/textChanged(_:)``.
    func textChanged(_ number: Int64) throws(StoreError) { try indexes.textChanged(number) }

    /// Makes a change of a message's text, deleted flag or file names, and updates the index.
    /// - Parameter message: nil for a change that concerns no message.
    func reindexing<T>(_ message: UUIDv7?, _ change: () throws(StoreError) -> T) throws(StoreError) -> T {
        guard let message, let number = try connection.messageNumber(message) else { return try change() }
        try textWillChange(number)
        let result = try change()
        try textChanged(number)
        return result
    }

    /// Does one step of removing the words of deleted messages from the disk.
    /// - Parameter pages: how much to write, in pages of 4 KiB.
    public func purgeSearch(pages: Int) throws(StoreError) -> PurgeProgress {
        // The write-ahead log still has the pages as they were.
        try indexes.purge(pages: pages) { marks.hasDeletions = true }
    }
}
