import Basics
import CSodium

/// An X25519 key pair (RFC 7748). It lives in memory only, for one handshake or one run of the daemon.
public final class AgreementKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The public key, which the other side needs.
    public let publicKey: Key32
    private let secret: SecretBytes

    /// Makes a new pair.
    public convenience init() {
        self.init(checked: SecretBytes(random: CryptoLimits.keyBytes))
    }

    /// Makes the pair of a known scalar of 32 bytes, for tests with fixed vectors.
    /// - Throws: `.keyLength`.
    public convenience init(secret: borrowing SecretBytes) throws(CryptoError) {
        try secret.requireCount(CryptoLimits.keyBytes)
        self.init(checked: secret.duplicate())
    }

    private init(checked secret: consuming SecretBytes) {
        var publicBytes = [UInt8](repeating: 0, count: 32)
        secret.withPointer { _ = crypto_scalarmult_base(&publicBytes, $0) }
        guard let publicKey = Key32(publicBytes) else { preconditionFailure("a public key has 32 bytes") }
        self.publicKey = publicKey
        self.secret = secret
    }

    /// The secret half, for the time of the call.
    func withSecret<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result { secret.withPointer(body) }

    /// The secret that both owners compute, 32 bytes. It is not uniform: derive keys from it instead of using it as
    /// one.
    /// - Throws: `.lowOrderPoint` if the other key would give everyone the same secret.
    public func agree(with key: Key32) throws(CryptoError) -> SecretBytes {
        var shared = SecretBytes(zeros: CryptoLimits.keyBytes)
        let status = shared.withMutablePointer { shared in
            secret.withPointer { crypto_scalarmult(shared, $0, key.bytes) }
        }
        guard status == 0 else { throw .lowOrderPoint }
        return shared
    }

    /// A description with the public key only.
    public var description: String { "AgreementKey(" + Hex.encode(publicKey.bytes) + ")" }
    /// Keeps `dump` and debuggers' summaries away from the secret.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": description]) }
}

extension AgreementKey {
    /// What a sealed key has more than its secret half: a nonce and a tag.
    private static let sealedBytes = CryptoLimits.longNonceBytes + CryptoLimits.keyBytes + CryptoLimits.tagBytes

    /// The secret half for the disk: a random nonce, then XChaCha20-Poly1305 under `key`. The secret doesn't pass through
    /// ordinary memory.
    /// - Parameter associated: bytes without which it can't be opened.
    public func sealed(under key: SharedKey, authenticating associated: [UInt8]) -> [UInt8] {
        let nonce = Sodium.randomBytes(CryptoLimits.longNonceBytes)
        var sealed = [UInt8](repeating: 0, count: CryptoLimits.keyBytes + CryptoLimits.tagBytes)
        withSecret { secret in
            _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                &sealed, nil, secret, UInt64(CryptoLimits.keyBytes), associated, UInt64(associated.count), nil, nonce,
                key.bytes)
        }
        return nonce + sealed
    }

    /// Opens what ``sealed(under:authenticating:)`` has made.
    /// - Throws: `.authenticationFailed`.
    public convenience init(
        sealed: [UInt8], under key: SharedKey, authenticating associated: [UInt8]
    ) throws(CryptoError) {
        guard sealed.count == Self.sealedBytes else { throw .authenticationFailed }
        let (nonce, text) = (
            Array(sealed.prefix(CryptoLimits.longNonceBytes)), Array(sealed.dropFirst(CryptoLimits.longNonceBytes))
        )
        var secret = SecretBytes(zeros: CryptoLimits.keyBytes)
        let status = secret.withMutablePointer { secret in
            crypto_aead_xchacha20poly1305_ietf_decrypt(
                secret, nil, nil, text, UInt64(text.count), associated, UInt64(associated.count), nonce, key.bytes)
        }
        guard status == 0 else { throw .authenticationFailed }
        try self.init(secret: secret)
    }
}
