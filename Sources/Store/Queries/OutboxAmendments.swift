import Basics
import Vocabulary

private let newBody = SQL("UPDATE outbox SET body = ? WHERE account = ? AND seq = ? AND shared IS NULL")
private let newSharedBody = SQL(
    """
    UPDATE outbox_body SET bytes = ?1
    WHERE number = (SELECT shared FROM outbox WHERE account = ?2 AND seq = ?3 AND shared IS NOT NULL)
    """)
private let aboutKind = SQL("DELETE FROM outbox WHERE about = ? AND kind = ?")
private let oneItem = SQL("DELETE FROM outbox WHERE account = ? AND seq = ?")
private let ofKind = SQL("DELETE FROM outbox WHERE account = ? AND kind = ?")
private let delay = SQL(
    """
    UPDATE outbox SET attempts = attempts + 1, last_attempt = ?, reason = ?, detail = ? WHERE account = ? AND seq = ?
    """)
private let recipientsAgain = SQL(
    """
    UPDATE recipient SET state = 0, at = ?2, reason = NULL, sent_at = NULL
    WHERE message = (SELECT number FROM message WHERE id = ?1) AND state = 4 RETURNING account
    """)
private let recipientAgain = SQL(
    """
    UPDATE recipient SET state = 0, at = ?2, reason = NULL, sent_at = NULL
    WHERE message = (SELECT number FROM message WHERE id = ?1) AND account = ?3 AND state = 4
    """)
private let newRecipient = SQL(
    """
    UPDATE OR IGNORE recipient SET account = ?1
    WHERE account = ?2 AND state = 4 AND reason = ?3
        AND message IN (SELECT number FROM message WHERE conversation = ?4)
    """)
private let messageAgain = SQL(
    "UPDATE message SET state = 0, reason = NULL, detail = NULL WHERE id = ? AND state = 4")

extension WriteTransaction {
    /// Replaces the body of items of a message that have not left yet.
    public func replaceOutboxBody(of id: UUIDv7, with body: [UInt8]) throws(StoreError) {
        let wireID = try message(id)?.wireID ?? id
        for item in try outbox(carrying: id) where item.id == wireID {
            let account = try number(item.account)
            try connection.run(newBody, body, account, item.seq)
            try connection.run(newSharedBody, body, account, item.seq)
        }
    }

    /// Drops the waiting items of one kind about a message.
    public func dropOutbox(about message: UUIDv7, kind: UInt16) throws(StoreError) {
        try connection.run(aboutKind, message, kind)
    }

    /// Drops an item that has become pointless.
    public func dropOutbox(_ id: UUIDv7, for account: AccountID) throws(StoreError) {
        let account = try number(account)
        guard let place = try connection.place(of: id, for: account) else { return }
        try connection.run(oneItem, account, place.seq)
    }

    /// Drops an account's waiting items of some kinds, none of which carries a message.
    public func dropOutbox(for account: AccountID, kinds: [UInt16]) throws(StoreError) {
        let number = try number(account)
        for kind in kinds { try connection.run(ofKind, number, kind) }
        appended.removeAll { $0.account == account && kinds.contains($0.kind) }
    }

    /// Readdresses what has failed in a conversation at one account for a reason to another account; ``requeue(_:)``
    /// then sends it there. Makes no event: the failure made one in the same transaction.
    public func readdress(
        in conversation: UUIDv7, failedFor reason: Reason, from old: AccountID, to new: AccountID
    ) throws(StoreError) {
        guard let conversation = try conversationNumber(conversation) else { return }
        try connection.run(newRecipient, try number(new), try number(old), reason, conversation)
    }

    /// Keeps items that the account can't take now for the next attempt, with the reason.
    public func postpone(
        _ ids: [UUIDv7], by account: AccountID, reason: Reason, detail: String?
    ) throws(StoreError) {
        let account = try number(account)
        for id in ids {
            guard let place = try connection.place(of: id, for: account) else { continue }
            try connection.run(delay, wallTime, reason, detail, account, place.seq)
        }
    }

    /// Queues a message again for all recipients that it failed to reach.
    /// - Returns: those recipients.
    public func requeue(_ message: UUIDv7) throws(StoreError) -> [AccountID] {
        let accounts = try connection.rows(recipientsAgain, message, wallTime) { row throws(StoreError) in
            try account(row.integer(0))
        }
        try connection.run(messageAgain, message)
        changed(message: message, .delivery)
        return accounts
    }

    /// Queues a message again for some of the recipients that it failed to reach.
    public func requeue(_ message: UUIDv7, for accounts: [AccountID]) throws(StoreError) {
        for account in accounts { try connection.run(recipientAgain, message, wallTime, try number(account)) }
        try connection.run(messageAgain, message)
        changed(message: message, .delivery)
    }
}
