extension Catalogue {
    private static let position = ValueType.token(maximumBytes: Limits.tokenBytes)

    static let conversationMethods: [MethodSpec] = [
        MethodSpec(
            "conversation.list", "The conversations, the one with the newest message first.",
            [
                .optional("before", position, "`next` of the page before"),
                .limit,
                .optional("archived", .boolean, "the archived ones instead", standard: false),
                .optional(
                    "query", .label(minimum: 0, maximum: Limits.queryCharacters), "only those whose title matches"),
            ],
            result: .fields([
                .required("conversations", .results(.object("Conversation")), "this page"),
                .optional("next", position, "what to give as `before` for the next page, if there is one"),
            ])),
        MethodSpec(
            "conversation.get", "One conversation.", [.required("id", .uuid, "the conversation")],
            result: .object("Conversation"), errors: [.notFound]),
        MethodSpec(
            "conversation.open", "The conversation with a friend, made if there is none.",
            [.required("contact", .account, "the friend")],
            result: .object("Conversation"), errors: [.notFound, .notFriends]),
    ]

    static let messageMethods: [MethodSpec] = [
        MethodSpec(
            "message.send", "Sends a message, at once or when its recipient is there; it is stored when this answers.",
            [
                .optional("conversation", .uuid, "where"),
                .optional("to", .account, "or to whom"),
                .optional("text", .text(.bytes(Limits.textBytes)), "what to say"),
                .optional(
                    "files", .list(.path, minimum: 0, maximum: Limits.attachments), "files and folders to offer with it"
                ),
                .optional("replyTo", .uuid, "the message that it answers"),
                .optional(
                    "key", .token(maximumBytes: Limits.sendKeyBytes),
                    "the client's name for it: the same key again returns the same message"),
            ],
            exactlyOne: [["conversation", "to"]], atLeastOne: [["text", "files"]],
            result: .object("Message"), errors: [.notFound, .notFriends, .keyChanged, .tooLarge, .invalid]),
        MethodSpec(
            "message.list", "Messages of a conversation in their order, a page at a time.",
            [
                .required("conversation", .uuid, "which"),
                .optional("before", position, "only what stands before this position (the newest of it)"),
                .optional("after", position, "only what stands after this position (the oldest of it)"),
                .limit,
            ],
            result: .fields([
                .required("messages", .results(.object("Message")), "in ascending order"),
                .required("hasMore", .boolean, "whether there is more in the direction that was asked for"),
            ]),
            errors: [.notFound, .invalid]),
        MethodSpec(
            "message.get", "One message.", [.required("id", .uuid, "the message")],
            result: .object("Message"), errors: [.notFound]),
    ]
}
