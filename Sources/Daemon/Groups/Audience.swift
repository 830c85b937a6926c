import Basics
import ControlProtocol
import Store

/// Who gets what is said in a conversation.
enum Audience: Sendable {
    case friend(ContactRow)
    case group(GroupRow)

    var isGroup: Bool { if case .group = self { true } else { false } }

    /// - Throws: the refusal that says why nothing can be said there.
    static func of(_ target: Draft.Target, in transaction: ReadTransaction) throws -> Audience {
        switch target {
        case .contact(let account): return .friend(try friend(account, in: transaction))
        case .conversation(let id):
            guard let conversation = try transaction.conversation(id) else { throw Handlers.noConversation(id) }
            if let contact = conversation.contact { return .friend(try friend(contact, in: transaction)) }
            guard let group = try conversation.group.flatMap({ try transaction.group($0) }) else {
                throw ControlError(
                    .internal, "nobody is in this conversation", hint: "kibo doctor checks the database.")
            }
            guard group.state == .member else { throw notMember(group) }
            return .group(group)
        }
    }

    private static func friend(_ account: AccountID, in transaction: ReadTransaction) throws -> ContactRow {
        guard let contact = try transaction.contact(account) else {
            throw ControlError(
                .notFound, "\(account) is not among the contacts", hint: "kibo add asks somebody to be friends.")
        }
        guard contact.relation == .friend else { throw Handlers.notFriends(contact) }
        if contact.trust == .changed {
            throw ControlError(
                .keyChanged,
                "somebody else answers by the name of \(ForeignText.escaped(contact.displayName)): nothing is sent until you have looked",
                hint:
                    "Ask them, by another way, whether they have a new device. If so: kibo trust; if not: kibo verify, and kibo "
                    + "block whoever it is.")
        }
        return contact
    }

    /// Why somebody who was in a group can say nothing there any more.
    static func notMember(_ group: GroupRow) -> ControlError {
        let name = ForeignText.escaped(group.name)
        switch group.state {
        case .left:
            return ControlError(
                .notAllowed, "you have left “\(name)”", hint: "Whoever is an admin there can add you again.")
        case .removed:
            return ControlError(
                .notAllowed, "you were removed from “\(name)”", hint: "Whoever is an admin there can add you again.")
        case .arriving, .member:
            return ControlError(.busy, "“\(name)” is still being fetched", hint: "Try again in a moment.")
        }
    }
}
