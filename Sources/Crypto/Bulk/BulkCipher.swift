import CSodium

/// Seals and opens the large records of a file transfer in place: no copy, no allocation per record.
///
/// The nonce is four zero bytes and the record's counter, most significant byte first. A key serves one direction of one
/// connection. Not `Sendable`: it belongs to the thread of its transfer.
public final class BulkCipher {
    /// The ciphers that both sides of a transfer may choose from.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// RFC 8439; everywhere.
        case chacha20Poly1305
        /// NIST SP 800-38D; only where ``Sodium/hasHardwareAES256GCM``, and about twice as fast there.
        case aes256GCM

        /// Whether this machine can do it.
        public var isAvailable: Bool {
            switch self {
            case .chacha20Poly1305: true
            case .aes256GCM: Sodium.hasHardwareAES256GCM
            }
        }

        /// Records under one key.
        public var maximumRecords: UInt64 {
            switch self {
            case .chacha20Poly1305: CryptoLimits.chacha20Poly1305Records
            case .aes256GCM: CryptoLimits.aes256GCMRecords
            }
        }
    }

    public let kind: Kind
    /// The key, or the key schedule of AES (512 bytes, aligned to 16 by the memory of secrets).
    private let secret: SecretBytes
    /// The lowest counter that has not been sealed with.
    private var nextCounter: UInt64 = 0

    /// - Parameter key: 32 bytes, used for nothing else.
    /// - Throws: `.keyLength`; `.unsupportedCipher` where ``Kind/isAvailable`` is false.
    public init(_ kind: Kind, key: borrowing SecretBytes) throws(CryptoError) {
        try key.requireCount(CryptoLimits.keyBytes)
        guard kind.isAvailable else { throw .unsupportedCipher }
        self.kind = kind
        switch kind {
        case .chacha20Poly1305: secret = key.duplicate()
        case .aes256GCM:
            var schedule = SecretBytes(zeros: crypto_aead_aes256gcm_statebytes())
            schedule.withMutablePointer { schedule in
                key.withPointer { _ = crypto_aead_aes256gcm_beforenm(Self.schedule(schedule), $0) }
            }
            secret = schedule
        }
    }

    /// Seals the first `count` bytes of `buffer` and writes the tag into the 16 bytes behind them.
    /// - Parameter counter: must rise from one call to the next.
    /// - Throws: `.bufferTooSmall` unless `0 ≤ count ≤ buffer.count − 16`; `.counterReused`; `.keyExhausted`. The buffer is
    ///   untouched then.
    public func seal(
        inPlace buffer: UnsafeMutableRawBufferPointer, count: Int, counter: UInt64, associated: UnsafeRawBufferPointer
    ) throws(CryptoError) {
        guard count >= 0, buffer.count >= CryptoLimits.tagBytes, count <= buffer.count - CryptoLimits.tagBytes,
            let text = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { throw .bufferTooSmall }
        guard counter >= nextCounter else { throw .counterReused }
        guard counter < kind.maximumRecords else { throw .keyExhausted }
        nextCounter = counter + 1
        let additional = associated.baseAddress?.assumingMemoryBound(to: UInt8.self)
        secret.withPointer { secret in
            Nonce(bigEndian: counter).withBytes { nonce in
                switch kind {
                case .chacha20Poly1305:
                    _ = crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        text, text + count, nil, text, UInt64(count), additional, UInt64(associated.count), nil,
                        nonce, secret)
                case .aes256GCM:
                    _ = crypto_aead_aes256gcm_encrypt_detached_afternm(
                        text, text + count, nil, text, UInt64(count), additional, UInt64(associated.count), nil,
                        nonce, Self.schedule(secret))
                }
            }
        }
    }

    /// Opens a whole record, sealed text and tag; the text then is in the first bytes of `buffer`.
    /// - Returns: bytes of text, 16 fewer than the buffer has.
    /// - Throws: `.bufferTooSmall` for a record shorter than a tag; `.authenticationFailed`: what the buffer holds then is
    ///   undefined and must not be used.
    @discardableResult
    public func open(
        inPlace buffer: UnsafeMutableRawBufferPointer, counter: UInt64, associated: UnsafeRawBufferPointer
    ) throws(CryptoError) -> Int {
        guard buffer.count >= CryptoLimits.tagBytes, let text = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { throw .bufferTooSmall }
        let count = buffer.count - CryptoLimits.tagBytes
        let additional = associated.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = secret.withPointer { secret in
            Nonce(bigEndian: counter).withBytes { nonce in
                switch kind {
                case .chacha20Poly1305:
                    crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                        text, nil, text, UInt64(count), text + count, additional, UInt64(associated.count),
                        nonce, secret)
                case .aes256GCM:
                    crypto_aead_aes256gcm_decrypt_detached_afternm(
                        text, nil, text, UInt64(count), text + count, additional, UInt64(associated.count),
                        nonce, Self.schedule(secret))
                }
            }
        }
        guard status == 0 else { throw .authenticationFailed }
        return count
    }

    private static func schedule(_ bytes: UnsafePointer<UInt8>) -> UnsafePointer<crypto_aead_aes256gcm_state> {
        UnsafeRawPointer(bytes).assumingMemoryBound(to: crypto_aead_aes256gcm_state.self)
    }

    private static func schedule(
        _ bytes: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<crypto_aead_aes256gcm_state> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: crypto_aead_aes256gcm_state.self)
    }
}
