import Basics

/// Texts of made-up words, in which the n-th word is 1/n times as common as the first (Zipf's law), as in human
/// languages. One word is in about half of all messages, most are in a few.
struct ZipfText {
    enum Script {
        /// Words of two syllables or more, with spaces between them.
        case latin
        /// Words of two Chinese characters, with nothing between them but a comma now and then.
        case han
    }

    /// The words from the most common to the rarest.
    let words: [[UInt8]]
    private let script: Script
    /// For each word, the share of all words that are this one or a more common one.
    private let shares: [Double]

    /// - Parameter count: the number of different words, up to 10,000,000.
    init(words count: Int, script: Script = .latin) {
        self.script = script
        words = (0..<count).map(script == .latin ? Self.word : Self.hanWord)
        var sum = 0.0
        let sums = (1...count).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
        shares = sums.map { $0 / sum }
    }

    var commonest: String { words.first.map { String(decoding: $0, as: UTF8.self) } ?? "" }
    var rarest: String { words.last.map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// A text of `count` words.
    func text(_ count: Int, using random: inout SeededGenerator) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 8)
        for place in 0..<count {
            switch script {
            case .latin: if place > 0 { bytes.append(UInt8(ascii: " ")) }
            case .han: if place % 8 == 7 { bytes += Array("，".utf8) }
            }
            bytes += words[rank(using: &random)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func rank(using random: inout SeededGenerator) -> Int {
        let share = Double(random.next() >> 11) / Double(1 << 53)
        var (low, high) = (0, shares.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] > share { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// A word of two of the 3,000 first characters of CJK Unified Ideographs. No two are alike.
    private static func hanWord(_ number: Int) -> [UInt8] {
        // 3,000 and 1,009 have no common factor.
        let characters = [number * 1_009 % 3_000, (number * 1_009 + number / 3_000 * 37 + 1) % 3_000]
        return characters.flatMap { Array(String(Unicode.Scalar(0x4E00 + UInt16($0)) ?? "一").utf8) }
    }

    /// A word of two syllables, or more beyond the first ten thousand. No two are alike.
    private static func word(_ number: Int) -> [UInt8] {
        let consonants = Array("bcdfghjklmnpqrstvwxz".utf8)
        let vowels = Array("aeiou".utf8)
        var bytes: [UInt8] = []
        var rest = number
        repeat {
            bytes.append(consonants[rest % 20])
            bytes.append(vowels[rest / 20 % 5])
            rest /= 100
        } while rest > 0
        // Shorter words end in letters that no longer word has there.
        if bytes.count == 2 { bytes += Array("ya".utf8) }
        return bytes
    }
}
