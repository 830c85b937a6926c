import Basics

private let bySent = SQL(
    """
    UPDATE message SET unread = 0
    WHERE conversation = ? AND unread = 1 AND (hlc, id) <= (?, ?) AND number <= ? RETURNING id, sender
    """)
private let byArrival = SQL(
    """
    UPDATE message SET unread = 0
    WHERE conversation = ?1 AND unread = 1 AND number <= min(?2, ?4) RETURNING id, sender
    """)
private let counter = SQL("UPDATE conversation SET unread = max(0, unread - ?) WHERE number = ?")

extension WriteTransaction {
    /// Somebody has seen a conversation up to a message.
    ///
    /// What comes in later and is filed above that message, by a clock that is slow, is unread all the same: whoever marks
    /// says with `arrival` up to which arrival they have looked.
    /// - Parameter arrival: only what had arrived by then; nil: all that is here.
    /// - Returns: the messages that were unread until now, with their senders.
    public func markRead(
        in conversation: UUIDv7, upTo row: MessageRow, arrival: Int64? = nil
    ) throws(StoreError) -> [(id: UUIDv7, sender: AccountID)] {
        guard let number = try conversationNumber(conversation) else { throw .missing(.conversation(conversation)) }
        let statement = try messageOrder() == .sent ? bySent : byArrival
        let key = try messageOrder() == .sent ? Int64(clamping: row.hlc.rawValue) : row.arrival
        let read = try connection.rows(statement, number, key, row.id, arrival ?? .max) { row throws(StoreError) in
            (id: try row.identifier(0), sender: try account(row.integer(1)))
        }
        guard !read.isEmpty else { return [] }
        try connection.run(counter, Int64(read.count), number)
        for message in read { changed(.message(message.id), .update) }
        changed(.conversation(conversation), .update)
        return read
    }
}
