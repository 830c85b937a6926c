extension Catalogue {
    private static let position = ValueType.token(maximumBytes: ProtocolLimits.tokenBytes)

    static let searchMethods: [MethodSpec] = [
        MethodSpec(
            "message.search",
            "Messages with all these words in the text or the names of files, those that came last first. "
                + "`\"words in quotes\"` stand side by side; a star at the end (`wor*`) stands for any ending. "
                + "In Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese any part of a sentence is found.",
            [
                .required("query", .label(minimum: 1, maximum: ProtocolLimits.queryCharacters), "what to look for"),
                .optional("conversation", .uuid, "only in this one"),
                .optional("before", position, "`next` of the page before"),
                .limit,
            ],
            effect: .reads, whileLocked: .history,
            result: .fields([
                .required("messages", .results(.object("Found")), "this page"),
                .optional("next", position, "what to give as `before` for the next page, if there is one"),
            ]),
            errors: [.notFound, .invalid, .busy])
    ]
}
