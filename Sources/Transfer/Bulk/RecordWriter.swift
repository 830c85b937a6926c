import Basics
import Crypto

/// Seals records in place in one reused buffer and writes many small ones at once. It belongs to the transfer's thread.
final class RecordWriter {
    private let connection: BulkConnection
    private let cipher: BulkCipher
    private let buffer: UnsafeMutableRawBufferPointer
    /// Transfer id and header, which the cipher authenticates besides the text.
    private let associated: UnsafeMutableRawBufferPointer
    private var used = 0
    private var counter: UInt64 = 0
    /// How often the buffer was written out.
    private(set) var flushes = 0

    init(_ connection: BulkConnection, cipher: BulkCipher, transfer: UUIDv7) {
        self.connection = connection
        self.cipher = cipher
        let largest = RecordHeader.size + RecordHeader.Kind.data.maximumPlaintext + TransferLimits.tagBytes
        buffer = .allocate(byteCount: TransferLimits.coalescedBytes + largest, alignment: 4096)
        associated = .allocate(byteCount: 16 + RecordHeader.size, alignment: 16)
        associated.copyBytes(from: transfer.bytes)
    }

    deinit {
        buffer.deallocate()
        associated.deallocate()
    }

    /// Whether the key has sealed as many records as it may.
    var isExhausted: Bool { counter >= min(TransferLimits.recordsPerKey, cipher.kind.maximumRecords) }

    /// The place for the next record's text, at most a full chunk and its checksum. ``seal(_:)`` has to follow.
    func text(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: buffer[(used + RecordHeader.size)..<(used + RecordHeader.size + count)])
    }

    /// Seals the text just written, and sends if enough has gathered.
    func seal(_ header: RecordHeader) throws(TransferFailure) {
        var isReady = true
        try seal(header) {
            defer { isReady = false }
            return isReady ? 0..<header.plaintextBytes : nil
        }
    }

    /// Like ``seal(_:)``, for a text that the caller writes piece by piece into the memory that ``text(_:)`` returned.
    /// If the text ends early, nothing is sent.
    func seal(_ header: RecordHeader, next: () -> Range<Int>?) throws(TransferFailure) {
        header.store(to: UnsafeMutableRawBufferPointer(rebasing: associated[16...]))
        header.store(to: UnsafeMutableRawBufferPointer(rebasing: buffer[used...]))
        let body = UnsafeMutableRawBufferPointer(
            rebasing: buffer[(used + RecordHeader.size)..<(used + header.recordBytes)])
        do {
            try cipher.seal(
                inPlace: body, count: header.plaintextBytes, counter: counter,
                associated: UnsafeRawBufferPointer(associated), next: next)
        } catch { throw .interrupted("cipher: \(error)") }
        counter += 1
        used += header.recordBytes
        if used >= TransferLimits.coalescedBytes { try flush() }
    }

    /// Writes a record with the given text.
    func write(_ header: RecordHeader, _ bytes: [UInt8]) throws(TransferFailure) {
        text(bytes.count).copyBytes(from: bytes)
        try seal(header)
    }

    func flush() throws(TransferFailure) {
        guard used > 0 else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<used])
        used = 0
        flushes += 1
        try connection.sendAll(bytes)
    }
}
