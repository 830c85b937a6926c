import Basics

private let columns = """
    id, conversation, sender, device, kind, text, sent_at, received_at, hlc, state, reply_to, edited_at, deleted,
    reason, detail
    """
private let byID = SQL("SELECT \(columns) FROM message WHERE id = ?")
private let after = SQL(
    """
    SELECT \(columns) FROM message WHERE conversation = ? AND (hlc, id) > (?, ?) ORDER BY hlc, id LIMIT ?
    """)
private let before = SQL(
    """
    SELECT \(columns) FROM message WHERE conversation = ? AND (hlc, id) < (?, ?) ORDER BY hlc DESC, id DESC LIMIT ?
    """)
private let recipientsOf = SQL(
    """
    SELECT r.account, r.state, r.at, r.reason FROM message AS m JOIN recipient AS r ON r.message = m.number
    WHERE m.id = ? ORDER BY r.account
    """)
// The newest of each conversation, by the index: as many seeks as there are conversations, however many messages.
private let latestTime = SQL(
    "SELECT max((SELECT max(hlc) FROM message WHERE conversation = c.number)) FROM conversation AS c")
private let bySendKey = SQL("SELECT m.id FROM send_key AS k JOIN message AS m ON m.number = k.message WHERE k.name = ?")

extension ReadTransaction {
    /// A message by its id.
    public func message(_ id: UUIDv7) throws(StoreError) -> MessageRow? {
        try connection.first(byID, id, read: messageRow)
    }

    /// The recipients of a message of ours; none for an incoming one.
    public func recipients(of message: UUIDv7) throws(StoreError) -> [RecipientRow] {
        try connection.rows(recipientsOf, message) { row throws(StoreError) in
            RecipientRow(
                message: message, account: try account(row.integer(0)), state: try row.enumeration(1),
                at: row.time(2), reason: row.optionalText(3))
        }
    }

    /// A page of a conversation, ascending: the first after `after`, else the last before `before`, else the newest.
    /// With both, the first after `after` that lie before `before`.
    /// - Parameter limit: 1 to ``StoreLimits/pageRows``; clamped.
    public func messages(
        in conversation: UUIDv7, before end: MessagePosition? = nil, after start: MessagePosition? = nil, limit: Int
    ) throws(StoreError) -> MessagePage {
        guard let number = try conversationNumber(conversation) else {
            return MessagePage(messages: [], hasMore: false)
        }
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        // One more than asked for tells whether there are more.
        let wanted = Int64(limit + 1)
        var found: [MessageRow]
        if let start {
            found = try connection.rows(after, number, start.hlc, start.id, wanted, read: messageRow)
            if let end { found.removeAll { $0.position >= end } }
        } else {
            let end = end ?? .end
            found = try connection.rows(before, number, end.hlc, end.id, wanted, read: messageRow)
        }
        let hasMore = found.count > limit
        found = Array(found.prefix(limit))
        if start == nil { found.reverse() }
        return MessagePage(messages: found, hasMore: hasMore)
    }

    /// The message that was sent under a client's idempotency key.
    public func message(sentUnder key: String) throws(StoreError) -> UUIDv7? {
        try connection.first(bySendKey, key) { row throws(StoreError) in try row.identifier(0) }
    }

    /// The greatest hybrid time of any message: where the clock goes on after a restart.
    func latestHybridTime() throws(StoreError) -> HybridTime {
        HybridTime(rawValue: UInt64(clamping: try connection.integer(latestTime) ?? 0))
    }

    private func messageRow(_ row: StoredRow) throws(StoreError) -> MessageRow {
        MessageRow(
            id: try row.identifier(0), conversation: try conversationID(row.integer(1)),
            sender: try account(row.integer(2)), senderDevice: try device(row.integer(3)),
            kind: try row.enumeration(4), text: row.text(5), sentAt: row.time(6), receivedAt: row.time(7),
            hlc: row.hybridTime(8), state: try row.enumeration(9), replyTo: try row.optionalIdentifier(10),
            editedAt: row.optionalTime(11), deleted: row.flag(12), failureReason: row.optionalText(13),
            detail: row.optionalText(14))
    }
}

extension MessagePosition {
    /// After everything: where a conversation that is read backwards begins.
    static let end = MessagePosition(hlc: HybridTime(rawValue: .max), id: UUIDv7(high: .max, low: .max))
}
