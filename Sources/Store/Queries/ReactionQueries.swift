import Basics

private let ofMessage = SQL(
    "SELECT account, emoji, at FROM reaction WHERE message = ? AND removed = 0 ORDER BY hlc, emoji")
private let upsert = SQL(
    """
    INSERT INTO reaction (message, account, emoji, hlc, removed, at, waits) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (message, account, emoji) DO UPDATE SET
        hlc = excluded.hlc, removed = excluded.removed, at = excluded.at
    WHERE (excluded.hlc, excluded.removed) > (hlc, removed)
    """)
private let timeOf = SQL("SELECT hlc FROM reaction WHERE message = ? AND account = ? AND emoji = ?")
private let knownReaction = SQL("SELECT 1 FROM reaction WHERE message = ? AND account = ? AND emoji = ?")
private let reactionCount = SQL("SELECT count(*) FROM reaction WHERE message = ? AND account = ?")
private let waitingCount = SQL("SELECT count(*) FROM reaction WHERE waits = 1 AND account = ?")
private let dropping = SQL("DELETE FROM reaction WHERE message = ?")
private let arrived = SQL("UPDATE reaction SET waits = 0, at = ? WHERE message = ? AND waits = 1")
private let foreign = SQL(
    """
    DELETE FROM reaction WHERE message = ?1 AND account <> coalesce((SELECT account FROM account), -1)
        AND account <> coalesce((SELECT contact FROM conversation WHERE number = ?2), account)
    """)
private let foreignInGroup = SQL(
    """
    DELETE FROM reaction WHERE message = ?1 AND account <> coalesce((SELECT account FROM account), -1)
        AND account NOT IN (SELECT account FROM group_member WHERE chat = ?2)
    """)

extension ReadTransaction {
    /// The reactions to a message, in the order in which they were made.
    public func reactions(to message: UUIDv7) throws(StoreError) -> [ReactionRow] {
        try connection.rows(ofMessage, message) { row throws(StoreError) in
            ReactionRow(account: try account(row.integer(0)), emoji: row.text(1), at: row.time(2))
        }
    }

    /// When an account last set or took back this reaction, by its own hybrid clock.
    public func reactionTime(
        to message: UUIDv7, by author: AccountID, emoji: String
    ) throws(StoreError) -> HybridTime? {
        guard let account = try keys.number(of: author.key) else { return nil }
        return try connection.first(timeOf, message, account, emoji) { $0.hybridTime(0) }
    }
}

extension WriteTransaction {
    /// Sets or takes back an account's reaction. It may come before the message. The one with the greater time counts;
    /// at equal times the one that takes back.
    /// - Returns: nil if the account has already reacted to this message in too many ways.
    public func applyReaction(
        to message: UUIDv7, by author: AccountID, emoji: String, removed: Bool, time: HybridTime
    ) throws(StoreError) -> Amendment? {
        _ = clock.observe(time, at: judgingTime)
        let row = try self.message(message)
        if let row {
            if row.deleted { return .unchanged }
            guard try maySee(row, author) else { return .notTheirs }
        } else if try hasKnown(message) {
            return .unchanged
        }
        let account = try number(author)
        if row == nil, try connection.integer(waitingCount, account) ?? 0 >= StoreLimits.earlyReactions {
            return .tooMany
        }
        if try connection.integer(knownReaction, message, account, emoji) == nil,
            try connection.integer(reactionCount, message, account) ?? 0 >= StoreLimits.reactionsPerAccount
        {
            return nil
        }
        if row == nil { traces.hasEarlyReactions = true }
        // While it waits, its time is that of the clock by which it ages.
        let at = row == nil ? trusted.seen : wallTime.milliseconds
        let changes = try connection.run(upsert, message, account, emoji, time, removed, at, row == nil)
        guard changes == 1 else { return .unchanged }
        guard row != nil else { return .waits }
        changed(.message(message), .update)
        return .changed
    }

    /// Whether an account takes part in the conversation of a message.
    private func maySee(_ row: MessageRow, _ account: AccountID) throws(StoreError) -> Bool {
        guard let conversation = try conversation(row.conversation) else { return false }
        if conversation.contact == account { return true }
        // Whether the account was a member at that time is for the log to decide.
        if let group = conversation.group, try member(account, of: group) != nil { return true }
        return try ownAccount()?.account == account
    }

    func dropReactions(to message: UUIDv7) throws(StoreError) { try connection.run(dropping, message) }

    /// Drops reactions that came before their message from accounts that turn out to have no part in its conversation.
    func dropForeignReactions(to message: UUIDv7, in conversation: UUIDv7) throws(StoreError) {
        guard let row = try self.conversation(conversation), let number = try conversationNumber(conversation) else {
            return
        }
        if let group = row.group {
            try connection.run(foreignInGroup, message, try groupNumber(group))
        } else {
            try connection.run(foreign, message, number)
        }
        try connection.run(arrived, wallTime, message)
    }
}
