import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the upload")
    private static let name = ValueType.label(minimum: 1, maximum: SharedLimits.attachmentNameBytes)
    private static let place = ValueType.text(.bytes(ProtocolLimits.uploadPathBytes))

    static let uploadMethods: [MethodSpec] = [
        MethodSpec(
            "upload.begin",
            "Begins to hand a file or folder to the daemon. Its type, its size and the free space are checked now. It "
                + "is removed after a day, unless a message uses it.",
            [
                .required("name", name, "one path component"),
                .optional("size", .bytes, "how many bytes the file has; absent: whatever comes until it is finished"),
                .optional("folder", .boolean, "a folder, whose files are uploads of their own", standard: false),
                .optional(
                    "purpose", .choice(of: Upload.Purpose.self), "what it is for", standard: "message"),
                .optional("in", .uuid, "the upload of the folder that this file belongs to"),
                .optional(
                    "path", place, "the file's place in that folder: names with / between them, its own at the end"),
                .optional(
                    "anyType", .boolean, "also allow a type that `files.allowedTypes` doesn't have", standard: false),
            ],
            result: .object("Upload"),
            errors: [.typeNotAllowed, .tooLarge, .noSpace, .busy, .notFound, .invalid, .alreadyExists]),
        MethodSpec(
            "upload.put",
            "Puts whole small files into a folder that is being uploaded, so that a folder with a thousand files takes "
                + "only a few requests. They are checked as in `upload.begin`. A file that is already there with the "
                + "same bytes stays as it is. If one can't be written, the ones before it stay. Without `in`, each "
                + "file becomes a finished upload of its own, all of them or none.",
            [
                .optional("in", .uuid, "the upload of the folder"),
                .required(
                    "paths", .list(place, minimum: 1, maximum: ProtocolLimits.uploadPutFiles),
                    "the place of each in that folder: names with / between them; without a folder the name of each"),
                .required(
                    "contents",
                    .list(
                        .text(.bytes(ProtocolLimits.uploadPutBytes)), minimum: 1, maximum: ProtocolLimits.uploadPutFiles
                    ),
                    "the bytes of each, in base64"),
                .optional(
                    "anyType", .boolean, "also allow types that `files.allowedTypes` doesn't have", standard: false),
            ],
            result: .fields([
                .required("leftOut", .results(place), "the places that no file can have; their files were left out"),
                .optional("ids", .results(.uuid), "without `in`: the uploads, in the order of `paths`"),
            ]),
            errors: [.typeNotAllowed, .tooLarge, .noSpace, .busy, .notFound, .invalid, .alreadyExists]),
        MethodSpec(
            "upload.open",
            "Gives a stream socket for the next bytes of an upload's file. Half-close it after the last of them; one "
                + "byte then comes back: 0, everything is written; 1, more came than was announced, and none of it "
                + "counts; 2, there is no space; 3, the file can't be written. The next open, finish or cancel of the "
                + "upload takes what has come by then, and ends the socket.",
            [id],
            result: .fields([
                .required("received", .bytes, "how many bytes are here, and so where the next piece goes"),
                .descriptor,
            ]),
            errors: [.notFound, .invalid, .busy]),
        MethodSpec(
            "upload.finish",
            "Says that everything has been sent: the size is compared, and the file is on the disk when this answers. "
                + "A file of a folder is put into its place, and its own id ends.",
            [id], result: .object("Upload"),
            errors: [.notFound, .invalid, .tooLarge, .noSpace, .busy, .alreadyExists]),
        MethodSpec(
            "upload.cancel", "Removes an upload that no message uses; a folder goes with all its files.", [id],
            result: .fields([]), errors: [.notFound, .invalid, .busy]),
        MethodSpec(
            "upload.list", "The uploads that no message uses yet, the oldest first.",
            result: .fields([.required("uploads", .results(.object("Upload")), "all of them")])),
    ]
}
