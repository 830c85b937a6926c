import Basics
import Vocabulary

private let insertion = SQL(
    """
    INSERT INTO message
        (number, id, conversation, sender, device, kind, text, sent_at, received_at, hlc, state, reply_to, edited_at,
        deleted, reason, detail, unread, edit_time, first_seen, late, call, wire, guest, given_to)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
    """)
private let isSame = SQL("SELECT 1 FROM message WHERE id = ? AND sender = ? AND wire IS NULL AND kind <> 3")
private let hasWire = SQL("SELECT 1 FROM message WHERE wire = ? AND sender = ? AND kind <> 3 LIMIT 1")
private let recipientInsertion = SQL("INSERT INTO recipient (message, account, state, at) VALUES (?, ?, ?, ?)")
// `last_message` follows the setting of the order (?6: order of arrival); at equal times the greater id wins. A new
// message unarchives a conversation unless that is muted.
private let activity = SQL(
    """
    UPDATE conversation SET
        last_message = CASE
            WHEN ?6 OR ?3 > last_hlc OR last_message IS NULL THEN ?2
            WHEN ?3 = last_hlc AND ?7 > (SELECT id FROM message WHERE number = last_message) THEN ?2
            ELSE last_message END, last_hlc = max(last_hlc, ?3),
        updated_at = max(updated_at, ?4), unread = unread + ?5, archived = archived AND muted
    WHERE number = ?1
    """)
// The key of a message in a deleted conversation is free, though its row is still being removed.
private let sendKey = SQL(
    """
    INSERT INTO send_key (name, message) SELECT ?, number FROM message WHERE id = ?
    ON CONFLICT (name) DO UPDATE SET message = excluded.message
    WHERE EXISTS (
        SELECT 1 FROM message AS m JOIN conversation AS c ON c.number = m.conversation
        WHERE m.number = send_key.message AND c.archived = 2)
    """)
private let recipientProgress = SQL(
    """
    UPDATE recipient SET
        state = ?3, at = ?4, sent_at = CASE WHEN ?5 OR state >= 2 THEN sent_at ELSE coalesce(sent_at, ?4) END,
        delivered_at = CASE WHEN ?3 >= 2 THEN coalesce(delivered_at, ?4) END,
        read_at = CASE WHEN ?3 = 3 THEN coalesce(read_at, ?4) END
    WHERE message = ?1 AND account = ?2 AND state < ?3
    """)
private let recipientFailure = SQL(
    "UPDATE recipient SET state = 4, at = ?3, reason = ?4 WHERE message = ?1 AND account = ?2 AND state < 2")
// A message has come as far as its last recipient; failed recipients don't hold it back.
private let messageProgress = SQL(
    """
    UPDATE message SET state = ?2 WHERE number = ?1 AND state < ?2
        AND NOT EXISTS (SELECT 1 FROM recipient WHERE message = ?1 AND state < ?2)
    """)
private let messageLeast = SQL(
    """
    UPDATE message SET state = (SELECT min(state) FROM recipient WHERE message = ?1 AND state <> 4)
    WHERE number = ?1 AND state < (SELECT min(state) FROM recipient WHERE message = ?1 AND state <> 4)
    """)
private let messageFailure = SQL(
    """
    UPDATE message SET state = 4, reason = ?2, detail = ?3 WHERE number = ?1 AND state < 2
        AND NOT EXISTS (SELECT 1 FROM recipient WHERE message = ?1 AND state <> 4)
    """)

extension WriteTransaction {
    /// Stores a message of our own with its recipients, all in the message's state. Its `hlc` has to come from
    /// ``clock``. If another account's message has its id, our message gets another id here.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown conversation, ``StoreError/constraint(detail:)`` if a message of ours
    ///   has the id.
    /// - Returns: the row as it is stored.
    @discardableResult
    public func insertOutgoing(_ row: MessageRow, to recipients: [AccountID]) throws(StoreError) -> MessageRow {
        var row = row
        row.unread = false
        // In a group of one it has reached everyone. A note is kept, and goes nowhere.
        if recipients.isEmpty, row.state == .queued { row.state = .delivered }
        guard let message = try place(&row) else { throw .constraint(detail: "\(row.id) is taken") }
        for recipient in recipients {
            try connection.run(recipientInsertion, message, try number(recipient), row.state, row.sentAt)
        }
        if traces.hasEarlyReactions { try EarlyReactions.apply(to: row, in: self) }
        try noteActivity(row, number: message, unread: 0)
        return row
    }

    /// Stores a peer's message as ``receive(_:)`` does, for callers that needn't know its id on this host.
    public func insertIncoming(_ row: MessageRow) throws(StoreError) -> Insertion {
        var row = row
        return try receive(&row)
    }

    /// Stores a peer's message and counts it as unread. If the same account sends the message again, from any of its
    /// devices, nothing changes. If a message of another account has the id already, this one gets another id here and
    /// keeps its own as ``MessageRow/wire``.
    ///
    /// The peer's time goes through ``clock``, which clamps it; the row is filed under the result.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown conversation.
    public func receive(_ row: inout MessageRow) throws(StoreError) -> Insertion {
        row.hlc = max(clock.observe(row.hlc, at: judgingTime), MessagePosition.earliestTime)
        row.state = .received
        // A call that was taken or declined is known to the user.
        row.unread = !row.deleted && row.call?.outcome.isMissed ?? true
        if traces.hasEarlyEdits { try applyEarly(to: &row) }
        guard let message = try place(&row) else { return .duplicate }
        if traces.hasEarlyReactions { try EarlyReactions.apply(to: row, in: self) }
        try noteActivity(row, number: message, unread: row.unread ? 1 : 0)
        return .inserted
    }

    /// Stores a line of Kibo itself, such as that a member has joined a group. Its sender is the account that did what it
    /// says, its time is taken as it is, and it counts as unread if `isNews`.
    /// - Returns: ``Insertion/duplicate`` if a message with this id is or was here.
    public func insertSystem(_ row: MessageRow, isNews: Bool = false) throws(StoreError) -> Insertion {
        if try isKnownLine(row.id) { return .duplicate }
        var row = row
        // Anyone who knows what a line is about can make its id.
        if try connection.integer(takesID, row.id) != nil { (row.wire, row.id) = (row.id, freshID()) }
        row.kind = .system
        row.state = .received
        row.unread = isNews
        row.hlc = max(clock.observe(row.hlc, at: judgingTime), MessagePosition.earliestTime)
        guard let message = try insert(&row) else { return .duplicate }
        try noteActivity(row, number: message, unread: isNews ? 1 : 0)
        return .inserted
    }

    /// Remembers the client's key under which a message was sent, so that the same request finds it again.
    /// - Throws: ``StoreError/constraint(detail:)`` if the key is in use.
    public func remember(key: String, for message: UUIDv7) throws(StoreError) {
        guard try connection.run(sendKey, key, message) != 1 else { return }
        throw try self.message(message) == nil ? .missing(.message(message)) : .constraint(detail: "a key is in use")
    }

    /// Applies a recipient's receipt: the messages have come to `state` there. States only move forward. Ids that
    /// aren't messages of ours to that account are ignored. ``acknowledge(_:by:)`` sets `delivered` by itself.
    public func advance(_ messages: [UUIDv7], at account: AccountID, to state: MessageState) throws(StoreError) {
        let account = try number(account)
        for id in messages {
            guard let message = try ownMessageNumber(id) else { continue }
            try advance(message, at: account, to: state, isByCourier: false)
        }
    }

    func advance(_ message: Int64, at account: Int64, to state: MessageState, isByCourier: Bool) throws(StoreError) {
        guard try connection.run(recipientProgress, message, account, state, wallTime, isByCourier) == 1 else { return }
        try connection.run(messageProgress, message, state)
        try markRecipientChange(message)
    }

    func fail(_ message: Int64, at account: Int64, reason: Reason, detail: String?) throws(StoreError) {
        guard try connection.run(recipientFailure, message, account, wallTime, reason) == 1 else { return }
        try connection.run(messageFailure, message, reason, detail)
        // This recipient may have been the last one that held the message back.
        try connection.run(messageLeast, message)
        try markRecipientChange(message)
    }

    /// Marks a message as changed: it shows its recipients, so it changes even where its own state does not.
    private func markRecipientChange(_ message: Int64) throws(StoreError) {
        let id = try connection.first(idOfMessage, message) { row throws(StoreError) in try row.identifier(0) }
        if let id { changed(message: id, .delivery) }
    }

    /// Stores a message under its own id, or under another one if that is taken on this host.
    /// - Returns: the row's number; nil if the same account's message is or was here.
    private func place(_ row: inout MessageRow) throws(StoreError) -> Int64? {
        let sender = try number(row.sender)
        var isTaken = false
        if traces.hasRemoved {
            let removed = try lookForRemoved(row.id, by: sender)
            if removed.isTheirs { return nil }
            isTaken = removed.takesID
        }
        if traces.hasWireIDs, try connection.integer(hasWire, row.id, sender) != nil { return nil }
        if !isTaken, let number = try insert(&row) { return number }
        if try connection.integer(isSame, row.id, sender) != nil { return nil }
        (row.wire, row.id) = (row.id, freshID())
        traces.hasWireIDs = true
        return try insert(&row)
    }

    /// - Returns: the row's number; nil if the id is taken.
    private func insert(_ row: inout MessageRow) throws(StoreError) -> Int64? {
        guard let conversation = try conversationNumber(row.conversation) else {
            throw .missing(.conversation(row.conversation))
        }
        let count = try connection.run(
            insertion, lastMessage + 1, row.id, conversation, try number(row.sender), try number(row.senderDevice),
            row.kind, row.text, row.sentAt, row.receivedAt, row.hlc, row.state, row.replyTo, row.editedAt, row.deleted,
            row.failureReason, row.detail, row.unread, row.editTime, trusted.seen, row.isLate, row.call?.stored,
            row.wire, row.guest, row.givenTo)
        guard count == 1 else { return nil }
        lastMessage += 1
        row.arrival = lastMessage
        changed(.message(row.id), .insert)
        return lastMessage
    }

    private func noteActivity(_ row: MessageRow, number: Int64, unread: Int64) throws(StoreError) {
        guard let conversation = try conversationNumber(row.conversation) else { return }
        try connection.run(
            activity, conversation, number, row.hlc, row.receivedAt, unread, try messageOrder() == .arrival, row.id)
        changed(.conversation(row.conversation), .update)
    }
}

private let takesID = SQL(
    "SELECT 1 FROM message WHERE id = ?1 UNION ALL SELECT 1 FROM removed_message WHERE id = ?1 LIMIT 1")
private let idOfMessage = SQL("SELECT id FROM message WHERE number = ?")
