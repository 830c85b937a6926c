import Glibc

/// The Tab key on a path.
enum PathCompletion {
    /// The most names that are looked at: a folder may have millions.
    private static let entries = 20_000

    /// The paths that begin as it was typed, with blanks behind backslashes; folders end in a slash.
    static func paths(_ typed: String) -> [String] {
        let text = String(typed.filter { $0 != "\\" })
        let slash = text.lastIndex(of: "/")
        let folder = slash.map { String(text[...$0]) } ?? ""
        let beginning = slash.map { String(text[text.index(after: $0)...]) } ?? text
        var place = folder.isEmpty ? "." : folder
        if place.hasPrefix("~"), let home = getenv("HOME") { place = String(cString: home) + place.dropFirst() }
        guard let directory = opendir(place) else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        for _ in 0..<entries {
            guard let entry = readdir(directory) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != "..", name.hasPrefix(beginning), beginning.hasPrefix(".") || !name.hasPrefix(".")
            else { continue }
            var status = stat()
            let isFolder = stat(place + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            let escaped = name.map { $0.isWhitespace || "\\'\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
            found.append(folder + escaped + (isFolder ? "/" : ""))
        }
        return found.sorted()
    }
}
