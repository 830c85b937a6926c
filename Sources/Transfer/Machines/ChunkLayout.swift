// Machines: the decisions of both sides of a transfer, as values without I/O, clock, thread or randomness.

/// The indices of all files' chunks in one sequence. Files follow each other in the manifest's order. A file has one
/// index for each chunk, an empty file one for its empty chunk, a folder none.
public struct ChunkLayout: Sendable {
    /// The index of each entry's first chunk, and one more value for the end.
    private let firsts: [UInt64]
    private let sizes: [UInt64]

    /// The manifest's limits keep every number here far below overflow.
    public init(_ manifest: Manifest) {
        var firsts: [UInt64] = []
        firsts.reserveCapacity(manifest.count + 1)
        var next: UInt64 = 0
        for index in 0..<manifest.count {
            firsts.append(next)
            if manifest.kind(index) == .file { next += Self.chunks(in: manifest.size(index)) }
        }
        firsts.append(next)
        self.firsts = firsts
        sizes = manifest.columns.sizes
    }

    private init() {
        firsts = [0]
        sizes = []
    }

    /// The layout of an empty manifest.
    static let none = ChunkLayout()

    private static let chunk = UInt64(TransferLimits.chunkBytes)

    /// The number of chunks of a file of `size` bytes.
    static func chunks(in size: UInt64) -> UInt64 { max(1, (size + chunk - 1) / chunk) }

    /// The number of indices.
    public var count: UInt64 { firsts.last ?? 0 }
    /// The number of the manifest's entries.
    public var entries: Int { sizes.count }

    /// The number of an entry's chunks; 0 for a folder or an unknown entry.
    public func chunks(of file: UInt32) -> UInt64 {
        guard let index = Int(exactly: file), index < sizes.count else { return 0 }
        return firsts[index + 1] - firsts[index]
    }

    /// The indices of an entry's chunks.
    public func indices(of file: UInt32) -> Range<UInt64> {
        guard let index = Int(exactly: file), index < sizes.count else { return 0..<0 }
        return firsts[index]..<firsts[index + 1]
    }

    /// The index of a chunk; nil if there is no such file or chunk.
    public func index(file: UInt32, chunk: UInt32) -> UInt64? {
        UInt64(chunk) < chunks(of: file) ? indices(of: file).lowerBound + UInt64(chunk) : nil
    }

    /// The file and chunk at an index; nil beyond the end.
    public func locate(_ chunkIndex: UInt64) -> (file: UInt32, chunk: UInt32)? {
        guard chunkIndex < count else { return nil }
        // Finds the last entry that begins at or before the index and has chunks.
        var low = 0
        var high = sizes.count
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle + 1] <= chunkIndex { low = middle + 1 } else { high = middle }
        }
        guard low < sizes.count, let chunk = UInt32(exactly: chunkIndex - firsts[low]) else { return nil }
        return (UInt32(truncatingIfNeeded: low), chunk)
    }

    /// The bytes of a chunk: a full chunk's, the rest for the last chunk, 0 for an unknown one.
    public func length(file: UInt32, chunk: UInt32) -> Int {
        guard let index = Int(exactly: file), index < sizes.count else { return 0 }
        let offset = UInt64(chunk) * Self.chunk
        return offset < sizes[index] ? Int(min(Self.chunk, sizes[index] - offset)) : 0
    }

    /// The bytes of `count` chunks of a file, from `chunk` on.
    public func bytes(file: UInt32, chunk: UInt32, count: UInt64) -> UInt64 {
        guard let index = Int(exactly: file), index < sizes.count else { return 0 }
        let start = min(sizes[index], UInt64(chunk) * Self.chunk)
        let (span, overflow) = count.multipliedReportingOverflow(by: Self.chunk)
        return overflow ? sizes[index] - start : min(sizes[index] - start, span)
    }
}
