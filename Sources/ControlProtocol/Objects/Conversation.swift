import Vocabulary

/// A chat with one friend or a group, or the notes to oneself.
public struct Conversation: ContractObject {
    public var id = ""
    public var kind = ConversationKind.direct
    public var title = ""
    public var contact: String?
    public var group: String?
    public var unread: Int64 = 0
    public var firstUnread: String?
    public var missedCalls: Int64 = 0
    public var lastMessage: Message?
    public var pinned = false
    public var archived = false
    public var muted = false
    public var mutedUntil: Int64?
    public var mentions: Int64 = 0
    public var mentionsMuted = false
    public var pins: Int64 = 0
    public var updatedAt: Int64 = 0

    public init(
        id: String, kind: ConversationKind, title: String, contact: String? = nil, group: String? = nil,
        unread: Int64 = 0, firstUnread: String? = nil, missedCalls: Int64 = 0, lastMessage: Message? = nil,
        pinned: Bool = false, archived: Bool = false, muted: Bool = false,
        mutedUntil: Int64? = nil, mentions: Int64 = 0, mentionsMuted: Bool = false, pins: Int64 = 0, updatedAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.contact = contact
        self.group = group
        self.unread = unread
        self.firstUnread = firstUnread
        self.missedCalls = missedCalls
        self.lastMessage = lastMessage
        self.pinned = pinned
        self.archived = archived
        self.muted = muted
        self.mutedUntil = mutedUntil
        self.mentions = mentions
        self.mentionsMuted = mentionsMuted
        self.pins = pins
        self.updatedAt = updatedAt
    }

    /// Whether mentions of this account notify and count: they do even while it is muted, unless they are muted, too.
    public var letsMentionsThrough: Bool { !muted || !mentionsMuted }

    public static let contractName = "Conversation"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the conversation")
        try fields.field("kind", &kind, "who it is with: `notes` are with oneself")
        try fields.field("title", &title, as: .name, "what to call it; clients have their own word for notes")
        try fields.optional("contact", &contact, as: .account, "the friend; this account for notes")
        try fields.optional("group", &group, as: .uuid, "the group")
        try fields.field("unread", &unread, "incoming messages that nobody has looked at")
        try fields.nullable(
            "firstUnread", &firstUnread, as: .token(maximumBytes: ProtocolLimits.tokenBytes),
            "the position of the first of them, in the order that is set")
        try fields.lenient("missedCalls", &missedCalls, "how many of them are calls that were missed")
        try fields.nullable("lastMessage", &lastMessage, "the newest")
        try fields.lenient("pinned", &pinned, "whether it is kept on top")
        try fields.lenient("archived", &archived, "whether it is put away")
        try fields.lenient("muted", &muted, "whether it shows no notifications")
        try fields.optional("mutedUntil", &mutedUntil, as: .time, "when muting ends by itself")
        try fields.lenient(
            "mentions", &mentions, "how many of the unread ones mention this account in a group; at most 1000")
        try fields.lenient("mentionsMuted", &mentionsMuted, "while it is muted, mentions don't notify or count either")
        try fields.lenient("pins", &pins, "how many of its messages are pinned; at most 100")
        try fields.field("updatedAt", &updatedAt, as: .time, "when it last changed")
    }
}
