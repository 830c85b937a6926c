import Vocabulary

/// A file or folder on its way from a client into the daemon's care.
public struct Upload: ContractObject {
    /// What an upload is for. This decides what may be uploaded.
    public enum Purpose: String, ContractWord {
        /// To be sent with a message.
        case message
        /// To become an avatar.
        case picture
        /// To be read into the address book.
        case addressBook
    }

    public var id = ""
    public var name = ""
    public var size: Int64?
    public var received: Int64 = 0
    public var folder = false
    public var purpose = Purpose.message
    public var parent: String?
    public var path: String?
    /// The number of finished files of a folder; 1 for a finished file.
    public var files: Int64 = 0
    public var finished = false
    public var createdAt: Int64 = 0

    public init(
        id: String, name: String, size: Int64? = nil, received: Int64 = 0, folder: Bool = false,
        purpose: Purpose = .message, parent: String? = nil, path: String? = nil, files: Int64 = 0,
        finished: Bool = false, createdAt: Int64
    ) {
        self.id = id
        self.name = name
        self.size = size
        self.received = received
        self.folder = folder
        self.purpose = purpose
        self.parent = parent
        self.path = path
        self.files = files
        self.finished = finished
        self.createdAt = createdAt
    }

    public static let contractName = "Upload"

    public init() {}

    public mutating func describe(_ fields: inout ObjectFields) throws(ShapeError) {
        try fields.field(
            "id", &id, as: .uuid,
            "the upload: `upload:` followed by this stands for a path wherever a file is expected")
        try fields.field(
            "name", &name, as: .label(minimum: 1, maximum: SharedLimits.attachmentNameBytes), "one path component")
        try fields.nullable("size", &size, as: .bytes, "how many bytes it will have; null if that was not said")
        try fields.field("received", &received, as: .bytes, "how many bytes are here")
        try fields.field("folder", &folder, "whether it is a folder")
        try fields.field("purpose", &purpose, "what it is for")
        try fields.nullable("in", &parent, as: .uuid, "the upload of the folder that it belongs to")
        try fields.nullable("path", &path, as: .text(.bytes(ProtocolLimits.uploadPathBytes)), "its place there")
        try fields.field("files", &files, "how many files are complete")
        try fields.field("finished", &finished, "whether all of it is here")
        try fields.field("createdAt", &createdAt, as: .time, "when it was begun")
    }
}

/// The daemon's answer to the bytes that a client has written to an upload's socket. It sends one byte over that socket.
public enum UploadEnd: UInt8, Sendable {
    /// All that came before the half-close was written.
    case written = 0
    /// More came than was announced, so the piece doesn't count.
    case tooMuch = 1
    /// The disk has no room for more; what was written before counts.
    case noSpace = 2
    /// The file can't be written.
    case failed = 3
}
