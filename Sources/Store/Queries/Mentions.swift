import Basics
import Vocabulary

private let insertion = SQL("INSERT OR IGNORE INTO mention (message, conversation) VALUES (?, ?)")
private let removal = SQL("DELETE FROM mention WHERE message = ?")
private let look = SQL("SELECT 1 FROM mention WHERE message = ?")

private let memberNames = SQL(
    """
    SELECT coalesce(k.display_name, m.name) FROM group_member AS m LEFT JOIN contact AS k ON k.account = m.account
    WHERE m.chat = ?1 AND m.present = 1 AND m.account IS NOT ?2
    """)

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

    /// What the members of a group call themselves, as far as that is known here; else what the group calls them.
    public static func names(
        in group: UUIDv7, besides account: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> [String] {
        guard let number = try transaction.groupNumber(group) else { return [] }
        let own = try transaction.keys.number(of: account.key)
        return try transaction.connection.rows(memberNames, number, own) { $0.text(0) }
    }

    static func has(_ message: Int64, in transaction: ReadTransaction) throws(StoreError) -> Bool {
        try transaction.connection.integer(look, message) != nil
    }
}
