import Basics
import Vocabulary

private let storedOrder = SQL("SELECT value FROM setting_in_force WHERE name = 'messages.order'")
// An index ends with the row's number, so this one is the order of arrival within a conversation. It exists only while
// the user reads in that order, because every message pays for it.
private let arrivalIndex = SQL("CREATE INDEX IF NOT EXISTS message_arrival ON message (conversation)")
private let noArrivalIndex = SQL("DROP INDEX IF EXISTS message_arrival")
// Finds the newest message of each conversation by the index of the order: as many seeks as there are conversations.
private let lastBySent = SQL(
    """
    UPDATE conversation SET last_message =
        (SELECT m.number FROM message AS m WHERE m.conversation = conversation.number ORDER BY m.hlc DESC, m.id DESC LIMIT 1)
    WHERE archived < 2 RETURNING id
    """)
private let lastByArrival = SQL(
    """
    UPDATE conversation SET last_message =
        (SELECT m.number FROM message AS m WHERE m.conversation = conversation.number ORDER BY m.number DESC LIMIT 1)
    WHERE archived < 2 RETURNING id
    """)
private let newestBySent = SQL(
    "SELECT number, hlc FROM message WHERE conversation = ? ORDER BY hlc DESC, id DESC LIMIT 1")
private let newestByArrival = SQL(
    "SELECT number, hlc FROM message WHERE conversation = ? ORDER BY number DESC LIMIT 1")
private let greatestTime = SQL("SELECT max(hlc) FROM message WHERE conversation = ?")
private let lastUpdate = SQL("UPDATE conversation SET last_message = ?, last_hlc = ? WHERE number = ?")
private let latestNumber = SQL(
    "SELECT max(coalesce((SELECT max(number) FROM message), 0), coalesce((SELECT value FROM meta WHERE name = 'last_message'), 0))"
)
private let numberUpdate = SQL(
    """
    INSERT INTO meta (name, value) VALUES ('last_message', ?)
    ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
    """)

extension ReadTransaction {
    /// The order set by the user, to which positions refer.
    public func messageOrder() throws(StoreError) -> MessageOrder {
        if let order { return order }
        // Settings are stored as JSON.
        let text = try connection.first(storedOrder) { $0.text(0) }
        let chosen = MessageOrder.allCases.first { text == "\"\($0.rawValue)\"" } ?? .sent
        order = chosen
        return chosen
    }

    /// The greatest number of arrival ever given; 0 if none was.
    public func latestMessageNumber() throws(StoreError) -> Int64 { try connection.integer(latestNumber) ?? 0 }
}

extension WriteTransaction {
    /// Updates the last message that each conversation shows, after a change of the setting.
    public func messageOrderChanged() throws(StoreError) {
        order = nil
        try connection.run(try messageOrder() == .arrival ? arrivalIndex : noArrivalIndex)
        let statement = try messageOrder() == .sent ? lastBySent : lastByArrival
        let ids = try connection.rows(statement) { row throws(StoreError) in try row.identifier(0) }
        for id in ids { changed(.conversation(id), .update) }
    }

    /// Updates the last message that a conversation shows, after a message went.
    func refreshLastMessage(of conversation: Int64) throws(StoreError) {
        let statement = try messageOrder() == .sent ? newestBySent : newestByArrival
        let newest = try connection.integer(statement, conversation)
        let time = try connection.integer(greatestTime, conversation) ?? 0
        try connection.run(lastUpdate, newest, time, conversation)
    }

    /// Remembers the last number before messages go, so that numbers are never used again.
    func keepMessageNumber() throws(StoreError) { try connection.run(numberUpdate, lastMessage) }
}
