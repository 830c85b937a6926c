import CSodium

/// One direction of a Noise channel: ChaCha20-Poly1305 with a counting nonce (Noise revision 34, §5.1).
///
/// Each message must be opened in the order in which it was sealed. A message that fails to open leaves the counter where
/// it was, so nothing is gained by trying again: close the connection.
public struct NoiseCipher: ~Copyable, Sendable {
    private var key: SecretBytes
    /// Messages sealed or opened since the key was agreed; a rekey doesn't reset it (§11.3).
    public private(set) var count: UInt64

    /// The key must have 32 bytes, which its makers in this module ensure.
    init(key: consuming SecretBytes, count: UInt64 = 0) {
        self.key = key
        self.count = count
    }

    /// Appends the sealed text, which is 16 bytes longer than `plain`.
    /// - Throws: `.messageTooLong` above 65,519 bytes; `.counterExhausted`. Nothing is appended then.
    public mutating func seal(_ plain: ArraySlice<UInt8>, appendingTo out: inout [UInt8]) throws(NoiseError) {
        try seal(plain, associated: [], appendingTo: &out)
    }

    /// Appends the opened text, which is 16 bytes shorter than `sealed`.
    /// - Throws: `.messageTooShort`, `.messageTooLong`, `.authenticationFailed`, `.counterExhausted`. Nothing is appended
    ///   then.
    public mutating func open(_ sealed: ArraySlice<UInt8>, appendingTo out: inout [UInt8]) throws(NoiseError) {
        try open(sealed, associated: [], appendingTo: &out)
    }

    /// Replaces the key by one from which the old key can't be computed (§4.2 REKEY). Both sides do so after the same
    /// number of messages.
    public mutating func rekey() {
        var block = SecretBytes(zeros: CryptoLimits.keyBytes + CryptoLimits.tagBytes)
        block.withMutablePointer { block in
            key.withPointer { key in
                Nonce(littleEndian: .max).withBytes { nonce in
                    _ = crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        block, block + CryptoLimits.keyBytes, nil, block, UInt64(CryptoLimits.keyBytes), nil, 0, nil,
                        nonce, key)
                }
            }
        }
        key = block.withUnsafeBytes {
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<CryptoLimits.keyBytes]))
        }
    }

    mutating func seal(
        _ plain: ArraySlice<UInt8>, associated: [UInt8], appendingTo out: inout [UInt8]
    ) throws(NoiseError) {
        guard plain.count <= CryptoLimits.noisePlaintextBytes else { throw .messageTooLong }
        guard count < .max else { throw .counterExhausted }  // 2^64 − 1 belongs to rekey.
        let start = out.count
        let length = plain.count
        out.append(contentsOf: plain)
        out.append(contentsOf: repeatElement(0, count: CryptoLimits.tagBytes))
        out.withUnsafeMutableBufferPointer { out in
            guard let text = out.baseAddress.map({ $0 + start }) else { return }
            key.withPointer { key in
                Nonce(littleEndian: count).withBytes { nonce in
                    _ = crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        text, text + length, nil, text, UInt64(length), associated, UInt64(associated.count), nil,
                        nonce, key)
                }
            }
        }
        count += 1
    }

    mutating func open(
        _ sealed: ArraySlice<UInt8>, associated: [UInt8], appendingTo out: inout [UInt8]
    ) throws(NoiseError) {
        guard sealed.count >= CryptoLimits.tagBytes else { throw .messageTooShort }
        guard sealed.count <= CryptoLimits.noiseMessageBytes else { throw .messageTooLong }
        guard count < .max else { throw .counterExhausted }
        let start = out.count
        let length = sealed.count - CryptoLimits.tagBytes
        out.append(contentsOf: sealed)
        let status = out.withUnsafeMutableBufferPointer { out -> CInt in
            guard let text = out.baseAddress.map({ $0 + start }) else { return -1 }
            return key.withPointer { key in
                Nonce(littleEndian: count).withBytes { nonce in
                    crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                        text, nil, text, UInt64(length), text + length, associated, UInt64(associated.count),
                        nonce, key)
                }
            }
        }
        guard status == 0 else {
            out.removeLast(sealed.count)
            throw .authenticationFailed
        }
        out.removeLast(CryptoLimits.tagBytes)
        count += 1
    }
}
