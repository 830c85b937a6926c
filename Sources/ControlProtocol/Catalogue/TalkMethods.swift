import Vocabulary

extension Catalogue {
    private static let position = ValueType.token(maximumBytes: ProtocolLimits.tokenBytes)

    static let conversationMethods: [MethodSpec] = [
        MethodSpec(
            "conversation.list",
            "The conversations: those that are pinned, then the others, the latest activity first.",
            [
                .optional("before", position, "`next` of the page before"),
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
            "conversation.totals", "What waits in all conversations together; changes are told by `totals.changed`.",
            effect: .reads, whileLocked: .history, result: .object("Totals")),
        MethodSpec(
            "conversation.open",
            "The conversation with a friend or of a group, or the notes to oneself; made if there is none.",
            [
                .optional("contact", .account, "the friend, or this account for notes to oneself"),
                .optional("group", .uuid, "or the group"),
            ],
            exactlyOne: [["contact", "group"]],
            effect: .writes, result: .object("Conversation"), errors: [.notFound, .notFriends]),
        MethodSpec(
            "conversation.markRead", "Remembers that the messages up to one have been seen, and tells their senders.",
            [
                .required("id", .uuid, "the conversation"),
                .required("upTo", .uuid, "the last message that was seen, in the order that is set"),
                .optional("from", .uuid, "the first one that was seen: what stands before it stays unread"),
                .optional(
                    "arrival", .integer(0 ... .max),
                    "the greatest `arrival` that was seen: what came later stays unread, wherever it stands"),
            ],
            effect: .writes, result: .object("Conversation"), errors: [.notFound]),
        MethodSpec(
            "conversation.markUnread",
            "Counts the last message that others wrote as unread again, if nothing is unread; nobody is told.",
            [.required("id", .uuid, "the conversation")],
            effect: .writes, result: .object("Conversation"), errors: [.notFound]),
        MethodSpec(
            "conversation.update", "Pins, archives or mutes a conversation, or takes that back.",
            [
                .required("id", .uuid, "the conversation"),
                .optional("pinned", .boolean, "keep it on top"),
                .optional("archived", .boolean, "put it away; a new message brings it back unless it is muted"),
                .optional("muted", .boolean, "no notifications"),
                .optional("mutedUntil", .time, "mute it until then, which is to come"),
                .optional("mentionsMuted", .boolean, "mute mentions of this account, too, as long as it is muted"),
            ],
            effect: .writes, result: .object("Conversation"), errors: [.notFound, .invalid]),
        MethodSpec(
            "conversation.delete",
            "Deletes a conversation from this host with all its messages; what waits in it to be sent is not sent.",
            [
                .required("id", .uuid, "the conversation"),
                .optional(
                    "unread", .integer(0 ... .max),
                    "how many unread messages the user knew of: if there are more, nothing is deleted"),
            ],
            effect: .writes, result: .fields([]), errors: [.notFound, .invalid]),
        MethodSpec(
            "conversation.export", "Writes a conversation to a new file on this host, or to one without a name.",
            [
                .required("id", .uuid, "the conversation"),
                .optional("path", .path, "the file, which must not be there yet"),
                .optional("descriptor", .boolean, "or true: answer with a descriptor of a file without a name"),
                .optional("format", .choice(["jsonl"]), "a Message a line", standard: "jsonl"),
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
            "Sends a message, at once or when its recipient is there; it is stored when this answers. A note to oneself is "
                + "`sent` at once, has no recipients, and leaves its files where they are.",
            [
                .optional("conversation", .uuid, "where"),
                .optional(
                    "to", .label(minimum: 1, maximum: ProtocolLimits.nameWordCharacters),
                    "or to whom: an account (this one for a note to oneself), or what `name.resolve` takes for `chat` with `strict`"
                ),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "what to say"),
                .optional(
                    "files", .list(.file, minimum: 0, maximum: SharedLimits.attachments),
                    "files and folders to offer with it"
                ),
                .optional(
                    "names",
                    .list(
                        .label(minimum: 0, maximum: SharedLimits.attachmentNameBytes), minimum: 0,
                        maximum: SharedLimits.attachments),
                    "the names under which they go, one for each of `files` in its order: one path component, or an empty text for its own"
                ), anyType,
                .optional("replyTo", .uuid, "the message that it answers"),
                .optional(
                    "key", .token(maximumBytes: ProtocolLimits.sendKeyBytes),
                    "the client's name for it: the same key again returns the same message, with `duplicate`"),
            ],
            exactlyOne: [["conversation", "to"]], atLeastOne: [["text", "files"]],
            effect: .writes, result: .object("Message"),
            errors: [
                .notFound, .ambiguous, .notFriends, .keyChanged, .tooLarge, .invalid, .blocked, .notAllowed, .busy,
                .typeNotAllowed,
            ]),
        MethodSpec(
            "message.list", "Messages of a conversation in their order, a page at a time.",
            [
                .required("conversation", .uuid, "which"),
                .optional("before", position, "only what stands before this position (the newest of it)"),
                .optional("after", position, "only what stands after this position (the oldest of it)"),
                .optional("at", .time, "or from the first message on that is not older than this time"),
                .limit,
            ],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("messages", .results(.object("Message")), "in ascending order"),
                .required("hasMore", .boolean, "whether there is more in the direction that was asked for"),
            ]),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "message.recent", "Messages of all conversations, those that were stored last first.",
            [.optional("before", position, "`next` of the page before"), .limit],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("messages", .results(.object("Message")), "this page"),
                .optional("next", position, "what to give as `before` for the next page, if there is one"),
            ]),
            errors: [.invalid]),
        MethodSpec(
            "message.media",
            "Messages of a conversation with pictures, files, links, sound or a pin, those that were stored last first. A pin is the reaction 📌 of anybody in the conversation. With `link`, messages that have `http` or `https` as a word; those of the last moments may be missing.",
            [
                .required("conversation", .uuid, "which"),
                .required("has", .choice(of: MediaSort.self), "what they have"),
                .optional("before", position, "`next` of the page before"), .limit,
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
            "message.edit", "Changes the text of a message of one's own, for everybody.",
            [
                .required("id", .uuid, "the message"),
                .required("text", .text(.bytes(SharedLimits.textBytes)), "what it is to say"),
            ],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notAllowed, .notFriends, .tooLarge, .invalid, .blocked, .keyChanged, .busy]),
        MethodSpec(
            "message.delete",
            "Deletes a message: from this host, or one's own for everybody, where a tombstone without content stays. Of a note to "
                + "oneself nothing stays in either case.",
            [
                .required("id", .uuid, "the message"),
                .required("for", .choice(["me", "all"]), "from whose sight"),
            ],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notAllowed, .notFriends, .blocked, .keyChanged, .busy]),
        MethodSpec(
            "message.react", "Reacts to a message with one sign, or takes that back.",
            [
                .required("id", .uuid, "the message"),
                .required("emoji", .text(.bytes(64)), "one character as people see it"),
                .optional("remove", .boolean, "take it back", standard: false),
            ],
            effect: .writes, result: .object("Message"),
            errors: [.notFound, .notFriends, .tooLarge, .invalid, .blocked, .keyChanged, .notAllowed, .busy]),
        MethodSpec(
            "message.retry",
            "Sends a message that has failed again, and looks at once for the recipient of one that waits.",
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
                .required("now", [Remark<StoryState>].contractType, "how it stands, a sentence after the other"),
            ]),
            errors: [.notFound]),
    ]
}
