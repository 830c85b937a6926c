import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the transfer")

    static let transferMethods: [MethodSpec] = [
        MethodSpec(
            "transfer.send", "Offers files and folders to a friend.",
            [
                .required("to", .account, "the friend"),
                .required("paths", .list(.file, minimum: 1, maximum: SharedLimits.attachments), "files and folders"),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "a text to send with them"), anyType,
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
                .optional("direction", .choice(of: TransferDirection.self), "only in this direction"),
                .optional("before", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the previous page"),
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
            "transfer.accept", "Takes an offered file or folder.",
            [
                id, .optional("path", .path, "the directory to put it in"),
                .optional(
                    "anyway", .boolean,
                    "take it even if it is held back (`heldBack`); otherwise that is refused as `type_not_allowed`",
                    standard: false),
            ],
            result: .object("Transfer"), errors: [.notFound, .invalid, .noSpace, .notAllowed, .typeNotAllowed]),
        MethodSpec(
            "transfer.decline", "Refuses an offered file or folder.", [id],
            result: .object("Transfer"), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.cancel", "Ends a transfer for both sides.", [id],
            result: .object("Transfer"), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.pause", "Pauses a transfer until this side resumes it; what has arrived stays.", [id],
            result: .object("Transfer"), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.resume",
            "Ends this side's pause, or goes on with a transfer that has stopped or failed. If the file has changed on "
                + "the sender's side, calling this there offers it again: the result is the new transfer.",
            [id],
            result: .object("Transfer"), errors: [.notFound, .invalid, .noSpace, .notAllowed, .typeNotAllowed]),
        MethodSpec(
            "transfer.open",
            "Opens a complete file for reading: one that was sent from here or has arrived. A file that was moved "
                + "away, or that is a different one by now, is not found.",
            [id, entry], whileLocked: .history,
            result: .fields([
                .required("name", name, "one path component"),
                .required("size", .bytes, "of the file"),
                .required(
                    "mediaType", .label(minimum: 0, maximum: 128),
                    "for pictures, audio and videos by their content, for all others by their names"),
                .required("modified", .time, "when it was last changed"), .descriptor,
            ]), errors: [.notFound, .invalid]),
        MethodSpec(
            "transfer.entries", "The files in a transferred folder, without the folders in it.",
            [id, .optional("after", .integer(0 ... .max), "`next` of the previous page"), .limit],
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
            "Shows a complete file or folder in the file manager of this host's desktop, without opening it.", [id],
            result: .fields([]), errors: [.notFound, .unsupported]),
        MethodSpec(
            "transfer.thumbnail",
            "A JPEG made here from a picture. While the picture isn't here, and always for a video, it is made from "
                + "the offer's preview.",
            [id, entry, .required("side", .choice(["320", "1280"]), "at most this many pixels on its longer side")],
            whileLocked: .history,
            result: .fields([
                .required("width", .integer(1 ... .max), "pixels"), .required("height", .integer(1 ... .max), "pixels"),
                .descriptor,
            ]), errors: [.notFound, .invalid, .unsupported]),
    ]

    /// Of the methods that send files.
    static let anyType = FieldSpec.optional(
        "anyType", .boolean,
        "also send types that `files.allowedTypes` doesn't have: receivers hold such an offer back until they take it "
            + "anyway", standard: false)
    private static let entry = FieldSpec.optional(
        "entry", .integer(1 ... .max), "for a folder: the file, by its `index` in `transfer.entries`")
    private static let name = ValueType.label(minimum: 1, maximum: SharedLimits.attachmentNameBytes)

    static let pictureMethods: [MethodSpec] = [
        MethodSpec(
            "picture.open", "Opens the picture of an account or a group for reading: a JPEG made here.",
            [.required("id", .token(maximumBytes: ProtocolLimits.tokenBytes), "the account or the group")],
            whileLocked: .history,
            result: .fields([
                .required("size", .bytes, "of the file"),
                .required("picture", .token(maximumBytes: 64), "which one it is, as in `picture` beside `avatar`"),
                .descriptor,
            ]), errors: [.notFound])
    ]
}
