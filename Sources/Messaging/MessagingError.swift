import Basics
import PeerProtocol
import Store
import Vocabulary

/// Why something that this account wants was not done, as data. The caller finds the words.
package enum MessagingError: Error, Hashable, Sendable {
    /// The account's keys are not in memory.
    case locked

    // MARK: People

    case notAmongContacts(AccountID)
    /// Nothing is said to an account that is no friend.
    case notFriends(name: String, Relation)
    /// Another account answers by a friend's name, and the user has not looked yet.
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

    /// What only the author of a message can do with it.
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
    /// All that a message did not reach are blocked.
    /// - Parameter name: the only one, if there is one.
    case recipientsBlocked(name: String?)
    /// - Parameter isBlocked: some of them are blocked, the others gone.
    case recipientsGone(isBlocked: Bool, group: String)
}
