import Glibc

/// The Tab key on a path.
enum PathCompletion {
    /// The most names that are looked at: a folder may have millions.
    private static let entries = 20_000

    /// The paths that begin as it was typed, with blanks behind backslashes, or in the quotes that it begins with; folders end in
    /// a slash.
    static func paths(_ typed: String) -> [String] {
        let quote = typed.first.flatMap { "'\"".contains($0) ? $0 : nil }
        let begun = typed.dropFirst(quote == nil ? 0 : 1)
        // In single quotes a backslash is one.
        let text = quote == "'" ? String(begun) : String(begun.filter { $0 != "\\" })
        let slash = text.lastIndex(of: "/")
        let folder = slash.map { String(text[...$0]) } ?? ""
        let beginning = slash.map { String(text[text.index(after: $0)...]) } ?? text
        var place = folder.isEmpty ? "." : folder
        if quote == nil, place.hasPrefix("~"), let home = getenv("HOME") {
            place = String(cString: home) + place.dropFirst()
        }
        guard let directory = opendir(place) else { return [] }
        defer { closedir(directory) }
        var paths: [String] = []
        for _ in 0..<entries {
            guard let entry = readdir(directory) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != "..", name.hasPrefix(beginning), beginning.hasPrefix(".") || !name.hasPrefix(".")
            else { continue }
            var status = stat()
            let isFolder = stat(place + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            guard let written = written(name, in: quote) else { continue }
            paths.append((quote.map { String($0) } ?? "") + folder + written + (isFolder ? "/" : ""))
        }
        return paths.sorted()
    }

    /// A name as it is typed; nil for one that can't be in these quotes.
    private static func written(_ name: String, in quote: Character?) -> String? {
        switch quote {
        case "'": name.contains("'") ? nil : name
        case .some: name.map { "\\\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        case nil: name.map { $0.isWhitespace || "\\'\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        }
    }
}
