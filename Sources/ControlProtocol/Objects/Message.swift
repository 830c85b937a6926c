import Vocabulary

/// One message of a conversation.
public struct Message: Hashable, Sendable {
    /// How far the message has come with one of those it is for.
    public struct Recipient: Hashable, Sendable {
        /// `kibo1…`.
        public var id: String
        /// How far it has come.
        public var state: MessageState
        /// When it came to that state; milliseconds since 1970 UTC.
        public var at: Int64
        /// An error kind, if it failed.
        public var reason: Reason?
        /// More words about the reason, for people.
        public var detail: String?

        /// Put together from its fields.
        public init(id: String, state: MessageState, at: Int64, reason: Reason? = nil, detail: String? = nil) {
            self.id = id
            self.state = state
            self.at = at
            self.reason = reason
            self.detail = detail
        }
    }

    /// A person's reaction to it, in one sign.
    public struct Reaction: Hashable, Sendable {
        /// The account that reacts; `kibo1…`.
        public var account: String
        /// The sign itself.
        public var emoji: String

        /// Put together from its fields.
        public init(account: String, emoji: String) {
            self.account = account
            self.emoji = emoji
        }
    }

    /// A UUID of version 7, made by the sender.
    public var id: String
    /// The conversation that it belongs to.
    public var conversation: String
    /// `kibo1…`.
    public var sender: String
    /// The kind of its content.
    public var kind: MessageKind
    /// Its text; empty if it only carries files. For a line of Kibo itself, this has the names in it, for searching; or
    /// all of it, in English, if an older version has stored it.
    public var text: String
    /// Milliseconds since 1970 UTC by the sender's clock.
    public var sentAt: Int64
    /// Milliseconds since 1970 UTC by ours; nil for our own.
    public var receivedAt: Int64?
    /// Its position in the conversation: opaque, sorts as text.
    public var position: String
    /// How far it has come.
    public var state: MessageState
    /// The recipients of an outgoing message.
    public var recipients: [Recipient]
    /// The message it answers.
    public var replyTo: String?
    /// When it was last edited; milliseconds since 1970 UTC.
    public var editedAt: Int64?
    /// A deleted message keeps its position, without its text.
    public var deleted: Bool
    /// The reactions of people to it.
    public var reactions: [Reaction]
    /// The files that it carries.
    public var attachments: [Attachment]
    /// Whether it is incoming and the user hasn't read it.
    public var unread: Bool
    /// The order in which messages were stored here: grows with each.
    public var arrival: Int64
    /// Whether it is of a group and came here only after its author was out: it isn't known when it was written.
    public var late: Bool
    /// The line of Kibo itself; nil for a message that a person has written, and for a line that an older version has
    /// stored.
    public var line: Line?

    /// Put together from its fields.
    public init(
        id: String, conversation: String, sender: String, kind: MessageKind = .text, text: String, sentAt: Int64,
        receivedAt: Int64? = nil, position: String, state: MessageState, recipients: [Recipient] = [],
        replyTo: String? = nil, editedAt: Int64? = nil, deleted: Bool = false, reactions: [Reaction] = [],
        attachments: [Attachment] = [], unread: Bool = false, arrival: Int64 = 0, late: Bool = false,
        line: Line? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.kind = kind
        self.text = text
        self.sentAt = sentAt
        self.receivedAt = receivedAt
        self.position = position
        self.state = state
        self.recipients = recipients
        self.replyTo = replyTo
        self.editedAt = editedAt
        self.deleted = deleted
        self.reactions = reactions
        self.attachments = attachments
        self.unread = unread
        self.arrival = arrival
        self.late = late
        self.line = line
    }

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Message")
        id = try reader.string("id")
        conversation = try reader.string("conversation")
        sender = try reader.string("sender")
        kind = try reader.choice("kind")
        text = try reader.optionalString("text") ?? ""
        sentAt = try reader.integer("sentAt")
        receivedAt = try reader.optionalInteger("receivedAt")
        position = try reader.string("position")
        state = try reader.choice("state")
        recipients = try reader.list("recipients", Recipient.init(json:))
        replyTo = try reader.optionalString("replyTo")
        editedAt = try reader.optionalInteger("editedAt")
        deleted = try reader.bool("deleted")
        reactions = try reader.list("reactions", Reaction.init(json:))
        attachments = try reader.list("attachments", Attachment.init(json:))
        unread = try reader.bool("unread")
        arrival = try reader.optionalInteger("arrival") ?? 0
        late = try reader.bool("late")
        // One of a later version is shown by the names in `text`.
        line = reader.value("line").flatMap { try? Line(json: $0) }
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "id": .string(id), "conversation": .string(conversation), "sender": .string(sender),
            "kind": .string(kind.rawValue), "text": .string(text), "sentAt": .integer(sentAt),
            "receivedAt": .optional(receivedAt), "position": .string(position), "state": .string(state.rawValue),
            "recipients": .array(recipients.map(\.json)), "replyTo": .optional(replyTo),
            "editedAt": .optional(editedAt), "deleted": .bool(deleted), "reactions": .array(reactions.map(\.json)),
            "attachments": .array(attachments.map(\.json)), "unread": .bool(unread), "arrival": .integer(arrival),
            "late": .bool(late), "line": line?.json ?? .null,
        ]
    }
}

extension Message.Recipient {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Message.recipients")
        id = try reader.string("id")
        state = try reader.choice("state")
        at = try reader.integer("at")
        reason = try reader.optionalString("reason").map(Reason.init(code:))
        detail = try reader.optionalString("detail")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = ["id": .string(id), "state": .string(state.rawValue), "at": .integer(at)]
        if let reason { object["reason"] = .string(reason.contract) }
        if let detail { object["detail"] = .string(detail) }
        return .object(object)
    }
}

extension Message.Reaction {
    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Message.reactions")
        account = try reader.string("account")
        emoji = try reader.string("emoji")
    }

    /// The value as it travels.
    public var json: JSONValue { ["account": .string(account), "emoji": .string(emoji)] }
}
