import Basics
import Crypto

/// The second way to open a backup: the account's recovery code. Nothing of it has to be known to make the file but the
/// public half of the recovery key, so a timer can make one while the account is locked.
extension BackupSecret {
    /// A new key for a file that only the recovery code opens. There is no seed beside it: the code is that seed.
    public static func withoutSeed() -> BackupSecret {
        BackupSecret(key: Sodium.randomBytes(CryptoLimits.keyBytes), seed: SecretBytes(count: 0) { _ in })
    }

    /// The file's key in a box that only the owner of a recovery key opens, for ``BackupHead/recoveryBox``.
    /// - Throws: `.lowOrderPoint` for a key that nobody has made.
    public borrowing func box(for recoveryKey: Key32) throws(CryptoError) -> [UInt8] {
        try SealedBox.seal(fileKey.bytes, to: recoveryKey)
    }

    /// Whether another secret opens the same file.
    public borrowing func hasKey(of other: borrowing BackupSecret) -> Bool { fileKey.bytes == other.fileKey.bytes }

    /// Opens the box of a head with the account's key, as the recovery code gives it.
    /// - Throws: `.authenticationFailed` if the box was made for another account, or is damaged.
    public init(recoveryBox box: [UInt8], of account: SigningKey) throws(CryptoError) {
        let key = try account.recoveryKey.open(box)
        guard key.count == CryptoLimits.keyBytes else { throw .authenticationFailed }
        self.init(key: key, seed: account.withSeed { SecretBytes(copying: $0) })
    }
}
