import Vocabulary

/// A file or folder that a message carries.
public struct Attachment: ContractObject {
    public var transfer = ""
    public var name = ""
    public var size: Int64 = 0
    public var kind = AttachmentKind.other
    public var mediaType = ""
    public var state = TransferState.offered
    public var path: String?
    public var savedAs: String?
    public var cancelledBy: TransferSide?
    public var reason: Reason?
    public var detail: String?
    public var skipped: Int64 = 0
    public var removed = false
    public var preview: String?
    public var duration: Int64?
    public var heldBack: HoldReason?
    public var unlisted: [String]?

    public init(
        transfer: String, name: String, size: Int64, kind: AttachmentKind, mediaType: String, state: TransferState,
        path: String? = nil, savedAs: String? = nil, preview: String? = nil, cancelledBy: TransferSide? = nil,
        reason: Reason? = nil,
        detail: String? = nil, skipped: Int64 = 0,
        removed: Bool = false, duration: Int64? = nil, heldBack: HoldReason? = nil,
        unlisted: [String]? = nil
    ) {
        self.transfer = transfer
        self.name = name
        self.size = size
        self.kind = kind
        self.mediaType = mediaType
        self.state = state
        self.path = path
        self.savedAs = savedAs
        self.cancelledBy = cancelledBy
        self.reason = reason
        self.detail = detail
        self.skipped = skipped
        self.removed = removed
        self.preview = preview
        self.duration = duration
        self.heldBack = heldBack
        self.unlisted = unlisted
    }

    public static let contractName = "Attachment"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("transfer", &transfer, as: .uuid, "the transfer that moves it")
        try fields.field(
            "name", &name, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes), "one path component")
        try fields.field("size", &size, as: .bytes, "of all its files")
        try fields.field("kind", &kind, "what it is")
        try fields.lenient("mediaType", &mediaType, as: .name, "its media type")
        try fields.field("state", &state, "how far its transfer has come")
        try fields.nullable("path", &path, as: .path, "where it is on this host")
        try fields.optional(
            "savedAs", &savedAs, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes),
            "its name on this disk, if different: the name was taken, or the disk doesn't allow it"
        )
        try fields.optional("cancelledBy", &cancelledBy, "who cancelled it, if no `reason` says why it ended")
        try fields.nullable("reason", &reason, "why its transfer has stopped or ended")
        try fields.optional("detail", &detail, as: .words, "details of the reason")
        try fields.lenient("skipped", &skipped, "how many files of a folder were left out")
        try fields.lenient("removed", &removed, "whether the file was removed here for its age")
        try fields.nullable(
            "preview", &preview, as: .token(maximumBytes: 48 << 10),
            "a small picture in base 64; only in the answer of `message.get`, null everywhere else")
        try fields.nullable("duration", &duration, "how long audio or video lasts, in ms; null if unknown")
        try fields.optional(
            "heldBack", &heldBack,
            "why the receiver holds the offer back: it is taken only with `anyway`; absent if it isn't held back, and "
                + "for a group's files")
        try fields.optional(
            "unlisted", &unlisted,
            "the types of its files for which it is, or may be, held back; an empty one means files without a type")
    }
}
