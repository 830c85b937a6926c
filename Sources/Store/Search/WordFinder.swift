import Basics

/// Finds a query's words in a text: the first place, and other hits close after it. It makes one pass over the words up
/// to there, so a text that consists of hits only costs no more than any other.
///
/// "Words" are those of ``BigramTokenizer``, which are the index's own ones where a text has no bigrams.
struct WordFinder {
    private let tokenizer: BigramTokenizer
    private let phrases: [Phrase]
    /// Whether only messages with bigrams can match.
    let needsBigrams: Bool
    /// Whether a phrase may begin with a word, by the word's first byte. Most words of most texts need no further
    /// check.
    private let beginnings: [Bool]

    /// Words that stand side by side. Never empty.
    private struct Phrase: Hashable {
        var words: [[UInt8]] = []
        /// Whether the last word may have any ending.
        var isPrefix = false
        /// Whether the last word is the first half of a bigram, so that a hit ends there.
        var endsInside = false

        init(_ term: SearchQuery.Term, _ tokenizer: BigramTokenizer) {
            var kinds: [SearchToken.Kind] = []
            tokenizer.tokens(of: Array(term.text.utf8)) { token in
                words.append(Array(token.bytes))
                kinds.append(token.kind)
                return true
            }
            guard kinds.last == .last else {
                isPrefix = term.isPrefix
                return
            }
            // The run may go on in the text. Its last character stands in the pair before; alone it begins a pair.
            if kinds.dropLast().last == .pair {
                words.removeLast()
            } else {
                (isPrefix, endsInside) = (true, true)
            }
        }

        /// The phrase for MATCH.
        var expression: String {
            let words = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            return "\"\(words)\"\(isPrefix ? " *" : "")"
        }

        func fits(_ word: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
            let wanted = words[place]
            guard isPrefix && place == words.count - 1 ? word.count >= wanted.count : word.count == wanted.count else {
                return false
            }
            return word.starts(with: wanted)
        }
    }

    /// A phrase whose beginning was found.
    private struct Begun {
        let phrase: Int
        var count: Int
        let start: Int
    }

    init(_ query: SearchQuery, tokenizer: Tokenizer) {
        self.tokenizer = BigramTokenizer(words: tokenizer)
        var phrases: [Phrase] = []
        var seen: Set<Phrase> = []
        for term in query.terms {
            let phrase = Phrase(term, self.tokenizer)
            if !phrase.words.isEmpty, seen.insert(phrase).inserted { phrases.append(phrase) }
        }
        self.phrases = phrases
        needsBigrams = query.terms.contains { BigramTokenizer.applies(to: Array($0.text.utf8)) }
        var beginnings = [Bool](repeating: false, count: 256)
        for phrase in phrases { if let byte = phrase.words.first?.first { beginnings[Int(byte)] = true } }
        self.beginnings = beginnings
    }

    /// The query as an expression for the index of bigrams; nil if it has no words.
    var bigramExpression: String? {
        SearchQuery.expression(phrases.map(\.expression))
    }

    /// The part of the text around the first hit, with ``Snippet/open`` and ``Snippet/close`` around hits; nil if there
    /// is no hit.
    func mark(_ text: [UInt8]) -> [UInt8]? {
        var hits: [Range<Int>] = []
        var begun: [Begun] = []
        var starts: [Int] = []
        var ends: [Int] = []
        // A scalar has at most four bytes.
        let reach = StoreLimits.snippetScalars * 4
        tokenizer.tokens(of: text) { token in
            let range = token.range
            if let first = hits.first {
                if range.lowerBound > first.lowerBound + reach { return false }
                ends.append(range.upperBound)
            } else {
                if starts.count >= 2 * StoreLimits.rememberedWords { starts.removeFirst(StoreLimits.rememberedWords) }
                starts.append(range.lowerBound)
            }
            guard var hit = step(token, &begun) else { return true }
            if hits.isEmpty { ends.append(range.upperBound) }
            // Overlapping hits become one.
            while let last = hits.last, last.upperBound > hit.lowerBound {
                hit = min(hit.lowerBound, last.lowerBound)..<max(hit.upperBound, last.upperBound)
                hits.removeLast()
            }
            hits.append(hit)
            return true
        }
        guard let first = hits.first else { return nil }
        let window = Self.window(around: first, in: text, starts: starts, ends: ends)
        return Self.marked(text, window, hits)
    }

    /// The part that is shown of a text without hits.
    static func beginning(of text: [UInt8]) -> [UInt8] {
        marked(text, 0..<forward(0, by: StoreLimits.snippetScalars * 2, in: text), [])
    }

    /// Processes a word.
    /// - Returns: the longest hit that ends with the word.
    private func step(_ token: SearchToken, _ begun: inout [Begun]) -> Range<Int>? {
        var hit: Range<Int>?
        func found(_ phrase: Phrase, from start: Int) {
            let end = phrase.endsInside ? token.firstEnd : token.range.upperBound
            hit = min(hit?.lowerBound ?? start, start)..<max(hit?.upperBound ?? end, end)
        }
        if !begun.isEmpty {
            var going: [Begun] = []
            for var one in begun where phrases[one.phrase].fits(token.bytes, at: one.count) {
                one.count += 1
                if one.count == phrases[one.phrase].words.count {
                    found(phrases[one.phrase], from: one.start)
                } else {
                    going.append(one)
                }
            }
            begun = going
        }
        guard let byte = token.bytes.first, beginnings[Int(byte)] else { return hit }
        for (index, phrase) in phrases.enumerated() where phrase.fits(token.bytes, at: 0) {
            if phrase.words.count == 1 {
                found(phrase, from: token.range.lowerBound)
            } else {
                begun.append(Begun(phrase: index, count: 1, start: token.range.lowerBound))
            }
        }
        return hit
    }

    /// As much text as a snippet shows, cut between words where possible.
    private static func window(
        around hit: Range<Int>, in text: [UInt8], starts: [Int], ends: [Int]
    ) -> Range<Int> {
        if forward(0, by: StoreLimits.snippetScalars, in: text) == text.count { return 0..<text.count }
        let low = back(hit.lowerBound, by: StoreLimits.snippetLead - 1, in: text)
        let start = low == 0 ? 0 : starts.first { $0 >= low && $0 <= hit.lowerBound } ?? whole(low, in: text)
        // Two places are for the ellipses of the cuts.
        let high = forward(start, by: StoreLimits.snippetScalars - 2, in: text)
        if high == text.count {
            // The text ends here, so the rest of the space is used for what stands before.
            let low = back(high, by: StoreLimits.snippetScalars - 2, in: text)
            return (starts.first { $0 >= low && $0 <= start } ?? start)..<high
        }
        if let end = ends.last(where: { $0 <= high && $0 >= hit.upperBound }) { return start..<end }
        // The word is longer than that. A few more scalars are kept, so that the snippet makes its own cut.
        return start..<forward(high, by: StoreLimits.snippetLead, in: text)
    }

    private static func marked(_ text: [UInt8], _ window: Range<Int>, _ hits: [Range<Int>]) -> [UInt8] {
        let ellipsis = Array("…".utf8)
        var bytes = window.lowerBound > 0 ? ellipsis : []
        var place = window.lowerBound
        for hit in hits {
            let shown = hit.clamped(to: window)
            guard !shown.isEmpty, shown.lowerBound >= place else { continue }
            bytes += text[place..<shown.lowerBound]
            bytes.append(Snippet.open)
            bytes += text[shown]
            bytes.append(Snippet.close)
            place = shown.upperBound
        }
        bytes += text[place..<window.upperBound]
        return window.upperBound < text.count ? bytes + ellipsis : bytes
    }

    private static func isInside(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The place so many scalars before another one.
    private static func back(_ place: Int, by count: Int, in text: [UInt8]) -> Int {
        var (place, left) = (place, count)
        while place > 0, left > 0 {
            place -= 1
            if !isInside(text[place]) { left -= 1 }
        }
        return place
    }

    /// The place of the character in which a scalar stands. It looks at no more than a snippet's length of text.
    private static func whole(_ place: Int, in text: [UInt8]) -> Int {
        let from = back(place, by: StoreLimits.snippetScalars, in: text)
        let scalars = Array(
            String(decoding: text[from..<forward(place, by: 1, in: text)], as: UTF8.self).unicodeScalars)
        let count = WholeCharacters.boundary(at: scalars.count - 1, in: scalars[...])
        return from + scalars[..<count].reduce(0) { $0 + UTF8.width($1) }
    }

    /// The place so many scalars after another one.
    private static func forward(_ place: Int, by count: Int, in text: [UInt8]) -> Int {
        var (place, left) = (place, count)
        while place < text.count, left > 0 {
            place += 1
            while place < text.count, isInside(text[place]) { place += 1 }
            left -= 1
        }
        return place
    }
}
