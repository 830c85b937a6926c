import Basics
import Vocabulary

/// A conversation with one contact or with a group.
public struct ConversationRow: Hashable, Sendable {
    public var id: UUIDv7
    public var kind: ConversationKind
    /// The other side of a direct conversation.
    public var contact: AccountID?
    public var group: UUIDv7?
    /// The title of a group's conversation. Empty for a direct one, whose title is the contact's name.
    public var title: String
    /// The number of unread incoming messages.
    public var unread: Int64
    /// The newest message in clock order. The store maintains it.
    public internal(set) var lastMessage: UUIDv7?
    public var pinned: Bool
    public var archived: Bool
    public var muted: Bool
    /// The time of the last activity, by which the list is ordered.
    public var updatedAt: WallTime

    public init(
        id: UUIDv7, kind: ConversationKind = .direct, contact: AccountID? = nil, group: UUIDv7? = nil,
        title: String = "",
        unread: Int64 = 0, pinned: Bool = false, archived: Bool = false, muted: Bool = false, updatedAt: WallTime
    ) {
        self.id = id
        self.kind = kind
        self.contact = contact
        self.group = group
        self.title = title
        self.unread = unread
        self.pinned = pinned
        self.archived = archived
        self.muted = muted
        self.updatedAt = updatedAt
    }

    /// Its position in the list of conversations.
    public var position: ConversationPosition {
        ConversationPosition(pinned: pinned, position: ListPosition(time: updatedAt, id: id))
    }
}
