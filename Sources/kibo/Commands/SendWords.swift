import Vocabulary

/// The meaning of the words behind `kibo send`, by the rules of its help: people and groups come first, then files, or a text. It is a
/// value; who is known and what is on the disk is told to it.
struct SendWords: Equatable {
    /// What it has to know about a word.
    struct Surroundings {
        /// Whether it is a file or folder, or a link.
        var isFile: (String) -> Bool
        /// Whether it is the name of a person or group: all of it or its first words, in any case.
        var isName: (String) -> Bool
        /// Whether it is all of such a name.
        var isWholeName: (String) -> Bool
    }

    /// Words that may mean two things. Only the user can say which.
    enum Doubt: Error, Equatable {
        /// A text with a word in it that is a file here. `missing` is another word that looks like one and is none: it may be mistyped.
        case file(String, missing: String? = nil, asText: SendWords)
        /// All words look like files, and this one isn't there.
        case noFile(String, asText: SendWords)
        /// A text that begins with a name, or is nothing but names.
        case name(String, asText: SendWords)
        /// A word that is a name and a file.
        case nameAndFile(String)
        /// The first words are the whole name of a person or group; the words as they would be read then.
        case spacedName([String])
        /// Standard input is to be the text, and there is another text.
        case twoTexts
    }

    /// Words of a name with spaces, at most: more are a sentence.
    private static let nameWords = 4

    /// The words that name the receivers; at least one.
    var receivers: [String]
    var files: [String] = []
    var text: String?
    /// Whether the text is to be read from standard input.
    var readsInput = false

    init(receivers: [String], files: [String] = [], text: String? = nil, readsInput: Bool = false) {
        self.receivers = receivers
        self.files = files
        self.text = text
        self.readsInput = readsInput
    }

    /// - Parameters:
    ///   - words: at least one.
    ///   - text: what `--text` says.
    ///   - hasFiles: whether an option names files.
    ///   - spaced: whether to look for a name that was typed without quotes.
    init(
        _ words: [String], text: String?, hasFiles: Bool, _ known: Surroundings, spaced: Bool = true
    ) throws(Doubt) {
        var words = words
        let readsInput = words.count > 1 && words.last == "-"
        if readsInput { words.removeLast() }
        if readsInput, text != nil { throw .twoTexts }
        if spaced { try Self.lookForSpacedName(words + (readsInput ? ["-"] : []), known) }
        let rest = words.dropFirst()
        let names = rest.prefix { known.isName($0) && !known.isFile($0) }
        let others = rest.dropFirst(names.count)
        if text != nil || readsInput {
            self.init(receivers: words, text: text, readsInput: readsInput)
            try divide(rest, known)
        } else if others.isEmpty, names.isEmpty || hasFiles {
            self.init(receivers: words)
        } else if !others.isEmpty, others.allSatisfy(known.isFile) {
            if let both = others.first(where: known.isName) { throw .nameAndFile(both) }
            self.init(receivers: Array(words.prefix(1 + names.count)), files: Array(others))
        } else {
            self.init(receivers: Array(words.prefix(1)), text: rest.joined(separator: " "))
            // Beside a name or a file a dot is enough.
            let looks = names.isEmpty && !others.contains(where: known.isFile) ? Self.namesFile : Self.looksLikeFile
            if others.allSatisfy({ known.isFile($0) || looks($0) }),
                let missing = others.first(where: { !known.isFile($0) })
            {
                throw .noFile(missing, asText: self)
            }
            // A path with the ending of a file is none even within a sentence, or with blanks in it.
            if let missing = others.first(where: { !known.isFile($0) && Self.namesFileInText($0) }) {
                throw .noFile(missing, asText: self)
            }
            if let name = names.first { throw .name(name, asText: self) }
            // Dots end sentences.
            if let file = rest.first(where: { known.isFile($0) && !$0.allSatisfy { $0 == "." } }) {
                throw .file(file, missing: rest.first { !known.isFile($0) && Self.looksLikeFile($0) }, asText: self)
            }
        }
    }

    /// A word that is no file is a receiver, known or not.
    private mutating func divide(_ words: ArraySlice<String>, _ known: Surroundings) throws(Doubt) {
        receivers.removeLast(words.count)
        for word in words {
            let isFile = known.isFile(word)
            if isFile, known.isName(word) { throw .nameAndFile(word) }
            if isFile || word.contains("/") { files.append(word) } else { receivers.append(word) }
        }
    }

    /// Whether a word is a path, or has a dot between two letters or digits: `photos/`, `report.pdf`.
    private static func looksLikeFile(_ word: String) -> Bool {
        if isPath(word) { return true }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { $0.first?.isLetter == true || $0.first?.isNumber == true }
    }

    /// Whether a word can hardly be anything but a file: a path, or a name with the ending of a usual type.
    private static func namesFile(_ word: String) -> Bool {
        if word.contains(where: \.isWhitespace) { return false }
        if word.hasPrefix("file:///") || word.dropFirst().hasPrefix(":\\") { return true }
        let isHidden = word.first == "." && word.dropFirst().first?.isLetter == true
        return isPath(word) || isHidden || !word.contains(":") && endings.contains(FileType.offered(word))
    }

    /// The same among other words, where a slash alone may mean many things.
    private static func namesFileInText(_ word: String) -> Bool {
        ["./", "../", "~/", "/"].contains { word.hasPrefix($0) } && endings.contains(FileType.offered(word))
    }

    /// Whether a word has a slash as paths have it: `photos/`, `./a`, `~/a`. Links (`https://…`, `kibo:…`) and faces (`:/`)
    /// don't, and what has a blank is a text.
    private static func isPath(_ word: String) -> Bool {
        guard word.contains("/"), !word.contains(where: { $0.isWhitespace || $0 == ":" }) else { return false }
        guard let first = word.split(separator: "/").first?.first else { return false }
        return first.isLetter || first.isNumber || "._~".contains(first)
    }

    /// The endings of files that people send. Those of hosts (`com`, `org`) are not among them.
    private static let endings: Set<String> = [
        "7z", "aac", "apk", "appimage", "avi", "avif", "bak", "bat", "bmp", "bz2", "c", "conf", "cpp", "cs", "css",
        "csv",
        "db", "deb", "diff", "dmg", "doc", "docx", "dwg", "dxf", "eml", "epub", "exe", "flac", "gif", "go", "gpx", "gz",
        "h",
        "heic", "heif", "htm", "html", "ics", "img", "ini", "ipynb", "iso", "jar", "java", "jpeg", "jpg", "js", "json",
        "key",
        "kt", "log", "m4a", "m4v", "md", "mkv", "mov", "mp3", "mp4", "msi", "numbers", "odg", "odp", "ods", "odt",
        "ogg",
        "opus", "otf", "pages", "patch", "pdf", "php", "png", "ppt", "pptx", "ps1", "psd", "py", "rar", "rb", "rpm",
        "rtf",
        "sh", "sql", "sqlite", "stl", "svg", "swift", "tar", "tex", "tgz", "tif", "tiff", "toml", "ts", "tsv", "ttf",
        "txt",
        "vcf", "wav", "webm", "webp", "xcf", "xls", "xlsx", "xml", "xz", "yaml", "yml", "zip", "zst",
    ]

    private static func lookForSpacedName(_ words: [String], _ known: Surroundings) throws(Doubt) {
        guard words.count > 1 else { return }
        for count in 2...max(2, min(nameWords, words.count)) where count <= words.count {
            let name = words.prefix(count).joined(separator: " ")
            if known.isWholeName(name) { throw .spacedName([name] + words.dropFirst(count)) }
        }
    }
}
