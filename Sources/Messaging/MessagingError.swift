import Basics
import PeerProtocol
import Store
import Vocabulary

/// Why something that this account wanted was not done, as data. The caller finds the words.
package enum MessagingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The account's keys are not in memory.
    case locked

    // MARK: People

    case notAmongContacts(AccountID)
    /// Nothing can be said to an account that is not a friend.
    case notFriends(name: String, Relation)
    /// Another account answers under a friend's name, and the user has not looked yet.
    case keyChanged(name: String)
    /// There is no request to answer or to take back.
    case noRequest(name: String)
    case notFriend(name: String)
    case blocked(name: String)
    case notBlocked(name: String)
    /// No other account has come under the name.
    case noOtherKey(name: String)

    // MARK: Conversations

    case noConversation(UUIDv7)
    /// None of a conversation's last messages is from others.
    case nothingReceived
    /// The database has a conversation without a contact or group.
    case emptyConversation

    // MARK: Messages

    case noMessage(UUIDv7)
    /// - Parameter field: the parameter that names the message.
    case noMessageHere(UUIDv7, field: String)
    case emptyText(UUIDv7)
    case underWay(UUIDv7)
    case notResendable
    case deleted
    /// The line tells of a change of a group.
    case systemLine
    case notAuthor(of: Deed, UUIDv7)
    case notEmoji
    case noReactionToSystemLine
    case tooManyReactions

    /// What only the author of a message may do with it.
    package enum Deed: String, Hashable, Sendable { case edit, deleteForAll, retry }

    // MARK: Groups

    case noGroup(UUIDv7)
    case notMember(name: String, GroupStanding)
    case tooManyMembers
    case onlyFriendsAreAdded
    /// Nothing is known of a friend's device yet.
    case notMet(name: String)
    /// Members can't remove themselves.
    case removesSelf(group: String)
    /// The group can't be like that.
    case badGroup(detail: String)
    /// The group's rules don't allow it.
    case notPermitted(Refusal, group: String, isMember: Bool)
    /// The group does not take an entry that was signed here.
    case ownEntryRefused
    /// All accounts that a message did not reach are blocked.
    /// - Parameter name: the only one, if there is one.
    case recipientsBlocked(name: String?)
    /// - Parameter isBlocked: some of them are blocked, the others gone.
    case recipientsGone(isBlocked: Bool, group: String)

    package var description: String {
        switch self {
        case .locked: "the account is locked"
        case .notAmongContacts(let account): "\(account) is no contact"
        case .notFriends(let name, _), .notFriend(let name): "\(quoted(name)) is no friend"
        case .keyChanged(let name): "the key of \(quoted(name)) has changed"
        case .noRequest(let name): "there is no request of \(quoted(name))"
        case .blocked(let name): "\(quoted(name)) is blocked"
        case .notBlocked(let name): "\(quoted(name)) is not blocked"
        case .noOtherKey(let name): "no other key has come for \(quoted(name))"
        case .noConversation(let id): "there is no conversation \(id)"
        case .nothingReceived: "nobody else has written here of late"
        case .emptyConversation: "a conversation has neither a contact nor a group"
        case .noMessage(let id), .noMessageHere(let id, _): "there is no message \(id) here"
        case .emptyText(let id): "message \(id) would be empty"
        case .underWay(let id): "message \(id) is under way"
        case .notResendable: "the message can't be sent again"
        case .deleted: "the message is deleted"
        case .systemLine, .noReactionToSystemLine: "the line tells of a change of a group"
        case .notAuthor(_, let id): "message \(id) is another's"
        case .notEmoji: "the reaction is no emoji"
        case .tooManyReactions: "the message has too many reactions"
        case .noGroup(let id): "there is no group \(id)"
        case .notMember(let name, _): "this account is not in the group \(quoted(name))"
        case .tooManyMembers: "the group has too many members"
        case .onlyFriendsAreAdded: "only friends are added to a group"
        case .notMet(let name): "nothing is known of a device of \(quoted(name))"
        case .removesSelf(let group): "a member of \(quoted(group)) can't remove itself"
        case .badGroup(let detail): "the group can't be like that: \(detail)"
        case .notPermitted(let refusal, let group, _):
            "the rules of the group \(quoted(group)) don't permit it: \(refusal.detail ?? refusal.reason.rawValue)"
        case .ownEntryRefused: "the group does not take an entry that was signed here"
        case .recipientsBlocked: "all recipients are blocked"
        case .recipientsGone(_, let group): "no recipient is left in the group \(quoted(group))"
        }
    }

    private func quoted(_ name: String) -> String { ForeignText.escapedName(name) }
}
