import Basics
import Crypto

/// The secret of an office or a house: without it no peer gets through a handshake (Noise `XXpsk0`).
public final class RealmKey: Sendable {
    /// Bytes of the key.
    public static let keyBytes = CryptoLimits.keyBytes
    /// Bytes of the id.
    public static let idBytes = 32

    /// BLAKE2b-256 of the key: names the realm in the prologue.
    public let id: [UInt8]
    let secret: SecretBytes

    /// - Throws: `.keyLength` unless there are 32 bytes.
    public init(_ key: borrowing SecretBytes) throws(CryptoError) {
        guard key.count == Self.keyBytes else {
            throw .keyLength(expected: Self.keyBytes, actual: key.count)
        }
        secret = key.duplicate()
        id = key.withUnsafeBytes { Blake2b.hash(Array($0), length: Self.idBytes) }
    }
}
