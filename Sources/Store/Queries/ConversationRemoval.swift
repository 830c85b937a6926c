import Basics
import Vocabulary

private let dooming = SQL(
    """
    UPDATE conversation SET archived = 2, contact = NULL, group_id = NULL, title = '', unread = 0, last_message = NULL
    WHERE number = ?
    """)
private let transfersOf = SQL(
    "UPDATE transfer SET conversation = NULL, message = NULL WHERE conversation = ? RETURNING id")
private let messagesWithFiles = SQL(
    "SELECT DISTINCT message FROM transfer WHERE conversation = ? AND message IS NOT NULL")
// Frames that report deletions are still sent: the user who deletes for all and then the conversation means both.
private let unsent = SQL(
    """
    DELETE FROM outbox WHERE account = ? AND chat IS NULL AND message IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM message WHERE number = outbox.message AND deleted = 1)
    """)
private let waitingInGroup = SQL("SELECT 1 FROM outbox WHERE chat = ? LIMIT 1")
private let unsentInGroup = SQL(
    """
    DELETE FROM outbox WHERE chat = ? AND message IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM message WHERE number = outbox.message AND deleted = 1)
    """)
private let doomed = SQL("SELECT number FROM conversation WHERE archived = 2 LIMIT 1")
private let oldest = SQL(
    "SELECT number, id, deleted, sender, wire, kind FROM message WHERE conversation = ? ORDER BY hlc, id LIMIT ?")
private let removal = SQL("DELETE FROM message WHERE number = ?")
private let conversationRemoval = SQL("DELETE FROM conversation WHERE number = ?")
private let reactionRemoval = SQL("DELETE FROM reaction WHERE message = ?")
private let aboutRemoval = SQL("DELETE FROM outbox WHERE about = ?")
private let removedInsertion = SQL(
    "INSERT INTO removed_message (id, at, account, wire) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
// Only the messages that arrived first are looked at, each by itself: a stamp in the future must not hide the messages
// behind it. Unread messages age only while they could be read. A message that has not reached all its recipients stays
// until it has; notes to oneself stay until the user deletes them.
private let firstArrived = SQL(
    """
    SELECT m.id FROM (
        SELECT number, id, unread, coalesce(first_seen, received_at) AS seen FROM message
        WHERE conversation <> coalesce((SELECT number FROM conversation WHERE contact = (SELECT account FROM account)), 0)
        ORDER BY number LIMIT ?4
    ) AS m
    WHERE m.seen <= CASE m.unread WHEN 1 THEN min(?1, ?2) ELSE ?1 END
        AND NOT EXISTS (SELECT 1 FROM recipient WHERE message = m.number AND queued IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE message = m.number AND id IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM log_draft WHERE about = m.id)
    ORDER BY m.number LIMIT ?3
    """)
private let removedExpiry = SQL(
    "DELETE FROM removed_message WHERE id IN (SELECT id FROM removed_message WHERE at <= ? ORDER BY at LIMIT ?)")
private let reactionExpiry = SQL("DELETE FROM early_reaction WHERE at <= ?")
private let earlyExpiry = SQL("DELETE FROM early_edit WHERE at <= ?")
private let earlyOf = SQL("DELETE FROM early_edit WHERE account = ?")
private let reactionsOf = SQL("DELETE FROM early_reaction WHERE account = ?")

extension WriteTransaction {
    /// Takes a conversation and its messages out of sight at once. ``removeDoomed(limit:)`` removes the rows piece by
    /// piece, so that nothing has to wait for the removal of a hundred thousand. A group that this account is not in is
    /// removed with its conversation.
    /// - Returns: false if there is no conversation with that id.
    public func remove(conversation id: UUIDv7) throws(StoreError) -> Bool {
        guard let row = try conversation(id), let number = try conversationNumber(id) else { return false }
        // The index also knows the messages by the names of their files.
        let withFiles = try connection.rows(messagesWithFiles, number) { $0.integer(0) }
        for message in withFiles { try textWillChange(message) }
        let transfers = try connection.rows(transfersOf, number) { row throws(StoreError) in try row.identifier(0) }
        for message in withFiles { try textChanged(message) }
        if let contact = row.contact {
            let account = try self.number(contact)
            try connection.run(unsent, account)
            try connection.run(earlyOf, account)
            try connection.run(reactionsOf, account)
        }
        if let group = row.group, let chat = try self.group(group) {
            // The other members can give each other what the outbox here still holds for some of them.
            try connection.run(unsentInGroup, try groupNumber(group))
            try dropLogDrafts(ofChat: try knownGroupNumber(group), withDeletions: false)
            switch chat.state {
            // A member stays one: the next message opens a new conversation.
            case .arriving, .member: changed(.group(group), .update)
            case .left, .removed:
                // The other members still have to learn that this account has left.
                if try connection.integer(waitingInGroup, try groupNumber(group)) == nil {
                    try forget(group: group)
                } else {
                    changed(.group(group), .update)
                }
            }
        }
        try connection.run(dooming, number)
        conversations.forget()
        try purgeAssets(of: transfers)
        for transfer in transfers { changed(.transfer(transfer), .update, for: .clients) }
        changed(.conversation(id), .delete)
        if let contact = row.contact { changed(.contact(contact), .update, for: .clients) }
        marks.hasDeletions = true
        return true
    }

    /// Whether ``removeDoomed(limit:)`` has anything left to remove.
    public func hasDoomed() throws(StoreError) -> Bool {
        if try connection.integer(doomed) != nil { return true }
        return try hasForgottenGroups()
    }

    /// Removes the next messages of deleted conversations, in the end those conversations, and then the forgotten
    /// groups. Makes no events: a client that saw the conversation go knows that its messages went.
    /// - Returns: whether there is more to do.
    public func removeDoomed(limit: Int) throws(StoreError) -> Bool {
        guard let conversation = try connection.integer(doomed) else { return try removeForgotten(limit: limit) }
        let rows = try connection.rows(oldest, conversation, Int64(limit)) { row throws(StoreError) in
            (
                number: row.integer(0), id: try row.identifier(1), isTombstone: row.flag(2), sender: row.integer(3),
                wire: try row.optionalIdentifier(4), isLine: row.integer(5) == MessageKind.system.stored
            )
        }
        try keepMessageNumber()
        for row in rows {
            try textWillChange(row.number)
            try connection.run(reactionRemoval, row.id)
            try connection.run(aboutRemoval, row.id)
            try logChanges.dropLogContent(about: row.wire ?? row.id, by: row.sender)
            try dropLogDrafts(about: row.id)
            traces.hasRemoved = true
            try connection.run(removedInsertion, row.id, trusted.seen, row.isLine ? nil : row.sender, row.wire)
            if row.isTombstone { try releaseDeletion(of: row.number) }
            try connection.run(removal, row.number)
        }
        if rows.count < limit { try connection.run(conversationRemoval, conversation) }
        marks.hasDeletions = true
        return try hasDoomed()
    }

    /// Removes messages that have been here for `age`, the oldest first. Of unread messages it removes those that were
    /// readable for `age`.
    /// - Parameter limit: the most messages to remove.
    /// - Returns: the number of removed messages; fewer than `limit` means that there are no more.
    public func removeMessages(olderThan age: Duration, limit: Int) throws(StoreError) -> Int {
        let ids = try connection.rows(
            firstArrived, trusted.stamp(before: age), trusted.stamp(beforeReadable: age), Int64(limit),
            Int64(limit + StoreLimits.retentionLook)
        ) { row throws(StoreError) in try row.identifier(0) }
        var count = 0
        for id in ids {
            guard let message = try message(id) else { continue }
            try remove(message)
            count += 1
        }
        return count
    }

    /// Forgets traces that are not needed any more: ids of messages that were removed long ago, and edits and reactions
    /// whose message never came.
    public func expireTraces() throws(StoreError) {
        let before = trusted.stamp(before: StoreLimits.traceAge)
        try connection.run(removedExpiry, before, StoreLimits.tracesAtOnce)
        try connection.run(earlyExpiry, before)
        try connection.run(reactionExpiry, before)
    }
}
