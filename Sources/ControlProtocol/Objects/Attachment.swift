import Vocabulary

/// A file or folder that a message carries.
public struct Attachment: Hashable, Sendable {
    /// The transfer that moves it.
    public var transfer: String
    /// One path component, as the sender named it.
    public var name: String
    /// Bytes; for a folder, of all its files.
    public var size: Int64
    /// The kind of the attachment, for showing it.
    public var kind: AttachmentKind
    /// Its media type (RFC 6838); empty if unknown.
    public var mediaType: String
    /// How far its transfer has come.
    public var state: TransferState
    /// Where it lies on this host; nil before it does.
    public var path: String?
    /// An error kind, if it failed, was declined or waits.
    public var reason: Reason?
    /// More words about the reason, for people.
    public var detail: String?
    /// How many files of a folder were left out, as far as this side knows.
    public var skipped: Int64
    /// Whether the file was removed here for its age (`files.keepDays`).
    public var removed: Bool
    /// A small picture of it in base 64; nil if there is none.
    public var preview: String?
    /// How long a sound or film lasts, in milliseconds; nil if unknown.
    public var duration: Int64?

    /// Put together from its fields.
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

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Attachment")
        transfer = try reader.string("transfer")
        name = try reader.string("name")
        size = try reader.integer("size")
        kind = try reader.choice("kind")
        mediaType = try reader.optionalString("mediaType") ?? ""
        state = try reader.choice("state")
        path = try reader.optionalString("path")
        reason = try reader.optionalString("reason").map(Reason.init(code:))
        detail = try reader.optionalString("detail")
        skipped = try reader.optionalInteger("skipped") ?? 0
        removed = try reader.bool("removed")
        preview = try reader.optionalString("preview")
        duration = try reader.optionalInteger("duration")
    }

    /// The value as it travels.
    public var json: JSONValue {
        var object: JSONObject = [
            "transfer": .string(transfer), "name": .string(name), "size": .integer(size),
            "kind": .string(kind.rawValue), "mediaType": .string(mediaType), "state": .string(state.rawValue),
            "path": .optional(path), "reason": .optional(reason?.contract), "skipped": .integer(skipped),
            "removed": .bool(removed),
            "preview": .optional(preview), "duration": .optional(duration),
        ]
        if let detail { object["detail"] = .string(detail) }
        return .object(object)
    }
}
