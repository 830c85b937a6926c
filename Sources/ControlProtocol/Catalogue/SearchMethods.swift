extension Catalogue {
    private static let position = ValueType.token(maximumBytes: Limits.tokenBytes)

    static let searchMethods: [MethodSpec] = [
        MethodSpec(
            "message.search",
            "Messages with all these words in the text or the names of files, those that came last first. "
                + "`\"words in quotes\"` stand side by side; a star at the end (`wor*`) stands for any ending.",
            [
                .required("query", .label(minimum: 1, maximum: Limits.queryCharacters), "what to look for"),
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

    static let searchObjects: [ObjectSpec] = [
        ObjectSpec(
            name: "Found", summary: "A message in which something was found.",
            fields: [
                .required("message", .object("Message"), "the message"),
                .required(
                    "snippet", .text(.characters(Limits.snippetCharacters)),
                    "the part of the text, or of the names of files, in which it was found; on one line, … where it is cut"
                ),
                .required(
                    "marks",
                    .results(
                        .fields([
                            .required("start", .integer(0 ... .max), "where it begins"),
                            .required("length", .integer(0 ... .max), "how long it is"),
                        ])), "what was found, in Unicode scalars of `snippet`"
                ),
            ])
    ]
}
