import Basics
import ControlProtocol
import Messaging
import PeerProtocol

extension ControlError {
    /// What a client is told of an error of messaging: the only place that words them.
    init(_ error: MessagingError) {
        self =
            switch error {
            case .locked: ControlError(.locked, "the account is locked", hint: "Unlock it with: kibo unlock")
            case .notAmongContacts, .notFriends, .keyChanged, .noRequest, .notFriend, .blocked, .notBlocked,
                .noOtherKey:
                Self.ofPeople(error)
            case .noConversation, .emptyConversation, .noMessage, .noMessageHere, .emptyText, .underWay, .notResendable,
                .deleted, .systemLine, .notAuthor, .notEmoji, .noReactionToSystemLine, .tooManyReactions:
                Self.ofMessages(error)
            case .noGroup, .notMember, .tooManyMembers, .onlyFriendsAreAdded, .notMet, .removesSelf, .badGroup,
                .notPermitted, .ownEntryRefused, .recipientsBlocked, .recipientsGone:
                Self.ofGroups(error)
            }
    }

    private static func ofPeople(_ error: MessagingError) -> ControlError {
        switch error {
        case .notAmongContacts(let account):
            return ControlError(
                .notFound, "\(account) is not among the contacts", hint: "kibo add asks somebody to be friends.")
        case .notFriends(let name, let relation):
            let name = ForeignText.escaped(name)
            switch relation {
            case .blocked: return ControlError(.blocked, "you have blocked \(name)", hint: "kibo unblock lifts that.")
            case .requested:
                return ControlError(
                    .notFriends, "\(name) has not accepted your request yet",
                    hint: "Wait for it: kibo contacts shows how it stands.")
            case .incoming:
                return ControlError(
                    .notFriends, "\(name) waits for your answer", hint: "kibo accept makes you friends.")
            case .none, .friend:
                return ControlError(.notFriends, "you and \(name) are not friends", hint: "kibo add asks.")
            }
        case .keyChanged(let name):
            return ControlError(
                .keyChanged,
                "somebody else answers by the name of \(ForeignText.escaped(name)): nothing is sent until you have looked",
                hint:
                    "Ask them, by another way, whether they have a new device. If so: kibo trust; if not: kibo verify, and kibo "
                    + "block whoever it is.")
        case .noRequest(let name):
            return ControlError(
                .invalid,
                "there is no request of \(ForeignText.escaped(name)) to answer, nor one of yours to take back",
                hint: "kibo requests lists what is open; kibo add asks somebody.", field: "id")
        case .notFriend(let name):
            return ControlError(
                .invalid, "\(ForeignText.escaped(name)) is no friend of yours", hint: "kibo contacts lists them.",
                field: "id")
        case .blocked(let name):
            return ControlError(
                .blocked, "you have blocked \(ForeignText.escaped(name))", hint: "kibo unblock lifts that.", field: "id"
            )
        case .notBlocked(let name):
            return ControlError(
                .invalid, "\(ForeignText.escaped(name)) is not blocked", hint: "kibo contacts shows who is.",
                field: "id")
        case .noOtherKey(let name):
            return ControlError(
                .invalid, "no other key has come under the name of \(ForeignText.escaped(name))",
                hint: "There is nothing to trust anew: kibo verify compares the key that is there.", field: "id")
        default: return ControlError(.internal, "the daemon failed to do this")
        }
    }

    private static func ofMessages(_ error: MessagingError) -> ControlError {
        switch error {
        case .noConversation(let id):
            return ControlError(.notFound, "there is no conversation \(id)", hint: "kibo chats lists them.")
        case .emptyConversation:
            return ControlError(.internal, "nobody is in this conversation", hint: "kibo doctor checks the database.")
        case .noMessage(let id):
            return ControlError(
                .notFound, "there is no message \(id)", hint: "kibo read CHAT --ids shows messages with their ids.")
        case .noMessageHere(let id, let field):
            return ControlError(.notFound, "there is no message \(id) in this conversation", field: field)
        case .emptyText:
            return ControlError(
                .invalid, "a message can't become empty", hint: "To take it back: kibo delete.", field: "text")
        case .underWay:
            return ControlError(
                .invalid, "this message is on its way or has arrived", hint: "kibo why tells where it is.")
        case .notResendable:
            return ControlError(.invalid, "this message can't be sent again", hint: "Send a new one.")
        case .deleted: return ControlError(.invalid, "this message was deleted", field: "id")
        case .systemLine:
            return ControlError(.notAllowed, "this line tells of a change of the group: it can't be changed itself")
        case .notAuthor(let deed):
            let verb =
                switch deed {
                case .edit: "change it"
                case .deleteForAll: "delete it for all"
                case .retry: "send it again"
                }
            return ControlError(
                .notAllowed, "only who wrote a message can \(verb)",
                hint: deed == .deleteForAll
                    ? "For yourself alone: kibo delete --for me." : "You can answer it or react to it.")
        case .notEmoji: return ControlError(.invalid, "a reaction is one sign, such as 👍", field: "emoji")
        case .noReactionToSystemLine:
            return ControlError(.invalid, "there is nobody behind this line to react to", field: "id")
        case .tooManyReactions:
            return ControlError(.tooLarge, "there are too many reactions of yours to this message", field: "emoji")
        default: return ControlError(.internal, "the daemon failed to do this")
        }
    }

    private static func ofGroups(_ error: MessagingError) -> ControlError {
        switch error {
        case .noGroup(let id):
            return ControlError(.notFound, "there is no group \(id)", hint: "kibo group list shows yours.", field: "id")
        case .notMember(let name, let state):
            let name = ForeignText.escaped(name)
            switch state {
            case .left:
                return ControlError(
                    .notAllowed, "you have left “\(name)”", hint: "Whoever is an admin there can add you again.")
            case .removed:
                return ControlError(
                    .notAllowed, "you were removed from “\(name)”",
                    hint: "Whoever is an admin there can add you again.")
            case .arriving, .member:
                return ControlError(.busy, "“\(name)” is still being fetched", hint: "Try again in a moment.")
            }
        case .tooManyMembers:
            return ControlError(
                .tooLarge, "a group has at most \(PeerLimits.groupMembers) members", field: "members")
        case .onlyFriendsAreAdded: return ControlError(.notFriends, "only friends can be added")
        case .notMet(let name):
            return ControlError(
                .offline, "\(ForeignText.escaped(name)) has not been met yet",
                hint: "Try again when they were online once.")
        case .removesSelf:
            return ControlError(.invalid, "nobody removes themselves", hint: "To go yourself: kibo group leave.")
        case .badGroup(let detail):
            return ControlError(
                .invalid, "the group can't be like that: \(detail)", hint: "The limits are in CONTROL-API.md.")
        case .notPermitted(let refusal, let group, let isMember):
            let detail = refusal.detail.map { ": \($0)" } ?? ""
            return ControlError(
                ErrorKind(rawValue: refusal.reason.rawValue) ?? .notAllowed,
                "this can't be done in “\(ForeignText.escaped(group))”\(detail)",
                hint: isMember
                    ? "Owners and admins can; kibo group show tells who they are."
                    : "kibo group show tells who is what there.")
        case .ownEntryRefused:
            return ControlError(
                .internal, "the group does not take what was signed here", hint: "The log of kibod says more.")
        case .recipientsBlocked(let name):
            let who = name.map { ForeignText.escaped($0) } ?? "those whom it did not reach"
            return ControlError(.blocked, "you have blocked \(who)", hint: "kibo unblock lifts that.")
        case .recipientsGone(let isBlocked):
            return ControlError(
                .invalid,
                isBlocked
                    ? "those whom this message did not reach are blocked, or no members any more"
                    : "those whom this message did not reach are no members any more",
                hint: "kibo group show tells who is.")
        default: return ControlError(.internal, "the daemon failed to do this")
        }
    }
}
