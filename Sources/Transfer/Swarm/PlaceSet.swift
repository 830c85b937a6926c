/// A set of places in the sequence of all chunks, with a bit for each.
public struct PlaceSet: Hashable, Sendable {
    /// The number of places.
    public let limit: UInt64
    private(set) var words: [UInt64]

    public init(limit: UInt64) {
        self.limit = limit
        words = [UInt64](repeating: 0, count: Int(clamping: (limit + 63) / 64))
    }

    /// Makes the set of all places.
    public init(allBelow limit: UInt64) {
        self.init(limit: limit)
        insert(0..<limit)
    }

    public var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
    public var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    public func contains(_ place: UInt64) -> Bool {
        place < limit && words[Int(place >> 6)] >> (place & 63) & 1 == 1
    }

    /// Inserts a place. False if it was there already, or is beyond the limit.
    @discardableResult
    public mutating func insert(_ place: UInt64) -> Bool {
        guard place < limit, !contains(place) else { return false }
        words[Int(place >> 6)] |= 1 << (place & 63)
        return true
    }

    /// Inserts the places of the range that are below the limit.
    public mutating func insert(_ range: Range<UInt64>) {
        var place = range.lowerBound
        let end = min(range.upperBound, limit)
        while place < end {
            let span = min(64 - (place & 63), end - place)
            let bits = span == 64 ? UInt64.max : (1 << span - 1)
            words[Int(place >> 6)] |= bits << (place & 63)
            place += span
        }
    }

    /// Removes a place. False if it was not there.
    @discardableResult
    public mutating func remove(_ place: UInt64) -> Bool {
        guard contains(place) else { return false }
        words[Int(place >> 6)] &= ~(1 << (place & 63))
        return true
    }

    public mutating func formIntersection(_ other: PlaceSet) { combine(other, &) }
    public mutating func formUnion(_ other: PlaceSet) { combine(other, |) }
    public mutating func subtract(_ other: PlaceSet) { combine(other) { $0 & ~$1 } }

    /// Combines two sets of one layout.
    private mutating func combine(_ other: PlaceSet, _ body: (UInt64, UInt64) -> UInt64) {
        for index in words.indices {
            words[index] = body(words[index], index < other.words.count ? other.words[index] : 0)
        }
    }

    /// The first place from `start` on that is in the set.
    public func next(from start: UInt64) -> UInt64? {
        var place = start
        while place < limit {
            let bits = words[Int(place >> 6)] >> (place & 63)
            if bits != 0 { return place + UInt64(bits.trailingZeroBitCount) }
            place = (place >> 6 + 1) << 6
        }
        return nil
    }

    /// The ranges in ascending order, at most `maximum` of them.
    public func ranges(limit maximum: Int = .max, from start: UInt64 = 0) -> [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        var place = start
        while result.count < maximum, let first = next(from: place) {
            place = first
            while place < limit {
                let bits = ~(words[Int(place >> 6)] >> (place & 63))
                // Zeros are shifted in from above, so a run to the word's end continues in the next word.
                let run = min(UInt64(bits.trailingZeroBitCount), 64 - (place & 63))
                place += run
                if place & 63 != 0 || run == 0 { break }
            }
            result.append(first..<min(place, limit))
        }
        return result
    }
}
