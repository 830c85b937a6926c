/// The chaining key, the hash of everything sent so far, and the cipher between two agreements (Noise revision 34,
/// §5.2).
struct NoiseSymmetricState: ~Copyable, Sendable {
    private var chainingKey: SecretBytes
    private(set) var hash: [UInt8]
    private var cipher: NoiseCipher
    private(set) var hasKey = false

    /// Bytes of BLAKE2b: HASHLEN in the paper.
    private static let hashBytes = Blake2b.maximumBytes

    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        hash =
            name.count <= Self.hashBytes
            ? name + [UInt8](repeating: 0, count: Self.hashBytes - name.count)
            : Blake2b.hash(name, length: Self.hashBytes)
        cipher = NoiseCipher(key: SecretBytes(zeros: CryptoLimits.keyBytes))
        chainingKey = SecretBytes(zeros: Self.hashBytes)
        chainingKey.withUnsafeMutableBytes { [hash] in $0.copyBytes(from: hash) }
    }

    mutating func mixHash(_ bytes: some Collection<UInt8>) {
        hash = Blake2b.hash(hash + bytes, length: Self.hashBytes)
    }

    mutating func mixKey(_ input: UnsafeRawBufferPointer) {
        let derived = derive(input, outputs: 2)
        chainingKey = Self.piece(0, of: derived)
        setKey(Self.piece(1, of: derived, bytes: CryptoLimits.keyBytes))
    }

    mutating func mixKeyAndHash(_ input: UnsafeRawBufferPointer) {
        let derived = derive(input, outputs: 3)
        chainingKey = Self.piece(0, of: derived)
        derived.withUnsafeBytes { mixHash($0[Self.hashBytes..<2 * Self.hashBytes]) }
        setKey(Self.piece(2, of: derived, bytes: CryptoLimits.keyBytes))
    }

    /// Appends the text, sealed once there is a key, and mixes what was appended into the hash.
    mutating func encryptAndHash(_ plain: [UInt8], appendingTo out: inout [UInt8]) throws(NoiseError) {
        let start = out.count
        if hasKey {
            try cipher.seal(plain[...], associated: hash, appendingTo: &out)
        } else {
            out.append(contentsOf: plain)
        }
        mixHash(out[start...])
    }

    /// The text of the peer's sealed bytes, which are mixed into the hash.
    mutating func decryptAndHash(_ received: ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] {
        var plain: [UInt8] = []
        if hasKey {
            try cipher.open(received, associated: hash, appendingTo: &plain)
        } else {
            plain.append(contentsOf: received)
        }
        mixHash(received)
        return plain
    }

    /// The channel's two ciphers; the first one is for what the initiator sends.
    consuming func split(isInitiator: Bool) -> NoiseTransport {
        let derived = derive(UnsafeRawBufferPointer(start: nil, count: 0), outputs: 2)
        let first = NoiseCipher(key: Self.piece(0, of: derived, bytes: CryptoLimits.keyBytes))
        let second = NoiseCipher(key: Self.piece(1, of: derived, bytes: CryptoLimits.keyBytes))
        return isInitiator
            ? NoiseTransport(send: first, receive: second, handshakeHash: hash)
            : NoiseTransport(send: second, receive: first, handshakeHash: hash)
    }

    private mutating func setKey(_ key: consuming SecretBytes) {
        cipher = NoiseCipher(key: key)
        hasKey = true
    }

    private borrowing func derive(_ input: UnsafeRawBufferPointer, outputs: Int) -> SecretBytes {
        chainingKey.withUnsafeBytes {
            HKDF.derive(input: input, salt: $0, info: [], count: outputs * Self.hashBytes)
        }
    }

    private static func piece(_ index: Int, of derived: borrowing SecretBytes, bytes: Int = hashBytes) -> SecretBytes {
        derived.withUnsafeBytes {
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[index * hashBytes..<index * hashBytes + bytes]))
        }
    }
}
