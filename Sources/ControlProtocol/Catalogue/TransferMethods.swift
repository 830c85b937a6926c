import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the transfer")

    static let transferMethods: [MethodSpec] = [
        MethodSpec(
            "transfer.send", "Offers files and folders to a friend.",
            [
                .required("to", .account, "whom"),
                .required("paths", .list(.file, minimum: 1, maximum: SharedLimits.attachments), "what"),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "words to go with them"), anyType,
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
                .optional("before", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the page before"),
                .limit,
            ],
            whileLocked: .history,
            result: .fields([
                .required("transfers", .results(.object("Transfer")), "this page"),
                .optional(
                    "next", .token(maximumBytes: ProtocolLimits.tokenBytes),
                    "what to give as `before` for the next page, if there is one"),
            ])),
        MethodSpec(
            "transfer.get", "One transfer.", [id], whileLocked: .history, result: .object("Transfer"),
            errors: [.notFound]),
        MethodSpec(
            "transfer.accept", "Takes what is offered.",
            [
                id, .optional("path", .path, "the directory to put it in"),
                .optional(
                    "anyway", .boolean,
                    "also if it is held back (`heldBack`); without it that is refused as `type_not_allowed`",
                    standard: false),
            ],
            result: .object("Transfer"), errors: [.notFound, .invalid, .noSpace, .notAllowed, .typeNotAllowed]),
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
        MethodSpec(
            "transfer.open",
            "Opens a whole file for reading: what was sent from here, or has come. Not found is what was moved away or is another "
                + "file by now.",
            [id, entry], whileLocked: .history,
            result: .fields([
                .required("name", name, "one path component"),
                .required("size", .bytes, "of the file"),
                .required(
                    "mediaType", .label(minimum: 0, maximum: 128),
                    "of pictures, sound and films by what is in them, of all others by their names"),
                .required("modified", .time, "when it was last changed"), .descriptor,
            ]), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.entries", "The files of a folder that is transferred, without folders.",
            [id, .optional("after", .integer(0 ... .max), "`next` of the page before"), .limit],
            whileLocked: .history,
            result: .fields([
                .required(
                    "entries",
                    .results(
                        .fields([
                            .required("index", .integer(1 ... .max), "what to give as `entry`"),
                            .required("path", .text(.bytes(ProtocolLimits.uploadPathBytes)), "its place in the folder"),
                            .required("size", .bytes, "of the file"),
                            .required("kind", .choice(of: AttachmentKind.self), "what it is, by its name"),
                        ])), "in the order of the folder"),
                .optional("next", .integer(1 ... .max), "what to give as `after` for the next page, if there is one"),
            ]), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.reveal",
            "Shows a whole file or folder in the file manager of this host's desktop, and opens nothing.", [id],
            result: .fields([]), errors: [.notFound, .unsupported]),
        MethodSpec(
            "transfer.thumbnail",
            "A JPEG that is made here of a picture, or of the offer's preview: while the picture is not here, and of a film always.",
            [id, entry, .required("side", .choice(["320", "1280"]), "pixels of its longer side at most")],
            whileLocked: .history,
            result: .fields([
                .required("width", .integer(1 ... .max), "pixels"), .required("height", .integer(1 ... .max), "pixels"),
                .descriptor,
            ]), errors: [.notFound, .invalid, .unsupported]),
    ]

    /// Of the methods that send files.
    static let anyType = FieldSpec.optional(
        "anyType", .boolean,
        "also files of types that `files.allowedTypes` doesn't have: their receivers hold such an offer back until they say that they "
            + "take it anyway", standard: false)
    private static let entry = FieldSpec.optional(
        "entry", .integer(1 ... .max), "of a folder: which file, by the `index` of `transfer.entries`")
    private static let name = ValueType.label(minimum: 1, maximum: SharedLimits.attachmentNameBytes)

    static let pictureMethods: [MethodSpec] = [
        MethodSpec(
            "picture.open", "Opens the picture of an account or a group for reading: a JPEG made here.",
            [.required("id", .token(maximumBytes: ProtocolLimits.tokenBytes), "the account or the group")],
            whileLocked: .history,
            result: .fields([
                .required("size", .bytes, "of the file"),
                .required("picture", .token(maximumBytes: 64), "which one it is, as beside `avatar`"), .descriptor,
            ]), errors: [.notFound])
    ]
}
