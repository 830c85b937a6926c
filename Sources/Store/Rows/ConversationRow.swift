import Basics

/// A conversation with one contact (or, later, a group).
public struct ConversationRow: Hashable, Sendable {
    /// With whom.
    public enum Kind: Int64, StoredEnumeration, CaseIterable, Sendable {
        case direct = 0
        case group = 1
    }

    public var id: UUIDv7
    public var kind: Kind
    /// The other side of a direct conversation.
    public var contact: AccountID?
    public var group: UUIDv7?
    /// Empty for a direct conversation: its title is the contact's name.
    public var title: String
    /// Incoming messages that nobody has read.
    public var unread: Int64
    /// The newest message in clock order. Kept by the store.
    public internal(set) var lastMessage: UUIDv7?
    public var pinned: Bool
    public var archived: Bool
    public var muted: Bool
    /// Of the last activity: the order of the list.
    public var updatedAt: WallTime

    public init(
        id: UUIDv7, kind: Kind = .direct, contact: AccountID? = nil, group: UUIDv7? = nil, title: String = "",
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

    /// Its place in the list of conversations.
    public var position: ConversationPosition {
        ConversationPosition(pinned: pinned, place: ListPosition(time: updatedAt, id: id))
    }
}
