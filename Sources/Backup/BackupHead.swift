import Basics
import Crypto

/// What stands before the sealed part: when the backup was made, and how it is opened. It doesn't say whose it is.
public struct BackupHead: Hashable, Sendable {
    private static let magic = Array("KIBOBACK".utf8)
    /// Bytes before the map: the magic, the version, and the length of the map.
    public static let prefixBytes = 12

    public let madeAt: WallTime
    /// The file's key and the account's seed under a passphrase; nil if there is none.
    public let keystore: Keystore?
    /// The file's key in a box that the account's recovery key opens; nil if there is none.
    public let recoveryBox: [UInt8]?
    /// All bytes from the beginning of the file to the header of the stream. The key of the stream depends on them.
    public let encoded: [UInt8]

    /// Makes a head. One of the two ways to open the file must be there.
    public init(madeAt: WallTime, keystore: Keystore?, recoveryBox: [UInt8]? = nil) {
        precondition(keystore != nil || recoveryBox != nil, "a file that nobody can open")
        self.madeAt = madeAt
        self.keystore = keystore
        self.recoveryBox = recoveryBox
        var map: CBORMap = [1: .unsigned(UInt64(clamping: madeAt.milliseconds))]
        map[2] = keystore.map { .bytes($0.encoded()) }
        map[3] = recoveryBox.map { .bytes($0) }
        let body = CBOR.map(map).encoded()
        var encoded = Self.magic
        encoded.appendBigEndian(BackupLimits.version)
        encoded.appendBigEndian(UInt16(body.count))
        self.encoded = encoded + body
    }

    /// The length of the whole head, from its first ``prefixBytes``.
    /// - Throws: ``BackupError/notABackup``, ``BackupError/newer(version:)``, ``BackupError/damaged(at:)``.
    public static func length(_ prefix: [UInt8]) throws(BackupError) -> Int {
        guard prefix.count >= prefixBytes, prefix.starts(with: magic) else { throw .notABackup }
        let version = UInt16(prefix[8]) << 8 | UInt16(prefix[9])
        guard version <= BackupLimits.version else { throw .newer(version: version) }
        let length = Int(prefix[10]) << 8 | Int(prefix[11])
        guard version > 0, 1...BackupLimits.headBytes ~= length else { throw .damaged(at: 0) }
        return prefixBytes + length
    }

    /// Reads a head from exactly its bytes.
    /// - Throws: what ``length(_:)`` throws; ``Keystore/Failure`` for a keystore that is not one of ours.
    public init(decoding bytes: [UInt8], within bounds: PassphraseBounds = .standard) throws {
        guard try Self.length(bytes) == bytes.count,
            let map = (try? CBORDecoder.decode(bytes[Self.prefixBytes...]))?.mapValue,
            let time = map[1]?.unsignedValue, let milliseconds = Int64(exactly: time),
            map[2] != nil || map[3] != nil
        else { throw BackupError.damaged(at: 0) }
        if let box = map[3] {
            guard box.bytesValue?.count == BackupLimits.recoveryBoxBytes else { throw BackupError.damaged(at: 0) }
        }
        if let sealed = map[2] {
            guard let encoded = sealed.bytesValue else { throw BackupError.damaged(at: 0) }
            keystore = try Keystore(decoding: encoded, within: bounds)
        } else {
            keystore = nil
        }
        madeAt = WallTime(milliseconds: milliseconds)
        recoveryBox = map[3]?.bytesValue
        encoded = bytes
    }
}

/// What the passphrase of a backup opens: the file's own key, and the account's seed.
public struct BackupSecret: ~Copyable {
    /// Seals and opens this one file.
    let fileKey: SharedKey
    /// The seed of the account's key. Anyone who has it can act as this person.
    public let seed: SecretBytes

    /// A new key for a file, beside the seed of the account.
    public init(seed: borrowing SecretBytes) {
        self.init(key: Sodium.randomBytes(CryptoLimits.keyBytes), seed: seed)
    }

    init(key: [UInt8], seed: borrowing SecretBytes) {
        guard let key = SharedKey(bytes: key) else { preconditionFailure("a key has 32 bytes") }
        fileKey = key
        self.seed = seed.duplicate()
    }

    /// Opens a keystore. This takes time, so call it on a thread that may block.
    /// - Throws: ``Keystore/Failure``; `.malformed` if something else was sealed.
    public init(_ keystore: Keystore, with passphrase: Passphrase) throws(Keystore.Failure) {
        let both = try keystore.open(with: passphrase)
        guard both.count == CryptoLimits.keyBytes * 2 else { throw .malformed }
        let (key, seed) = both.withUnsafeBytes { bytes in
            (
                SharedKey(bytes: bytes[..<CryptoLimits.keyBytes]),
                Seed(SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[CryptoLimits.keyBytes...])))
            )
        }
        guard let key else { throw .malformed }
        fileKey = key
        self.seed = seed.bytes.duplicate()
    }

    /// Carries a secret out of a closure.
    private final class Seed {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    /// Seals both under a passphrase. This takes time, so call it on a thread that may block.
    /// - Throws: ``Keystore/Failure/outOfMemory``.
    public func sealed(
        with passphrase: Passphrase, cost: PassphraseCost = .standard
    ) throws(Keystore.Failure) -> Keystore {
        let both = SecretBytes(count: CryptoLimits.keyBytes * 2) { both in
            fileKey.bytes.withUnsafeBytes { both.copyMemory(from: $0) }
            let second = UnsafeMutableRawBufferPointer(rebasing: both[CryptoLimits.keyBytes...])
            seed.withUnsafeBytes { second.copyMemory(from: $0) }
        }
        return try Keystore.seal(both, with: passphrase, cost: cost, attached: [])
    }

    /// The key of the sealed part of a file with this head.
    func streamKey(_ head: BackupHead) -> SharedKey { fileKey.derived("kibo-backup-stream-v1", head.encoded) }
}
