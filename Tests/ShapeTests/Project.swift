import Foundation

/// The tree of files that the shape tests read. Generated and hidden folders are not part of it.
struct Project {
    let files: [SourceFile]
    private let texts: [String: String]

    /// The project this test was compiled from.
    static let here = Project(root: root)
    /// The folder of that project.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private init(root: URL) {
        var texts: [String: String] = [:]
        let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
        while let entry = walk?.nextObject() as? URL {
            if [".build", ".git", "__pycache__", ".venv", ".swiftpm"].contains(entry.lastPathComponent) {
                walk?.skipDescendants()
                continue
            }
            guard (try? entry.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true,
                let data = try? Data(contentsOf: entry), data.count < 1 << 20,
                let text = String(data: data, encoding: .utf8)
            else { continue }
            texts[String(entry.path.dropFirst(root.path.count + 1))] = text
        }
        self.texts = texts
        files = texts.sorted { $0.key < $1.key }.map { SourceFile(path: $0.key, text: $0.value) }
    }

    var sources: [SourceFile] { files.filter { $0.target != nil && $0.isSwift } }

    /// The whole text of a file, nil where there is none.
    func text(_ path: String) -> String? { texts[path] }
}

/// A Markdown table whose cells are code in backticks: the form of the rules in the decision records.
enum RuleTable {
    /// For each row whose first cell is one piece of code: that code, and all pieces of code in its last cell.
    static func rows(in markdown: String) -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for line in markdown.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").filter { !$0.allSatisfy(\.isWhitespace) }
            guard let key = cells.first.map({ codes(in: $0) })?.first, let last = cells.last, cells.count > 1 else {
                continue
            }
            rows[key] = codes(in: last)
        }
        return rows
    }

    private static func codes(in cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
