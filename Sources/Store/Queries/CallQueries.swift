import Basics
import Vocabulary

private let kept = SQL("SELECT bytes FROM call_state ORDER BY id")
private let keeping = SQL("INSERT OR REPLACE INTO call_state (id, bytes) VALUES (?, ?)")
private let dropping = SQL("DELETE FROM call_state WHERE id = ?")
private let correction = SQL("UPDATE message SET call = ? WHERE number = ?")
private let ofGroup = SQL(
    """
    SELECT m.number, m.id, m.sender FROM message AS m JOIN conversation AS c ON c.number = m.conversation
    WHERE m.id = ?1 AND m.wire IS NULL AND m.kind = 2 AND m.deleted = 0 AND c.group_id = ?2
    UNION ALL
    SELECT m.number, m.id, m.sender FROM message AS m JOIN conversation AS c ON c.number = m.conversation
    WHERE m.wire = ?1 AND m.kind = 2 AND m.deleted = 0 AND c.group_id = ?2
    """)
private let mine = SQL("SELECT conversation, call, unread, state FROM message WHERE number = ?")
private let taking = SQL("UPDATE message SET call = ?, unread = ? WHERE number = ?")
private let counting = SQL("UPDATE conversation SET unread = max(0, unread + ?) WHERE number = ? RETURNING id")
// Calls are walked backwards by their numbers; a conversation that is being removed hides its own.
private let lastCalls = SQL(
    """
    SELECT m.number, m.id FROM message AS m WHERE m.kind = 2 AND m.number < ?
        AND (SELECT c.archived FROM conversation AS c WHERE c.number = m.conversation) < 2
    ORDER BY m.number DESC LIMIT ?
    """)
private let missed = SQL(
    """
    SELECT count(*) FROM message AS m JOIN conversation AS c ON c.number = m.conversation
    WHERE m.kind = 2 AND m.unread = 1 AND c.archived < 2
    """)
private let missedIn = SQL("SELECT count(*) FROM message WHERE conversation = ? AND kind = 2 AND unread = 1")

extension ReadTransaction {
    /// Returns the calls that were under way when the daemon last wrote, as bytes that the machine of calls has made.
    public func callStates() throws(StoreError) -> [[UInt8]] { try connection.rows(kept) { $0.bytes(0) } }

    /// Returns the ids of the records of calls in all conversations, those that were stored last first.
    /// - Parameters:
    ///   - end: the position of the previous page's last one; nil for the first page.
    ///   - limit: the most ids, 1 to ``StoreLimits/pageRows``; clamped.
    public func recentCalls(
        before end: ArrivalPosition? = nil, limit: Int
    ) throws(StoreError) -> (messages: [(id: UUIDv7, position: ArrivalPosition)], hasMore: Bool) {
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        var rows = try connection.rows(lastCalls, end?.number ?? .max, Int64(limit + 1)) { row throws(StoreError) in
            (id: try row.identifier(1), position: ArrivalPosition(number: row.integer(0)))
        }
        let hasMore = rows.count > limit
        if hasMore { rows.removeLast() }
        return (rows, hasMore)
    }

    /// Returns how many calls the user has missed and not seen yet.
    public func missedCalls() throws(StoreError) -> Int64 { try connection.integer(missed) ?? 0 }

    /// Returns how many calls of a conversation the user has missed and not seen yet; 0 for an unknown conversation.
    public func missedCalls(in conversation: UUIDv7) throws(StoreError) -> Int64 {
        guard let number = try conversationNumber(conversation) else { return 0 }
        return try connection.integer(missedIn, number) ?? 0
    }
}

extension WriteTransaction {
    /// Stores how a call stands, as bytes that the machine of calls has made.
    public func keepCall(_ id: UUIDv7, _ bytes: [UInt8]) throws(StoreError) { try connection.run(keeping, id, bytes) }

    /// Forgets a call that is over.
    public func dropCall(_ id: UUIDv7) throws(StoreError) { try connection.run(dropping, id) }

    /// Sets what a call of a group was for the user: a missed call counts as unread, a call in which the user took part
    /// as read.
    /// - Parameters:
    ///   - wireID: what the members call it.
    ///   - starter: whose call it is. If that isn't known, every call of the group with this id is set.
    /// - Returns: whether a message of the call is or was here.
    public func setCall(
        _ wireID: UUIDv7, in group: UUIDv7, by starter: AccountID?, _ record: CallRecord
    ) throws(StoreError) -> Bool {
        let account = try number(starter)
        let ids = try connection.rows(ofGroup, wireID, group) { row throws(StoreError) in
            (number: row.integer(0), id: try row.identifier(1), sender: row.integer(2))
        }.filter { account == nil || $0.sender == account }
        for message in ids { try setCall(message.number, message.id, record) }
        if !ids.isEmpty { return true }
        return try starter.map { starter throws(StoreError) in try isKnown(wireID, by: starter) } ?? false
    }

    private func setCall(_ number: Int64, _ id: UUIDv7, _ record: CallRecord) throws(StoreError) {
        let stored = try connection.first(mine, number) { row in
            (
                conversation: row.integer(0), call: row.optionalText(1), unread: row.flag(2),
                isIncoming: row.integer(3) == MessageState.received.stored
            )
        }
        guard let stored else { return }
        let unread = stored.isIncoming && record.outcome.isMissed
        guard stored.call != record.stored || stored.unread != unread else { return }
        try connection.run(taking, record.stored, unread, number)
        changed(message: id, .call)
        guard unread != stored.unread else { return }
        let conversation = try connection.first(counting, unread ? 1 as Int64 : -1, stored.conversation) {
            row throws(StoreError) in try row.identifier(0)
        }
        if let conversation { changed(.conversation(conversation), .update) }
    }

    /// Replaces the record of a call with what its caller says became of it. If both sides ended the call at the same
    /// moment, they may have seen different ends, and the caller's counts.
    /// - Parameter wireID: what the caller calls it.
    public func correctCall(_ wireID: UUIDv7, of caller: AccountID, _ record: CallRecord) throws(StoreError) {
        guard let call = try message(wireID, by: caller), call.kind == .call, call.call != record else { return }
        try connection.run(correction, record.stored, call.arrival)
        changed(message: call.id, .call)
    }
}
