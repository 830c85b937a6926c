import Basics

private let ofMessage = SQL(
    "SELECT account, emoji, at FROM reaction WHERE message = ? AND removed = 0 ORDER BY hlc, emoji")
private let upsert = SQL(
    """
    INSERT INTO reaction (message, account, emoji, hlc, removed, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (message, account, emoji) DO UPDATE SET
        hlc = excluded.hlc, removed = excluded.removed, at = excluded.at
    WHERE (excluded.hlc, excluded.removed) > (hlc, removed)
    """)
private let timeOf = SQL("SELECT hlc FROM reaction WHERE message = ? AND account = ? AND emoji = ?")
private let knownReaction = SQL("SELECT 1 FROM reaction WHERE message = ? AND account = ? AND emoji = ?")
private let reactionCount = SQL("SELECT count(*) FROM reaction WHERE message = ? AND account = ?")

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
        to name: MessageName, by account: AccountID, emoji: String, removed: Bool, time: HybridTime
    ) throws(StoreError) -> Amendment? {
        switch try name.meaning(in: self, toldBy: account) {
        case .here(let row):
            return try applyReaction(to: row, by: account, emoji: emoji, removed: removed, time: time)
        case .gone:
            _ = clock.observe(time, at: judgingTime)
            return try verdict(onOwn: name.id) ?? .unchanged
        case .unknown:
            _ = clock.observe(time, at: judgingTime)
            return try EarlyReactions.keep(name, by: account, emoji: emoji, removed: removed, time: time, in: self)
        }
    }

    /// Sets or takes back an account's reaction to a message that is here.
    /// - Returns: nil if the account has already reacted to this message in too many ways.
    public func applyReaction(
        to row: MessageRow, by author: AccountID, emoji: String, removed: Bool, time: HybridTime
    ) throws(StoreError) -> Amendment? {
        _ = clock.observe(time, at: judgingTime)
        if row.deleted { return .unchanged }
        guard try maySee(row, author) else { return .notTheirs }
        let account = try number(author)
        if try connection.integer(knownReaction, row.id, account, emoji) == nil,
            try connection.integer(reactionCount, row.id, account) ?? 0 >= StoreLimits.reactionsPerAccount
        {
            return nil
        }
        let changes = try connection.run(upsert, row.id, account, emoji, time, removed, wallTime)
        guard changes == 1 else { return .unchanged }
        if emoji == Pins.sign { try Pins.note(of: row, in: self) }
        changed(message: row.id, .reactions)
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
}
