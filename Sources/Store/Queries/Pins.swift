import Basics
import Vocabulary

private let insertion = SQL("INSERT OR IGNORE INTO pin (message, conversation) VALUES (?, ?)")
private let removal = SQL("DELETE FROM pin WHERE message = ?")
private let dropping = SQL("DELETE FROM reaction WHERE message = ?")
private let reacted = SQL("SELECT 1 FROM reaction WHERE message = ? AND emoji = ? AND removed = 0 LIMIT 1")

/// Pinned messages: those to which somebody in the conversation has reacted with the pin (docs/decisions/0092).
public enum Pins {
    /// The reaction.
    public static let sign = "📌"

    /// Forgets all reactions to a message, and with them that it is pinned.
    static func dropReactions(to message: MessageRow, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(dropping, message.id)
        try note(of: message, in: transaction)
    }

    /// Notes whether a message is pinned. Call when somebody has set or taken back this reaction.
    static func note(of message: MessageRow, in transaction: WriteTransaction) throws(StoreError) {
        guard let conversation = try transaction.conversationNumber(message.conversation) else { return }
        let connection = transaction.connection
        let isPinned = try connection.integer(reacted, message.id, sign) != nil
        let changes =
            isPinned
            ? try connection.run(insertion, message.arrival, conversation)
            : try connection.run(removal, message.arrival)
        if changes > 0 { transaction.changed(.conversation(message.conversation), .update) }
    }
}
