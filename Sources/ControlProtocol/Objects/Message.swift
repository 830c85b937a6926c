import Basics
import Vocabulary

/// One message of a conversation.
public struct Message: ContractObject {
    /// A friend who keeps it, sealed, until the recipient is there.
    public struct Holder: Hashable, Sendable {
        public var id = ""
        public var name = ""
        public var until: Int64 = 0

        public init(id: String, name: String, until: Int64) {
            self.id = id
            self.name = name
            self.until = until
        }
    }

    /// How far the message has come with one of its recipients.
    public struct Recipient: Hashable, Sendable {
        public var id = ""
        public var state = MessageState.queued
        public var at: Int64 = 0
        public var reason: Reason?
        public var detail: String?
        public var heldBy: Holder?

        public init(
            id: String, state: MessageState, at: Int64, reason: Reason? = nil, detail: String? = nil,
            heldBy: Holder? = nil
        ) {
            self.heldBy = heldBy
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
    /// Its text; empty if it only carries files. For a line of Kibo itself, this has the names in it, for searching.
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
    /// Whether it mentions this account, and nobody here has read it.
    public var mentionsYou = false
    public var line: Line?
    public var call: Call?
    /// Of a note: the LocalSend device that it came from.
    public var guest: String?
    /// Of a note: the LocalSend device that it was given to.
    public var givenTo: String?
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
        line: Line? = nil, call: Call? = nil, guest: String? = nil, givenTo: String? = nil
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
        self.guest = guest
        self.givenTo = givenTo
    }

    public static let contractName = "Message"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .uuid, "the message")
        try fields.field("conversation", &conversation, as: .uuid, "its conversation")
        try fields.field("sender", &sender, as: .account, "who wrote it")
        try fields.lenient(
            "senderName", &senderName, as: .name,
            "what they are called here now: their alias, or the name they chose")
        try fields.field("kind", &kind, "what it holds")
        try fields.lenient("text", &text, as: .text(.bytes(SharedLimits.textBytes)), "its text")
        try fields.field("sentAt", &sentAt, as: .time, "when it was sent, by the sender's clock")
        try fields.nullable("receivedAt", &receivedAt, as: .time, "when it arrived, by our clock; null for our own")
        try fields.field(
            "position", &position, as: .token(maximumBytes: ProtocolLimits.tokenBytes), "its position; sorts as text")
        try fields.field("state", &state, "how far it has come")
        try fields.lenient("recipients", &recipients, "its state for each recipient")
        try fields.nullable("replyTo", &replyTo, as: .uuid, "the message it answers")
        try fields.nullable("editedAt", &editedAt, as: .time, "when it was last edited")
        try fields.lenient("deleted", &deleted, "whether it was deleted, so that only a tombstone is left")
        try fields.lenient("reactions", &reactions, "reactions to it")
        try fields.lenient("attachments", &attachments, "files and folders")
        try fields.lenient("unread", &unread, "whether it is incoming and nobody has read it")
        try fields.lenient("arrival", &arrival, "the order in which messages were stored here; grows")
        try fields.lenient("late", &late, "whether it is from a group and came here only after its author had left")
        try fields.lenient("mentionsYou", &mentionsYou, "whether it mentions this account and nobody here has read it")
        try fields.nullable(
            "line", &line,
            "for kind `system`: what Kibo itself says; `text` then has the names in it, for searching. Null if what is "
                + "stored can't be read")
        try fields.nullable("call", &call, "for kind `call`: the record of the call")
        try fields.optional(
            "guest", &guest, as: .name,
            "for a note: the name of the device that gave it, such as a phone with LocalSend")
        try fields.optional(
            "givenTo", &givenTo, as: .name, "for a note: the name of the device that it was given to")
        try fields.optional(
            "sentence", &sentence, as: .text(.bytes(SharedLimits.textBytes)),
            "for kinds `system` and `call`: what happened, in English; names in it are as people chose them")
        try fields.optional(
            "duplicate", &duplicate,
            "from `message.send`: true if a message was sent with this `key` before; this is that message, and nothing "
                + "was sent now")
    }
}

extension Message {
    /// What is left of a call.
    public struct Call: ContractObject {
        public var id = ""
        public var media = CallMedia.audio
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
            try fields.field("media", &media, "what it started with")
            try fields.field("outcome", &outcome, "what became of it")
            try fields.field("startedAt", &startedAt, as: .time, "when it started, by the caller's clock")
            try fields.field("duration", &duration, as: .count, "how long both took part, in milliseconds")
        }
    }
}

extension Message.Recipient: ContractObject {
    public static let contractName = "Message.recipients"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the recipient")
        try fields.field("state", &state, "how far it has come there")
        try fields.field("at", &at, as: .time, "since when")
        try fields.optional("reason", &reason, "why it failed")
        try fields.optional("detail", &detail, as: .words, "details of the reason")
        try fields.optional(
            "heldBy", &heldBy, as: Message.Holder.contractType,
            "the courier who says that they keep it for the recipient meanwhile")
    }
}

extension Message.Holder: ContractObject {
    public static let contractName = "Message.recipients.heldBy"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the courier")
        try fields.field("name", &name, as: .name, "what they are called here")
        try fields.field("until", &until, as: .time, "until when they keep it")
    }
}

extension Message.Reaction: ContractObject {
    public static let contractName = "Message.reactions"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("account", &account, as: .account, "who reacted")
        try fields.field("emoji", &emoji, as: .text(.bytes(64)), "the reaction")
    }
}

extension Message {
    /// A line of Kibo itself in a group, about what a member did. Clients word it.
    public struct Line: Hashable, Sendable {
        /// A person that the line names.
        public struct Person: Hashable, Sendable {
            public var id = ""
            public var name = ""
            public var own = false

            public init(id: String, name: String, own: Bool = false) {
                self.id = id
                self.name = name
                self.own = own
            }
        }

        public var action = LineAction.created
        public var actor = Person()
        public var subjects: [Person] = []
        public var more: Int64 = 0
        public var role: GroupRole?
        public var value: String?
        public var count: Int64?
        public var gone = false
        public var undone = false

        public init(
            _ action: LineAction, by actor: Person, subjects: [Person] = [], more: Int64 = 0, role: GroupRole? = nil,
            value: String? = nil, count: Int64? = nil, gone: Bool = false, undone: Bool = false
        ) {
            self.action = action
            self.actor = actor
            self.subjects = subjects
            self.more = more
            self.role = role
            self.value = value
            self.count = count
            self.gone = gone
            self.undone = undone
        }
    }
}

extension Message.Line: ContractObject {
    public static let contractName = "Line"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("action", &action, "what was done")
        try fields.field(
            "actor", &actor,
            "who did it; for `inherited`, the new owner; for `forked`, the one whose device contradicts itself")
        try fields.lenient("subjects", &subjects, "the people it was done to, at most six")
        try fields.field("more", &more, "how many others it was done to")
        try fields.nullable("role", &role, "the subject's role now")
        try fields.nullable(
            "value", &value, as: .text(.bytes(SharedLimits.textBytes)),
            "for `created` and `renamed` the name, for `described` the description")
        try fields.nullable("count", &count, "for `history_changed`: how many of the last messages a new member sees")
        try fields.lenient("gone", &gone, "for `avatar_changed`: whether it was removed")
        try fields.lenient(
            "undone", &undone, "whether it was undone: it counted until a removal made at the same time became known")
    }

    /// A line of a later version is none: its message is shown by the names in its text.
    public static func read(_ json: JSONValue) -> Message.Line? { try? Message.Line(json: json) }
}

extension Message.Line.Person: ContractObject {
    public static let contractName = "Line.person"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("id", &id, as: .account, "the account")
        try fields.field("name", &name, as: .name, "what they were called here when it happened")
        try fields.lenient("own", &own, "whether it is this account")
    }
}

extension Message {
    /// What it says, whatever its kind: its text, or a sentence in English for a line of Kibo itself and for a call. Names in it are as
    /// they came; who shows it escapes them.
    public var words: String {
        line.map(\.words) ?? call.map { (unread ? "missed " : "") + $0.words } ?? text
    }

    /// The same as a sentence, if Kibo itself says it; nil for what a person wrote.
    package var ownSentence: String? {
        switch kind {
        case .text, .file: nil
        case .system: words
        case .call: words.prefix(1).uppercased() + words.dropFirst()
        }
    }
}

extension Message.Line {
    /// The line as a sentence.
    public var words: String { undone ? "Undone by a removal made at the same time: \(sentence)" : sentence }

    private var sentence: String {
        let who = actor.own ? "You" : actor.name
        let subjects = names
        let value = value ?? ""
        switch action {
        case .created: return "\(who) made the group “\(value)”" + (subjects.isEmpty ? "" : " with \(subjects)")
        case .added: return "\(who) added \(subjects)"
        case .removed: return "\(who) removed \(subjects)"
        case .roleChanged: return "\(who) made \(subjects) \(Self.word(role))"
        case .left: return "\(who) left"
        case .renamed: return "\(who) renamed the group to “\(value)”"
        case .described where value.isEmpty: return "\(who) removed the description"
        case .described: return "\(who) changed the description: \(value)"
        case .avatarChanged where gone: return "\(who) removed the group's avatar"
        case .avatarChanged: return "\(who) changed the group's avatar"
        case .historyChanged where count ?? 0 == 0:
            return "\(who) decided that new members see only what is written after they join"
        case .historyChanged: return "\(who) decided that new members see the last \(count ?? 0) messages"
        case .inherited: return actor.own ? "You are now the group's owner" : "\(who) is the group's owner now"
        case .forked:
            let whose = actor.own ? "Your" : "\(actor.name)'s"
            return
                "\(whose) device has signed two different entries with the same number: either its data was restored "
                + "from an older copy, or its user is cheating"
        }
    }

    private static func word(_ role: GroupRole?) -> String {
        switch role {
        case .owner: "an owner"
        case .admin: "an admin"
        case .member, nil: "an ordinary member"
        }
    }

    private var names: String {
        var words = subjects.map { $0.own ? "you" : $0.name }
        if more > 0 { words.append("\(more) others") }
        guard let last = words.popLast() else { return "" }
        return words.isEmpty ? last : words.joined(separator: ", ") + " and " + last
    }
}

extension Message.Call {
    /// What stays of the call, in a few words: `call, 2:03`.
    var words: String {
        let what = media == .video ? "video call" : "call"
        return switch outcome {
        case .answered: duration > 0 ? "\(what), \(SpanText.clock(seconds: duration / 1000))" : what
        case .unanswered: "\(what), not answered"
        case .cancelled: "\(what), cancelled"
        case .declined: "\(what), declined"
        case .busy: "\(what), busy"
        case .unreachable: "\(what), could not ring"
        case .failed: "\(what), no connection"
        }
    }
}
