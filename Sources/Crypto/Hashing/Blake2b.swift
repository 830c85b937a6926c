import CSodium

/// BLAKE2b (RFC 7693).
public enum Blake2b {
    /// The longest digest in bytes, and the longest key.
    public static let maximumBytes = 64
    /// Bytes of one block; HMAC pads its key to this.
    static let blockBytes = 128

    /// The digest of the bytes.
    /// - Parameters:
    ///   - length: bytes of digest, 1 to 64; it goes into the hash, so a short digest is no prefix of a long one.
    ///     A constant of the caller: anything else is a programming error and traps.
    ///   - key: none, or up to 64 bytes, which makes this a message authentication code. Also the caller's own.
    public static func hash(_ bytes: some Collection<UInt8>, length: Int = 32, key: [UInt8] = []) -> [UInt8] {
        precondition(1...maximumBytes ~= length && key.count <= maximumBytes)
        var digest = [UInt8](repeating: 0, count: length)
        let status =
            bytes.withContiguousStorageIfAvailable { input in
                crypto_generichash_blake2b(&digest, length, input.baseAddress, UInt64(input.count), key, key.count)
            }
            ?? {
                let input = Array(bytes)
                return crypto_generichash_blake2b(&digest, length, input, UInt64(input.count), key, key.count)
            }()
        precondition(status == 0)  // The lengths are all it looks at.
        return digest
    }
}

/// A running BLAKE2b-512 whose state is treated as a secret, because HMAC feeds keys to it.
struct Blake2b512: ~Copyable {
    private var state: SecretBytes

    init() {
        state = SecretBytes(zeros: crypto_generichash_blake2b_statebytes())
        withState { _ = crypto_generichash_blake2b_init($0, nil, 0, Blake2b.maximumBytes) }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        withState { _ = crypto_generichash_blake2b_update($0, input, UInt64(bytes.count)) }
    }

    /// Writes the 64 bytes of digest; to be called once.
    mutating func finish(into digest: UnsafeMutableRawBufferPointer) {
        guard let output = digest.baseAddress?.assumingMemoryBound(to: UInt8.self),
            digest.count == Blake2b.maximumBytes
        else { preconditionFailure("a digest has 64 bytes") }
        withState { _ = crypto_generichash_blake2b_final($0, output, Blake2b.maximumBytes) }
    }

    /// Swift can't express the 64-byte alignment of libsodium's state, so its pointer is opaque here; the memory of
    /// secrets gives that alignment.
    private mutating func withState(_ body: (OpaquePointer) -> Void) {
        state.withMutablePointer { body(OpaquePointer($0)) }
    }
}
