import Foundation

/// Which part of the project uses which other part: modules by what they import, folders of a module by the names of the types
/// that they use. Kept as text in docs/ARCHITECTURE.md.
struct UseGraph {
    /// For each part, the parts that it uses.
    private(set) var uses: [String: Set<String>] = [:]

    /// The modules of the table, without the C libraries and those of the toolchain.
    init(table: [String: [String]], ours: Set<String>) {
        for (module, imports) in table where ours.contains(module) {
            uses[module] = Set(imports).intersection(ours)
        }
    }

    /// The folders of a module. A file that lies in no folder belongs to the module's own, which has the module's name.
    init(foldersOf module: String, files: [SourceFile]) {
        let files = files.filter { $0.target == module && $0.isSwift }
        var homes: [Substring: Set<String>] = [:]
        for file in files {
            for name in Self.declared(in: file) { homes[name, default: []].insert(Self.folder(of: file)) }
        }
        for file in files {
            let folder = Self.folder(of: file)
            var used = uses[folder] ?? []
            for line in file.code where !line.hasPrefix("import ") {
                for name in Self.typeNames(in: line) {
                    // A name that two folders have says nothing.
                    guard let home = homes[name], home.count == 1, let other = home.first, other != folder else {
                        continue
                    }
                    used.insert(other)
                }
            }
            uses[folder] = used
        }
    }

    /// `Groups` for `Sources/Network/Groups/GroupSession.swift`.
    private static func folder(of file: SourceFile) -> String {
        let parts = file.path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : file.target ?? ""
    }

    /// The words of a line that begin with a capital. An expression takes twenty times as long for all lines of all files.
    private static func typeNames(in line: Substring) -> [Substring] {
        func isLetter(_ byte: UInt8) -> Bool {
            0x41...0x5A ~= byte || 0x61...0x7A ~= byte || 0x30...0x39 ~= byte || byte == UInt8(ascii: "_")
                || byte > 0x7F
        }
        var names: [Substring] = []
        let bytes = line.utf8
        var at = bytes.startIndex
        while at < bytes.endIndex {
            let end = bytes[at...].firstIndex { !isLetter($0) } ?? bytes.endIndex
            if end == at {
                at = bytes.index(after: at)
                continue
            }
            if 0x41...0x5A ~= bytes[at] { names.append(line[at..<end]) }
            at = end
        }
        return names
    }

    /// The types that a file declares for others.
    private static func declared(in file: SourceFile) -> [Substring] {
        let declaration = /\b(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)/
        return file.code.compactMap { line in
            guard line.utf8.first != UInt8(ascii: " "), line.has(anyOf: SourceFile.types + ["typealias "]),
                !line.has("private ")
            else { return nil }
            return line.firstMatch(of: declaration)?.1
        }
    }

    /// Parts that lead back to themselves, sorted.
    var circles: [String] {
        uses.keys.sorted().filter { reached(from: uses[$0] ?? []).contains($0) }
    }

    private func reached(from parts: Set<String>) -> Set<String> {
        var seen: Set<String> = []
        var open = Array(parts)
        while let next = open.popLast() {
            if seen.insert(next).inserted { open += uses[next] ?? [] }
        }
        return seen
    }

    /// How many parts stand below a part, one upon the other.
    private func floor(of part: String, above: Set<String> = []) -> Int {
        guard !above.contains(part) else { return 0 }
        return (uses[part] ?? []).map { floor(of: $0, above: above.union([part])) + 1 }.max() ?? 0
    }

    /// One line for each part, the highest first. What a part uses by way of another one that it uses is left out.
    var text: String {
        let width = uses.keys.map(\.count).max() ?? 0
        return uses.keys.sorted { (-floor(of: $0), $0) < (-floor(of: $1), $1) }.map { part in
            let direct = uses[part] ?? []
            let shown = direct.filter { one in
                !direct.contains { $0 != one && reached(from: uses[$0] ?? []).contains(one) }
            }
            let pad = String(repeating: " ", count: width - part.count)
            return shown.isEmpty ? part : "\(part)\(pad) → \(shown.sorted().joined(separator: ", "))"
        }.joined(separator: "\n")
    }
}

/// The part of docs/ARCHITECTURE.md that is made from the sources.
enum GraphBlock {
    static let path = "docs/ARCHITECTURE.md"
    /// Tells the test to write the block instead of comparing it.
    static let variable = "KIBO_WRITE_GRAPH"
    private static let begin = "<!-- modules: begin -->"
    private static let end = "<!-- modules: end -->"

    /// The block between its marks.
    static func text(modules: UseGraph, folders: [(module: String, graph: UseGraph)]) -> String {
        var text = "```\n\(modules.text)\n```\n"
        for (module, graph) in folders where graph.uses.count > 1 {
            text += "\nThe folders of `\(module)`:\n\n```\n\(graph.text)\n```\n"
        }
        return text
    }

    /// The document with another block; nil where it has no marks.
    static func replaced(in document: String, by block: String) -> String? {
        guard let from = document.range(of: begin + "\n"),
            let to = document.range(of: end, range: from.upperBound..<document.endIndex)
        else { return nil }
        return document[..<from.upperBound] + block + document[to.lowerBound...]
    }
}
