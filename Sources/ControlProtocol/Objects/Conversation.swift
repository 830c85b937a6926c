import Vocabulary

/// A chat with one friend or a group.
public struct Conversation: Hashable, Sendable {
    /// A UUID of version 7.
    public var id: String
    /// The kind of the conversation.
    public var kind: ConversationKind
    /// The name to show.
    public var title: String
    /// The friend's account, if it is a direct one.
    public var contact: String?
    /// The group, if it is one.
    public var group: String?
    /// The number of incoming messages that the user hasn't looked at.
    public var unread: Int64
    /// The position of the first of them; nil if there is none.
    public var firstUnread: String?
    /// The newest message; nil if there is none.
    public var lastMessage: Message?
    /// Kept on top of the list.
    public var pinned: Bool
    /// Put away.
    public var archived: Bool
    /// Without notifications.
    public var muted: Bool
    /// Milliseconds since 1970 UTC.
    public var updatedAt: Int64

    /// Put together from its fields.
    public init(
        id: String, kind: ConversationKind, title: String, contact: String? = nil, group: String? = nil,
        unread: Int64 = 0, firstUnread: String? = nil, lastMessage: Message? = nil, pinned: Bool = false,
        archived: Bool = false,
        muted: Bool = false, updatedAt: Int64
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.contact = contact
        self.group = group
        self.unread = unread
        self.firstUnread = firstUnread
        self.lastMessage = lastMessage
        self.pinned = pinned
        self.archived = archived
        self.muted = muted
        self.updatedAt = updatedAt
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Conversation")
        id = try reader.string("id")
        kind = try reader.choice("kind")
        title = try reader.string("title")
        contact = try reader.optionalString("contact")
        group = try reader.optionalString("group")
        unread = try reader.integer("unread")
        firstUnread = try reader.optionalString("firstUnread")
        if let message = reader.value("lastMessage") { lastMessage = try Message(json: message) }
        pinned = try reader.bool("pinned")
        archived = try reader.bool("archived")
        muted = try reader.bool("muted")
        updatedAt = try reader.integer("updatedAt")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "kind": .string(kind.rawValue), "title": .string(title),
        ]
        if let contact { object["contact"] = .string(contact) }
        if let group { object["group"] = .string(group) }
        object["unread"] = .integer(unread)
        object["firstUnread"] = .optional(firstUnread)
        object["lastMessage"] = lastMessage?.json ?? .null
        object["pinned"] = .bool(pinned)
        object["archived"] = .bool(archived)
        object["muted"] = .bool(muted)
        object["updatedAt"] = .integer(updatedAt)
        return .object(object)
    }
}
