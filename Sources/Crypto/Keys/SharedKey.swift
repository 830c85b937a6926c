import Basics
import CSodium

/// A symmetric key that two or more devices have: 32 bytes, from which tags and further keys are derived. It also seals
/// short texts by XChaCha20-Poly1305.
///
/// It is sent to others in frames and kept in the database, so it is a plain value; it only hides itself from logs.
public struct SharedKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let bytes: [UInt8]

    /// Nil unless there are 32 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == CryptoLimits.keyBytes else { return nil }
        self.bytes = Array(bytes)
    }

    private init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// BLAKE2b under this key over `label ‖ 0x00 ‖ context`.
    /// - Parameter length: bytes, 1 to 64; a constant of the caller.
    public func tag(_ label: String, _ context: [UInt8], length: Int) -> [UInt8] {
        Blake2b.hash(Array(label.utf8) + [0] + context, length: length, key: bytes)
    }

    /// BLAKE2b-128 under this key over the bytes: fast and small enough for tables of many thousands.
    public func shortTag(_ message: [UInt8]) -> ShortTag {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { output in
            guard let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let status = crypto_generichash_blake2b(
                start, output.count, message, UInt64(message.count), bytes, bytes.count)
            precondition(status == 0)  // The lengths are all it looks at.
        }
        return ShortTag(high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1))
    }

    /// Derives another key, for the purpose that the label names.
    public func derived(_ label: String, _ context: [UInt8]) -> SharedKey {
        SharedKey(trusted: tag(label, context, length: CryptoLimits.keyBytes))
    }

    /// Seals a text; the result ends with its tag of 16 bytes.
    /// - Parameter nonce: 24 random bytes, used for this text alone.
    public func seal(_ plain: [UInt8], nonce: [UInt8], authenticating associated: [UInt8]) -> [UInt8] {
        precondition(nonce.count == CryptoLimits.longNonceBytes, "a nonce has 24 bytes")
        var sealed = [UInt8](repeating: 0, count: plain.count + CryptoLimits.tagBytes)
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, nil, plain, UInt64(plain.count), associated, UInt64(associated.count), nil, nonce, bytes)
        return sealed
    }

    /// Opens a sealed text; nil if it was not sealed under this key, with this nonce and these associated bytes.
    public func open(_ sealed: [UInt8], nonce: [UInt8], authenticating associated: [UInt8]) -> [UInt8]? {
        guard nonce.count == CryptoLimits.longNonceBytes, sealed.count >= CryptoLimits.tagBytes else { return nil }
        var plain = [UInt8](repeating: 0, count: sealed.count - CryptoLimits.tagBytes)
        let status = crypto_aead_xchacha20poly1305_ietf_decrypt(
            &plain, nil, nil, sealed, UInt64(sealed.count), associated, UInt64(associated.count), nonce, bytes)
        return status == 0 ? plain : nil
    }

    /// Whether two tags or codes are equal, in a time that doesn't tell where they differ.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }

    /// A description without the key.
    public var description: String { "SharedKey" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Sixteen bytes by which a key's owner is recognised.
public struct ShortTag: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    fileprivate init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Nil unless there are 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        high = word(bytes.prefix(8))
        low = word(bytes.dropFirst(8))
    }

    /// The tag in its wire form.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }
}

extension SigningKey {
    /// A key derived from this one's seed: BLAKE2b-256 under the seed over `label ‖ 0x00 ‖ context`. It reveals nothing
    /// about the seed.
    public func sharedKey(_ label: String, _ context: [UInt8]) -> SharedKey {
        let input = Array(label.utf8) + [0] + context
        var bytes = [UInt8](repeating: 0, count: CryptoLimits.keyBytes)
        // The seed is used in place, so that no copy of it is left in memory.
        let status = withSeed { seed in
            crypto_generichash_blake2b(
                &bytes, bytes.count, input, UInt64(input.count), seed.baseAddress?.assumingMemoryBound(to: UInt8.self),
                seed.count)
        }
        guard status == 0, let key = SharedKey(bytes: bytes) else { preconditionFailure("a hash of 32 bytes") }
        return key
    }
}
