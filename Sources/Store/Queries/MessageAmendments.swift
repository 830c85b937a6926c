import Basics

private let editing = SQL("UPDATE message SET text = ?, edited_at = ?, edit_time = ? WHERE number = ?")
private let early = SQL(
    """
    INSERT INTO early_edit (message, account, text, edited_at, hlc, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (message, account) DO UPDATE SET
        text = excluded.text, edited_at = excluded.edited_at, hlc = excluded.hlc, at = excluded.at
    WHERE (excluded.hlc, excluded.text) > (hlc, text)
    """)
private let earlyFor = SQL("DELETE FROM early_edit WHERE message = ? AND account = ? RETURNING text, edited_at, hlc")
private let earlyCount = SQL("SELECT count(*) FROM early_edit WHERE account = ?")
private let earlyDrop = SQL("DELETE FROM early_edit WHERE message = ? AND account = ?")
private let scrubbing = SQL(
    """
    UPDATE message SET
        text = '', kind = 0, call = NULL, guest = NULL, given_to = NULL, deleted = 1, unread = 0, reply_to = NULL, edited_at = NULL,
        edit_time = NULL
    WHERE number = ?
    """)
private let readOne = SQL("UPDATE conversation SET unread = max(0, unread - 1) WHERE number = ?")
private let about = SQL("DELETE FROM outbox WHERE about = ?")
private let detach = SQL("UPDATE transfer SET message = NULL WHERE message = ?")
private let removal = SQL("DELETE FROM message WHERE number = ?")
// The deletion of a message is still sent, whatever happens to the tombstone's row. All other items that carry the
// message go with the row.
private let release = SQL("UPDATE outbox SET message = NULL WHERE message = ? AND id IS NOT NULL")
private let removedInsertion = SQL(
    """
    INSERT INTO removed_message (id, at, account, wire, conversation, hlc, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
    """)
private let sentOn = SQL("SELECT 1 FROM recipient WHERE message = ? AND state BETWEEN 1 AND 3 LIMIT 1")
private let removedOwn = SQL(
    "SELECT conversation, hlc, sent_at, coalesce(wire, id) FROM removed_message WHERE id = ? AND conversation IS NOT NULL"
)

/// The result of applying another account's change to a message.
public enum Amendment: Hashable, Sendable {
    /// It changed something.
    case changed
    /// The change was known already, a newer one is here, or its message is gone.
    case unchanged
    /// Its message has not come yet, so the change waits.
    case waits
    /// That account may not make the change.
    case notTheirs
    /// Too many changes of that account wait already; it has to try again.
    case tooMany
}

/// What is left here of a message of our own that others have.
public struct RemovedMessage: Hashable, Sendable {
    /// What the others call it.
    public let wireID: UUIDv7
    public let conversation: UUIDv7
    /// Its position in clock order.
    public let hlc: HybridTime
    public let sentAt: WallTime
}

extension ReadTransaction {
    /// A message of our own that was removed from this disk after it had gone to others; nil if there is none.
    public func removedMessage(_ id: UUIDv7) throws(StoreError) -> RemovedMessage? {
        try connection.first(removedOwn, id) { row throws(StoreError) in
            RemovedMessage(
                wireID: try row.identifier(3), conversation: try row.identifier(0), hlc: row.hybridTime(1),
                sentAt: row.time(2))
        }
    }
}

/// Edits and deletions. They may come before their message, in any order and more than once. The edit with the greater
/// time wins, and a deletion wins over all edits. So all accounts with the same set of changes show the same.
extension WriteTransaction {
    /// Applies the author's change of a message's text.
    /// - Parameters:
    ///   - id: what the author calls the message.
    ///   - time: the author's hybrid time. The edit with the later time counts, whichever comes first.
    public func applyEdit(
        of id: UUIDv7, by author: AccountID, text: String, at editedAt: WallTime, time: HybridTime
    ) throws(StoreError) -> Amendment {
        _ = clock.observe(time, at: judgingTime)
        guard let row = try message(id, by: author) else {
            if try isKnown(id, by: author) { return .unchanged }
            if let verdict = try verdict(onOwn: id) { return verdict }
            guard try connection.integer(earlyCount, try number(author)) ?? 0 < StoreLimits.earlyEdits else {
                return .tooMany
            }
            traces.hasEarlyEdits = true
            let count = try connection.run(early, id, try number(author), text, editedAt, time, trusted.seen)
            return count == 1 ? .waits : .unchanged
        }
        guard !row.deleted, row.kind.allows(text), Self.isNewer(time, text, than: row) else {
            return .unchanged
        }
        try textWillChange(row.arrival)
        try connection.run(editing, text, editedAt, time, row.arrival)
        try textChanged(row.arrival)
        changed(message: row.id, .text)
        return .changed
    }

    /// The result for another account's change that names a message of ours instead of its own, so it can't mean any
    /// other message. Nil for anybody else's id: we know nothing, and say nothing, because a message of that account
    /// may still come.
    func verdict(onOwn id: UUIDv7) throws(StoreError) -> Amendment? {
        if try ownMessage(id) != nil { return .notTheirs }
        guard let own = try ownAccount(), try isKnown(id, by: own.account) else { return nil }
        return .unchanged
    }

    /// Whether an edit is newer. For two edits at the same time, which an honest author never makes, all accounts
    /// choose the same one.
    private static func isNewer(_ time: HybridTime, _ text: String, than row: MessageRow) -> Bool {
        // The times are compared in their stored form.
        let (new, old) = (Int64(clamping: time.rawValue), Int64(clamping: row.editTime?.rawValue ?? 0))
        guard row.editTime != nil else { return true }
        return new != old ? new > old : Array(row.text.utf8).lexicographicallyPrecedes(Array(text.utf8))
    }

    /// Applies an edit that came before its message to the message that is about to be stored.
    func applyEarly(to row: inout MessageRow) throws(StoreError) {
        let early = try connection.first(earlyFor, row.wireID, try number(row.sender)) { row in
            (text: row.text(0), at: row.time(1), time: row.hybridTime(2))
        }
        guard let early, !row.deleted, row.kind.allows(early.text) else { return }
        row.text = early.text
        row.editedAt = early.at
        row.editTime = early.time
    }

    /// Applies the author's deletion of a message for all. The message keeps its position, and its content leaves this
    /// disk: text, reactions, waiting edits, names of its files.
    /// - Parameter tombstone: the row to store if the message has never come here: its id, times and conversation, no
    ///   text.
    /// - Returns: the result, and the transfers that belonged to the message, as they were.
    public func applyDeletion(_ tombstone: MessageRow) throws(StoreError) -> (Amendment, [TransferRow]) {
        guard let row = try message(tombstone.id, by: tombstone.sender) else {
            if try isKnown(tombstone.id, by: tombstone.sender) { return (.unchanged, []) }
            if let verdict = try verdict(onOwn: tombstone.id) { return (verdict, []) }
            var tombstone = tombstone
            tombstone.text = ""
            tombstone.kind = .text
            tombstone.deleted = true
            guard case .inserted = try receive(&tombstone) else { return (.unchanged, []) }
            try Pins.dropReactions(to: tombstone, in: self)
            return (.changed, [])
        }
        guard !row.deleted else { return (.unchanged, []) }
        return (.changed, try scrub(row))
    }

    /// Makes a tombstone of a message.
    /// - Returns: the transfers that belonged to it, which now have no message.
    public func scrub(_ row: MessageRow) throws(StoreError) -> [TransferRow] {
        let transfers = try transfers(of: row.id)
        try textWillChange(row.arrival)
        try connection.run(scrubbing, row.arrival)
        try forgetContent(of: row, transfers)
        changed(message: row.id, .deleted)
        return transfers
    }

    /// Removes a message from this disk and its conversation, for this account only. If a peer sends it or a change to
    /// it again, it stays away.
    /// - Returns: the transfers that belonged to it, which now have no message.
    @discardableResult
    public func remove(_ row: MessageRow) throws(StoreError) -> [TransferRow] {
        let transfers = try transfers(of: row.id)
        try textWillChange(row.arrival)
        try forgetContent(of: row, transfers)
        try keepMessageNumber()
        traces.hasRemoved = true
        let wasSent = try connection.integer(sentOn, row.arrival) != nil
        let isOut = wasSent && !row.deleted
        try connection.run(
            removedInsertion, row.id, trusted.seen, row.kind == .system ? nil : try number(row.sender), row.wire,
            isOut ? row.conversation : nil, isOut ? row.hlc : nil,
            isOut ? row.sentAt : nil)
        if row.deleted { try releaseDeletion(of: row.arrival) }
        try connection.run(removal, row.arrival)
        if let conversation = try conversationNumber(row.conversation) {
            try refreshLastMessage(of: conversation)
            changed(.conversation(row.conversation), .update)
        }
        changed(.message(row.id), .delete, parent: row.conversation)
        marks.hasDeletions = true
        return transfers
    }

    /// Forgets all of a message but its row.
    private func forgetContent(of row: MessageRow, _ transfers: [TransferRow]) throws(StoreError) {
        if row.unread, let conversation = try conversationNumber(row.conversation) {
            try connection.run(readOne, conversation)
            changed(.conversation(row.conversation), .update)
        }
        try Pins.dropReactions(to: row, in: self)
        try connection.run(earlyDrop, row.wireID, try number(row.sender))
        try connection.run(about, row.id)
        try logChanges.dropLogContent(about: row.wireID, by: try number(row.sender))
        try dropLogDrafts(about: row.id)
        try connection.run(detach, row.arrival)
        try purgeAssets(of: transfers.map(\.id))
        for transfer in transfers { changed(.transfer(transfer.id), .update, for: .clients) }
        marks.hasDeletions = true
    }

    /// Keeps the frame that reports a deletion in the outbox before the tombstone's row goes.
    func releaseDeletion(of number: Int64) throws(StoreError) { try connection.run(release, number) }
}
