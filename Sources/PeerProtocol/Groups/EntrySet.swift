/// A set of entries of one graph by their number there: a bit for each.
struct EntrySet: Hashable, Sendable {
    /// Each word has 64 numbers; a number behind the last word is not in the set.
    private(set) var words: [UInt64] = []

    func contains(_ index: Int) -> Bool {
        let word = index >> 6
        return word < words.count && words[word] & (1 << UInt64(index & 63)) != 0
    }

    mutating func insert(_ index: Int) {
        let word = index >> 6
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(index & 63)
    }

    mutating func remove(_ index: Int) {
        let word = index >> 6
        if word < words.count { words[word] &= ~(1 << UInt64(index & 63)) }
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

    mutating func subtract(_ other: EntrySet) {
        for index in 0..<min(words.count, other.words.count) { words[index] &= ~other.words[index] }
    }

    func intersects(_ other: EntrySet) -> Bool {
        for index in 0..<min(words.count, other.words.count) where words[index] & other.words[index] != 0 {
            return true
        }
        return false
    }

    /// The least number that both have.
    func first(in other: EntrySet) -> Int? {
        for index in 0..<min(words.count, other.words.count) {
            let both = words[index] & other.words[index]
            if both != 0 { return index << 6 | both.trailingZeroBitCount }
        }
        return nil
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// The numbers, ascending.
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

    /// Columns for rows: number `i` is in the set at `j` of the result where `j` is in the set at `i` here.
    static func transposed(_ rows: [EntrySet], columns: Int) -> [EntrySet] {
        var out = [EntrySet](repeating: EntrySet(), count: columns)
        var block = [UInt64](repeating: 0, count: 64)
        for base in stride(from: 0, to: rows.count, by: 64) {
            let height = min(64, rows.count - base)
            for word in 0..<((columns + 63) >> 6) {
                var any: UInt64 = 0
                for line in 0..<64 {
                    let row = line < height && word < rows[base + line].words.count ? rows[base + line].words[word] : 0
                    block[line] = row
                    any |= row
                }
                if any == 0 { continue }
                transpose(&block)
                for line in 0..<min(64, columns - word << 6) where block[line] != 0 {
                    out[word << 6 + line].set(block[line], at: base >> 6)
                }
            }
        }
        return out
    }

    private mutating func set(_ word: UInt64, at place: Int) {
        if place >= words.count { words.append(contentsOf: repeatElement(0, count: place + 1 - words.count)) }
        words[place] = word
    }

    /// A block of 64 by 64 bits, by exchanging ever smaller squares (Warren, Hacker's Delight §7-3).
    private static func transpose(_ block: inout [UInt64]) {
        var size = 32
        var mask: UInt64 = 0x0000_0000_FFFF_FFFF
        while size > 0 {
            var line = 0
            while line < 64 {
                let swap = (block[line] >> UInt64(size) ^ block[line + size]) & mask
                block[line] ^= swap << UInt64(size)
                block[line + size] ^= swap
                line = (line + size + 1) & ~size
            }
            size >>= 1
            mask ^= mask << UInt64(size)
        }
    }
}
