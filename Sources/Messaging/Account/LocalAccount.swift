import Basics
import Crypto
import PeerProtocol

/// This daemon's own account and device, with their keys.
///
/// The module `Account` makes the account, keeps its keys on disk, under a passphrase if the user wants that, and hands
/// out what is signed with them. While the account is locked, no value of this type exists in the process.
package final class LocalAccount: Sendable {
    package let accountKey: SigningKey
    package let deviceKey: SigningKey
    package let certificate: DeviceCertificate

    package var id: AccountID { certificate.account }
    package var device: DeviceID { certificate.device }

    package init(accountKey: SigningKey, deviceKey: SigningKey, certificate: DeviceCertificate) {
        self.accountKey = accountKey
        self.deviceKey = deviceKey
        self.certificate = certificate
    }

    /// Reads both seeds, one after the other; nil if they don't belong to the certificate.
    package convenience init?(seeds: borrowing SecretBytes, certificate: DeviceCertificate) {
        guard seeds.count == CryptoLimits.keyBytes * 2 else { return nil }
        func key(_ bytes: UnsafeRawBufferPointer.SubSequence) -> SigningKey? {
            try? SigningKey(seed: SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes)))
        }
        let keys = seeds.withUnsafeBytes {
            (key($0[..<CryptoLimits.keyBytes]), key($0[CryptoLimits.keyBytes...]))
        }
        guard let accountKey = keys.0, let deviceKey = keys.1,
            accountKey.publicKey == certificate.account.key, deviceKey.publicKey == certificate.device.key
        else { return nil }
        self.init(accountKey: accountKey, deviceKey: deviceKey, certificate: certificate)
    }

    /// Makes a new account with its first device.
    package static func create(deviceName: String, at time: WallTime) throws -> LocalAccount {
        try newDevice(of: SigningKey(), deviceName: deviceName, at: time)
    }

    /// Makes a new device of an account.
    package static func newDevice(
        of accountKey: SigningKey, deviceName: String, at time: WallTime
    ) throws -> LocalAccount {
        let deviceKey = SigningKey()
        let certificate = try DeviceCertificate.issue(
            by: accountKey, for: DeviceID(deviceKey.publicKey), name: deviceName, created: time)
        return LocalAccount(accountKey: accountKey, deviceKey: deviceKey, certificate: certificate)
    }
}

/// The account that this daemon has, locked or not. Most requests need only this.
package struct OwnAccount: Sendable {
    package let id: AccountID
    package let device: DeviceID

    package init(id: AccountID, device: DeviceID) {
        self.id = id
        self.device = device
    }
}
