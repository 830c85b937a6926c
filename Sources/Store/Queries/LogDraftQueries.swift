import Basics
import Vocabulary

private let insertion = SQL(
    "INSERT INTO log_draft (chat, id, kind, about, hlc, at, content) VALUES (?, ?, ?, ?, ?, ?, ?)")
private let draftsOf = SQL(
    "SELECT number, id, kind, about, hlc, at, content FROM log_draft WHERE chat = ? ORDER BY number LIMIT ?")
private let anyOf = SQL("SELECT 1 FROM log_draft WHERE chat = ? LIMIT 1")
private let ofMessage = SQL("SELECT 1 FROM log_draft WHERE about = ? AND kind IN (1, 5) LIMIT 1")
private let removal = SQL("DELETE FROM log_draft WHERE number = ?")
private let removalInGroup = SQL("DELETE FROM log_draft WHERE chat = ? AND (about IS NOT NULL OR ?)")
private let removalAbout = SQL("DELETE FROM log_draft WHERE about = ?")
private let messagesIn = SQL(
    "SELECT m.number FROM log_draft AS d JOIN message AS m ON m.id = d.about WHERE d.chat = ? AND d.kind IN (1, 5)")
private let waitingAt = SQL("SELECT account FROM recipient WHERE message = ? AND state = 0")
private let departureUpdate = SQL(
    """
    INSERT INTO group_departure (root, entry) VALUES (?, ?) ON CONFLICT (root) DO UPDATE SET entry = excluded.entry
    """)
private let departureFrom = SQL("SELECT entry FROM group_departure WHERE root = ?")
private let departureExpiry = SQL(
    "DELETE FROM group_departure WHERE number <= (SELECT max(number) FROM group_departure) - ?")

extension ReadTransaction {
    /// What was written in a group and has no place in our chain yet, in the order of writing.
    public func logDrafts(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogDraftRow] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(draftsOf, chat, Int64(limit)) { row throws(StoreError) in
            LogDraftRow(
                number: row.integer(0), id: try row.identifier(1), kind: row.integer(2),
                about: try row.optionalIdentifier(3), time: row.hybridTime(4), at: row.time(5), content: row.bytes(6))
        }
    }

    /// Whether something of a group has no place in our chain yet.
    public func hasLogDrafts(of group: UUIDv7) throws(StoreError) -> Bool {
        guard let chat = try groupNumber(group) else { return false }
        return try connection.integer(anyOf, chat) != nil
    }

    /// Whether a message of ours has no place in our chain yet, so that no other member has it.
    public func isLogDraft(_ message: UUIDv7) throws(StoreError) -> Bool {
        try connection.integer(ofMessage, message) != nil
    }

    /// The entry that ended our membership of a group, even if the group isn't here any more.
    public func departureEntry(from root: [UInt8]) throws(StoreError) -> [UInt8]? {
        try connection.first(departureFrom, root) { $0.bytes(0) }
    }
}

extension WriteTransaction {
    /// Stores something that gets its place in our chain later.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown group.
    public func add(_ row: LogDraftRow, in group: UUIDv7) throws(StoreError) {
        try connection.run(
            insertion, try knownGroupNumber(group), row.id, row.kind, row.about, row.time, row.at, row.content)
    }

    /// Removes a draft that has its place in our chain.
    public func remove(_ row: LogDraftRow) throws(StoreError) { try connection.run(removal, row.number) }

    /// Fails everything that was written in a group and has no place in our chain: it never gets one.
    public func failLogDrafts(of group: UUIDv7, reason: Reason, detail: String) throws(StoreError) {
        let chat = try knownGroupNumber(group)
        for message in try connection.rows(messagesIn, chat, read: { $0.integer(0) }) {
            for account in try connection.rows(waitingAt, message, read: { $0.integer(0) }) {
                try fail(message, at: account, reason: reason, detail: detail)
            }
        }
        try dropLogDrafts(ofChat: chat)
    }

    /// Fails a message for all its recipients but these.
    public func fail(
        _ message: UUIDv7, besides accounts: Set<AccountID>, reason: Reason, detail: String
    ) throws(StoreError) {
        guard let number = try connection.messageNumber(message) else { return }
        for recipient in try connection.rows(waitingAt, number, read: { $0.integer(0) })
        where try !accounts.contains(account(recipient)) {
            try fail(number, at: recipient, reason: reason, detail: detail)
        }
    }

    /// - Parameter withDeletions: false to keep drafts that report deletions, which are still sent.
    func dropLogDrafts(ofChat chat: Int64, withDeletions: Bool = true) throws(StoreError) {
        if try connection.run(removalInGroup, chat, withDeletions) > 0 { marks.hasDeletions = true }
    }

    func dropLogDrafts(about message: UUIDv7) throws(StoreError) {
        if try connection.run(removalAbout, message) > 0 { marks.hasDeletions = true }
    }

    /// Notes which entry ended our membership of a group. If too many are remembered, the oldest is forgotten.
    public func setDeparture(from root: [UInt8], by entry: [UInt8]) throws(StoreError) {
        try connection.run(departureUpdate, root, entry)
        try connection.run(departureExpiry, StoreLimits.departures)
    }
}
