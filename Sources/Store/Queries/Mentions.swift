import Basics

private let insertion = SQL("INSERT OR IGNORE INTO mention (message, conversation) VALUES (?, ?)")
private let removal = SQL("DELETE FROM mention WHERE message = ?")
private let look = SQL("SELECT 1 FROM mention WHERE message = ?")

/// Unread messages of others that mention this account. Reading, deleting or removing a message forgets that it does.
public enum Mentions {
    /// Notes whether an unread message mentions this account. A message that was read is left alone.
    /// - Parameter message: as it is stored.
    public static func note(
        _ isMention: Bool, of message: MessageRow, in transaction: WriteTransaction
    ) throws(StoreError) {
        guard message.unread, try has(message.arrival, in: transaction) != isMention,
            let conversation = try transaction.conversationNumber(message.conversation)
        else { return }
        if isMention {
            try transaction.connection.run(insertion, message.arrival, conversation)
        } else {
            try transaction.connection.run(removal, message.arrival)
        }
        transaction.changed(message: message.id, .unread)
        transaction.changed(.conversation(message.conversation), .update)
    }

    static func has(_ message: Int64, in transaction: ReadTransaction) throws(StoreError) -> Bool {
        try transaction.connection.integer(look, message) != nil
    }
}
