import Basics
import Glibc
import Messaging
import Store
import Vocabulary

extension FileShow {
    /// - Parameter content: nil if it could not be told.
    package init(name: String, content: ContentType?) {
        self.init(type: MediaType(ofName: name))
        guard let content, content.form != .empty else { return }
        // A name that its content bears out says more than the content: a table is a text, too.
        if type.kind == .other || !content.suits(type: FileTypes.type(ofName: name)) {
            type = MediaType(ofContent: content.mediaType)
        }
    }

    /// Adds what can be found out before the deadline. Blocking.
    /// - Parameters:
    ///   - file: open for reading.
    ///   - size: of the file in bytes.
    ///   - origin: whose file it is.
    package mutating func look(
        at file: CInt, size: UInt64, from origin: MediaOrigin, media: MediaProgram, until deadline: Instant
    ) {
        switch type.kind {
        case .image where size <= MediaLimits.previewedPicture:
            preview = media.preview(ofPicture: file, until: deadline)
        case .video:
            preview = media.preview(ofFilm: file, from: origin, until: deadline)
            lseek(file, 0, SEEK_SET)
            duration = media.duration(of: file, until: deadline)
        case .audio: duration = media.duration(of: file, until: deadline)
        default: break
        }
    }
}

extension MediaType {
    /// The type that libmagic found, with its kind.
    package init(ofContent type: String) {
        let kind: AttachmentKind =
            switch type.prefix(while: { $0 != "/" }) {
            case "image": .image
            case "audio": .audio
            case "video": .video
            case "text": .document
            default: type == "application/pdf" || type.contains("document") ? .document : .other
            }
        self.init(name: type, kind: kind)
    }
}
