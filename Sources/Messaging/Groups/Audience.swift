import Basics
import Store

/// The accounts that get what is said in a conversation.
package enum Audience: Sendable {
    case friend(ContactRow)
    case group(GroupRow)
    /// This account alone: what is said is a note to oneself, and is only kept.
    case notes

    /// Returns the audience of a conversation, or of a contact's.
    /// - Throws: the refusal that says why nothing can be said there.
    package static func of(_ target: Draft.Target, in transaction: ReadTransaction) throws -> Audience {
        switch target {
        case .contact(let account):
            if try transaction.ownAccount()?.account == account { return .notes }
            return .friend(try friend(account, in: transaction))
        case .conversation(let id):
            guard let conversation = try transaction.conversation(id) else { throw MessagingError.noConversation(id) }
            if conversation.kind == .notes { return .notes }
            if let contact = conversation.contact { return .friend(try friend(contact, in: transaction)) }
            guard let group = try conversation.group.flatMap({ try transaction.group($0) }) else {
                throw MessagingError.emptyConversation
            }
            guard group.state == .member else { throw notMember(group) }
            return .group(group)
        }
    }

    private static func friend(_ account: AccountID, in transaction: ReadTransaction) throws -> ContactRow {
        guard let contact = try transaction.contact(account) else {
            throw MessagingError.notAmongContacts(account)
        }
        guard contact.relation == .friend else {
            throw MessagingError.notFriends(name: contact.shownName, contact.relation)
        }
        if contact.trust == .changed {
            throw MessagingError.keyChanged(name: contact.shownName)
        }
        return contact
    }

    /// Returns why a former member of a group can say nothing there any more.
    package static func notMember(_ group: GroupRow) -> MessagingError { .notMember(name: group.name, group.state) }
}
