/// One text file of the project, as the rules see it.
struct SourceFile {
    /// Relative to the project's root, with slashes.
    let path: String
    /// As written, comments and strings included.
    let lines: [Substring]
    /// The same lines with the insides of comments and strings blanked, for Swift files; else the lines as they are.
    let code: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let stripped = path.hasSuffix(".swift") ? SwiftStripper.strip(text) : text
        code = stripped.split(separator: "\n", omittingEmptySubsequences: false)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// `Store` for `Sources/Store/SQL/Migrations.swift`, nil for what is not under `Sources/`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// The file's last path component.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// How many lines a reader sees: the empty piece after the last newline is none.
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

/// Something that the house's rules forbid, with its place.
struct Violation: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}
