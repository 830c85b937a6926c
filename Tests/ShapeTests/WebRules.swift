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
        types(file) + markup(file) + words(file) + logicalProperties(file)
    }

    /// `any` switches the checks off, and so do the comments that silence the compiler.
    static func types(_ file: SourceFile) -> [Violation] {
        guard isScript(file) else { return [] }
        return found(file, bare: true, /[:<,|&(]\s*any\b|\bas any\b|\bany\[\]/, "any: say the type, or unknown")
            + found(file, bare: false, /@ts-(?:ignore|nocheck|expect-error)/, "the compiler must not be silenced")
    }

    /// Text becomes text nodes only; nothing makes elements, code or styles of it.
    static func markup(_ file: SourceFile) -> [Violation] {
        guard isScript(file) else { return [] }
        let makers =
            /dangerouslySetInnerHTML|(?:inner|outer)HTML|insertAdjacentHTML|document\.write|(?:^|\W)eval\(|new Function\(/
        return found(file, bare: true, makers, "texts of people become text nodes only")
            + found(file, bare: true, /\sstyle=/, "styles are classes: the page's policy allows no style attribute")
    }

    /// Words for people stand in `Web/messages`.
    static func words(_ file: SourceFile) -> [Violation] {
        guard file.path.hasSuffix(".tsx"), applies(file) else { return [] }
        let message = "words belong into Web/messages"
        return found(file, bare: true, /(?:[A-Za-z"'}]|\/)>[^<>{}=()\[\];&|]*\p{L}{2,}[^<>{}=()\[\];&|]*<\//, message)
            + found(file, bare: false, /\s(?:aria-label|title|placeholder|alt|label)="[^"]*\p{L}[^"]*"/, message) {
                line in
                // A key of the catalogue has a dot and no space.
                !line.contains(/\s(?:label|placeholder|title)="[a-zA-Z]+(?:\.[A-Za-z_]+)+"/)
            }
    }

    /// A page that is written from the right must turn round by itself.
    static func logicalProperties(_ file: SourceFile) -> [Violation] {
        guard applies(file), file.path.hasSuffix(".css") else { return [] }
        let physical =
            /(?:^|[;{\s])(?:(?:margin|padding|border)-(?:left|right|top|bottom)|left|right|top|bottom|(?:min-|max-)?(?:width|height)|border-(?:top|bottom)-(?:left|right)-radius)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b/
        return found(file, bare: true, physical, "a physical direction: use inline-start, block-size and the like") {
            line in
            !line.trimmed.hasPrefix("@")
        }
    }

    /// The lines in which a pattern is.
    ///
    /// - Parameter bare: comments count for nothing.
    private static func found(
        _ file: SourceFile, bare: Bool, _ pattern: some RegexComponent, _ message: String,
        unless: (String) -> Bool = { _ in true }
    ) -> [Violation] {
        var isComment = false
        var violations: [Violation] = []
        for (index, whole) in file.lines.enumerated() {
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
                if let comment = line.firstMatch(of: /(?:^|\s)\/\/(?:\s|$)/) {
                    line = String(line[..<comment.range.lowerBound])
                }
            }
            if line.contains(pattern), unless(line) {
                violations.append(Violation(path: file.path, line: index + 1, message: message))
            }
        }
        return violations
    }
}

extension String {
    fileprivate var trimmed: Substring { drop(while: \.isWhitespace) }
}
