extension Catalogue {
    private static let position = ValueType.token(maximumBytes: ProtocolLimits.tokenBytes)

    static let searchMethods: [MethodSpec] = [
        MethodSpec(
            "message.search",
            "Finds messages with all these words in the text or in the names of files, the latest arrivals first. "
                + "`\"words in quotes\"` must stand side by side; a star at the end (`wor*`) stands for any ending. "
                + "In Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese any part of a sentence is found.",
            [
                .required("query", .label(minimum: 1, maximum: ProtocolLimits.queryCharacters), "what to look for"),
                .optional("conversation", .uuid, "search only this one"),
                .optional("before", position, "`next` of the previous page"),
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
