import Basics

/// A page of a transfer's list.
public struct TransferPageRow: Hashable, Sendable {
    /// Its place among the pages, from 0.
    public var number: Int64
    /// The page in its wire form.
    public var entries: [UInt8]
    /// The data by which the sending side recognises the sources of the page's entries.
    public var sources: [UInt8]?

    public init(number: Int64, entries: [UInt8], sources: [UInt8]? = nil) {
        self.number = number
        self.entries = entries
        self.sources = sources
    }
}

/// Chunks that are safely on the disk and adjacent in the sequence of all chunks.
public struct TransferRunRow: Hashable, Sendable {
    /// The place of the first chunk.
    public var first: Int64
    /// The checksums, sixteen bytes for each chunk.
    public var checksums: [UInt8]

    public init(first: Int64, checksums: [UInt8]) {
        self.first = first
        self.checksums = checksums
    }

    /// The run split into rows of at most `chunks` chunks.
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
