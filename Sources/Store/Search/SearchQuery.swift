/// A typed search, as an expression for the index.
///
/// All words must be there, in the text or in the names of files; `"words in quotes"` must be side by side in this
/// order; a star at the end (`wor*`, `"in quo"*`) stands for any ending. Nothing else has a meaning, and no input is an
/// error: `a-b`, `NOT`, `text:x`, `(` and an open quotation mark are words and separators.
///
/// ```swift
/// SearchQuery(#"report "final version" 202*"#).expression
/// // {text names} : ("report" "final version" "202" *)
/// ```
public struct SearchQuery: Hashable, Sendable {
    /// The expression for MATCH, restricted to the visible columns; nil if there is nothing to look for.
    public let expression: String?
    /// The words and phrases that must all be there.
    let terms: [Term]

    /// A word or a phrase.
    struct Term: Hashable, Sendable {
        let text: String
        /// Whether the last word may have any ending.
        let isPrefix: Bool
    }

    /// Reads any text.
    public init(_ text: String) {
        var parser = SearchQueryParser()
        for scalar in text.unicodeScalars { parser.ingest(scalar) }
        terms = parser.finish()
        expression = Self.expression(terms.map { "\"\($0.text)\"\($0.isPrefix ? " *" : "")" })
    }

    /// An expression for messages that have all of these strings in what people see; nil if there are none.
    /// - Parameter strings: in FTS5's quotation marks, perhaps with a star.
    static func expression(_ strings: [String]) -> String? {
        // Side by side means AND. Unlike the word AND, this ignores terms in which the tokenizer finds no word.
        strings.isEmpty ? nil : "{text names} : (" + strings.joined(separator: " ") + ")"
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { expression == nil }

    /// An expression for those messages of one conversation that another expression finds.
    static func restricted(_ expression: String, to conversation: Int64?) -> String {
        guard let conversation else { return expression }
        return "(\(expression)) AND conversation : \"\u{E000}\(conversation)\""
    }
}

/// Parses a query scalar by scalar. Each word or phrase becomes a string in FTS5's quotation marks, in which nothing
/// has a meaning. The index's own tokenizer splits it as it split the texts.
private struct SearchQueryParser {
    private var terms: [SearchQuery.Term] = []
    private var term = String.UnicodeScalarView()
    private var hasLetters = false
    /// Whether the position is between quotation marks.
    private var isQuoted = false
    /// Whether the position is right after the second mark, where a star still belongs to the phrase.
    private var isClosed = false
    /// Whether a star came right after the term; it stands for any ending if nothing follows it.
    private var hasStar = false

    mutating func ingest(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"" where isQuoted: (isQuoted, isClosed) = (false, true)
        case _ where isQuoted: append(scalar)
        case "\"":
            end()
            isQuoted = true
        case "*" where !term.isEmpty: hasStar = true
        case _ where scalar.properties.isWhitespace || scalar.value < 0x20: end()
        default:
            if isClosed { end() }
            // A star inside a word is a separator, like any other sign.
            if hasStar { append("*") }
            hasStar = false
            append(scalar)
        }
    }

    mutating func finish() -> [SearchQuery.Term] {
        end()
        return terms
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        // NUL would end the expression; between words it counts as a space.
        term.append(scalar == "\0" ? " " : scalar)
        if !hasLetters { hasLetters = Self.isIndexed(scalar) }
    }

    private mutating func end() {
        if hasLetters, terms.count < StoreLimits.searchTerms {
            terms.append(SearchQuery.Term(text: String(term), isPrefix: hasStar))
        }
        term.removeAll()
        (hasLetters, isQuoted, isClosed, hasStar) = (false, false, false, false)
    }

    /// Whether `unicode61` makes words of the scalar. It knows an older Unicode, so this may say yes where the index
    /// says no.
    private static func isIndexed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }
}
