import ControlProtocol
import Messaging
import Testing
import Vocabulary

@testable import Media

/// Goal: the types of today's cameras and offices go and come from the start, or for one word in `files.allowedTypes`.
@Suite("Types of cameras and documents")
struct CameraTypeTests {
    @Test(
        "What browsers show and what offices write is let through from the start, and no archive, program or web page is"
    )
    func standard() {
        let types = FileTypes(SettingsCatalogue.filesAllowedTypes.standard)
        for type in [
            "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "txt", "odt", "ods", "odp", "rtf", "csv", "md", "png",
            "jpg", "jpeg", "gif", "webp", "avif", "heic", "bmp", "tif", "tiff", "mp3", "wav", "m4a", "ogg", "opus",
            "mp4", "mov", "webm",
        ] {
            #expect(types.allows(name: "a.\(type)"), "\(type)")
            #expect(MediaType(ofName: "a.\(type)").kind != .other, "\(type)")
        }
        for type in ["zip", "exe", "sh", "html", "svg", "jar", "iso", "docm", "xlsm", "lnk", "js", "desktop"] {
            #expect(!types.allows(name: "a.\(type)"), "\(type)")
        }
        #expect(!types.allows(name: "a"))
    }

    @Test("Each is told by its name, and its content suits it; a program under its name does not")
    func types() {
        let program = ContentType(mediaType: "application/x-pie-executable", form: .binary)
        for (type, content, kind): (String, String, AttachmentKind) in [
            ("webp", "image/webp", .image), ("heic", "image/heic", .image), ("heic", "image/heic-sequence", .image),
            ("heif", "image/heif", .image), ("avif", "image/avif", .image), ("mov", "video/quicktime", .video),
            ("webm", "video/webm", .video), ("3gp", "video/3gpp", .video), ("ogv", "video/ogg", .video),
            ("ogg", "audio/ogg", .audio), ("weba", "video/webm", .audio), ("aac", "audio/x-hx-aac-adts", .audio),
            ("odt", "application/vnd.oasis.opendocument.text", .document),
            ("ods", "application/vnd.oasis.opendocument.spreadsheet", .document),
            ("odp", "application/vnd.oasis.opendocument.presentation", .document),
            ("epub", "application/epub+zip", .document),
        ] {
            #expect(MediaType(ofName: "a.\(type)").kind == kind, "\(type)")
            #expect(FileTypes([type]).allows(name: "A.\(type.uppercased())"))
            #expect(ContentType(mediaType: content, form: .binary).suits(type: type), "\(type)")
            #expect(!program.suits(type: type), "\(type)")
        }
        for type in ["csv", "md", "json"] {
            #expect(MediaType(ofName: "a.\(type)").kind == .document)
            #expect(ContentType(mediaType: "text/plain", form: .text).suits(type: type))
            #expect(!program.suits(type: type))
            #expect(!ContentType(mediaType: "text/x-shellscript", form: .script).suits(type: type), "\(type)")
        }
    }
}
