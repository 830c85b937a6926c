import Vocabulary

extension Catalogue {
    private static let id = FieldSpec.required("id", .uuid, "the upload")
    private static let name = ValueType.label(minimum: 1, maximum: SharedLimits.attachmentNameBytes)
    private static let place = ValueType.text(.bytes(ProtocolLimits.uploadPathBytes))

    static let uploadMethods: [MethodSpec] = [
        MethodSpec(
            "upload.begin",
            "Begins to take a file or folder into the daemon's care. Its type, its size and the room for it are checked now. It goes "
                + "after a day, unless a message names it.",
            [
                .required("name", name, "one path component"),
                .optional("size", .bytes, "bytes that the file will have; absent: whatever comes until it is finished"),
                .optional("folder", .boolean, "a folder, whose files are uploads of their own", standard: false),
                .optional(
                    "purpose", .choice(of: Upload.Purpose.self), "what it is for", standard: "message"),
                .optional("in", .uuid, "the upload of the folder that this file is for"),
                .optional(
                    "path", place, "the file's place in that folder: names with / between them, its own at the end"),
                .optional(
                    "anyType", .boolean, "also a file of a type that `files.allowedTypes` doesn't have", standard: false
                ),
            ],
            result: .object("Upload"),
            errors: [.typeNotAllowed, .tooLarge, .noSpace, .busy, .notFound, .invalid, .alreadyExists]),
        MethodSpec(
            "upload.put",
            "Puts small files as a whole into a folder that is uploaded: a folder of a thousand takes a few requests. They are checked as "
                + "`upload.begin` checks them. A file that is there already with the same bytes stays as it is. If one can't be written, "
                + "those before it are there. Without `in` each file becomes an upload of its own, which is finished; all of them or none.",
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
                    "anyType", .boolean, "also files of a type that `files.allowedTypes` doesn't have", standard: false),
            ],
            result: .fields([
                .required("leftOut", .results(place), "the places that no file can have; their files stay behind"),
                .optional("ids", .results(.uuid), "without `in`: the uploads, in the order of `paths`"),
            ]),
            errors: [.typeNotAllowed, .tooLarge, .noSpace, .busy, .notFound, .invalid, .alreadyExists]),
        MethodSpec(
            "upload.open",
            "Gives a stream socket for the bytes that follow in the file of an upload. Half-close it behind the last of them; then one "
                + "byte comes back: 0, all is written; 1, more came than was said, and none of it counts; 2, there is no room; 3, the "
                + "file can't be written. The next open, finish or cancel of the upload takes what has come until then, and ends "
                + "the socket.",
            [id],
            result: .fields([
                .required("received", .bytes, "bytes that are here: where the next piece goes"), .descriptor,
            ]),
            errors: [.notFound, .invalid, .busy]),
        MethodSpec(
            "upload.finish",
            "Says that all of it is here: the size is compared, and the file is on the disk when this answers. A file of a folder "
                + "is put into its place; its own id ends then.",
            [id], result: .object("Upload"),
            errors: [.notFound, .invalid, .tooLarge, .noSpace, .busy, .alreadyExists]),
        MethodSpec(
            "upload.cancel", "Removes an upload that no message names, a folder with all its files.", [id],
            result: .fields([]), errors: [.notFound, .invalid, .busy]),
        MethodSpec(
            "upload.list", "The uploads that no message names yet, the oldest first.",
            result: .fields([.required("uploads", .results(.object("Upload")), "all of them")])),
    ]
}
