import Basics

/// A page of a transfer's list.
public struct TransferPageRow: Hashable, Sendable {
    /// Its place among the pages, from 0.
    public var number: Int64
    /// The page as it travels.
    public var entries: [UInt8]
    /// By what the sending side knows the sources of the page's entries.
    public var sources: [UInt8]?

    public init(number: Int64, entries: [UInt8], sources: [UInt8]? = nil) {
        self.number = number
        self.entries = entries
        self.sources = sources
    }
}

/// Chunks that are safely on the disk and follow each other in the line of all chunks.
public struct TransferRunRow: Hashable, Sendable {
    /// Place of the first.
    public var first: Int64
    /// Sixteen bytes for each chunk.
    public var checksums: [UInt8]

    public init(first: Int64, checksums: [UInt8]) {
        self.first = first
        self.checksums = checksums
    }

    /// The same in rows of at most so many chunks.
    public func pieces(of chunks: Int64) -> [TransferRunRow] {
        let bytes = Int(clamping: chunks) * 16
        guard checksums.count > bytes else { return [self] }
        return stride(from: 0, to: checksums.count, by: bytes).map { start in
            TransferRunRow(
                first: first + Int64(start / 16),
                checksums: Array(checksums[start..<min(checksums.count, start + bytes)]))
        }
    }
}
