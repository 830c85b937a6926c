/// Seals and opens the large records of a file transfer in place: no copy, no allocation per record.
///
/// It uses OpenSSL's libcrypto, which is half as fast again as libsodium here (docs/decisions/0012-direct-files.md);
/// all other secrets are handled by libsodium.
///
/// The nonce is four zero bytes and the record's counter, most significant byte first. A key serves one direction of
/// one connection. The class is not `Sendable`, because it belongs to the thread of its transfer.
public final class BulkCipher {
    /// The ciphers that both sides of a transfer may choose from.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// RFC 8439; available everywhere.
        case chacha20Poly1305
        /// NIST SP 800-38D; only where ``Sodium/hasHardwareAES256GCM`` is true, and about twice as fast there.
        case aes256GCM

        /// Whether this machine supports it.
        public var isAvailable: Bool {
            switch self {
            case .chacha20Poly1305: true
            case .aes256GCM: Sodium.hasHardwareAES256GCM
            }
        }

        /// The number of records that one key may seal.
        public var maximumRecords: UInt64 {
            switch self {
            case .chacha20Poly1305: CryptoLimits.chacha20Poly1305Records
            case .aes256GCM: CryptoLimits.aes256GCMRecords
            }
        }
    }

    public let kind: Kind
    private let key: SecretBytes
    /// These contexts are made at the first use, because a transfer has one direction.
    private var sealing: EnvelopeContext?
    private var opening: EnvelopeContext?
    /// The lowest counter that has not been used for sealing.
    private var nextCounter: UInt64 = 0

    /// - Parameter key: 32 bytes, used for nothing else.
    /// - Throws: `.keyLength`; `.unsupportedCipher` where ``Kind/isAvailable`` is false.
    public init(_ kind: Kind, key: borrowing SecretBytes) throws(CryptoError) {
        try key.requireCount(CryptoLimits.keyBytes)
        guard kind.isAvailable else { throw .unsupportedCipher }
        self.kind = kind
        self.key = key.duplicate()
    }

    /// Seals the first `count` bytes of `buffer` and writes the tag into the 16 bytes after them.
    /// - Parameter counter: must rise from one call to the next.
    /// - Throws: `.bufferTooSmall` unless `0 ≤ count ≤ buffer.count − 16`; `.counterReused`; `.keyExhausted`. The buffer is
    ///   untouched then. `.unsupportedCipher` where the library refuses.
    public func seal(
        inPlace buffer: UnsafeMutableRawBufferPointer, count: Int, counter: UInt64, associated: UnsafeRawBufferPointer
    ) throws(CryptoError) {
        var isReady = true
        try seal(inPlace: buffer, count: count, counter: counter, associated: associated) {
            defer { isReady = false }
            return isReady ? 0..<count : nil
        }
    }

    /// Like ``seal(inPlace:count:counter:associated:)``, for a text that is made piece by piece. Each piece is sealed
    /// while it is in the processor's cache.
    /// - Parameter next: puts the next piece into the buffer after the last one, and returns its place; nil at the end
    ///   of the text, or to give up. All pieces but the last have a multiple of 16 bytes.
    /// - Throws: also `.bufferTooSmall` if pieces leave gaps or end early; nothing was sealed with the counter then.
    public func seal(
        inPlace buffer: UnsafeMutableRawBufferPointer, count: Int, counter: UInt64, associated: UnsafeRawBufferPointer,
        next: () -> Range<Int>?
    ) throws(CryptoError) {
        guard count >= 0, buffer.count >= CryptoLimits.tagBytes, count <= buffer.count - CryptoLimits.tagBytes,
            let text = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { throw .bufferTooSmall }
        guard counter >= nextCounter else { throw .counterReused }
        guard counter < kind.maximumRecords else { throw .keyExhausted }
        let context = try context(&sealing, isSealing: true)
        guard Nonce(bigEndian: counter).withBytes({ context.begin($0, associated: associated) }) else {
            throw .unsupportedCipher
        }
        var done = 0
        while let piece = next() {
            guard piece.lowerBound == done, piece.upperBound <= count else { throw .bufferTooSmall }
            guard context.update(text + done, count: piece.count) else { throw .unsupportedCipher }
            done = piece.upperBound
        }
        guard done == count else { throw .bufferTooSmall }
        guard context.finish(writing: text + count) else { throw .unsupportedCipher }
        nextCounter = counter + 1
    }

    /// Opens a whole record, sealed text and tag. The text is in the first bytes of `buffer` then.
    /// - Returns: the number of bytes of text, 16 fewer than the buffer has.
    /// - Throws: `.bufferTooSmall` for a record shorter than a tag; `.authenticationFailed`: what the buffer holds then is
    ///   undefined and must not be used.
    @discardableResult
    public func open(
        inPlace buffer: UnsafeMutableRawBufferPointer, counter: UInt64, associated: UnsafeRawBufferPointer
    ) throws(CryptoError) -> Int {
        guard buffer.count >= CryptoLimits.tagBytes else { throw .bufferTooSmall }
        let count = buffer.count - CryptoLimits.tagBytes
        try beginOpening(counter: counter, associated: associated)
        try openPiece(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        try finishOpening(tag: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        return count
    }

    /// Begins a record that is opened piece by piece as it comes.
    public func beginOpening(counter: UInt64, associated: UnsafeRawBufferPointer) throws(CryptoError) {
        let context = try context(&opening, isSealing: false)
        guard Nonce(bigEndian: counter).withBytes({ context.begin($0, associated: associated) }) else {
            throw .authenticationFailed
        }
    }

    /// Opens the next piece in place. The caller must not act on it before ``finishOpening(tag:)``.
    public func openPiece(_ piece: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard let text = piece.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        guard try context(&opening, isSealing: false).update(text, count: piece.count) else {
            throw .authenticationFailed
        }
    }

    /// Checks that what was opened since ``beginOpening(counter:associated:)`` is genuine.
    public func finishOpening(tag: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard tag.count == CryptoLimits.tagBytes, let bytes = tag.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else {
            throw .bufferTooSmall
        }
        guard try context(&opening, isSealing: false).finish(comparing: bytes) else { throw .authenticationFailed }
    }

    private func context(
        _ context: inout EnvelopeContext?, isSealing: Bool
    ) throws(CryptoError) -> EnvelopeContext {
        if let context { return context }
        let made = try key.withPointer { pointer -> Result<EnvelopeContext, CryptoError> in
            do throws(CryptoError) {
                return .success(try EnvelopeContext(kind, key: pointer, isSealing: isSealing))
            } catch { return .failure(error) }
        }.get()
        context = made
        return made
    }
}
