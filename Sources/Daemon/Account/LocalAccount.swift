import Basics
import Crypto
import PeerProtocol

/// This daemon's own account and device, with their keys.
///
/// This room (`Account`) makes the account, keeps its keys on disk and hands out what is signed with them.
final class LocalAccount: Sendable {
    let accountKey: SigningKey
    let deviceKey: SigningKey
    let certificate: DeviceCertificate

    var id: AccountID { certificate.account }
    var device: DeviceID { certificate.device }

    init(accountKey: SigningKey, deviceKey: SigningKey, certificate: DeviceCertificate) {
        self.accountKey = accountKey
        self.deviceKey = deviceKey
        self.certificate = certificate
    }

    /// A new account with its first device.
    static func create(deviceName: String, at time: WallTime) throws -> LocalAccount {
        let accountKey = SigningKey()
        let deviceKey = SigningKey()
        let certificate = try DeviceCertificate.issue(
            by: accountKey, for: DeviceID(deviceKey.publicKey), name: deviceName, created: time)
        return LocalAccount(accountKey: accountKey, deviceKey: deviceKey, certificate: certificate)
    }
}
