import Basics
import ControlProtocol

/// What the daemon knows of an upload beside its bytes.
struct UploadRecord: Hashable, Sendable {
    let id: UUIDv7
    /// One path component.
    let name: String
    /// Bytes that the file will have; nil if that was not said.
    let size: Int64?
    let isFolder: Bool
    let purpose: Upload.Purpose
    /// The upload of the folder that the file is for.
    let parent: UUIDv7?
    /// The components of its place there, its name the last of them; empty without a folder.
    let place: [String]
    let createdAt: WallTime
    var isFinished = false
    /// The stamp of the trusted clock at which a search for old uploads first saw this one; nil before that.
    var since: Int64?
    /// Of a folder: its finished files and their bytes.
    var files: Int64 = 0
    var bytes: Int64 = 0

    /// As it is written beside the bytes.
    var about: JSONValue {
        [
            "name": .string(name), "size": .optional(size), "folder": .bool(isFolder),
            "purpose": .string(purpose.rawValue), "in": .optional(parent?.description),
            "path": .strings(place), "createdAt": .integer(createdAt.milliseconds),
        ]
    }

    init(
        id: UUIDv7, name: String, size: Int64?, isFolder: Bool, purpose: Upload.Purpose, parent: UUIDv7?,
        place: [String], createdAt: WallTime
    ) {
        self.id = id
        self.name = name
        self.size = size
        self.isFolder = isFolder
        self.purpose = purpose
        self.parent = parent
        self.place = place
        self.createdAt = createdAt
    }

    /// Nil for JSON that ``about`` doesn't make.
    init?(id: UUIDv7, about: JSONValue) {
        guard let name = about["name"]?.string, let isFolder = about["folder"]?.bool,
            let purpose = about["purpose"]?.string.flatMap(Upload.Purpose.init),
            let createdAt = about["createdAt"]?.integer
        else { return nil }
        self.init(
            id: id, name: name, size: about["size"]?.integer, isFolder: isFolder, purpose: purpose,
            parent: about["in"]?.string.flatMap(UUIDv7.init), place: about["path"]?.array?.compactMap(\.string) ?? [],
            createdAt: WallTime(milliseconds: createdAt))
    }

    /// As clients see it.
    /// - Parameter received: the bytes of its file.
    func shown(received: Int64) -> Upload {
        Upload(
            id: id.description, name: name, size: size, received: isFolder ? bytes : received, folder: isFolder,
            purpose: purpose, parent: parent?.description, path: place.isEmpty ? nil : place.joined(separator: "/"),
            files: isFolder ? files : isFinished ? 1 : 0, finished: isFinished, createdAt: createdAt.milliseconds)
    }
}
