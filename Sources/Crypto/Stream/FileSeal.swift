import CSodium

/// Hides the bytes of a file under a key of its own, piece by piece and in any order: the key stream of XChaCha20 with a
/// nonce of zeros. What is hidden has the same length and is as easily changed as before, so a hash has to prove it.
public struct FileSeal: Hashable, Sendable {
    public let key: SharedKey
    /// The key serves this file alone, so the nonce need not differ.
    private static let nonce = [UInt8](repeating: 0, count: CryptoLimits.longNonceBytes)
    /// Bytes of the key stream that one number of a block stands for.
    private static let blockBytes: UInt64 = 64

    /// - Parameter key: a fresh one, under which nothing else was sealed.
    public init(key: SharedKey) { self.key = key }

    /// Makes a seal with a random key.
    public init?() {
        guard let key = SharedKey(bytes: Sodium.randomBytes(CryptoLimits.keyBytes)) else { return nil }
        self.key = key
    }

    /// Seals bytes of the file where they lie, or opens them: both are the same.
    /// - Parameter offset: where in the file they begin, a multiple of 64 bytes.
    public func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) {
        precondition(offset % Self.blockBytes == 0, "a seal begins at a block")
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let status = crypto_stream_xchacha20_xor_ic(
            start, start, UInt64(bytes.count), Self.nonce, offset / Self.blockBytes, key.bytes)
        precondition(status == 0)  // It looks at nothing.
    }
}
