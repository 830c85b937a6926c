import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the transfer")

    static let transferMethods: [MethodSpec] = [
        MethodSpec(
            "transfer.send", "Offers files and folders to a friend.",
            [
                .required("to", .account, "whom"),
                .required("paths", .list(.path, minimum: 1, maximum: SharedLimits.attachments), "what"),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "words to go with them"),
            ],
            effect: .writes,
            result: .fields([.required("transfers", .results(.object("Transfer")), "one for each path")]),
            errors: [
                .notFound, .notFriends, .tooLarge, .invalid, .blocked, .keyChanged, .notAllowed, .busy, .typeNotAllowed,
            ]),
        MethodSpec(
            "transfer.list", "Transfers, the newest first.",
            [
                .optional("state", .choice(of: TransferState.self), "only in this state"),
                .optional("peer", .account, "only with this account"),
                .optional("direction", .choice(of: TransferDirection.self), "only this way"),
                .optional("before", .token(maximumBytes: Limits.tokenBytes), "`next` of the page before"),
                .limit,
            ],
            whileLocked: .history,
            result: .fields([
                .required("transfers", .results(.object("Transfer")), "this page"),
                .optional(
                    "next", .token(maximumBytes: Limits.tokenBytes),
                    "what to give as `before` for the next page, if there is one"),
            ])),
        MethodSpec(
            "transfer.get", "One transfer.", [id], whileLocked: .history, result: .object("Transfer"),
            errors: [.notFound]),
        MethodSpec(
            "transfer.accept", "Takes what is offered.",
            [id, .optional("path", .path, "the directory to put it in")],
            result: .object("Transfer"), errors: [.notFound, .invalid, .noSpace, .notAllowed]),
        MethodSpec(
            "transfer.decline", "Refuses what is offered.", [id],
            result: .object("Transfer"), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.cancel", "Ends a transfer for both sides.", [id],
            result: .object("Transfer"), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.pause", "Holds a transfer until this side resumes it; what is there stays.", [id],
            result: .object("Transfer"), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.resume",
            "Takes back one's own pause, or goes on with what stands or has failed. Where the sender's file has changed, "
                + "the sender's call offers it afresh: the result is the new transfer.",
            [id],
            result: .object("Transfer"), errors: [.notFound, .invalid, .noSpace, .notAllowed, .typeNotAllowed]),
    ]
}
