/// A set of chunks by index, with a bit for each.
public struct ChunkSet: Hashable, Sendable {
    /// The number of all chunks.
    public let limit: UInt64
    private(set) var words: [UInt64]

    public init(limit: UInt64) {
        self.limit = limit
        words = [UInt64](repeating: 0, count: Int(clamping: (limit + 63) / 64))
    }

    /// Makes the set of all chunks.
    public init(allBelow limit: UInt64) {
        self.init(limit: limit)
        insert(0..<limit)
    }

    public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    public func contains(_ chunkIndex: UInt64) -> Bool {
        chunkIndex < limit && words[Int(chunkIndex >> 6)] >> (chunkIndex & 63) & 1 == 1
    }

    /// Inserts an index. False if it was there already, or is beyond the limit.
    @discardableResult
    public mutating func insert(_ chunkIndex: UInt64) -> Bool {
        guard chunkIndex < limit, !contains(chunkIndex) else { return false }
        words[Int(chunkIndex >> 6)] |= 1 << (chunkIndex & 63)
        return true
    }

    /// Inserts the indices of the range that are below the limit.
    public mutating func insert(_ range: Range<UInt64>) {
        var chunkIndex = range.lowerBound
        let end = min(range.upperBound, limit)
        while chunkIndex < end {
            let span = min(64 - (chunkIndex & 63), end - chunkIndex)
            let bits = span == 64 ? UInt64.max : (1 << span - 1)
            words[Int(chunkIndex >> 6)] |= bits << (chunkIndex & 63)
            chunkIndex += span
        }
    }

    /// Removes an index. False if it was not there.
    @discardableResult
    public mutating func remove(_ chunkIndex: UInt64) -> Bool {
        guard contains(chunkIndex) else { return false }
        words[Int(chunkIndex >> 6)] &= ~(1 << (chunkIndex & 63))
        return true
    }

    public mutating func formIntersection(_ other: ChunkSet) { combine(other, &) }
    public mutating func formUnion(_ other: ChunkSet) { combine(other, |) }
    public mutating func subtract(_ other: ChunkSet) { combine(other) { $0 & ~$1 } }

    /// Combines two sets of one layout.
    private mutating func combine(_ other: ChunkSet, _ body: (UInt64, UInt64) -> UInt64) {
        for index in words.indices {
            words[index] = body(words[index], index < other.words.count ? other.words[index] : 0)
        }
    }

    /// The first index from `start` on that is in the set.
    public func next(from start: UInt64) -> UInt64? {
        var chunkIndex = start
        while chunkIndex < limit {
            let bits = words[Int(chunkIndex >> 6)] >> (chunkIndex & 63)
            if bits != 0 { return chunkIndex + UInt64(bits.trailingZeroBitCount) }
            chunkIndex = (chunkIndex >> 6 + 1) << 6
        }
        return nil
    }

    /// The ranges in ascending order, at most `maximum` of them.
    public func ranges(limit maximum: Int = .max, from start: UInt64 = 0) -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        var chunkIndex = start
        while result.count < maximum, let first = next(from: chunkIndex) {
            chunkIndex = first
            while chunkIndex < limit {
                let bits = ~(words[Int(chunkIndex >> 6)] >> (chunkIndex & 63))
                // Zeros are shifted in from above, so a run to the word's end continues in the next word.
                let run = min(UInt64(bits.trailingZeroBitCount), 64 - (chunkIndex & 63))
                chunkIndex += run
                if chunkIndex & 63 != 0 || run == 0 { break }
            }
            result.append(first..<min(chunkIndex, limit))
        }
        return result
    }
}
