/// Guesses at what was meant: one rule for commands, options, settings, people and groups.
public enum Spelling {
    /// Characters of the longest word that is guessed at. Anything longer is a sentence, not a name.
    public static let longest = 32

    /// Bytes of a text that is compared, at most: a name of 128 characters with a mark or two on each.
    private static let longestBytes = 1 << 10

    /// The typing errors that a word may have: one in a short word, two in a longer one, none where the word is too short to tell.
    public static func errors(in word: String) -> Int {
        switch word.count {
        case 0...2: 0
        case 3...4: 1
        case 5...longest: 2
        default: 0
        }
    }

    /// The candidate that is the fewest typing errors away, the first of several; nil if none is near enough.
    public static func nearest(to word: String, among candidates: [String]) -> String? {
        var bound = errors(in: word)
        guard bound > 0 else { return nil }
        var nearest: String?
        for candidate in candidates where bound >= 0 {
            guard let distance = distance(word, candidate, atMost: bound) else { continue }
            // Only a better one takes its place.
            (nearest, bound) = (candidate, distance - 1)
        }
        return nearest
    }

    /// The number of characters that have to be put in, left out, replaced, or swapped with their neighbour.
    ///
    /// - Parameter bound: nil is answered for more than that.
    /// - Complexity: `word.count` times `bound`. Texts whose lengths differ by more than the bound are not compared.
    public static func distance(_ word: String, _ other: String, atMost bound: Int) -> Int? {
        guard bound >= 0, word.utf8.count <= longestBytes, other.utf8.count <= longestBytes else { return nil }
        let (left, right) = (Array(word), Array(other.prefix(word.count + bound + 1)))
        guard abs(left.count - right.count) <= bound else { return nil }
        let beyond = bound + 1
        var before: [Int] = []
        var row = (0...right.count).map { min($0, beyond) }
        for i in left.indices {
            var next = [Int](repeating: beyond, count: right.count + 1)
            next[0] = min(i + 1, beyond)
            // Further from the diagonal than the bound nothing can be near enough.
            let band = max(0, i - bound)..<min(right.count, i + bound + 1)
            for j in band {
                var least = min(row[j] + (left[i] == right[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, before[j - 1] + 1)
                }
                next[j + 1] = min(least, beyond)
            }
            if next.allSatisfy({ $0 == beyond }) { return nil }
            (before, row) = (row, next)
        }
        return row[right.count] <= bound ? row[right.count] : nil
    }
}
