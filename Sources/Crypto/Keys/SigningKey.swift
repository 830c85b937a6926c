import Basics
import CSodium

/// An Ed25519 key pair (RFC 8032): an account's or a device's.
public final class SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The public key, by which others know it.
    public let publicKey: Key32
    /// Seed and public key, 64 bytes, as libsodium needs them.
    private let secret: SecretBytes

    /// Makes a new pair.
    public convenience init() {
        let seed = SecretBytes(random: CryptoLimits.keyBytes)
        self.init(checked: seed)
    }

    /// Makes the pair of a seed of 32 bytes.
    /// - Throws: `.keyLength`.
    public convenience init(seed: borrowing SecretBytes) throws(CryptoError) {
        try seed.requireCount(CryptoLimits.keyBytes)
        self.init(checked: seed)
    }

    private init(checked seed: borrowing SecretBytes) {
        var secret = SecretBytes(zeros: 64)
        var publicBytes = [UInt8](repeating: 0, count: 32)
        secret.withMutablePointer { secret in
            seed.withPointer { seed in _ = crypto_sign_seed_keypair(&publicBytes, secret, seed) }
        }
        guard let publicKey = Key32(publicBytes) else { preconditionFailure("a public key has 32 bytes") }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Makes a signature of 64 bytes. The same bytes always give the same signature.
    public func sign(_ bytes: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: CryptoLimits.signatureBytes)
        secret.withPointer { secret in
            _ = crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), secret)
        }
        return signature
    }

    /// Makes a signature of `label ‖ 0x00 ‖ bytes`. The label keeps a signature made for one purpose from serving
    /// another.
    public func sign(_ bytes: [UInt8], label: String) -> [UInt8] {
        sign(Signature.labelled(bytes, label))
    }

    /// The seed, for the key file. The pointer must not be kept.
    public func withSeed<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withUnsafeBytes { (bytes) throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(rebasing: bytes[..<CryptoLimits.keyBytes]))
        }
    }

    /// A description with the public key only.
    public var description: String { "SigningKey(" + Hex.encode(publicKey.bytes) + ")" }
    /// Keeps `dump` and debuggers' summaries away from the secret.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": description]) }
}
