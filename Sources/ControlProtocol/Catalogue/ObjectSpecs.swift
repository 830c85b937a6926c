import Vocabulary

/// An object of the contract, field by field.
public struct ObjectSpec: Hashable, Sendable {
    /// As the contract calls it.
    public let name: String
    /// A sentence that says what it is.
    public let summary: String
    /// All fields, in the order in which they are written.
    public let fields: [FieldSpec]

    /// As the contract writes it: `Peer {account, device, …}`.
    public var signature: String {
        "\(name) \(FieldSpec.signature(fields))"
    }
}

extension Catalogue {
    private static let name = ValueType.label(minimum: 0, maximum: 128)
    private static let line = ValueType.nullable(.label(minimum: 0, maximum: 256))
    private static let person = ValueType.fields([
        .required("id", .account, "the account"),
        .required("name", name, "what they were called here when it happened"),
        .required("own", .boolean, "whether it is this account"),
    ])
    private static let entry = ValueType.fields([
        .required("id", .uuid, "the entry"), .required("name", name, "what it says they are called"),
    ])

    /// All objects that travel, in the order of the document.
    public static let objects: [ObjectSpec] =
        talkObjects + uploadObjects + groupObjects + nameObjects + searchObjects + addressBookObjects + [
            doctorCheck, refusal,
        ]

    private static let doctorCheck = ObjectSpec(
        name: "DoctorCheck", summary: "One thing that `system.doctor` has looked at.",
        fields: [
            .required("name", .label(minimum: 1, maximum: 32), "what was looked at, such as `firewall`"),
            .required("ok", .boolean, "whether nothing is wrong with it, as far as could be seen"),
            .required("findings", .results(.remark(DoctorFinding.self)), "what was found"),
            .required("advice", .results(.remark(DoctorAdvice.self)), "what can be done about it"),
        ])

    private static let refusal = ObjectSpec(
        name: "Refusal", summary: "The `data` of an error −32000.",
        fields: [
            .required("kind", .reason, "what sort of refusal; programs decide by it"),
            .required("retryable", .boolean, "whether the same request may succeed later"),
            .optional("hint", .choice(of: HintCode.self), "what can be done about it"),
            .optional("parameters", .anything, "what it is about: a `name`, a `group`, an `id` and the like"),
            .optional("field", .token(maximumBytes: 64), "the parameter at fault"),
            .optional("candidates", .results(.object("Named")), "who may be meant by a name that was given"),
        ])

    private static let talkObjects: [ObjectSpec] = [
        ObjectSpec(
            name: "Account", summary: "The account of this daemon.",
            fields: [
                .required("id", .account, "the account"),
                .required("displayName", name, "what others see"),
                .required(
                    "statusText", .label(minimum: 0, maximum: SharedLimits.statusTextCharacters), "a line about oneself"
                ),
                .required("email", line, "e-mail address"),
                .required("phone", line, "telephone number in E.164"),
                .required("avatar", .nullable(.path), "where the avatar lies, a JPEG"),
                .required(
                    "picture", .nullable(.token(maximumBytes: 64)),
                    "which picture that is, for picture.open: another one has another token"),
                .required("locked", .boolean, "whether a passphrase is needed first"),
                .required("hasPassphrase", .boolean, "whether a passphrase protects the keys"),
                .required("remembered", .boolean, "whether the daemon unlocks itself when it starts"),
                .required(
                    "device",
                    .fields([
                        .required("id", .token(maximumBytes: 90), "kibodev1…"),
                        .required("name", name, "what the computer is called"),
                    ]), "this device"),
                .required("createdAt", .time, "since when"),
                .required(
                    "presence", .choice(of: Presence.self),
                    "what friends see: online, away, or offline while the account is locked"),
            ]),
        ObjectSpec(
            name: "Peer", summary: "Somebody on the network now.",
            fields: [
                .required("account", .account, "who"),
                .required("device", .token(maximumBytes: 90), "on which device, kibodev1…"),
                .required("displayName", name, "what they call themselves"),
                .required("address", .emptyOr(.address), "where; empty if that is not known"),
                .required("relation", .choice(of: Relation.self), "how we stand"),
                .required("lastHeard", .time, "when last heard"),
                .required("entry", .nullable(entry), "whom in the address book they say they are"),
            ]),
        ObjectSpec(
            name: "Contact", summary: "Somebody we know, or who wants to know us.",
            fields: [
                .required("id", .account, "who"),
                .required("displayName", name, "what they call themselves"),
                .required("alias", name, "what we call them, or empty"),
                .required(
                    "statusText", .label(minimum: 0, maximum: SharedLimits.statusTextCharacters),
                    "a line about themselves"),
                .required("email", line, "e-mail address"),
                .required("phone", line, "telephone number in E.164"),
                .required("relation", .choice(of: Relation.self), "how we stand"),
                .required("trust", .choice(of: Trust.self), "how sure we are that it is them"),
                .required("presence", .choice(of: Presence.self), "whether they can be reached"),
                .required("lastSeen", .nullable(.time), "when last reached"),
                .required("conversation", .nullable(.uuid), "the conversation with them"),
                .required("note", .text(.characters(SharedLimits.noteCharacters)), "what came with the request"),
                .required(
                    "autoDownload", .choice(of: AutoDownload.self), "whether their files are taken without asking"),
                .required(
                    "avatar", .nullable(.path), "where their avatar lies, a JPEG made here of what they sent"),
                .required(
                    "picture", .nullable(.token(maximumBytes: 64)),
                    "which picture that is, for picture.open: another one has another token"),
                .required("entry", .nullable(entry), "whom in the address book they say they are"),
                .optional(
                    "reason", .reason,
                    "why our last request came to nothing, until it is asked again or declined"),
                .optional("detail", .words, "what more there is to say about the reason"),
                .optional(
                    "changedTo", .account, "while trust is `changed`: the account that came under this contact's name"),
            ]),
        ObjectSpec(
            name: "Conversation", summary: "A chat with one friend or a group.",
            fields: [
                .required("id", .uuid, "the conversation"),
                .required("kind", .choice(of: ConversationKind.self), "with whom"),
                .required("title", name, "what to call it"),
                .optional("contact", .account, "the friend"),
                .optional("group", .uuid, "the group"),
                .required("unread", .integer(0 ... .max), "incoming messages nobody has looked at"),
                .required(
                    "firstUnread", .nullable(.token(maximumBytes: Limits.tokenBytes)),
                    "the position of the first of them, in the order that is set"),
                .required("lastMessage", .nullable(.object("Message")), "the newest"),
                .required("pinned", .boolean, "kept on top"),
                .required("archived", .boolean, "put away"),
                .required("muted", .boolean, "without notifications"),
                .required("updatedAt", .time, "of the last change"),
            ]),
        ObjectSpec(
            name: "Message", summary: "One message.",
            fields: [
                .required("id", .uuid, "the message"),
                .required("conversation", .uuid, "where"),
                .required("sender", .account, "whose"),
                .required("kind", .choice(of: MessageKind.self), "what it holds"),
                .required("text", .text(.bytes(SharedLimits.textBytes)), "its text"),
                .required("sentAt", .time, "by the sender's clock"),
                .required("receivedAt", .nullable(.time), "by ours; null for our own"),
                .required("position", .token(maximumBytes: Limits.tokenBytes), "its position; sorts as text"),
                .required("state", .choice(of: MessageState.self), "how far it has come"),
                .required(
                    "recipients",
                    .results(
                        .fields([
                            .required("id", .account, "to whom it goes"),
                            .required("state", .choice(of: MessageState.self), "how far it has come there"),
                            .required("at", .time, "since when"),
                            .optional("reason", .reason, "why it has failed"),
                            .optional("detail", .words, "what more there is to say about the reason"),
                        ])), "how it stands with each to whom it goes"),
                .required("replyTo", .nullable(.uuid), "what it answers"),
                .required("editedAt", .nullable(.time), "when it was last edited"),
                .required("deleted", .boolean, "a tombstone"),
                .required(
                    "reactions",
                    .results(
                        .fields([
                            .required("account", .account, "whose"), .required("emoji", .text(.bytes(64)), "which"),
                        ])), "reactions to it"),
                .required("attachments", .results(.object("Attachment")), "files and folders"),
                .required("unread", .boolean, "incoming, and nobody has read it"),
                .required("arrival", .integer(0 ... .max), "the order in which messages were stored here; grows"),
                .required("late", .boolean, "of a group, and came here only after its author was out"),
                .required(
                    "line", .nullable(.object("Line")),
                    "of kind `system`: what Kibo itself says; `text` then has the names in it, for searching. Null where an older version has stored it as English `text`"
                ),
            ]),
        ObjectSpec(
            name: "Line", summary: "What Kibo itself says in a group: who did what to whom. Clients word it.",
            fields: [
                .required("action", .choice(of: LineAction.self), "what was done"),
                .required(
                    "actor", person,
                    "who did it; of `inherited` the new owner, of `forked` the one whose device contradicts itself"),
                .required("subjects", .results(person), "those whom it was done to, at most six"),
                .required("more", .integer(0 ... .max), "how many it was done to beside those"),
                .required("role", .nullable(.choice(of: GroupRole.self)), "what the subject is now"),
                .required(
                    "value", .nullable(.text(.bytes(SharedLimits.textBytes))),
                    "the name of `created` and `renamed`, the description of `described`"),
                .required(
                    "count", .nullable(.integer(0 ... .max)),
                    "of `history_changed`: how many of the last messages a new member sees"),
                .required("gone", .boolean, "of `avatar_changed`: there is none any more"),
                .required(
                    "undone", .boolean,
                    "it counted, and does not any more: a removal made at the same time came to be known"),
            ]),
        ObjectSpec(
            name: "Attachment", summary: "A file or folder that a message carries.",
            fields: [
                .required("transfer", .uuid, "what moves it"),
                .required("name", .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes), "one path component"),
                .required("size", .bytes, "of all its files"),
                .required("kind", .choice(of: AttachmentKind.self), "what it is"),
                .required("mediaType", name, "its media type"),
                .required("state", .choice(of: TransferState.self), "how far its transfer has come"),
                .required("path", .nullable(.path), "where it lies on this host"),
                .required("reason", .nullable(.reason), "why its transfer stands or ended"),
                .optional("detail", .words, "what more there is to say about the reason"),
                .required("skipped", .integer(0...Int64.max), "how many files of a folder were left out"),
                .required("removed", .boolean, "whether the file was removed here for its age"),
                .required(
                    "preview", .nullable(.token(maximumBytes: 48 << 10)),
                    "a small picture in base 64; only in the answer of `message.get`, null everywhere else"),
                .required(
                    "duration", .nullable(.integer(0 ... .max)),
                    "how long a sound or film lasts, in ms; null if unknown"),
            ]),
        ObjectSpec(
            name: "Transfer", summary: "A file or folder on its way.",
            fields: [
                .required("id", .uuid, "the transfer"),
                .required("direction", .choice(of: TransferDirection.self), "which way"),
                .required("peer", .account, "the other side"),
                .required("conversation", .nullable(.uuid), "where it was offered"),
                .required("message", .nullable(.uuid), "with which message"),
                .required("name", .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes), "one path component"),
                .required("size", .bytes, "in all"),
                .required(
                    "bytesDone", .bytes,
                    "of them; while it is active, with what has come of a piece that is not whole yet, and less again if that is lost with a connection"
                ),
                .required("files", .integer(0 ... .max), "in all"),
                .required("filesDone", .integer(0 ... .max), "of them"),
                .required("skipped", .integer(0 ... .max), "how many files and folders were left out"),
                .optional(
                    "problems", .results(.object("TransferProblem")),
                    "the first 1,000 that were left out; only in the answer of `transfer.get`"),
                .optional("members", .integer(0 ... .max), "how many others are in the group that we have sent it to"),
                .optional(
                    "membersDone", .integer(0 ... .max),
                    "how many of them have told us that they have all of it; `done` says only that one has, from whom the others can get it"
                ),
                .required("rate", .bytes, "a second, as of late"),
                .required("secondsLeft", .nullable(.integer(0 ... .max)), "at that rate"),
                .required("state", .choice(of: TransferState.self), "how far it has come"),
                .required("pausedBy", .nullable(.choice(of: TransferPause.self)), "who holds it; null if nobody does"),
                .required("reason", .nullable(.reason), "why it stands or ended"),
                .optional("detail", .words, "what more there is to say about the reason"),
                .optional("changed", .boolean, "it failed because the file is another one than was offered"),
                .required("path", .nullable(.path), "where it lies on this host"),
                .required("createdAt", .time, "when it was offered"),
                .required("finishedAt", .nullable(.time), "when it ended"),
            ]),
        ObjectSpec(
            name: "TransferProblem", summary: "A file or folder that was left out while the rest went on.",
            fields: [
                .required("path", .text(.bytes(4 << 10)), "within what was offered"),
                .required("reason", .reason, "why"),
                .optional("detail", .words, "what more there is to say about the reason"),
            ]),
        ObjectSpec(
            name: "Setting", summary: "A setting with its value.",
            fields: [
                .required("key", .token(maximumBytes: Limits.tokenBytes), "such as `messages.order`"),
                .required("value", .value, "what counts now"),
                .required("default", .value, "what counts while nobody has set it"),
                .required("type", .choice(["boolean", "integer", "string", "array"]), "what the value is"),
                .required("description", .label(minimum: 1, maximum: 512), "what it does"),
                .required(
                    "host", .boolean,
                    "it holds a path or a command of this host: a connection of role web can't set it, and hears null as its value and default"
                ),
                .optional(
                    "limits", .anything, "what is allowed, in JSON Schema's words: `enum`, `minimum`, `maximum`, …"),
            ]),
        ObjectSpec(
            name: "Typing", summary: "Whether a friend is typing in a conversation just now.",
            fields: [
                .required("conversation", .uuid, "where"),
                .required("account", .account, "who"),
                .required("typing", .boolean, "whether they are, or have ceased to"),
            ]),
        ObjectSpec(
            name: "Totals", summary: "What waits for the user, in all conversations together.",
            fields: [
                .required("unread", .integer(0 ... .max), "unread messages in conversations that are not muted"),
                .required("muted", .integer(0 ... .max), "unread messages in muted conversations"),
                .required("requests", .integer(0 ... .max), "friend requests that wait for an answer here"),
            ]),
        ObjectSpec(
            name: "Gap", summary: "Events that a subscriber can't have any more.",
            fields: [
                .required("from", .integer(0 ... .max), "the first one missing"),
                .required("to", .integer(0 ... .max), "the last one missing"),
            ]),
    ]
}
