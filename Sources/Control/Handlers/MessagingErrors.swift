import Basics
import ControlProtocol
import Messaging
import Vocabulary

extension ControlError {
    /// The refusal that a client gets for an error of messaging. Only this initialiser turns the one into the other.
    init(_ error: MessagingError) {
        func shown(_ name: String) -> String { ForeignText.escaped(name) }
        func name(_ name: String) -> JSONObject { ["name": .string(name)] }
        func group(_ name: String) -> JSONObject { ["group": .string(name)] }
        func id(_ id: UUIDv7) -> JSONObject { ["id": .string(id.description)] }
        self =
            switch error {
            case .locked: ControlError(.locked, "the account is locked", hint: .unlock)

            // MARK: People

            case .notAmongContacts(let account):
                ControlError(
                    .notFound, "\(account) is not among the contacts", hint: .addContact,
                    parameters: ["name": .string(account.description)])
            case .notFriends(let friend, .blocked):
                ControlError(.blocked, "you have blocked \(shown(friend))", hint: .unblock, parameters: name(friend))
            case .notFriends(let friend, .requested):
                ControlError(
                    .notFriends, "\(shown(friend)) has not accepted your request yet", hint: .awaitAnswer,
                    parameters: name(friend))
            case .notFriends(let friend, .incoming):
                ControlError(
                    .notFriends, "\(shown(friend)) waits for your answer", hint: .answerRequest,
                    parameters: name(friend))
            case .notFriends(let friend, .none), .notFriends(let friend, .friend):
                ControlError(
                    .notFriends, "you and \(shown(friend)) are not friends", hint: .addContact,
                    parameters: name(friend))
            case .keyChanged(let friend):
                ControlError(
                    .keyChanged,
                    "another account answers by the name of \(shown(friend)): nothing is sent until you have decided",
                    hint: .examineKey, parameters: name(friend))
            case .noRequest(let other):
                ControlError(
                    .invalid, "there is no request of \(shown(other)) to answer, nor one of yours to take back",
                    hint: .seeRequests, parameters: name(other), field: "id")
            case .notFriend(let other):
                ControlError(
                    .invalid, "\(shown(other)) is no friend of yours", hint: .seeContacts, parameters: name(other),
                    field: "id")
            case .blocked(let other):
                ControlError(
                    .blocked, "you have blocked \(shown(other))", hint: .unblock, parameters: name(other), field: "id")
            case .notBlocked(let other):
                ControlError(
                    .invalid, "\(shown(other)) is not blocked", hint: .seeContacts, parameters: name(other),
                    field: "id")
            case .noOtherKey(let friend):
                ControlError(
                    .invalid, "no other key has come under the name of \(shown(friend))", hint: .compareKey,
                    parameters: name(friend), field: "id")

            // MARK: Conversations and messages

            case .noConversation(let conversation):
                ControlError(
                    .notFound, "there is no conversation \(conversation)", hint: .seeChats,
                    parameters: id(conversation))
            case .nothingReceived: ControlError(.notFound, "nobody else has written here of late", field: "id")
            case .emptyConversation:
                ControlError(.internal, "this conversation has no member", hint: .checkDatabase)
            case .noMessage(let message):
                ControlError(.notFound, "there is no message \(message)", hint: .seeMessages, parameters: id(message))
            case .noMessageHere(let message, let field):
                ControlError(
                    .notFound, "there is no message \(message) in this conversation", hint: .seeMessages,
                    parameters: id(message), field: field)
            case .emptyText(let message):
                ControlError(
                    .invalid, "a message can't become empty", hint: .deleteInstead, parameters: id(message),
                    field: "text")
            case .underWay(let message):
                ControlError(
                    .invalid, "this message is on its way or has arrived", hint: .askWhy, parameters: id(message))
            case .notResendable: ControlError(.invalid, "this message can't be sent again", hint: .sendAnew)
            case .deleted: ControlError(.invalid, "this message was deleted", field: "id")
            case .systemLine:
                ControlError(.notAllowed, "this line tells of a change of the group: it can't be changed itself")
            case .notAuthor(.edit, let message):
                ControlError(
                    .notAllowed, "only the author of a message can change it", hint: .answerOrReact,
                    parameters: id(message))
            case .notAuthor(.deleteForAll, let message):
                ControlError(
                    .notAllowed, "only the author of a message can delete it for all", hint: .deleteForMe,
                    parameters: id(message))
            case .notAuthor(.retry, let message):
                ControlError(
                    .notAllowed, "only the author of a message can send it again", hint: .answerOrReact,
                    parameters: id(message))
            case .notEmoji: ControlError(.invalid, "a reaction is one emoji, such as 👍", field: "emoji")
            case .noReactionToSystemLine:
                ControlError(.invalid, "this line is of Kibo itself: you can't react to it", field: "id")
            case .tooManyReactions:
                ControlError(.tooLarge, "there are too many reactions of yours to this message", field: "emoji")

            // MARK: Groups

            case .noGroup(let wanted):
                ControlError(
                    .notFound, "there is no group \(wanted)", hint: .seeGroups, parameters: id(wanted), field: "id")
            case .notMember(let left, .left):
                ControlError(.notAllowed, "you have left “\(shown(left))”", hint: .askAdmin, parameters: group(left))
            case .notMember(let left, .removed):
                ControlError(
                    .notAllowed, "you were removed from “\(shown(left))”", hint: .askAdmin, parameters: group(left))
            case .notMember(let coming, .arriving), .notMember(let coming, .member):
                ControlError(
                    .busy, "“\(shown(coming))” is still being fetched", hint: .tryInAMoment, parameters: group(coming))
            case .tooManyMembers:
                ControlError(
                    .tooLarge, "a group has at most \(SharedLimits.groupMembers) members",
                    parameters: ["most": .integer(Int64(SharedLimits.groupMembers))], field: "members")
            case .onlyFriendsAreAdded: ControlError(.notFriends, "only friends can be added", hint: .seeContacts)
            case .notMet(let friend):
                ControlError(
                    .offline, "\(shown(friend)) has not been met yet", hint: .awaitMeeting, parameters: name(friend))
            case .removesSelf(let left):
                ControlError(.invalid, "you can't remove yourself", hint: .leaveInstead, parameters: group(left))
            case .badGroup(let detail):
                ControlError(.invalid, "the group can't be like that: \(detail)", hint: .seeGroupLimits)
            case .notPermitted(let refusal, let place, let isMember):
                ControlError(
                    refusal.reason,
                    refusal.detail ?? "this can't be done in “\(shown(place))”",
                    hint: isMember ? .askOwner : .seeGroupRoles, parameters: group(place))
            case .ownEntryRefused:
                ControlError(.internal, "the group does not take what was signed here", hint: .seeLog)
            case .recipientsBlocked(let friend?):
                ControlError(.blocked, "you have blocked \(shown(friend))", hint: .unblock, parameters: name(friend))
            case .recipientsBlocked(nil):
                ControlError(.blocked, "you have blocked everybody it did not reach", hint: .unblock)
            case .recipientsGone(true, let place):
                ControlError(
                    .invalid, "the members that this message did not reach are blocked, or not in the group any more",
                    hint: .seeGroupMembers, parameters: group(place))
            case .recipientsGone(false, let place):
                ControlError(
                    .invalid, "the members that this message did not reach are not in the group any more",
                    hint: .seeGroupMembers, parameters: group(place))
            }
    }
}
