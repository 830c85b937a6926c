/// The rules for the web client: TypeScript and style sheets under `Web/`. Each is a function from a file to what is wrong with it.
enum WebRules {
    /// Whether a file is part of the web client and written by people.
    static func applies(_ file: SourceFile) -> Bool {
        file.path.hasPrefix("Web/") && !file.path.hasPrefix("Web/src/contract/")
    }

    private static func isScript(_ file: SourceFile) -> Bool {
        applies(file) && (file.path.hasSuffix(".ts") || file.path.hasSuffix(".tsx"))
    }

    static func all(_ file: SourceFile) -> [Violation] {
        types(file) + markup(file) + words(file) + logicalProperties(file) + imports(file)
    }

    /// `any` switches the checks off, and so do the comments that silence the compiler.
    static func types(_ file: SourceFile) -> [Violation] {
        guard isScript(file) else { return [] }
        return found(
            file, bare: true, ["any"], /[:<,|&(]\s*any\b|\bas any\b|\bany\[\]/, "any: say the type, or unknown")
            + found(
                file, bare: false, ["@ts-"], /@ts-(?:ignore|nocheck|expect-error)/, "the compiler must not be silenced")
    }

    /// Text becomes text nodes only; nothing makes elements, code or styles of it.
    static func markup(_ file: SourceFile) -> [Violation] {
        guard isScript(file) else { return [] }
        let makers =
            /dangerouslySetInnerHTML|(?:inner|outer)HTML|insertAdjacentHTML|document\.write|(?:^|\W)eval\(|new Function\(/
        return found(
            file, bare: true, ["HTML", "document.write", "eval(", "new Function("], makers,
            "texts of people become text nodes only")
            + found(
                file, bare: true, ["style="], /\sstyle=/,
                "styles are classes: the page's policy allows no style attribute")
    }

    /// Words for people stand in `Web/messages`.
    static func words(_ file: SourceFile) -> [Violation] {
        guard file.path.hasSuffix(".tsx"), applies(file) else { return [] }
        let message = "words belong into Web/messages"
        return found(
            file, bare: true, ["</"], /(?:[A-Za-z"'}]|\/)>[^<>{}=()\[\];&|]*\p{L}{2,}[^<>{}=()\[\];&|]*<\//, message)
            + found(
                file, bare: false, ["=\""], /\s(?:aria-label|title|placeholder|alt|label)="[^"]*\p{L}[^"]*"/, message
            ) {
                line in
                // A key of the catalogue has a dot and no space.
                !line.contains(/\s(?:label|placeholder|title)="[a-zA-Z]+(?:\.[A-Za-z_]+)+"/)
            }
    }

    /// The folders of `Web/src`, the lowest first: a file uses those below its own folder.
    static let layers = [
        "contract", "base", "wire", "text", "sound", "codes", "store", "call", "parts", "screens",
    ]

    /// Imports of the folders above a file's own.
    static func imports(_ file: SourceFile) -> [Violation] {
        guard isScript(file), let own = layer(of: file.path) else { return [] }
        return file.lines.enumerated().filter { $0.element.has("\".") }.flatMap { index, line in
            line.matches(of: /(?:from |import |import\()"(\.[^"]+)"/).compactMap { match in
                let path = resolved(match.1, from: file.path)
                guard let other = layer(of: path), other > own else { return nil }
                return Violation(
                    path: file.path, line: index + 1, message: "\(layers[own]) may not use \(layers[other])")
            }
        }
    }

    /// The place of a file's folder among the layers; nil for the files that stand beside the folders.
    private static func layer(of path: String) -> Int? {
        let parts = path.split(separator: "/")
        guard parts.count > 3, parts[0] == "Web", parts[1] == "src" else { return nil }
        return layers.firstIndex(of: String(parts[2])) ?? layers.count - 1
    }

    /// The files that import each other in a circle, sorted, each circle once.
    static func circles(_ files: [SourceFile]) -> [[String]] {
        var uses: [String: Set<String>] = [:]
        for file in files where isScript(file) {
            let imports = file.lines.filter { $0.has("\".") }.flatMap { line in
                line.matches(of: /(?:from|import) "(\.[^"]+)"/).map { resolved($0.1, from: file.path) }
            }
            uses[stem(file.path)] = Set(imports)
        }
        func reached(_ start: String) -> Set<String> {
            var seen: Set<String> = []
            var open = Array(uses[start] ?? [])
            while let next = open.popLast() {
                if seen.insert(next).inserted { open += uses[next] ?? [] }
            }
            return seen
        }
        let reach = uses.keys.reduce(into: [:]) { $0[$1] = reached($1) }
        var circles: Set<[String]> = []
        for (file, others) in reach where others.contains(file) {
            circles.insert(others.filter { reach[$0]?.contains(file) == true }.sorted())
        }
        return circles.sorted { $0.first ?? "" < $1.first ?? "" }
    }

    private static func stem(_ path: String) -> String {
        path.hasSuffix(".tsx") ? String(path.dropLast(4)) : path.hasSuffix(".ts") ? String(path.dropLast(3)) : path
    }

    /// The path that an import leads to, without its ending.
    private static func resolved(_ place: Substring, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in place.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    /// A page that is written from the right must turn round by itself.
    static func logicalProperties(_ file: SourceFile) -> [Violation] {
        guard applies(file), file.path.hasSuffix(".css") else { return [] }
        let physical =
            /(?:^|[;{\s])(?:(?:margin|padding|border)-(?:left|right|top|bottom)|left|right|top|bottom|(?:min-|max-)?(?:width|height)|border-(?:top|bottom)-(?:left|right)-radius)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b/
        return found(
            file, bare: true, ["left", "right", "top", "bottom", "width", "height"], physical,
            "a physical direction: use inline-start, block-size and the like"
        ) {
            line in
            !line.trimmed.hasPrefix("@")
        }
    }

    /// The lines in which a pattern is.
    ///
    /// - Parameters:
    ///   - bare: comments count for nothing.
    ///   - hints: the pattern needs one of these words. Looking for them is much quicker than the pattern.
    private static func found(
        _ file: SourceFile, bare: Bool, _ hints: [String], _ pattern: @autoclosure () -> some RegexComponent,
        _ message: String, unless: (String) -> Bool = { _ in true }
    ) -> [Violation] {
        var isComment = false
        var violations: [Violation] = []
        for (index, whole) in file.lines.enumerated() {
            // A comment that goes on has to be followed.
            let isPlain = !isComment && !whole.has("/*")
            if isPlain, !whole.has(anyOf: hints) { continue }
            var line = String(whole)
            if bare {
                if isComment {
                    guard let end = line.firstRange(of: "*/") else { continue }
                    line = String(line[end.upperBound...])
                    isComment = false
                }
                while let begin = line.firstRange(of: "/*") {
                    guard let end = line[begin.upperBound...].firstRange(of: "*/") else {
                        line = String(line[..<begin.lowerBound])
                        isComment = true
                        break
                    }
                    line.replaceSubrange(begin.lowerBound..<end.upperBound, with: " ")
                }
                // An address has no space before its slashes.
                if line[...].has("//"), let comment = line.firstMatch(of: /(?:^|\s)\/\/(?:\s|$)/) {
                    line = String(line[..<comment.range.lowerBound])
                }
            }
            // What a comment hid, or what is left of the line, may have no such word.
            if line[...].has(anyOf: hints), line.contains(pattern()), unless(line) {
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
        }
        return violations
    }
}

extension String {
    fileprivate var trimmed: Substring { drop(while: \.isWhitespace) }
}
