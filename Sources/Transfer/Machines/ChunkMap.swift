import Basics

/// Which chunks are there. A bit for each place, a count for each file.
public struct ChunkMap: Sendable {
    public let layout: ChunkLayout
    private var words: [UInt64]
    /// Chunks that a file still lacks, by entry.
    private var lacking: [UInt32]
    /// Bytes of the chunks that are there.
    public private(set) var bytesDone: UInt64 = 0
    /// Chunks that are there, or that nobody waits for any more.
    public private(set) var chunksDone: UInt64 = 0
    /// Files that are left out: nothing is asked of them, and nothing of them is kept.
    public private(set) var leftOut: Set<UInt32> = []

    public init(_ layout: ChunkLayout) {
        self.layout = layout
        words = [UInt64](repeating: 0, count: Int(clamping: (layout.count + 63) / 64))
        lacking = (0..<layout.entries).map {
            UInt32(clamping: layout.chunks(of: UInt32(truncatingIfNeeded: $0)))
        }
    }

    public var isComplete: Bool { chunksDone == layout.count }

    /// False outside the layout.
    public func contains(_ place: UInt64) -> Bool {
        guard place < layout.count else { return false }
        return words[Int(place >> 6)] >> (place & 63) & 1 == 1
    }

    /// Whether all chunks of a file are there; true for a folder.
    public func isComplete(file: UInt32) -> Bool {
        guard let index = Int(exactly: file), index < lacking.count else { return false }
        return lacking[index] == 0
    }

    /// Marks a chunk as there; false if it was already, or isn't one of this layout.
    @discardableResult
    public mutating func insert(file: UInt32, chunk: UInt32) -> Bool {
        guard let place = layout.place(file: file, chunk: chunk), !contains(place) else { return false }
        words[Int(place >> 6)] |= 1 << (place & 63)
        lacking[Int(file)] -= 1
        chunksDone += 1
        bytesDone += UInt64(layout.length(file: file, chunk: chunk))
        return true
    }

    /// Leaves a file out: it counts as complete, and what was there of it counts for nothing. False if it is left out
    /// already, or isn't a file of this layout.
    @discardableResult
    public mutating func leaveOut(file: UInt32) -> Bool {
        let places = layout.places(of: file)
        guard !places.isEmpty, leftOut.insert(file).inserted else { return false }
        for (chunk, place) in places.enumerated() {
            if contains(place) {
                bytesDone -= UInt64(layout.length(file: file, chunk: UInt32(truncatingIfNeeded: chunk)))
            } else {
                words[Int(place >> 6)] |= 1 << (place & 63)
                chunksDone += 1
            }
        }
        lacking[Int(file)] = 0
        return true
    }

    /// The gaps in ascending order. Beyond `limit` ranges the last one reaches to the last gap's end, so that chunks
    /// which are there are asked for again rather than any forgotten.
    public func missing(limit: Int = TransferLimits.wantedRanges) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        var place: UInt64 = 0
        let end = layout.count
        while place < end {
            let bits = ~words[Int(place >> 6)] >> (place & 63)
            if bits == 0 {
                place = (place >> 6 + 1) << 6
                continue
            }
            let start = place + UInt64(bits.trailingZeroBitCount)
            guard start < end else { break }
            place = nextPresent(from: start)
            if ranges.count < limit {
                ranges.append(start..<place)
            } else if let last = ranges.popLast() {
                ranges.append(last.lowerBound..<place)
            }
        }
        return ranges
    }

    private func nextPresent(from start: UInt64) -> UInt64 {
        var place = start
        let end = layout.count
        while place < end {
            let bits = words[Int(place >> 6)] >> (place & 63)
            if bits != 0 { return min(end, place + UInt64(bits.trailingZeroBitCount)) }
            place = (place >> 6 + 1) << 6
        }
        return end
    }
}
