import Basics

private let upsert = SQL(
    """
    INSERT INTO early_reaction (message, account, emoji, chat, author, hlc, removed, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (message, account, emoji, chat, author) DO UPDATE SET
        hlc = excluded.hlc, removed = excluded.removed, at = excluded.at
    WHERE (excluded.hlc, excluded.removed) > (hlc, removed)
    """)
private let known = SQL(
    "SELECT 1 FROM early_reaction WHERE message = ? AND account = ? AND emoji = ? AND chat = ? AND author = ?")
private let ofMessage = SQL("SELECT count(*) FROM early_reaction WHERE message = ? AND account = ?")
private let ofAccount = SQL("SELECT count(*) FROM early_reaction WHERE account = ?")
// A reaction that was said between two is for a message of theirs, one that was said in a group for one of that group.
private let fitting = """
    message = ?1 AND chat = ?2 AND author IN (0, ?3)
    AND CASE WHEN ?2 = 0 THEN account = ?4 ELSE account IN (SELECT account FROM group_member WHERE chat = ?2) END
    """
private let taking = SQL(
    """
    INSERT INTO reaction (message, account, emoji, hlc, removed, at)
    SELECT ?5, account, emoji, hlc, removed, ?6 FROM early_reaction WHERE \(fitting)
    ORDER BY hlc, removed
    ON CONFLICT (message, account, emoji) DO UPDATE SET
        hlc = excluded.hlc, removed = excluded.removed, at = excluded.at
    WHERE (excluded.hlc, excluded.removed) > (hlc, removed)
    """)
private let dropping = SQL("DELETE FROM early_reaction WHERE \(fitting)")
/// All statements that each message costs, so that tests can look at how SQLite carries them out.
let earlyReactionLookups = [taking, dropping, known, ofMessage, ofAccount]

/// Reactions that come before their message. They wait under the name by which they refer to it, so that a message of
/// another account or another conversation can't take them.
enum EarlyReactions {
    static func keep(
        _ name: MessageName, by reactor: AccountID, emoji: String, removed: Bool, time: HybridTime,
        in transaction: WriteTransaction
    ) throws(StoreError) -> Amendment? {
        let (connection, account) = (transaction.connection, try transaction.number(reactor))
        var chat: Int64 = 0
        if case .group(let group) = name.place { chat = try transaction.knownGroupNumber(group) }
        let author = try transaction.number(name.author) ?? 0
        guard try connection.integer(ofAccount, account) ?? 0 < StoreLimits.earlyReactions else { return .tooMany }
        if try connection.integer(known, name.id, account, emoji, chat, author) == nil,
            try connection.integer(ofMessage, name.id, account) ?? 0 >= StoreLimits.reactionsPerAccount
        {
            return nil
        }
        transaction.traces.hasEarlyReactions = true
        // While the reaction waits, its time is by the clock that measures its age.
        let at = transaction.trusted.seen
        let count = try connection.run(upsert, name.id, account, emoji, chat, author, time, removed, at)
        return count == 1 ? .waits : .unchanged
    }

    /// Gives a message that has just been stored the reactions that have waited for it.
    static func apply(to row: MessageRow, in transaction: WriteTransaction) throws(StoreError) {
        guard let conversation = try transaction.conversation(row.conversation) else { return }
        var chat: Int64 = 0
        if let group = conversation.group { chat = try transaction.groupNumber(group) ?? 0 }
        let (author, contact) = (try transaction.number(row.sender), try transaction.number(conversation.contact))
        let connection = transaction.connection
        try connection.run(taking, row.wireID, chat, author, contact, row.id, transaction.wallTime)
        try connection.run(dropping, row.wireID, chat, author, contact)
        try Pins.note(of: row, in: transaction)
    }
}
