/// Guesses at what was meant.
package enum Spelling {
    /// The one word that is at most two typing errors away; nil if there is none or the word is too short to tell.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.count > 2, word.count <= 32 else { return nil }
        let ranked = candidates.map { (distance(word, $0), $0) }.filter { $0.0 <= 2 && $0.0 < word.count - 1 }
        return ranked.min { $0.0 < $1.0 }?.1
    }

    /// Levenshtein's distance.
    package static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in right.indices {
                let cost = character == right[j] ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[right.count]
    }
}
