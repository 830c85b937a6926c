/// A file or folder on its way from a client into the daemon's care.
public struct Upload: Hashable, Sendable {
    /// The use that is made of an upload, which decides what may be uploaded.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// To be sent with a message.
        case message
        /// To become an avatar.
        case picture
        /// To be read into the address book.
        case addressBook
    }

    /// `upload:` and this name it where a file is taken.
    public var id: String
    /// One path component.
    public var name: String
    /// Bytes that it will have; nil if that was not said, and for a folder.
    public var size: Int64?
    /// Bytes that are here.
    public var received: Int64
    /// Whether it is a folder.
    public var folder: Bool
    /// The use that is made of it.
    public var purpose: Purpose
    /// The upload of the folder that it is for.
    public var parent: String?
    /// The place in that folder.
    public var path: String?
    /// The number of finished files of a folder; 1 for a finished file.
    public var files: Int64
    /// Whether all of it is here.
    public var finished: Bool
    /// Milliseconds since 1970 UTC.
    public var createdAt: Int64

    /// Put together from its fields.
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

    /// Reads the object as it travels; unknown fields are ignored.
    ///
    /// - Throws: ``ShapeError`` naming the field that is missing or of the wrong type.
    public init(json: JSONValue) throws(ShapeError) {
        let reader = try JSONReader(json, as: "Upload")
        id = try reader.string("id")
        name = try reader.string("name")
        size = reader.value("size")?.integer
        received = try reader.integer("received")
        folder = try reader.bool("folder")
        purpose = try reader.choice("purpose")
        parent = try reader.optionalString("in")
        path = try reader.optionalString("path")
        files = try reader.integer("files")
        finished = try reader.bool("finished")
        createdAt = try reader.integer("createdAt")
    }

    /// The value as it travels.
    public var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "size": .optional(size), "received": .integer(received),
            "folder": .bool(folder), "purpose": .string(purpose.rawValue), "in": .optional(parent),
            "path": .optional(path), "files": .integer(files), "finished": .bool(finished),
            "createdAt": .integer(createdAt),
        ]
    }
}
