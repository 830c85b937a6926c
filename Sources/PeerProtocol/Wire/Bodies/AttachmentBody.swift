import Basics
import Vocabulary

/// A file or folder that a message offers. Fetching it is a transfer of its own: docs/PROTOCOL-FILES.md.
///
/// CBOR `{1: transfer, 2: name, 3: size, 4: kind, 5: media type, 6: file count, 7: preview?, 8: duration?, 9: left
/// out?, 10: root?, 11: unlisted types?}`.
public struct AttachmentBody: Hashable, Sendable {
    /// Names the transfer from the offer to its end. Not zero.
    public let transfer: UUIDv7
    /// One path component, at most ``SharedLimits/attachmentNameBytes`` bytes, without `/` and hostile characters, not
    /// `.` or `..`. It is still only a label: check it again where files are made.
    public let name: String
    /// Bytes in all.
    public let size: UInt64
    public let kind: AttachmentKind
    /// For example `image/png`; empty if not known. Printable ASCII.
    public let mediaType: String
    /// Entries: 1 for a file, files and folders inside for a folder.
    public let fileCount: UInt64
    /// An image of at most ``PeerLimits/previewBytes`` bytes.
    public let preview: [UInt8]?
    /// How long audio or video lasts, in milliseconds.
    public let duration: UInt64?
    /// The items of a folder that are not in this offer; nil if all are.
    public let leftOut: LeftOutBody?
    /// In a group: the root of the tree of its chunks' hashes, ``PeerLimits/fileRootBytes`` bytes; by it a member knows
    /// right chunks, whichever member they come from.
    public let fileRoot: [UInt8]?
    /// The types of its files that the sender's user sends although receivers may not take them; an empty one means files
    /// without a type. Empty if the user has not said so.
    public let unlisted: [String]

    public init(
        transfer: UUIDv7, name: String, size: UInt64, kind: AttachmentKind, mediaType: String, fileCount: UInt64,
        preview: [UInt8]? = nil, duration: UInt64? = nil, leftOut: LeftOutBody? = nil,
        fileRoot: [UInt8]? = nil, unlisted: [String] = []
    ) {
        self.transfer = transfer
        self.name = name
        self.size = size
        self.kind = kind
        self.mediaType = mediaType
        self.fileCount = fileCount
        self.preview = preview
        self.duration = duration
        self.leftOut = leftOut
        self.fileRoot = fileRoot
        self.unlisted = unlisted
    }

    /// Reads one element of a message's attachments; the message calls ``check()``.
    init(reading value: CBOR, field: String) throws(WireError) {
        let body = try BodyReader(value, field: field)
        var leftOut: LeftOutBody?
        if let value = body.value(9) { leftOut = try LeftOutBody(reading: value) }
        self.init(
            transfer: try body.id(1, "transfer"),
            name: try body.text(2, "name", maximumBytes: SharedLimits.attachmentNameBytes),
            size: try body.unsigned(3, "size"),
            kind: AttachmentKind(wire: try body.unsigned(4, "attachment kind")) ?? .other,
            mediaType: try body.text(5, "media type", maximumBytes: PeerLimits.mediaTypeBytes),
            fileCount: try body.unsigned(6, "file count"),
            preview: try body.optionalBytes(7, "preview", maximum: PeerLimits.previewBytes),
            duration: try body.optionalUnsigned(8, "duration"), leftOut: leftOut,
            fileRoot: try body.optionalBytes(10, "root", maximum: PeerLimits.fileRootBytes),
            unlisted: try Self.unlisted(of: body))
    }

    private static func unlisted(of body: BodyReader) throws(WireError) -> [String] {
        guard let value = body.value(11) else { return [] }
        guard let items = value.arrayValue else { throw .wrongType(field: "unlisted types") }
        guard 1...SharedLimits.unlistedTypes ~= items.count else { throw .invalid(field: "unlisted types") }
        var types: [String] = []
        for item in items {
            guard let type = item.textValue else { throw .wrongType(field: "unlisted types") }
            types.append(type)
        }
        return types
    }

    var value: CBOR {
        var map: CBORMap = [
            1: .bytes(transfer.bytes), 2: .text(name), 3: .unsigned(size),
            5: .text(mediaType), 6: .unsigned(fileCount),
        ]
        map[4] = kind.value
        if let preview { map[7] = .bytes(preview) }
        if let duration { map[8] = .unsigned(duration) }
        map[9] = leftOut?.value
        if let fileRoot { map[10] = .bytes(fileRoot) }
        if !unlisted.isEmpty { map[11] = .array(unlisted.map { .text($0) }) }
        return .map(map)
    }

    func check() throws(WireError) {
        guard transfer != .zero else { throw .invalid(field: "transfer") }
        try FieldRules.bytes(name.utf8.count, "name", maximum: SharedLimits.attachmentNameBytes)
        guard ForeignText.isLabel(name, maximumCharacters: SharedLimits.attachmentNameBytes),
            name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/"))
        else { throw .invalid(field: "name") }
        // Sizes are signed 64-bit numbers in file systems and databases.
        guard size <= UInt64(Int64.max) else { throw .invalid(field: "size") }
        try FieldRules.bytes(mediaType.utf8.count, "media type", maximum: PeerLimits.mediaTypeBytes)
        guard mediaType.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { throw .invalid(field: "media type") }
        guard fileCount <= PeerLimits.transferEntries else { throw .invalid(field: "file count") }
        try FieldRules.bytes(preview?.count ?? 0, "preview", maximum: PeerLimits.previewBytes)
        guard (fileRoot?.count ?? PeerLimits.fileRootBytes) == PeerLimits.fileRootBytes else {
            throw .invalid(field: "root")
        }
        guard unlisted.count <= SharedLimits.unlistedTypes, unlisted.allSatisfy({ $0.isEmpty || FileType.isUsual($0) })
        else {
            throw .invalid(field: "unlisted types")
        }
    }
}
