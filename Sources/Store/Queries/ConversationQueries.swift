import Basics
import Vocabulary

/// The columns of a conversation `c` and its last message `m`, in the order in which ``ReadTransaction/conversationRow(_:from:)`` reads
/// them. A conversation with this account itself holds its notes.
let conversationColumns = """
    c.id, CASE c.contact WHEN (SELECT account FROM account) THEN \(ConversationKind.notes.stored) ELSE c.kind END, c.contact, c.group_id, c.title, c.unread, m.id, c.pinned, c.archived, c.muted, c.updated_at, c.mentions_muted,
    CASE WHEN c.unread > 0 THEN (SELECT count(*) FROM (SELECT 1 FROM mention WHERE conversation = c.number LIMIT \(StoreLimits.mentions))) ELSE 0 END,
    (SELECT count(*) FROM (SELECT 1 FROM pin WHERE conversation = c.number LIMIT \(StoreLimits.pins)))
    """
let conversationColumnCount: Int32 = 14
let conversationSource = "conversation AS c LEFT JOIN message AS m ON m.number = c.last_message"
private let byID = SQL("SELECT \(conversationColumns) FROM \(conversationSource) WHERE c.id = ? AND c.archived < 2")
private let byContact = SQL("SELECT \(conversationColumns) FROM \(conversationSource) WHERE c.contact = ?")
private let standingByID = SQL(
    """
    SELECT c.contact, c.group_id, c.contact = (SELECT account FROM account), k.relation, k.trust
    FROM conversation AS c LEFT JOIN contact AS k ON k.account = c.contact WHERE c.id = ? AND c.archived < 2
    """)
private let newestFirst = SQL(
    """
    SELECT \(conversationColumns) FROM \(conversationSource) WHERE c.archived = ? AND (c.pinned, c.updated_at, c.id) < (?, ?, ?)
    ORDER BY c.pinned DESC, c.updated_at DESC, c.id DESC LIMIT ?
    """)
private let insertion = SQL(
    """
    INSERT INTO conversation (id, kind, contact, group_id, title, unread, pinned, archived, muted, updated_at, mentions_muted)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
private let change = SQL(
    """
    UPDATE conversation SET title = ?, pinned = ?, archived = ?, muted = ?, updated_at = ?, mentions_muted = ? WHERE id = ?
    """)
private let firstMuteEnd = SQL("SELECT min(muted) FROM conversation WHERE muted > 1 AND archived < 2")
private let endedMutes = SQL("SELECT id FROM conversation WHERE muted > 1 AND muted <= ? AND archived < 2 LIMIT ?")
private let unmuting = SQL("UPDATE conversation SET muted = 0 WHERE id = ?")
private let newContact = SQL("UPDATE conversation SET contact = ? WHERE id = ?")

private func conversationStanding(
    of row: StoredRow, with contact: AccountID?
) throws(StoreError) -> ConversationStanding {
    let isContact = !row.isNull(3)
    return ConversationStanding(
        contact: contact, group: try row.optionalIdentifier(1), isNotes: row.flag(2),
        relation: try isContact ? row.enumeration(3) : nil, trust: try isContact ? row.enumeration(4) : nil)
}

extension ReadTransaction {
    /// Returns a conversation by its id; nil for one that is not here or is being removed.
    public func conversation(_ id: UUIDv7) throws(StoreError) -> ConversationRow? {
        try connection.first(byID, id, read: conversationRow)
    }

    /// Returns the direct conversation with an account, or the notes if it is this account.
    public func conversation(with contact: AccountID) throws(StoreError) -> ConversationRow? {
        guard let number = try keys.number(of: contact.key) else { return nil }
        return try connection.first(byContact, number, read: conversationRow)
    }

    /// Returns who is in a conversation, and how we stand with them: one look-up, where the rows of the conversation and
    /// its contact take two. Nil for a conversation that is not here or is being removed.
    public func standing(in conversation: UUIDv7) throws(StoreError) -> ConversationStanding? {
        try connection.first(standingByID, conversation) { row throws(StoreError) in
            try conversationStanding(of: row, with: try optionalAccount(row.optionalInteger(0)))
        }
    }

    /// Returns conversations by last activity, the latest first; pinned ones come before all others.
    /// - Parameter before: the ``ConversationRow/position`` of the previous page's last one.
    public func conversations(
        before: ConversationPosition? = nil, limit: Int, archived: Bool = false
    ) throws(StoreError) -> [ConversationRow] {
        let end = before ?? ConversationPosition(pinned: true, position: .end)
        return try connection.rows(
            newestFirst, archived, end.pinned, end.position.time, end.position.id, Int64(limit), read: conversationRow)
    }

    /// The first time at which the muting of a conversation ends by itself; nil if none does.
    public func nextMuteEnd() throws(StoreError) -> WallTime? {
        try connection.first(firstMuteEnd) { row throws(StoreError) in row.isNull(0) ? nil : row.time(0) } ?? nil
    }

    func conversationRow(_ row: StoredRow) throws(StoreError) -> ConversationRow { try conversationRow(row, from: 0) }

    /// Reads a conversation from a row.
    /// - Parameter first: the index of the first of ``conversationColumns`` in the row.
    func conversationRow(_ row: StoredRow, from first: Int32) throws(StoreError) -> ConversationRow {
        var value = ConversationRow(
            id: try row.identifier(first), kind: try row.enumeration(first + 1),
            contact: try optionalAccount(row.optionalInteger(first + 2)),
            group: try row.optionalIdentifier(first + 3), title: row.text(first + 4), unread: row.integer(first + 5),
            pinned: row.flag(first + 7), archived: row.flag(first + 8), muted: row.flag(first + 9),
            updatedAt: row.time(first + 10))
        value.lastMessage = try row.optionalIdentifier(first + 6)
        value.mentionsMuted = row.flag(first + 11)
        value.mentions = row.integer(first + 12)
        value.pins = row.integer(first + 13)
        if row.integer(first + 9) > 1 { value.mutedUntil = row.time(first + 9) }
        return value
    }
}

extension WriteTransaction {
    /// Stores a new conversation. `lastMessage` is not stored: messages set it.
    /// - Throws: ``StoreError/constraint(detail:)`` if the id is taken or the contact already has a conversation.
    public func insert(_ row: ConversationRow) throws(StoreError) {
        try connection.run(
            insertion, row.id, row.kind, try number(row.contact), row.group, row.title, row.unread, row.pinned,
            row.archived, row.storedMute, row.updatedAt, row.mentionsMuted)
        conversations.remember(row.id, connection.lastInsertedRow)
        changed(.conversation(row.id), .insert)
        // A contact shows the id of its conversation.
        if let contact = row.contact, try self.contact(contact) != nil {
            changed(.contact(contact), .update, for: .clients)
        }
    }

    /// Returns the direct conversation with an account, or the notes if it is this account; it is made if there is none.
    /// - Parameter id: the id for a new conversation.
    public func openConversation(with contact: AccountID, newID id: UUIDv7) throws(StoreError) -> ConversationRow {
        if let conversation = try conversation(with: contact) { return conversation }
        let row = ConversationRow(id: id, contact: contact, updatedAt: wallTime)
        try insert(row)
        // Only the database knows whether these are notes.
        return try conversation(with: contact) ?? row
    }

    /// Makes the direct conversation with one account continue with another.
    /// - Returns: false, with nothing changed, if there is none or the other account already has one.
    public func moveConversation(from old: AccountID, to new: AccountID) throws(StoreError) -> Bool {
        guard let row = try conversation(with: old), try conversation(with: new) == nil else { return false }
        try connection.run(newContact, try number(new), row.id)
        changed(.conversation(row.id), .update)
        // A contact shows the id of its conversation.
        for contact in [old, new] where try self.contact(contact) != nil {
            changed(.contact(contact), .update, for: .clients)
        }
        return true
    }

    /// Ends the muting of conversations whose time is over.
    /// - Parameter limit: the most conversations to change; if as many were changed there may be more.
    /// - Returns: the number of those that were changed.
    public func endMutes(at time: WallTime, limit: Int) throws(StoreError) -> Int {
        let ended = try connection.rows(endedMutes, time, Int64(limit)) { row throws(StoreError) in
            try row.identifier(0)
        }
        for id in ended {
            try connection.run(unmuting, id)
            changed(.conversation(id), .update)
        }
        return ended.count
    }

    /// Stores title, pinned, archived, muted, mutedUntil, mentionsMuted and updatedAt of an existing conversation.
    /// - Throws: ``StoreError/missing(_:)`` if there is no conversation with that id.
    public func update(_ row: ConversationRow) throws(StoreError) {
        let count = try connection.run(
            change, row.title, row.pinned, row.archived, row.storedMute, row.updatedAt, row.mentionsMuted, row.id)
        guard count == 1 else { throw .missing(.conversation(row.id)) }
        if row.mutedUntil != nil { marks.hasMuteEnd = true }
        changed(.conversation(row.id), .update)
    }
}

extension ListPosition {
    /// The position after everything, where a list that is read backwards begins.
    static let end = ListPosition(
        time: WallTime(milliseconds: .max), id: UUIDv7(high: .max, low: .max))
}
