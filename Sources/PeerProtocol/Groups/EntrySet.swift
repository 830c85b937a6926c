/// A set of entries of one graph by their number there: a bit for each.
struct EntrySet: Hashable, Sendable {
    private var words: [UInt64] = []

    func contains(_ index: Int) -> Bool {
        let word = index >> 6
        return word < words.count && words[word] & (1 << UInt64(index & 63)) != 0
    }

    mutating func insert(_ index: Int) {
        let word = index >> 6
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(index & 63)
    }

    mutating func formUnion(_ other: EntrySet) {
        if words.isEmpty {
            words = other.words
            return
        }
        if other.words.count > words.count {
            words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
        }
        for index in other.words.indices { words[index] |= other.words[index] }
    }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Ascending.
    var indices: [Int] {
        var out: [Int] = []
        out.reserveCapacity(count)
        for (number, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                out.append(number << 6 | rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return out
    }
}
