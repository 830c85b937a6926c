import Basics
import CSodium

/// A box that only the owner of a key can open, and whose maker stays unknown (libsodium's `crypto_box_seal`).
public enum SealedBox {
    /// Bytes that a box has more than what is in it.
    public static let extraBytes = 48

    /// Seals bytes for the owner of a key.
    /// - Throws: `.lowOrderPoint` if everyone could open it.
    public static func seal(_ plain: [UInt8], to key: Key32) throws(CryptoError) -> [UInt8] {
        Sodium.require()
        var box = [UInt8](repeating: 0, count: plain.count + extraBytes)
        guard crypto_box_seal(&box, plain, UInt64(plain.count), key.bytes) == 0 else { throw .lowOrderPoint }
        return box
    }
}

extension AgreementKey {
    /// Opens a box that was sealed for this key.
    /// - Throws: `.authenticationFailed` if it was not, or was changed since.
    public func open(_ box: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard box.count >= SealedBox.extraBytes else { throw .authenticationFailed }
        var plain = [UInt8](repeating: 0, count: box.count - SealedBox.extraBytes)
        let status = withSecret { crypto_box_seal_open(&plain, box, UInt64(box.count), publicKey.bytes, $0) }
        guard status == 0 else { throw .authenticationFailed }
        return plain
    }
}

extension SigningKey {
    /// The key that opens the backups of this account without a passphrase. Each device knows its public half, so that a
    /// backup can be made while the account is locked; the other half comes from the account's seed, and so from the
    /// recovery code.
    public var recoveryKey: AgreementKey {
        let label = Array("kibo-recovery-key-v1".utf8) + [0]
        var status: CInt = -1
        // It is never in ordinary memory.
        let secret = SecretBytes(count: CryptoLimits.keyBytes) { secret in
            guard let start = secret.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            withSeed { seed in
                status = crypto_generichash_blake2b(
                    start, secret.count, label, UInt64(label.count),
                    seed.baseAddress?.assumingMemoryBound(to: UInt8.self), seed.count)
            }
        }
        guard status == 0, let key = try? AgreementKey(secret: secret) else {
            preconditionFailure("a key has 32 bytes")
        }
        return key
    }
}
