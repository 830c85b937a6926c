import Vocabulary

/// A file or folder that a message carries.
public struct Attachment: ContractObject {
    /// The transfer that moves it.
    public var transfer = ""
    /// One path component, as the sender named it.
    public var name = ""
    /// Bytes; for a folder, of all its files.
    public var size: Int64 = 0
    /// The kind of the attachment, for showing it.
    public var kind = AttachmentKind.other
    /// Its media type (RFC 6838); empty if unknown.
    public var mediaType = ""
    /// How far its transfer has come.
    public var state = TransferState.offered
    /// Where it lies on this host; nil before it does.
    public var path: String?
    /// An error kind, if it failed, was declined or waits.
    public var reason: Reason?
    /// More words about the reason, for people.
    public var detail: String?
    /// How many files of a folder were left out, as far as this side knows.
    public var skipped: Int64 = 0
    /// Whether the file was removed here for its age (`files.keepDays`).
    public var removed = false
    /// A small picture of it in base 64; nil if there is none.
    public var preview: String?
    /// How long a sound or film lasts, in milliseconds; nil if unknown.
    public var duration: Int64?

    public init(
        transfer: String, name: String, size: Int64, kind: AttachmentKind, mediaType: String, state: TransferState,
        path: String? = nil, preview: String? = nil, reason: Reason? = nil, detail: String? = nil, skipped: Int64 = 0,
        removed: Bool = false, duration: Int64? = nil
    ) {
        self.transfer = transfer
        self.name = name
        self.size = size
        self.kind = kind
        self.mediaType = mediaType
        self.state = state
        self.path = path
        self.reason = reason
        self.detail = detail
        self.skipped = skipped
        self.removed = removed
        self.preview = preview
        self.duration = duration
    }

    public static let contractName = "Attachment"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field("transfer", &transfer, as: .uuid, "what moves it")
        try fields.field(
            "name", &name, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes), "one path component")
        try fields.field("size", &size, as: .bytes, "of all its files")
        try fields.field("kind", &kind, "what it is")
        try fields.lenient("mediaType", &mediaType, as: .name, "its media type")
        try fields.field("state", &state, "how far its transfer has come")
        try fields.nullable("path", &path, as: .path, "where it lies on this host")
        try fields.nullable("reason", &reason, "why its transfer stands or ended")
        try fields.optional("detail", &detail, as: .words, "what more there is to say about the reason")
        try fields.lenient("skipped", &skipped, "how many files of a folder were left out")
        try fields.lenient("removed", &removed, "whether the file was removed here for its age")
        try fields.nullable(
            "preview", &preview, as: .token(maximumBytes: 48 << 10),
            "a small picture in base 64; only in the answer of `message.get`, null everywhere else")
        try fields.nullable("duration", &duration, "how long a sound or film lasts, in ms; null if unknown")
    }
}
