import Basics
import Crypto
import PeerProtocol

/// The accounts and devices in the targets, which are the same in every run.
enum Identities {
    static let now = Instant(nanoseconds: 1_000_000_000_000)
    static let wallTime = WallTime(milliseconds: 1_700_000_000_000)

    static func key(_ number: UInt8) -> SigningKey {
        var seed = [UInt8](repeating: number, count: 32)
        guard let key = try? SigningKey(seed: SecretBytes(moving: &seed)) else { fatalError("no key") }
        return key
    }

    static func certificate(_ number: UInt8) -> DeviceCertificate {
        guard
            let certificate = try? DeviceCertificate.issue(
                by: key(number), for: DeviceID(key(number + 100).publicKey), name: "desk", created: wallTime)
        else { fatalError("no certificate") }
        return certificate
    }

    static let local: LocalIdentity = {
        guard
            let identity = try? LocalIdentity.make(
                deviceKey: key(101), certificate: certificate(1), staticKey: AgreementKey(), now: wallTime,
                listenPort: 4000, capabilities: ["files"], softwareVersion: "kibo fuzz")
        else { fatalError("no identity") }
        return identity
    }()

    static let peer = PeerIdentity(
        certificate: certificate(2), staticKey: AgreementKey().publicKey, listenPort: 4001, capabilities: [],
        softwareVersion: "kibo fuzz")

    static func card(_ number: UInt8) -> Card {
        guard
            let card = try? Card.issue(
                by: key(number + 100), certificate: certificate(number),
                profile: Card.Profile(displayName: "Anna", statusText: "here", email: "anna@example.org"), version: 3)
        else { fatalError("no card") }
        return card
    }
}
