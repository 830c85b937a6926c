import Basics

/// Chunks that follow each other in the sequence of all chunks (``ChunkLayout``), with their checksums, as a journal
/// keeps them. Ten thousand small files received in a row are one run.
public struct ChunkRun: Hashable, Sendable {
    /// The index of the first chunk.
    public let first: UInt64
    /// The checksums, sixteen bytes for each chunk.
    public private(set) var checksums: [UInt8]

    public init(first: UInt64, checksums: [UInt8]) {
        self.first = first
        self.checksums = checksums
    }

    public var count: Int { checksums.count / TransferLimits.checksumBytes }

    /// The checksum of the run's chunk `index`; nil outside.
    public func checksum(_ index: Int) -> Checksum? {
        guard index >= 0, index < count else { return nil }
        let start = index * TransferLimits.checksumBytes
        return checksums.withUnsafeBytes {
            Checksum(loadingFrom: UnsafeRawBufferPointer(rebasing: $0[start..<start + TransferLimits.checksumBytes]))
        }
    }

    /// Appends the chunk if it is the next of this run; otherwise false.
    mutating func extend(_ chunkIndex: UInt64, checksum: Checksum) -> Bool {
        guard chunkIndex == first + UInt64(count) else { return false }
        checksums.appendBigEndian(checksum.high)
        checksums.appendBigEndian(checksum.low)
        return true
    }
}

extension ChunkRun {
    /// Appends the run if it follows this one; otherwise false.
    fileprivate mutating func join(_ next: ChunkRun) -> Bool {
        guard next.first == first + UInt64(count) else { return false }
        checksums += next.checksums
        return true
    }
}

extension [ChunkRun] {
    /// Appends runs, joining each to the last one if it follows.
    mutating func append(joining runs: [ChunkRun]) {
        for run in runs {
            if let last = indices.last, self[last].join(run) { continue }
            append(run)
        }
    }

    /// Appends a chunk, to the last run if it follows.
    mutating func append(_ chunkIndex: UInt64, checksum: Checksum) {
        if let last = indices.last, self[last].extend(chunkIndex, checksum: checksum) { return }
        append(ChunkRun(first: chunkIndex, checksums: checksum.bytes))
    }
}
