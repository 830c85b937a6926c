import Basics
import Store

/// The accounts that get what is said in a conversation.
package enum Audience: Sendable {
    case friend(Friend)
    case group(GroupRow)
    /// This account alone: what is said is a note to oneself, and is only kept.
    case notes

    /// Where something is to be said.
    package enum Target: Sendable, Hashable {
        case conversation(UUIDv7)
        case contact(AccountID)
        case group(UUIDv7)
    }

    package struct Friend: Sendable {
        package let account: AccountID
        /// Nil if none has been opened.
        package let conversation: UUIDv7?
    }

    /// Returns the audience of a conversation, or of the conversation with a contact.
    /// - Throws: the refusal that says why nothing can be said there.
    package static func of(_ target: Target, in transaction: ReadTransaction) throws -> Audience {
        switch target {
        case .contact(let account):
            if try transaction.ownAccount()?.account == account { return .notes }
            return .friend(try friend(account, in: transaction))
        case .conversation(let id):
            guard let standing = try transaction.standing(in: id) else { throw MessagingError.noConversation(id) }
            if standing.isNotes { return .notes }
            if let contact = standing.contact {
                if standing.relation == .friend, let trust = standing.trust, trust != .changed {
                    return .friend(Friend(account: contact, conversation: id))
                }
                return .friend(try friend(contact, in: transaction))
            }
            guard let group = try standing.group.flatMap({ try transaction.group($0) }) else {
                throw MessagingError.emptyConversation
            }
            return try member(of: group)
        case .group(let id):
            guard let group = try transaction.group(id) else { throw MessagingError.noGroup(id) }
            return try member(of: group)
        }
    }

    private static func member(of group: GroupRow) throws -> Audience {
        guard group.state == .member else { throw notMember(group) }
        return .group(group)
    }

    private static func friend(_ account: AccountID, in transaction: ReadTransaction) throws -> Friend {
        guard let contact = try transaction.contact(account) else {
            throw MessagingError.notAmongContacts(account)
        }
        guard contact.relation == .friend else {
            throw MessagingError.notFriends(name: contact.shownName, contact.relation)
        }
        if contact.trust == .changed {
            throw MessagingError.keyChanged(name: contact.shownName)
        }
        return Friend(account: account, conversation: contact.conversation)
    }

    /// Returns why a former member of a group can say nothing there any more.
    package static func notMember(_ group: GroupRow) -> MessagingError { .notMember(name: group.name, group.state) }
}
