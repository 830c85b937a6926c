import Basics
import Vocabulary

private let bySent = SQL(
    """
    UPDATE message SET unread = 0 WHERE number IN (
        SELECT number FROM message
        WHERE conversation = ?1 AND unread = 1 AND (hlc, id) <= (?2, ?3) AND (hlc, id) >= (?4, ?5) AND number <= ?6
        ORDER BY hlc, id LIMIT ?7)
    RETURNING id, sender, coalesce(wire, id), kind
    """)
private let byArrival = SQL(
    """
    UPDATE message SET unread = 0 WHERE number IN (
        SELECT number FROM message WHERE conversation = ?1 AND unread = 1 AND number <= min(?2, ?4) AND number >= ?3
        ORDER BY hlc, id LIMIT ?5)
    RETURNING id, sender, coalesce(wire, id), kind
    """)
private let firstBySent = SQL(
    "SELECT hlc, id FROM message WHERE conversation = ? AND unread = 1 ORDER BY hlc, id LIMIT 1")
private let firstByArrival = SQL(
    "SELECT number, id FROM message WHERE conversation = ? AND unread = 1 ORDER BY number LIMIT 1")
private let totals = SQL(
    "SELECT muted <> 0, sum(unread) FROM conversation WHERE archived < 2 AND unread > 0 GROUP BY muted <> 0")
private let mentionsOfMuted = SQL(
    """
    SELECT count(*) FROM (
        SELECT 1 FROM conversation AS c CROSS JOIN mention AS n ON n.conversation = c.number
        WHERE c.archived < 2 AND c.unread > 0 AND c.muted <> 0 AND c.mentions_muted = 0
        LIMIT \(StoreLimits.mentions))
    """)
private let counter = SQL("UPDATE conversation SET unread = max(0, unread - ?) WHERE number = ?")
// Calls are left out: an unread one would count as missed.
private let lastReceived = SQL(
    """
    SELECT number, id FROM (
        SELECT number, id, hlc, state, kind, deleted FROM message WHERE conversation = ?
        ORDER BY hlc DESC, id DESC LIMIT ?)
    WHERE state = ? AND kind <> ? AND deleted = 0 ORDER BY hlc DESC, id DESC LIMIT 1
    """)
private let unreading = SQL("UPDATE message SET unread = 1 WHERE number = ?")

/// The part of a conversation that a user has seen.
public struct SeenRange: Sendable {
    /// The last message, in the order that is set.
    public var last: MessageRow
    /// The first message; nil for the beginning of the conversation.
    public var first: MessageRow?
    /// The last number of arrival seen; nil for all that is here. A later message that a slow clock files above the
    /// last one seen stays unread.
    public var arrival: Int64?

    public init(last: MessageRow, first: MessageRow? = nil, arrival: Int64? = nil) {
        self.last = last
        self.first = first
        self.arrival = arrival
    }
}

/// A message that has just been marked as seen.
public struct ReadMessage: Hashable, Sendable {
    public let id: UUIDv7
    /// What its sender calls it.
    public let wireID: UUIDv7
    public let sender: AccountID
    public let kind: MessageKind
}

extension ReadTransaction {
    /// The place of the first unread message of a conversation, in the order that is set; nil if there is none.
    public func firstUnread(in conversation: UUIDv7) throws(StoreError) -> MessagePosition? {
        guard let number = try conversationNumber(conversation) else { return nil }
        let query =
            switch try messageOrder() {
            case .sent: firstBySent
            case .arrival: firstByArrival
            }
        return try connection.first(query, number) { row throws(StoreError) in
            MessagePosition(key: UInt64(clamping: row.integer(0)), id: try row.identifier(1))
        }
    }

    /// The number of unread messages in all conversations, those that are muted apart.
    ///
    /// `mentions` are those in muted conversations that count all the same, up to ``StoreLimits/mentions``.
    public func unreadTotals() throws(StoreError) -> (loud: Int64, muted: Int64, mentions: Int64) {
        var unread: (loud: Int64, muted: Int64, mentions: Int64) = (0, 0, 0)
        for (isMuted, count) in try connection.rows(
            totals, read: { row throws(StoreError) in (row.flag(0), row.integer(1)) })
        {
            if isMuted { unread.muted = count } else { unread.loud = count }
        }
        if unread.muted > 0 { unread.mentions = try connection.integer(mentionsOfMuted) ?? 0 }
        return unread
    }
}

extension WriteTransaction {
    /// Marks a part of a conversation as seen, at most `limit` messages; if as many were marked there may be more.
    /// - Returns: the messages that were unread until now, with their senders.
    public func markRead(
        _ range: SeenRange, in conversation: UUIDv7, limit: Int
    ) throws(StoreError) -> [ReadMessage] {
        guard let number = try conversationNumber(conversation) else { throw .missing(.conversation(conversation)) }
        let arrival = range.arrival ?? .max
        let read: [ReadMessage]
        switch try messageOrder() {
        case .sent:
            let first = range.first.map { (Int64(clamping: $0.hlc.rawValue), $0.id) } ?? (0, .zero)
            read = try connection.rows(
                bySent, number, Int64(clamping: range.last.hlc.rawValue), range.last.id, first.0, first.1, arrival,
                Int64(limit), read: marked)
        case .arrival:
            read = try connection.rows(
                byArrival, number, range.last.arrival, range.first?.arrival ?? 0, arrival, Int64(limit), read: marked)
        }
        guard !read.isEmpty else { return [] }
        try connection.run(counter, Int64(read.count), number)
        for message in read { changed(message: message.id, .unread) }
        changed(.conversation(conversation), .update)
        return read
    }

    private func marked(_ row: StoredRow) throws(StoreError) -> ReadMessage {
        let (id, wireID) = (try row.identifier(0), try row.identifier(2))
        return ReadMessage(id: id, wireID: wireID, sender: try account(row.integer(1)), kind: try row.enumeration(3))
    }
}

/// The mark that a user puts on a conversation in which everything was read, to come back to it.
public enum UnreadMark {
    /// Counts the last message that others wrote as unread again, if nothing in the conversation is unread.
    /// - Returns: whether something is unread then; false if none of the last ``StoreLimits/unreadLook`` messages is
    ///   from others.
    public static func put(
        on conversation: UUIDv7, in transaction: WriteTransaction
    ) throws(StoreError) -> Bool {
        guard let number = try transaction.conversationNumber(conversation) else {
            throw .missing(.conversation(conversation))
        }
        if try transaction.firstUnread(in: conversation) != nil { return true }
        let last = try transaction.connection.first(
            lastReceived, number, Int64(StoreLimits.unreadLook), MessageState.received, MessageKind.call
        ) { row throws(StoreError) in (number: row.integer(0), id: try row.identifier(1)) }
        guard let last else { return false }
        try transaction.connection.run(unreading, last.number)
        try transaction.connection.run(counter, -1 as Int64, number)
        transaction.changed(message: last.id, .unread)
        transaction.changed(.conversation(conversation), .update)
        return true
    }
}
