/// The part of a text around a hit, for one line of a list.
public struct Snippet: Hashable, Sendable {
    /// Plain text on one line, at most ``StoreLimits/snippetScalars`` long; "…" where it is cut.
    public let text: String
    /// The hits, as ranges of Unicode scalars of ``text``, ascending.
    public let marks: [Range<Int>]
}

extension Snippet {
    /// Bytes that UTF-8 never has, so that no text can be mistaken for them.
    static let (open, close): (UInt8, UInt8) = (0xFF, 0xFE)

    /// - Parameter marked: the text with ``open`` and ``close`` around hits.
    init(marked: [UInt8]) {
        var line = SnippetLine()
        for run in marked.split(separator: Self.open, omittingEmptySubsequences: false).enumerated() {
            // Before the first opening mark there is no hit.
            let parts = run.element.split(separator: Self.close, maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, let match = parts.first {
                line.appendMark(match)
            }
            line.append(parts.last ?? [])
        }
        self = line.cut(to: StoreLimits.snippetScalars)
    }
}

/// Gathers scalars and marks, and turns line breaks into spaces.
private struct SnippetLine {
    private var scalars: [Unicode.Scalar] = []
    private var marks: [Range<Int>] = []
    private static let ellipsis: Unicode.Scalar = "…"

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                // One space replaces any number of them.
                if scalars.last != " " { scalars.append(" ") }
            default: scalars.append(scalar)
            }
        }
    }

    mutating func appendMark(_ bytes: ArraySlice<UInt8>) {
        let start = scalars.count
        append(bytes)
        if scalars.count > start { marks.append(start..<scalars.count) }
    }

    /// The part around the first mark, if the whole is too long. The index counts words, and a word may be a page long.
    func cut(to limit: Int) -> Snippet {
        guard scalars.count > limit else { return snippet(of: 0..<scalars.count, limit: limit) }
        // Two places are for the ellipses of the cuts.
        let room = limit - 2
        let first = marks.first?.lowerBound ?? 0
        let start = max(0, min(first - StoreLimits.snippetLead, scalars.count - room))
        let end = min(scalars.count, start + room)
        return snippet(of: boundary(start)..<boundary(end), limit: limit)
    }

    private func boundary(_ place: Int) -> Int { WholeCharacters.boundary(at: place, in: scalars[...]) }

    private func snippet(of range: Range<Int>, limit: Int) -> Snippet {
        var text = String.UnicodeScalarView()
        if range.lowerBound > 0 { text.append(Self.ellipsis) }
        let offset = range.lowerBound - text.count
        text.append(contentsOf: scalars[range])
        if range.upperBound < scalars.count { text.append(Self.ellipsis) }
        return Snippet(
            text: String(text),
            marks: marks.compactMap { mark in
                let inside = mark.clamped(to: range)
                return inside.isEmpty ? nil : (inside.lowerBound - offset)..<(inside.upperBound - offset)
            })
    }
}
