import Basics

/// The set of chunks that are there: a bit for each index, a count for each file.
public struct ChunkMap: Sendable {
    public let layout: ChunkLayout
    private var words: [UInt64]
    /// The number of chunks that each file still lacks, by entry.
    private var lacking: [UInt32]
    /// The bytes of the chunks that are there.
    public private(set) var bytesDone: UInt64 = 0
    /// The number of chunks that are there or not wanted any more.
    public private(set) var chunksDone: UInt64 = 0
    /// The files that are left out: nothing of them is requested or kept.
    public private(set) var leftOut: Set<UInt32> = []

    public init(_ layout: ChunkLayout) {
        self.layout = layout
        words = [UInt64](repeating: 0, count: Int(clamping: (layout.count + 63) / 64))
        lacking = (0..<layout.entries).map {
            UInt32(clamping: layout.chunks(of: UInt32(truncatingIfNeeded: $0)))
        }
    }

    public var isComplete: Bool { chunksDone == layout.count }

    /// Whether the chunk is there; false outside the layout.
    public func contains(_ chunkIndex: UInt64) -> Bool {
        guard chunkIndex < layout.count else { return false }
        return words[Int(chunkIndex >> 6)] >> (chunkIndex & 63) & 1 == 1
    }

    /// Whether all chunks of a file are there; true for a folder.
    public func isComplete(file: UInt32) -> Bool {
        guard let index = Int(exactly: file), index < lacking.count else { return false }
        return lacking[index] == 0
    }

    /// Marks a chunk as present. False if it was already, or isn't one of this layout.
    @discardableResult
    public mutating func insert(file: UInt32, chunk: UInt32) -> Bool {
        guard let chunkIndex = layout.index(file: file, chunk: chunk), !contains(chunkIndex) else { return false }
        words[Int(chunkIndex >> 6)] |= 1 << (chunkIndex & 63)
        lacking[Int(file)] -= 1
        chunksDone += 1
        bytesDone += UInt64(layout.length(file: file, chunk: chunk))
        return true
    }

    /// Leaves a file out: it counts as complete, and its present chunks don't count. False if it is left out already,
    /// or isn't a file of this layout.
    @discardableResult
    public mutating func leaveOut(file: UInt32) -> Bool {
        let indices = layout.indices(of: file)
        guard !indices.isEmpty, leftOut.insert(file).inserted else { return false }
        for (chunk, chunkIndex) in indices.enumerated() {
            if contains(chunkIndex) {
                bytesDone -= UInt64(layout.length(file: file, chunk: UInt32(truncatingIfNeeded: chunk)))
            } else {
                words[Int(chunkIndex >> 6)] |= 1 << (chunkIndex & 63)
                chunksDone += 1
            }
        }
        lacking[Int(file)] = 0
        return true
    }

    /// The gaps in ascending order. If there are more than `limit`, the last range reaches to the last gap's end: some
    /// present chunks are requested again, but none is forgotten.
    public func missing(limit: Int = TransferLimits.wantedRanges) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        var chunkIndex: UInt64 = 0
        let end = layout.count
        while chunkIndex < end {
            let bits = ~words[Int(chunkIndex >> 6)] >> (chunkIndex & 63)
            if bits == 0 {
                chunkIndex = (chunkIndex >> 6 + 1) << 6
                continue
            }
            let start = chunkIndex + UInt64(bits.trailingZeroBitCount)
            guard start < end else { break }
            chunkIndex = nextPresent(from: start)
            if ranges.count < limit {
                ranges.append(start..<chunkIndex)
            } else if let last = ranges.popLast() {
                ranges.append(last.lowerBound..<chunkIndex)
            }
        }
        return ranges
    }

    private func nextPresent(from start: UInt64) -> UInt64 {
        var chunkIndex = start
        let end = layout.count
        while chunkIndex < end {
            let bits = words[Int(chunkIndex >> 6)] >> (chunkIndex & 63)
            if bits != 0 { return min(end, chunkIndex + UInt64(bits.trailingZeroBitCount)) }
            chunkIndex = (chunkIndex >> 6 + 1) << 6
        }
        return end
    }
}
