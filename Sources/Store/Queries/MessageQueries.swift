import Basics
import Vocabulary

/// The columns of a message, in the order in which ``ReadTransaction/messageRow(_:)`` reads them.
let messageColumns = """
    m.id, m.conversation, m.sender, m.device, m.kind, m.text, m.sent_at, m.received_at, m.hlc, m.state, m.reply_to,
    m.edited_at, m.deleted, m.reason, m.detail, m.unread, m.edit_time, m.number, m.late, m.call, m.wire,
    m.guest, m.given_to
    """
/// How many these are.
let messageColumnCount: Int32 = 23
private let source = "message AS m"
private let numberByID = SQL("SELECT number FROM message WHERE id = ?")
private let byID = SQL("SELECT \(messageColumns) FROM \(source) WHERE id = ?")
private let after = SQL(
    """
    SELECT \(messageColumns) FROM \(source) WHERE conversation = ? AND (hlc, id) > (?, ?) ORDER BY hlc, id LIMIT ?
    """)
private let before = SQL(
    """
    SELECT \(messageColumns) FROM \(source) WHERE conversation = ? AND (hlc, id) < (?, ?) ORDER BY hlc DESC, id DESC LIMIT ?
    """)
private let arrivedAfter = SQL(
    "SELECT \(messageColumns) FROM \(source) WHERE conversation = ? AND number > ? ORDER BY number LIMIT ?")
private let arrivedBefore = SQL(
    "SELECT \(messageColumns) FROM \(source) WHERE conversation = ? AND number < ? ORDER BY number DESC LIMIT ?")
private let arrivedFrom = SQL("SELECT number, received_at FROM message WHERE number >= ? ORDER BY number LIMIT 1")
private let lastArrived = SQL("SELECT max(number) FROM message")
private let between = SQL("SELECT id FROM message WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?")
private let recipientsOf = SQL(
    """
    SELECT \(recipientColumns) FROM message AS m JOIN recipient AS r ON r.message = m.number
    WHERE m.id = ? ORDER BY r.account
    """)
/// The columns of a recipient, of the table `recipient AS r`. The last but one is the parcel in which a courier keeps the
/// item that waits for the recipient.
let recipientColumns = """
    r.account, r.state, r.at, r.reason, r.sent_at, r.delivered_at, r.read_at, CASE WHEN r.queued IS NOT NULL THEN (
        SELECT p.number FROM parcel_out AS p
        WHERE p.recipient = r.account AND p.state = 1 AND r.queued BETWEEN p.first_seq AND p.last_seq
            AND (SELECT o.chat IS p.chat FROM outbox AS o WHERE o.account = r.account AND o.seq = r.queued)
        ORDER BY p.until DESC LIMIT 1) END, r.courier
    """
// Finds the newest message of each conversation by the index: as many seeks as there are conversations. A conversation
// remembers the greatest time also if its last message was lost with a damaged page.
private let latestTime = SQL(
    """
    SELECT max(max(c.last_hlc, coalesce((SELECT max(hlc) FROM message WHERE conversation = c.number), 0)))
    FROM conversation AS c
    """)
private let storedSince = SQL(
    """
    SELECT count(*) FILTER (WHERE kind <> 3 AND sender IS ?2), count(*) FILTER (WHERE kind <> 3 AND sender IS NOT ?2),
        coalesce(max(number), ?1)
    FROM message WHERE number > ?1
    """)
private let bySendKey = SQL("SELECT m.id FROM send_key AS k JOIN message AS m ON m.number = k.message WHERE k.name = ?")

extension ReadTransaction {
    /// A message by its id.
    public func message(_ id: UUIDv7) throws(StoreError) -> MessageRow? {
        try connection.first(byID, id, read: messageRow) ?? nil
    }

    /// The place before all messages that are not older than a time, in the order that is set. In the order of arrival
    /// a few look-ups find it, because times of arrival grow with the numbers.
    public func position(before time: WallTime) throws(StoreError) -> MessagePosition {
        guard try messageOrder() == .arrival else {
            let key = HybridTime(milliseconds: time.milliseconds)
            return MessagePosition(key: max(key, MessagePosition.earliestTime).rawValue, id: .zero)
        }
        var first: Int64 = 0
        var end = (try connection.integer(lastArrived) ?? 0) + 1
        while first < end {
            let middle = first + (end - first) / 2
            let place = try connection.first(arrivedFrom, middle) { row throws(StoreError) in
                (number: row.integer(0), at: row.time(1))
            }
            if let place, place.at < time { first = place.number + 1 } else { end = middle }
        }
        return MessagePosition(key: UInt64(clamping: first - 1), id: .zero)
    }

    /// The ids of messages from one id to another, both included, for callers that know only the beginning of an id.
    public func messageIDs(from first: UUIDv7, through last: UUIDv7, limit: Int) throws(StoreError) -> [UUIDv7] {
        try connection.rows(between, first, last, Int64(limit)) { row throws(StoreError) in try row.identifier(0) }
    }

    /// The recipients of a message of ours; none for an incoming one.
    public func recipients(of message: UUIDv7) throws(StoreError) -> [RecipientRow] {
        try connection.rows(recipientsOf, message) { row throws(StoreError) in
            try RecipientRow(row, of: message, in: self)
        }
    }

    /// A page of a conversation, ascending: the first messages after `after`, else the last before `before`, else the
    /// newest. With both, the first after `after` that lie before `before`. The order is the one that is set.
    /// - Parameter limit: 1 to ``StoreLimits/pageRows``; clamped.
    public func messages(
        in conversation: UUIDv7, before end: MessagePosition? = nil, after start: MessagePosition? = nil, limit: Int
    ) throws(StoreError) -> MessagePage {
        guard let number = try conversationNumber(conversation) else {
            return MessagePage(messages: [], hasMore: false)
        }
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        // One row more than asked for tells whether there are more.
        let wanted = Int64(limit + 1)
        let order = try messageOrder()
        var rows: [MessageRow?]
        if let start {
            let key = Int64(clamping: start.key)
            rows =
                switch order {
                case .sent: try connection.rows(after, number, key, start.id, wanted, read: messageRow)
                case .arrival: try connection.rows(arrivedAfter, number, key, wanted, read: messageRow)
                }
            if let end { rows.removeAll { $0.map { $0.position(in: order) >= end } ?? true } }
        } else {
            let end = end ?? .end
            let key = Int64(clamping: end.key)
            rows =
                switch order {
                case .sent: try connection.rows(before, number, key, end.id, wanted, read: messageRow)
                case .arrival: try connection.rows(arrivedBefore, number, key, wanted, read: messageRow)
                }
        }
        let hasMore = rows.count > limit
        var messages = rows.prefix(limit).compactMap { $0 }
        if start == nil { messages.reverse() }
        return MessagePage(messages: messages, hasMore: hasMore)
    }

    /// The message that was sent under a client's idempotency key.
    public func message(sentUnder key: String) throws(StoreError) -> UUIDv7? {
        try connection.first(bySendKey, key) { row throws(StoreError) in try row.identifier(0) }
    }

    /// The greatest hybrid time of any message, at which the clock continues after a restart.
    func latestHybridTime() throws(StoreError) -> HybridTime {
        HybridTime(rawValue: UInt64(clamping: try connection.integer(latestTime) ?? 0))
    }

    /// Nil for a message of a conversation that is being removed.
    func messageRow(_ row: StoredRow) throws(StoreError) -> MessageRow? {
        guard let conversation = try conversationID(row.integer(1)) else { return nil }
        var value = MessageRow(
            id: try row.identifier(0), conversation: conversation,
            sender: try account(row.integer(2)), senderDevice: try device(row.integer(3)),
            kind: try row.enumeration(4), text: row.text(5), sentAt: row.time(6), receivedAt: row.time(7),
            hlc: row.hybridTime(8), state: try row.enumeration(9), replyTo: try row.optionalIdentifier(10),
            editedAt: row.optionalTime(11), deleted: row.flag(12), failureReason: row.optionalReason(13),
            detail: row.optionalText(14))
        (value.unread, value.isLate) = (row.flag(15), row.flag(18))
        value.editTime = row.optionalInteger(16).map { HybridTime(rawValue: UInt64(clamping: $0)) }
        value.arrival = row.integer(17)
        value.call = row.optionalText(19).flatMap(CallRecord.init(stored:))
        value.wire = try row.optionalIdentifier(20)
        (value.guest, value.givenTo) = (row.optionalText(21), row.optionalText(22))
        return value
    }
}

extension MessagePosition {
    /// The position after everything, where a conversation that is read backwards begins.
    static let end = MessagePosition(key: .max, id: UUIDv7(high: .max, low: .max))
}

extension Connection {
    /// The row number of a message.
    func messageNumber(_ id: UUIDv7) throws(StoreError) -> Int64? { try integer(numberByID, id) }
}

extension RecipientRow {
    /// Reads the columns `recipientColumns`.
    init(_ row: StoredRow, of message: UUIDv7, in transaction: ReadTransaction) throws(StoreError) {
        self.init(
            message: message, account: try transaction.account(row.integer(0)), state: try row.enumeration(1),
            at: row.time(2), reason: row.optionalReason(3))
        sentAt = row.optionalTime(4)
        deliveredAt = row.optionalTime(5)
        readAt = row.optionalTime(6)
        holder = try row.optionalInteger(7).flatMap { parcel throws(StoreError) in
            try SentParcels.holder(parcel, transaction)
        }
        courier = try row.optionalInteger(8).map(transaction.account)
    }
}

/// How many messages were stored after one and are still here, without lines of Kibo.
public struct StoredMessages: Hashable, Sendable {
    public let sent: Int64
    public let received: Int64
    /// The number of the last of them.
    public let last: Int64
}

extension StoredMessages {
    /// Counts them.
    /// - Parameters:
    ///   - number: that of the last message that is not counted, by arrival.
    ///   - own: the account that writes here.
    public init(after number: Int64, own: AccountID, in transaction: ReadTransaction) throws(StoreError) {
        let counts = try transaction.connection.first(storedSince, number, try transaction.keys.number(of: own.key)) {
            StoredMessages(sent: $0.integer(0), received: $0.integer(1), last: $0.integer(2))
        }
        self = counts ?? StoredMessages(sent: 0, received: 0, last: number)
    }
}
