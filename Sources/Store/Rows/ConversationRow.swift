import Basics
import Vocabulary

/// A conversation with one contact, with a group, or with this account itself: its notes.
public struct ConversationRow: Hashable, Sendable {
    public var id: UUIDv7
    /// The kind. Notes are stored as a direct conversation; on reading, the contact tells that they are notes.
    public internal(set) var kind = ConversationKind.direct
    /// The other side of a direct conversation; this account itself for its notes.
    public var contact: AccountID?
    public var group: UUIDv7?
    /// The title of a group's conversation. Empty for a direct one, whose title is the contact's name, and for notes.
    public var title = ""
    /// The number of unread incoming messages.
    public var unread: Int64 = 0
    /// The newest message in clock order. The store maintains it.
    public internal(set) var lastMessage: UUIDv7?
    public var pinned = false
    public var archived = false
    public var muted = false
    /// When muting ends by itself; nil for one that is muted until the user takes it back, and for one that isn't muted.
    public var mutedUntil: WallTime?
    /// Whether mentions of this account don't count either while the conversation is muted.
    public var mentionsMuted = false
    /// How many unread messages mention this account, up to ``StoreLimits/mentions``. The store maintains it.
    public internal(set) var mentions: Int64 = 0
    /// How many of its messages are pinned, up to ``StoreLimits/pins``. The store maintains it.
    public internal(set) var pins: Int64 = 0
    /// The time of the last activity, by which the list is ordered.
    public var updatedAt: WallTime

    /// The column `muted`: 0, 1 for muting without an end, or the end in milliseconds since 1970.
    var storedMute: Int64 { muted ? mutedUntil.map { max($0.milliseconds, 2) } ?? 1 : 0 }

    /// Its position in the list of conversations.
    public var position: ConversationPosition {
        ConversationPosition(pinned: pinned, position: ListPosition(time: updatedAt, id: id))
    }
}

/// The people in a conversation and our relation to them: all that a draft has to know about it.
public struct ConversationStanding: Hashable, Sendable {
    /// The other side of a direct conversation.
    public let contact: AccountID?
    public let group: UUIDv7?
    /// The conversation is with this account itself.
    public let isNotes: Bool
    /// Nil if the other side is no contact.
    public let relation: Relation?
    public let trust: Trust?
}
