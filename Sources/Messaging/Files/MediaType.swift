import Store
import Vocabulary

/// The type of a file according to its name, in the words of the interface.
package struct MediaType: Equatable, Sendable {
    package let name: String
    package let kind: AttachmentKind

    package static let folder = MediaType(name: "inode/directory", kind: .folder)

    package init(name: String, kind: AttachmentKind) {
        self.name = name
        self.kind = kind
    }

    /// Takes the type from the extension (IANA's media type registry and the usual vendor trees).
    package init(ofName name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let type = parts.count > 1 ? parts.last.flatMap { Self.known[$0.lowercased()] } : nil
        self = type ?? MediaType(name: "application/octet-stream", kind: .other)
    }

    private static let known: [String: MediaType] = {
        var table: [String: MediaType] = [:]
        func add(_ kind: AttachmentKind, _ entries: [(String, String)]) {
            for (extensions, type) in entries {
                for name in extensions.split(separator: " ") { table[String(name)] = MediaType(name: type, kind: kind) }
            }
        }
        let office = "application/vnd.openxmlformats-officedocument."
        add(
            .document,
            [
                ("pdf", "application/pdf"), ("txt", "text/plain"), ("md", "text/markdown"), ("csv", "text/csv"),
                ("json", "application/json"), ("epub", "application/epub+zip"),
                ("doc", "application/msword"), ("docx", office + "wordprocessingml.document"),
                ("xls", "application/vnd.ms-excel"), ("xlsx", office + "spreadsheetml.sheet"),
                ("ppt", "application/vnd.ms-powerpoint"), ("pptx", office + "presentationml.presentation"),
                ("odt", "application/vnd.oasis.opendocument.text"), ("rtf", "application/rtf"),
                ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
                ("odp", "application/vnd.oasis.opendocument.presentation"),
            ])
        add(
            .image,
            [
                ("png", "image/png"), ("jpg jpeg", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp"),
                ("svg", "image/svg+xml"), ("heic", "image/heic"), ("heif", "image/heif"),
                ("avif", "image/avif"), ("tif tiff", "image/tiff"), ("bmp", "image/bmp"),
            ])
        add(
            .audio,
            [
                ("mp3", "audio/mpeg"), ("wav", "audio/wav"), ("ogg oga", "audio/ogg"), ("flac", "audio/flac"),
                ("m4a", "audio/mp4"), ("opus", "audio/opus"), ("aac", "audio/aac"), ("weba", "audio/webm"),
            ])
        add(
            .video,
            [
                ("mp4 m4v", "video/mp4"), ("webm", "video/webm"), ("mkv", "video/matroska"), ("mov", "video/quicktime"),
                ("avi", "video/vnd.avi"), ("ogv", "video/ogg"), ("3gp", "video/3gpp"),
            ])
        return table
    }()
}
