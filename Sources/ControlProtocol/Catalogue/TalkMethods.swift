import Vocabulary

extension Catalogue {
    private static let position = ValueType.token(maximumBytes: ProtocolLimits.tokenBytes)

    static let conversationMethods: [MethodSpec] = [
        MethodSpec(
            "conversation.list",
            "The conversations: pinned ones first, then the others, the latest activity first.",
            [
                .optional("before", position, "`next` of the previous page"),
                .limit,
                .optional("archived", .boolean, "the archived ones instead", standard: false),
                .optional(
                    "query", .label(minimum: 0, maximum: ProtocolLimits.queryCharacters),
                    "only those whose title matches"),
            ],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("conversations", .results(.object("Conversation")), "this page"),
                .optional("next", position, "what to give as `before` for the next page, if there is one"),
            ])),
        MethodSpec(
            "conversation.get", "One conversation.", [.required("id", .uuid, "the conversation")],
            effect: .reads, whileLocked: .history, result: .object("Conversation"), errors: [.notFound]),
        MethodSpec(
            "conversation.totals", "What is waiting in all conversations together; `totals.changed` reports changes.",
            effect: .reads, whileLocked: .history, result: .object("Totals")),
        MethodSpec(
            "conversation.open",
            "The conversation with a friend or of a group, or the notes to oneself; created if there is none.",
            [
                .optional("contact", .account, "the friend, or this account for notes to oneself"),
                .optional("group", .uuid, "or the group"),
            ],
            exactlyOne: [["contact", "group"]],
            effect: .writes, result: .object("Conversation"), errors: [.notFound, .notFriends]),
        MethodSpec(
            "conversation.markRead",
            "Remembers that the messages up to a given one were seen, and tells their senders.",
            [
                .required("id", .uuid, "the conversation"),
                .required("upTo", .uuid, "the last message that was seen, in the order that is set"),
                .optional("from", .uuid, "the first one that was seen: messages before it stay unread"),
                .optional(
                    "arrival", .integer(0 ... .max),
                    "the greatest `arrival` that was seen: messages that came later stay unread, wherever they stand"),
            ],
            effect: .writes, result: .object("Conversation"), errors: [.notFound]),
        MethodSpec(
            "conversation.markUnread",
            "Marks the last message from others as unread again, if nothing is unread; nobody is told.",
            [.required("id", .uuid, "the conversation")],
            effect: .writes, result: .object("Conversation"), errors: [.notFound]),
        MethodSpec(
            "conversation.update", "Pins, archives or mutes a conversation, or undoes that.",
            [
                .required("id", .uuid, "the conversation"),
                .optional("pinned", .boolean, "keep it on top"),
                .optional("archived", .boolean, "put it away; a new message brings it back unless it is muted"),
                .optional("muted", .boolean, "no notifications"),
                .optional("mutedUntil", .time, "mute it until this time, which must be in the future"),
                .optional("mentionsMuted", .boolean, "mute mentions of this account, too, while it is muted"),
            ],
            effect: .writes, result: .object("Conversation"), errors: [.notFound, .invalid]),
        MethodSpec(
            "conversation.delete",
            "Deletes a conversation and all its messages from this host; messages that are waiting in it are not sent.",
            [
                .required("id", .uuid, "the conversation"),
                .optional(
                    "unread", .integer(0 ... .max),
                    "how many unread messages the user knew of: if there are more, nothing is deleted"),
            ],
            effect: .writes, result: .fields([]), errors: [.notFound, .invalid]),
        MethodSpec(
            "conversation.export", "Writes a conversation to a new file on this host, or to a file without a name.",
            [
                .required("id", .uuid, "the conversation"),
                .optional("path", .path, "the file, which must not exist yet"),
                .optional("descriptor", .boolean, "or true: answer with a descriptor of a file without a name"),
                .optional("format", .choice(["jsonl"]), "one Message per line", standard: "jsonl"),
            ],
            exactlyOne: [["path", "descriptor"]], effect: .reads, whileLocked: .history,
            result: .fields([
                .optional("path", .path, "the file, if it has a name"),
                .optional("descriptor", .boolean, "true: its descriptor came with the first byte of this line"),
                .required("messages", .integer(0 ... .max), "how many it has"),
            ]),
            errors: [.notFound, .alreadyExists, .noSpace, .invalid, .busy]),
    ]

    static let messageMethods: [MethodSpec] = [
        MethodSpec(
            "message.send",
            "Sends a message, at once or when its recipient is online. It is stored by the time this answers. A note "
                + "to oneself is `sent` at once, has no recipients, and leaves its files where they are.",
            [
                .optional("conversation", .uuid, "the conversation"),
                .optional(
                    "to", .label(minimum: 1, maximum: ProtocolLimits.nameWordCharacters),
                    "or the recipient: an account (this one for a note to oneself), or a name that `name.resolve` "
                        + "takes for `chat` with `strict`"),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "the text"),
                .optional(
                    "files", .list(.file, minimum: 0, maximum: SharedLimits.attachments),
                    "files and folders to offer with it"
                ),
                .optional(
                    "names",
                    .list(
                        .label(minimum: 0, maximum: SharedLimits.attachmentNameBytes), minimum: 0,
                        maximum: SharedLimits.attachments),
                    "the names to send them under, one for each of `files` in the same order: one path component, or "
                        + "an empty text for the file's own name"), anyType,
                .optional("replyTo", .uuid, "the message that it answers"),
                .optional(
                    "key", .token(maximumBytes: ProtocolLimits.sendKeyBytes),
                    "a key that the client makes up for it: the same key again returns the same message, with "
                        + "`duplicate`"),
            ],
            exactlyOne: [["conversation", "to"]], atLeastOne: [["text", "files"]],
            effect: .writes, result: .object("Message"),
            errors: [
                .notFound, .ambiguous, .notFriends, .keyChanged, .tooLarge, .invalid, .blocked, .notAllowed, .busy,
                .typeNotAllowed,
            ]),
        MethodSpec(
            "message.list", "Messages of a conversation in order, one page at a time.",
            [
                .required("conversation", .uuid, "the conversation"),
                .optional("before", position, "only messages before this position (the newest of them)"),
                .optional("after", position, "only messages after this position (the oldest of them)"),
                .optional("at", .time, "or messages from the first one on that isn't older than this time"),
                .limit,
            ],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("messages", .results(.object("Message")), "in ascending order"),
                .required("hasMore", .boolean, "whether there are more in the direction that was asked for"),
            ]),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "message.recent", "Messages of all conversations, the most recently stored first.",
            [.optional("before", position, "`next` of the previous page"), .limit],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("messages", .results(.object("Message")), "this page"),
                .optional("next", position, "what to give as `before` for the next page, if there is one"),
            ]),
            errors: [.invalid]),
        MethodSpec(
            "message.media",
            "Messages of a conversation with pictures, files, links, audio or a pin, the most recently stored first. A "
                + "pin is a 📌 reaction from anybody in the conversation. `link` finds messages with `http` or `https` "
                + "as a word; those of the last moments may be missing.",
            [
                .required("conversation", .uuid, "the conversation"),
                .required("has", .choice(of: MediaSort.self), "what the messages must have"),
                .optional("before", position, "`next` of the previous page"), .limit,
            ],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("messages", .results(.object("Message")), "this page"),
                .optional("next", position, "what to give as `before` for the next page, if there is one"),
            ]),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "message.get", "One message, with the previews of its attachments.",
            [
                .optional("id", .uuid, "the message"),
                .optional(
                    "prefix", .token(maximumBytes: 36), "or the beginning of its id, of at least eight letters"),
            ],
            exactlyOne: [["id", "prefix"]], effect: .reads, whileLocked: .history, result: .object("Message"),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "message.edit", "Changes the text of one's own message, for everybody.",
            [
                .required("id", .uuid, "the message"),
                .required("text", .text(.bytes(SharedLimits.textBytes)), "the new text"),
            ],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notAllowed, .notFriends, .tooLarge, .invalid, .blocked, .keyChanged, .busy]),
        MethodSpec(
            "message.delete",
            "Deletes a message from this host, or one's own message for everybody, which leaves a tombstone without "
                + "content. A note to oneself is gone in either case.",
            [
                .required("id", .uuid, "the message"),
                .required("for", .choice(["me", "all"]), "`me`: only from this host; `all`: for everybody"),
            ],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notAllowed, .notFriends, .blocked, .keyChanged, .busy]),
        MethodSpec(
            "message.react", "Reacts to a message with one character, or takes that back.",
            [
                .required("id", .uuid, "the message"),
                .required("emoji", .text(.bytes(64)), "one character as people see it"),
                .optional("remove", .boolean, "take the reaction back", standard: false),
            ],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notFriends, .tooLarge, .invalid, .blocked, .keyChanged, .notAllowed, .busy]),
        MethodSpec(
            "message.retry",
            "Sends a failed message again; for one that is still waiting, looks for the recipient at once.",
            [.required("id", .uuid, "the message")],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notAllowed, .notFriends, .blocked, .keyChanged, .invalid, .busy]),
        MethodSpec(
            "message.why", "Tells the story of a message: what happened to it, and what it waits for. Clients word it.",
            [.required("id", .uuid, "the message")],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required(
                    "steps",
                    .results(
                        .fields([
                            .required("at", .time, "when"),
                            .required("code", StoryStep.contractType, "what happened"),
                            .required("parameters", .anything, "what it is about"),
                        ])), "the oldest first"),
                .required("now", [Remark<StoryState>].contractType, "its state now, one sentence after another"),
            ]),
            errors: [.notFound]),
    ]
}
