import Basics

/// A word or a bigram of a text, in the form that the index holds.
struct SearchToken {
    enum Kind {
        /// A word, as the index of words has it.
        case word
        /// Two neighbouring characters of a script that is written without spaces.
        case pair
        /// The last character of such a run, which has no neighbour.
        case last
    }

    let kind: Kind
    /// Valid during the call only.
    let bytes: UnsafeBufferPointer<UInt8>
    /// The token's place in the text, in bytes.
    let range: Range<Int>
    /// Where its first character ends; for a word its end.
    let firstEnd: Int
}

/// Splits texts whose words have no spaces between them (``UnspacedScript``).
///
/// Each character of a run makes a token with the next one, and the last makes one alone. All else is split into words,
/// as for the index of words. A part of a run is then a phrase of tokens, wherever in the run it stands:
///
/// ```
/// 今日は天気 iPhone   →   今日 日は は天 天気 気 iphone
/// 天気               →   "天気"
/// 天                 →   "天" *
/// ```
struct BigramTokenizer {
    /// The tokenizer of the index of words.
    let words: Tokenizer

    typealias Visitor = (SearchToken) -> Bool

    /// Whether the text has a character that makes bigrams. If not, its tokens are those of the index of words.
    static func applies(to text: [UInt8]) -> Bool {
        UnspacedScript.mayBegin(in: text)
            && String(decoding: text, as: UTF8.self).unicodeScalars.contains(where: UnspacedScript.contains)
    }

    /// Calls `visit` with each token in order, until it returns false.
    func tokens(of text: [UInt8], _ visit: Visitor) {
        withoutActuallyEscaping(visit) { split(text, $0) }
    }

    private func split(_ text: [UInt8], _ visit: @escaping Visitor) {
        let string = UnspacedScript.mayBegin(in: text) ? String(decoding: text, as: UTF8.self) : ""
        // If decoding mended a damaged text, places in it would be wrong.
        guard string.utf8.count == text.count else {
            _ = words(of: text, in: 0..<text.count, visit)
            return
        }
        var run = Run(visit: visit)
        // Where the current part without such characters began.
        var plain = 0
        var end = 0
        for scalar in string.unicodeScalars {
            let place = end..<(end + UTF8.width(scalar))
            end = place.upperBound
            if run.extend(scalar, place) { continue }
            if UnspacedScript.contains(scalar) {
                let isFirst = run.isEmpty
                if isFirst, !words(of: text, in: plain..<place.lowerBound, visit) { return }
                guard run.begin(UnspacedCharacter(scalar, place)) else { return }
            } else if !run.isEmpty {
                guard run.finish() else { return }
                plain = place.lowerBound
            }
        }
        if run.isEmpty {
            _ = words(of: text, in: plain..<text.count, visit)
        } else {
            _ = run.finish()
        }
    }

    /// What the index of bigrams gets for a text: its tokens with spaces between them.
    func indexed(_ text: [UInt8]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 5 / 2)
        tokens(of: text) { token in
            if !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
            bytes += token.bytes
            return true
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func words(of text: [UInt8], in range: Range<Int>, _ visit: Visitor) -> Bool {
        guard !range.isEmpty else { return true }
        var goesOn = true
        words.words(of: range.count == text.count ? text : Array(text[range])) { word, place in
            let place = (place.lowerBound + range.lowerBound)..<(place.upperBound + range.lowerBound)
            goesOn = visit(SearchToken(kind: .word, bytes: word, range: place, firstEnd: place.upperBound))
            return goesOn
        }
        return goesOn
    }

    /// Neighbouring characters; the last one may still get marks.
    private struct Run {
        let visit: Visitor
        private var previous: UnspacedCharacter?
        private var current: UnspacedCharacter?
        private var buffer: [UInt8] = []

        init(visit: @escaping Visitor) { self.visit = visit }

        var isEmpty: Bool { current == nil }

        mutating func extend(_ scalar: Unicode.Scalar, _ place: Range<Int>) -> Bool {
            current?.ingest(scalar, place) ?? false
        }

        /// Begins the next character of the run.
        mutating func begin(_ next: UnspacedCharacter) -> Bool {
            let goesOn = pair()
            (previous, current) = (current, next)
            return goesOn
        }

        /// Ends the run, because the text goes on with something else.
        mutating func finish() -> Bool {
            guard pair(), let last = current else { return false }
            (previous, current) = (nil, nil)
            return emit(last, nil)
        }

        private mutating func pair() -> Bool {
            guard let previous, let current else { return true }
            return emit(previous, current)
        }

        private mutating func emit(_ first: UnspacedCharacter, _ second: UnspacedCharacter?) -> Bool {
            buffer.removeAll(keepingCapacity: true)
            first.append(to: &buffer)
            second?.append(to: &buffer)
            let range = first.range.lowerBound..<(second ?? first).range.upperBound
            return buffer.withUnsafeBufferPointer {
                visit(
                    SearchToken(
                        kind: second == nil ? .last : .pair, bytes: $0, range: range, firstEnd: first.range.upperBound))
            }
        }
    }
}
