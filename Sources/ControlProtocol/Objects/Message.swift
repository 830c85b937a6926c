import Vocabulary

/// One message of a conversation.
public struct Message: ContractObject {
    /// How far the message has come with one of its recipients.
    public struct Recipient: Hashable, Sendable {
        public var id = ""
        public var state = MessageState.queued
        public var at: Int64 = 0
        public var reason: Reason?
        public var detail: String?

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
        public var account = ""
        public var emoji = ""

        public init(account: String, emoji: String) {
            self.account = account
            self.emoji = emoji
        }
    }

    public var id = ""
    public var conversation = ""
    public var sender = ""
    /// What the sender is called here.
    public var senderName = ""
    public var kind = MessageKind.text
    /// Its text; empty if it only carries files. For a line of Kibo itself, this has the names in it, for searching; or
    /// all of it, in English, if an older version has stored it.
    public var text = ""
    public var sentAt: Int64 = 0
    public var receivedAt: Int64?
    /// Its position in the conversation: opaque, sorts as text.
    public var position = ""
    public var state = MessageState.queued
    public var recipients: [Recipient] = []
    public var replyTo: String?
    public var editedAt: Int64?
    /// A deleted message keeps its position, without its text.
    public var deleted = false
    public var reactions: [Reaction] = []
    public var attachments: [Attachment] = []
    public var unread = false
    public var arrival: Int64 = 0
    /// Whether it belongs to a group and came here only after its author had left: nobody knows when it was written.
    public var late = false
    public var line: Line?
    public var call: Call?
    /// Of what Kibo itself says: a sentence for programs that word nothing.
    public var sentence: String?
    /// Whether it was sent under the same key before.
    public var duplicate: Bool?

    public init(
        id: String, conversation: String, sender: String, senderName: String = "", kind: MessageKind = .text,
        text: String, sentAt: Int64,
        receivedAt: Int64? = nil, position: String, state: MessageState, recipients: [Recipient] = [],
        replyTo: String? = nil, editedAt: Int64? = nil, deleted: Bool = false, reactions: [Reaction] = [],
        attachments: [Attachment] = [], unread: Bool = false, arrival: Int64 = 0, late: Bool = false,
        line: Line? = nil, call: Call? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.senderName = senderName
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
        self.call = call
    }

    public static let contractName = "Message"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the message")
        try fields.field("conversation", &conversation, as: .uuid, "where")
        try fields.field("sender", &sender, as: .account, "whose")
        try fields.lenient(
            "senderName", &senderName, as: .name,
            "what they are called here now: their alias, or the name that they have chosen")
        try fields.field("kind", &kind, "what it holds")
        try fields.lenient("text", &text, as: .text(.bytes(SharedLimits.textBytes)), "its text")
        try fields.field("sentAt", &sentAt, as: .time, "by the sender's clock")
        try fields.nullable("receivedAt", &receivedAt, as: .time, "by ours; null for our own")
        try fields.field(
            "position", &position, as: .token(maximumBytes: Limits.tokenBytes), "its position; sorts as text")
        try fields.field("state", &state, "how far it has come")
        try fields.lenient("recipients", &recipients, "how it stands with each to whom it goes")
        try fields.nullable("replyTo", &replyTo, as: .uuid, "what it answers")
        try fields.nullable("editedAt", &editedAt, as: .time, "when it was last edited")
        try fields.lenient("deleted", &deleted, "a tombstone")
        try fields.lenient("reactions", &reactions, "reactions to it")
        try fields.lenient("attachments", &attachments, "files and folders")
        try fields.lenient("unread", &unread, "incoming, and nobody has read it")
        try fields.lenient("arrival", &arrival, "the order in which messages were stored here; grows")
        try fields.lenient("late", &late, "of a group, and came here only after its author was out")
        try fields.nullable(
            "line", &line,
            "of kind `system`: what Kibo itself says; `text` then has the names in it, for searching. Null where an older version has stored it as English `text`"
        )
        try fields.nullable("call", &call, "of kind `call`: what stays of it")
        try fields.optional(
            "sentence", &sentence, as: .text(.bytes(SharedLimits.textBytes)),
            "of kinds `system` and `call`: what happened, in English; names in it are as people have chosen them")
        try fields.optional(
            "duplicate", &duplicate,
            "of `message.send`: true if a message was sent under this `key` before; this is that message, and nothing was sent now"
        )
    }
}

extension Message {
    /// What is left of a call.
    public struct Call: ContractObject {
        public var id = ""
        public var media = CallMedia.sound
        public var outcome = CallOutcome.answered
        public var startedAt: Int64 = 0
        public var duration: Int64 = 0

        public init(id: String, media: CallMedia, outcome: CallOutcome, startedAt: Int64, duration: Int64) {
            self.id = id
            self.media = media
            self.outcome = outcome
            self.startedAt = startedAt
            self.duration = duration
        }

        public static let contractName = "MessageCall"

        public init() {}

        public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
            try fields.field("id", &id, as: .uuid, "the call")
            try fields.field("media", &media, "what it began with")
            try fields.field("outcome", &outcome, "what became of it")
            try fields.field("startedAt", &startedAt, as: .time, "when it began, by the caller's clock")
            try fields.field("duration", &duration, as: .count, "milliseconds in which both took part")
        }
    }
}

extension Message.Recipient: ContractObject {
    public static let contractName = "Message.recipients"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "to whom it goes")
        try fields.field("state", &state, "how far it has come there")
        try fields.field("at", &at, as: .time, "since when")
        try fields.optional("reason", &reason, "why it has failed")
        try fields.optional("detail", &detail, as: .words, "what more there is to say about the reason")
    }
}

extension Message.Reaction: ContractObject {
    public static let contractName = "Message.reactions"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("account", &account, as: .account, "whose")
        try fields.field("emoji", &emoji, as: .text(.bytes(64)), "which")
    }
}
