import Basics
import PeerProtocol
import Store
import Vocabulary

/// Decides what becomes of a contact when another account turns up under its name.
///
/// An account is its key, so a key can't change under the same id: another account is there instead. A friend with a
/// new device and a new key looks just like an attacker in the middle with a key of their own, and only people can tell
/// the two apart.
package enum ContactTrust {
    /// Call when an account answered where friends were expected, or asks to be a friend. Marks friends of the same
    /// name: nothing goes to them until the user has looked.
    /// - Parameters:
    ///   - friends: the friends that the account may be. Friends who are online at this moment with the key that we
    ///     know are left out.
    package static func met(
        _ other: AccountID, name: String, device: DeviceID, among friends: [ContactRow],
        in transaction: WriteTransaction
    ) throws {
        let namesake = try transaction.contact(other)
        // Two friends may have the same name, and the user knows what a blocked account is.
        guard namesake?.relation != .friend, namesake?.relation != .blocked else { return }
        let marked = try mark(namesakes(of: name, among: friends), as: other, in: transaction)
        guard !marked.isEmpty, namesake == nil else { return }
        let row = ContactRow(account: other, device: device, displayName: name, createdAt: transaction.wallTime)
        try transaction.save(row)
    }

    /// Marks friends under whose name another account has come.
    /// - Returns: the friends that were marked now. A friend who is already marked, or who the user has told
    ///   apart from this account, stays as they are.
    package static func mark(
        _ friends: [ContactRow], as other: AccountID, in transaction: WriteTransaction
    ) throws -> [ContactRow] {
        try friends.filter { $0.account != other && $0.trust != .changed && $0.namesake != other }.map { found in
            var row = found
            row.trustBefore = row.trust
            row.trust = .changed
            row.changedAt = transaction.wallTime
            row.namesake = other
            try transaction.save(row)
            return row
        }
    }

    /// The friends who use this name, whatever its case and accents.
    package static func namesakes(of name: String, among contacts: [ContactRow]) -> [ContactRow] {
        guard !contacts.isEmpty else { return [] }
        let letters = NameOrder.letters()
        let key = letters.key(name)
        return contacts.filter { $0.relation == .friend && letters.key($0.displayName) == key }
    }

    /// Call when the user has looked and the key is the old one. The account that came under the name is remembered as
    /// another person.
    package static func settle(_ row: inout ContactRow, as trust: Trust) {
        row.trust = trust == .changed ? .unverified : trust
        row.trustBefore = .unverified
        row.changedAt = nil
    }

    /// Call when the user has sent an account away: the friends with its name are then the same people as before.
    package static func dismissed(_ account: AccountID, in transaction: WriteTransaction) throws {
        for var row in try transaction.contacts(changedTo: account) {
            settle(&row, as: row.trustBefore)
            try transaction.save(row)
        }
    }

    /// Call when the user has looked and the new key is the friend's. The conversation goes on with the new account,
    /// which is asked to be a friend, or accepted if it has asked; the old account is no longer a friend. What had not
    /// gone out fails, and can be sent again once they are friends. If the new account has a conversation already, the
    /// old one stays as it is, with its messages and their recipients.
    /// - Returns: the contact with the new key.
    package static func trustNewKey(
        of account: AccountID, name shown: String, in changes: ContactChanges
    ) throws -> ContactRow {
        let transaction = changes.transaction
        guard var old = try transaction.contact(account), old.trust == .changed, let other = old.namesake,
            var new = try transaction.contact(other)
        else {
            throw MessagingError.noOtherKey(name: shown)
        }
        if new.alias.isEmpty { new.alias = old.alias }
        new.autoDownload = old.autoDownload
        try transaction.save(new)
        // Only messages that move are for the new account. If one were sent again from a conversation that stays, it
        // would show in neither.
        if let conversation = try transaction.conversation(with: account)?.id,
            try transaction.moveConversation(from: account, to: other)
        {
            let reason = Reason.keyChanged
            try transaction.emptyOutbox(for: account, reason: reason)
            try transaction.readdress(in: conversation, failedFor: reason, from: account, to: other)
        }
        old.alias = ""
        settle(&old, as: .unverified)
        // The contact as it is now, with the id of its conversation.
        new = try transaction.contact(other) ?? new
        if new.relation != .friend { new = try changes.act(.ask(note: ""), on: new) }
        _ = try changes.act(.remove, on: old)
        return new
    }
}
