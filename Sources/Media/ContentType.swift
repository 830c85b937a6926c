/// What the beginning of a file reveals about its type.
package struct ContentType: Hashable, Sendable {
    /// How it is written.
    package enum Form: String, Sendable {
        case empty, text
        /// A text that the kernel would run: it begins with `#!`.
        case script
        case binary
    }

    /// The media type from libmagic, such as `image/png`.
    package let mediaType: String
    package let form: Form

    package init(mediaType: String, form: Form) {
        self.mediaType = mediaType
        self.form = form
    }

    /// Reads a line of kibo-media; nil for anything else.
    package init?(line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let form = Form(rawValue: String(words[1])), !words[0].isEmpty else { return nil }
        self.init(mediaType: String(words[0]), form: form)
    }

    /// Whether a file of this extension may have this content: a program can't pass for a document.
    ///
    /// - Parameter type: as ``FileTypes/type(ofName:)`` gives it; nil for none.
    func suits(type: String?) -> Bool {
        // A file without content is nothing yet.
        if form == .empty { return true }
        guard let type, let rule = Self.rules[type] else { return !isProgram }
        return switch rule {
        case .types(let types): types.contains(mediaType)
        case .text: form == .text
        case .textOrScript: form == .text || form == .script
        case .anything: true
        }
    }

    /// The real type of a picture or table whose name says another one: `IMG.jpg` may be WebP, and `report.xls` a web
    /// page. Nil if the name is right or the content is neither.
    package func realType(named type: String?) -> String? {
        guard let type, !suits(type: type) else { return nil }
        if Self.pictures.contains(type) { return Self.pictures.first { suits(type: $0) } }
        guard Self.documents.contains(type) else { return nil }
        if let exact = Self.exact[mediaType] { return exact }
        guard form == .text else { return nil }
        switch mediaType {
        case "text/html": return "html"
        case "text/xml", "application/xml": return "xml"
        default: return type == "xls" ? "csv" : nil
        }
    }

    private static let pictures = ["png", "jpg", "gif", "webp", "bmp", "tif", "heic", "avif"]
    private static let documents: Set<String> = [
        "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf",
    ]
    /// Documents that are known by more than their container.
    private static let exact: [String: String] = {
        var table = [
            "application/msword": "doc", "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
            "text/rtf": "rtf", "application/pdf": "pdf",
        ]
        for type in ["docx", "xlsx", "pptx", "odt", "ods", "odp"] {
            guard case .types(let types) = rules[type] else { continue }
            for name in types where name.contains("document.") { table[name] = type }
        }
        return table
    }()

    /// Whether the form alone decides for files of this extension.
    static func formDecides(_ type: String?) -> Bool {
        switch type.flatMap({ rules[$0] }) {
        case .text, .textOrScript, .anything: true
        case .types, nil: false
        }
    }

    private enum Rule {
        case types(Set<String>)
        /// Any content will do: a note may begin like a message, a table or a program's source.
        case text
        case textOrScript
        case anything
    }

    private static let rules: [String: Rule] = {
        var table: [String: Rule] = [:]
        func add(_ extensions: String, _ rule: Rule) {
            for name in extensions.split(separator: " ") { table[String(name)] = rule }
        }
        func types(_ extensions: String, _ types: String...) { add(extensions, .types(Set(types))) }
        // libmagic recognises only the container if the file is large and its directory lies further on.
        let container = ["application/x-ole-storage", "application/CDFV2"]
        let office = "application/vnd.openxmlformats-officedocument."
        types("pdf", "application/pdf")
        // Word writes RTF under its own name too.
        add("doc dot", .types(Set(container + ["application/msword", "text/rtf", "application/rtf"])))
        add("xls xlt", .types(Set(container + ["application/vnd.ms-excel", "application/msexcel"])))
        add("ppt pps pot", .types(Set(container + ["application/vnd.ms-powerpoint", "application/mspowerpoint"])))
        // With a password these files are in the old container.
        types("docx", office + "wordprocessingml.document", "application/encrypted", container[0], container[1])
        types("xlsx", office + "spreadsheetml.sheet", "application/encrypted", container[0], container[1])
        types("pptx", office + "presentationml.presentation", "application/encrypted", container[0], container[1])
        types("odt", "application/vnd.oasis.opendocument.text")
        types("ods", "application/vnd.oasis.opendocument.spreadsheet")
        types("odp", "application/vnd.oasis.opendocument.presentation")
        types("rtf", "text/rtf", "application/rtf")
        add("txt text md log csv tsv json xml yaml yml toml ini tex srt vtt vcf ics diff patch css html svg sql", .text)
        add("sh bash zsh py pl rb php js ts lua awk tcl bat cmd ps1 vbs", .textOrScript)
        types("png", "image/png", "image/apng", "image/vnd.mozilla.apng")
        types("jpg", "image/jpeg")
        types("gif", "image/gif")
        types("webp", "image/webp")
        types("bmp", "image/bmp", "image/x-ms-bmp")
        types("tif", "image/tiff")
        types("heic heif", "image/heic", "image/heif", "image/heic-sequence", "image/heif-sequence")
        types("avif", "image/avif", "image/avif-sequence")
        types("mp3", "audio/mpeg", "audio/x-mp3")
        types("wav", "audio/x-wav", "audio/wav", "audio/vnd.wave")
        types("flac", "audio/flac", "audio/x-flac")
        types("ogg oga opus", "audio/ogg", "application/ogg", "video/ogg")
        types("m4a", "audio/mp4", "audio/x-m4a", "video/mp4")
        let films = ["video/mp4", "video/x-m4v", "video/quicktime", "video/3gpp", "video/3gpp2"]
        add("mp4 m4v mov", .types(Set(films + ["audio/mp4", "audio/x-m4a"])))
        types("webm weba", "video/webm", "audio/webm")
        types("ogv", "video/ogg", "application/ogg")
        add("3gp", .types(Set(films)))
        types("aac", "audio/aac", "audio/x-aac", "audio/x-hx-aac-adts")
        types("epub", "application/epub+zip")
        types("mkv", "video/x-matroska", "video/matroska", "video/webm")
        types("avi", "video/x-msvideo", "video/vnd.avi")
        types("zip", "application/zip")
        types("gz tgz", "application/gzip", "application/x-gzip")
        // A user that puts programs on the list wants them.
        add("exe dll msi com scr so bin run appimage deb rpm apk jar war class iso img dmg elf lnk", .anything)
        return table
    }()

    /// A phrase for people.
    package var words: String { isProgram ? "a program (\(mediaType))" : mediaType }

    /// Whether it is something that can be run, in any way.
    private var isProgram: Bool { form == .script || Self.programs.contains(mediaType) }

    private static let programs: Set<String> = [
        "application/x-executable", "application/x-pie-executable", "application/x-sharedlib", "application/x-object",
        "application/x-dosexec", "application/x-msdownload", "application/vnd.microsoft.portable-executable",
        "application/x-mach-binary", "application/x-java-applet", "application/java-archive",
        "application/x-java-archive",
        "application/wasm", "application/x-msi", "application/x-ms-shortcut", "application/vnd.android.package-archive",
        "application/x-debian-package", "application/vnd.debian.binary-package", "application/x-rpm",
        "application/x-iso9660-image", "application/x-mswinurl", "text/x-msdos-batch",
    ]
}
