import Basics
import CSodium

/// A secret under a passphrase, as a file holds it: Argon2id makes a key from the passphrase, and XChaCha20-Poly1305
/// seals the secret with that key.
///
/// The file is the CBOR map `{1: version (2), 2: algorithm (1), 3: passes, 4: KiB, 5: salt (16 bytes), 6: nonce (24),
/// 7: label (bytes that need no passphrase to be read), 8: sealed secret, 9: digest}`. Everything before the sealed
/// secret is authenticated with it, so that its cost and its owner can't be changed. The digest (BLAKE2b-128 of the
/// encoding of 1 to 8) is no protection: it tells a damaged file from a wrong passphrase.
public struct Keystore: Hashable, Sendable {
    /// Why bytes are no keystore, or why it doesn't open.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The bytes don't follow the definition, or the digest doesn't fit because the file is damaged.
        case malformed
        /// The file has a later version or another algorithm.
        case newer
        /// The cost lies outside of the accepted bounds.
        case cost(PassphraseCost)
        /// The secret was sealed with another passphrase.
        case wrongPassphrase
        /// The system doesn't have the memory that the cost asks for.
        case outOfMemory

        public var description: String {
            switch self {
            case .malformed: "the keystore is damaged"
            case .newer: "the keystore is of a later version"
            case .cost: "the cost of the passphrase is out of bounds"
            case .wrongPassphrase: "the passphrase is wrong"
            case .outOfMemory: "there is not enough memory for the passphrase"
            }
        }
    }

    /// The label in front of the authenticated part, so that the key can't serve another purpose.
    static let label = "kibo-keystore-v2"
    /// The first number of the map. Version 1 is the plain form of the daemon's key file.
    public static let version: UInt64 = 2
    private static let argon2id: UInt64 = 1

    public let cost: PassphraseCost
    /// Bytes that go with the secret and may be read without the passphrase.
    public let attached: [UInt8]
    private let salt: [UInt8]
    private let nonce: [UInt8]
    private let sealed: [UInt8]

    /// Seals a secret. This takes time, so call it on a thread that may block.
    /// - Throws: `.outOfMemory`.
    public static func seal(
        _ secret: borrowing SecretBytes, with passphrase: Passphrase, cost: PassphraseCost = .standard,
        attached: [UInt8]
    ) throws(Failure) -> Keystore {
        let salt = Sodium.randomBytes(CryptoLimits.saltBytes)
        let nonce = Sodium.randomBytes(CryptoLimits.longNonceBytes)
        let key: SecretBytes
        do { key = try cost.key(from: passphrase, salt: salt) } catch { throw .outOfMemory }
        let head = Self.head(cost, salt, nonce, attached)
        let authenticated = Signature.labelled(CBOR.map(head).encoded(), label)
        var sealed = [UInt8](repeating: 0, count: secret.count + CryptoLimits.tagBytes)
        _ = key.withPointer { key in
            secret.withPointer { plain in
                crypto_aead_xchacha20poly1305_ietf_encrypt(
                    &sealed, nil, plain, UInt64(secret.count), authenticated, UInt64(authenticated.count), nil,
                    nonce, key)
            }
        }
        return Keystore(cost: cost, attached: attached, salt: salt, nonce: nonce, sealed: sealed)
    }

    /// Opens the keystore and returns the secret. This takes time, so call it on a thread that may block.
    /// - Throws: `.wrongPassphrase`, `.outOfMemory`.
    public func open(with passphrase: Passphrase) throws(Failure) -> SecretBytes {
        let key: SecretBytes
        do { key = try cost.key(from: passphrase, salt: salt) } catch { throw .outOfMemory }
        let authenticated = Signature.labelled(
            CBOR.map(Self.head(cost, salt, nonce, attached)).encoded(), Self.label)
        var secret = SecretBytes(zeros: sealed.count - CryptoLimits.tagBytes)
        let status = key.withPointer { key in
            secret.withMutablePointer { secret in
                crypto_aead_xchacha20poly1305_ietf_decrypt(
                    secret, nil, nil, sealed, UInt64(sealed.count), authenticated, UInt64(authenticated.count),
                    nonce, key)
            }
        }
        guard status == 0 else { throw .wrongPassphrase }
        return secret
    }

    private init(cost: PassphraseCost, attached: [UInt8], salt: [UInt8], nonce: [UInt8], sealed: [UInt8]) {
        self.cost = cost
        self.attached = attached
        self.salt = salt
        self.nonce = nonce
        self.sealed = sealed
    }

    private static func head(
        _ cost: PassphraseCost, _ salt: [UInt8], _ nonce: [UInt8], _ attached: [UInt8]
    ) -> CBORMap {
        [
            1: .unsigned(version), 2: .unsigned(argon2id), 3: .unsigned(cost.passes), 4: .unsigned(cost.kibibytes),
            5: .bytes(salt), 6: .bytes(nonce), 7: .bytes(attached),
        ]
    }

    // MARK: As bytes

    /// The file's bytes.
    public func encoded() -> [UInt8] {
        var map = Self.head(cost, salt, nonce, attached)
        map[8] = .bytes(sealed)
        map[9] = .bytes(Self.digest(of: map))
        return CBOR.map(map).encoded()
    }

    private static func digest(of map: CBORMap) -> [UInt8] {
        Blake2b.hash(CBOR.map(map).encoded(), length: CryptoLimits.keystoreDigestBytes)
    }

    /// Reads a file's bytes. Nothing is computed with the cost that they state before it is known to lie within the
    /// bounds.
    /// - Throws: `.malformed`, `.newer`, `.cost`.
    public init(decoding bytes: [UInt8], within bounds: PassphraseBounds = .standard) throws(Failure) {
        guard bytes.count <= CryptoLimits.keystoreBytes, var map = (try? CBORDecoder.decode(bytes))?.mapValue,
            let version = map[1]?.unsignedValue
        else { throw .malformed }
        guard version <= Self.version else { throw .newer }
        let digest = map[9]?.bytesValue
        map[9] = nil
        guard version == Self.version, map.count == 8, let digest, digest == Self.digest(of: map),
            let algorithm = map[2]?.unsignedValue
        else { throw .malformed }
        guard algorithm == Self.argon2id else { throw .newer }
        guard let passes = map[3]?.unsignedValue, let kibibytes = map[4]?.unsignedValue,
            let salt = map[5]?.bytesValue, salt.count == CryptoLimits.saltBytes,
            let nonce = map[6]?.bytesValue, nonce.count == CryptoLimits.longNonceBytes,
            let attached = map[7]?.bytesValue, let sealed = map[8]?.bytesValue, sealed.count > CryptoLimits.tagBytes
        else { throw .malformed }
        let cost = PassphraseCost(passes: passes, kibibytes: kibibytes)
        guard bounds.contains(cost) else { throw .cost(cost) }
        self.init(cost: cost, attached: attached, salt: salt, nonce: nonce, sealed: sealed)
    }
}
