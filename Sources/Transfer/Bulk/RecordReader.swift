import Basics
import Crypto

/// Reads records and opens them in place where they arrived. It belongs to the transfer's thread.
final class RecordReader {
    private let input: ByteInput
    private let cipher: BulkCipher
    private let associated: UnsafeMutableRawBufferPointer
    private let checksums = ChecksumStream()
    private var counter: UInt64 = 0
    private var unconsumed = 0
    /// Whether the last body was read into the caller's memory, as the next one probably will be.
    private var wasLarge = false

    init(_ connection: BulkConnection, cipher: BulkCipher, transfer: UUIDv7) {
        input = connection.input
        self.cipher = cipher
        let largest = RecordHeader.size + RecordHeader.Kind.data.maximumPlaintext + TransferLimits.tagBytes
        input.grow(to: largest + TransferLimits.readAheadBytes)
        associated = .allocate(byteCount: 16 + RecordHeader.size, alignment: 16)
        associated.copyBytes(from: transfer.bytes)
    }

    deinit { associated.deallocate() }

    /// Reads the next record's header. It is not authenticated yet and only says how much to read. The last body
    /// becomes invalid.
    func header() throws(TransferFailure) -> RecordHeader {
        input.consume(unconsumed)
        unconsumed = 0
        let bytes = UnsafeRawBufferPointer(
            try input.require(RecordHeader.size, readsAhead: !wasLarge))
        guard let header = RecordHeader(loadingFrom: bytes) else { throw .invalid("a record header") }
        return header
    }

    /// Whether reading the next header may have to wait.
    var isDry: Bool { input.buffered - unconsumed < RecordHeader.size }

    /// Reads the chunk of the data record whose header was just read, and its checksum. The text goes to the beginning
    /// of `place`, which needs room for its tag too. Each piece is opened and checksummed while it is in the cache.
    /// - Parameter arrived: gets, now and then, how many bytes of the chunk have arrived.
    func chunk(
        _ header: RecordHeader, into place: UnsafeMutableRawBufferPointer, clocks: any Clocks, arrived: (UInt64) -> Void
    ) throws(TransferFailure) -> (text: UnsafeMutableRawBufferPointer, checksum: Checksum) {
        guard Int(header.length) <= place.count, header.plaintextBytes >= TransferLimits.checksumBytes else {
            throw .invalid("a record larger than any may be")
        }
        input.consume(RecordHeader.size)
        wasLarge = true
        let text = UnsafeMutableRawBufferPointer(rebasing: place[..<header.plaintextBytes])
        let length = text.count - TransferLimits.checksumBytes
        header.store(to: UnsafeMutableRawBufferPointer(rebasing: associated[16...]))
        checksums.reset()
        do {
            try cipher.beginOpening(counter: counter, associated: UnsafeRawBufferPointer(associated))
            for start in stride(from: 0, to: length, by: TransferLimits.pieceBytes) {
                let end = min(length, start + TransferLimits.pieceBytes)
                // The last piece includes checksum and tag.
                let isLast = end == length
                try input.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: place[start..<(isLast ? Int(header.length) : end)]),
                    clocks: clocks, arrived: { arrived(UInt64(min(start + $0, length))) })
                try cipher.openPiece(
                    UnsafeMutableRawBufferPointer(rebasing: text[start..<(isLast ? text.count : end)]))
                checksums.update(UnsafeRawBufferPointer(rebasing: text[start..<end]))
                InteractivePriority.shared.give()
            }
            try cipher.finishOpening(
                tag: UnsafeMutableRawBufferPointer(rebasing: place[text.count..<Int(header.length)]))
        } catch let failure as TransferFailure { throw failure } catch {
            throw .invalid("a record that can't be opened")
        }
        counter += 1
        return (text, checksums.value)
    }

    /// The text of the record whose header was just read; valid until the next header.
    func body(_ header: RecordHeader) throws(TransferFailure) -> UnsafeMutableRawBufferPointer {
        wasLarge = false
        let whole = try input.require(header.recordBytes)
        unconsumed = header.recordBytes
        return try open(header, UnsafeMutableRawBufferPointer(rebasing: whole[RecordHeader.size...]))
    }

    private func open(
        _ header: RecordHeader, _ sealed: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> UnsafeMutableRawBufferPointer {
        header.store(to: UnsafeMutableRawBufferPointer(rebasing: associated[16...]))
        do {
            try cipher.open(inPlace: sealed, counter: counter, associated: UnsafeRawBufferPointer(associated))
        } catch { throw .invalid("a record that can't be opened") }
        counter += 1
        return UnsafeMutableRawBufferPointer(rebasing: sealed[..<header.plaintextBytes])
    }
}
