/// One text file of the project, as the rules see it.
struct SourceFile {
    /// The words that declare a type.
    static let types = ["struct ", "class ", "enum ", "protocol ", "actor "]

    /// The path relative to the project's root, with slashes.
    let path: String
    /// The lines as written, with comments and strings.
    let lines: [Substring]
    /// The same lines, for Swift files with comments and the insides of strings blanked.
    let code: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let stripped = path.hasSuffix(".swift") ? SwiftStripper.strip(text) : text
        code = stripped.split(separator: "\n", omittingEmptySubsequences: false)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// `Store` for `Sources/Store/SQL/Migrations.swift`; nil for files outside `Sources/`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// The file's last path component.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The number of lines without the empty piece after the last newline.
    var lineCount: Int { lines.last?.isEmpty == true ? lines.count - 1 : lines.count }

    /// The violations that `find` sees, line by line, in the code without comments and strings.
    func eachLineOfCode(_ find: (Substring) -> String?) -> [Violation] {
        var found: [Violation] = []
        for (index, line) in code.enumerated() {
            if let message = find(line) { found.append(Violation(path: path, line: index + 1, message: message)) }
        }
        return found
    }
}

extension Substring {
    /// Whether this has a word, by its bytes. A regular expression, or Foundation's `contains`, takes many times as long.
    func has(_ word: String) -> Bool {
        let wanted = word.utf8
        guard let first = wanted.first else { return true }
        return utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count >= wanted.count else { return false }
            for start in 0...(bytes.count - wanted.count)
            where bytes[start] == first && bytes[start...].starts(with: wanted) {
                return true
            }
            return false
        } ?? contains(word)
    }

    /// Whether this has one of these words.
    func has(anyOf words: [String]) -> Bool { words.contains { has($0) } }
}

/// A breach of a rule, with its place.
struct Violation: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}
