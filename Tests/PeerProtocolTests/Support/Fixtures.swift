import Basics
import Crypto

@testable import PeerProtocol

/// The time at which most tests take place: 2024-07-03 in UTC.
let someTime = WallTime(milliseconds: 1_720_000_000_000)
/// The monotonic clock at that moment.
let someInstant = Instant(nanoseconds: 1_000_000_000_000)

/// Times in seconds after ``someInstant``.
func at(_ seconds: Double) -> Instant { someInstant + .nanoseconds(Int64(seconds * 1e9)) }

/// A person with one device, made from one number, always the same.
struct Person: Sendable {
    let accountKey: SigningKey
    let deviceKey: SigningKey
    let staticKey: AgreementKey
    let certificate: DeviceCertificate
    let identity: LocalIdentity
    let card: Card

    init(_ number: UInt8, name: String = "Person", now: WallTime = someTime) throws {
        accountKey = try SigningKey(seed: Person.secret(number, 1))
        deviceKey = try SigningKey(seed: Person.secret(number, 2))
        staticKey = try AgreementKey(secret: Person.secret(number, 3))
        certificate = try DeviceCertificate.issue(
            by: accountKey, for: DeviceID(deviceKey.publicKey), name: "host-\(number)", created: someTime)
        identity = try LocalIdentity.make(
            deviceKey: deviceKey, certificate: certificate, staticKey: staticKey, now: now, listenPort: 15426,
            capabilities: ["chat"], softwareVersion: "kibod 0.1.0")
        card = try Card.issue(
            by: deviceKey, certificate: certificate, profile: Card.Profile(displayName: name), version: 1)
    }

    var account: AccountID { certificate.account }
    var device: DeviceID { certificate.device }
    /// The identity as others see it after a handshake.
    var peer: PeerIdentity {
        PeerIdentity(
            certificate: certificate, staticKey: staticKey.publicKey, listenPort: 15426, capabilities: ["chat"],
            softwareVersion: "kibod 0.1.0")
    }

    /// 32 bytes with the person's number in the first half and the use in the second.
    static func secret(_ number: UInt8, _ use: UInt8) -> SecretBytes {
        var bytes = [UInt8](repeating: number, count: 16) + [UInt8](repeating: use, count: 16)
        return SecretBytes(moving: &bytes)
    }
}

/// Identifiers that tests can distinguish.
func id(_ number: UInt64) -> UUIDv7 { UUIDv7(high: 0x0190_7C5B_3C00_7000, low: 0x8000_0000_0000_0000 | number) }

func textMessage(_ text: String) -> MessageBody {
    MessageBody(
        kind: .text, text: text, time: HybridTime(milliseconds: someTime.milliseconds), sentAt: someTime)
}

/// Cuts the bytes into pieces of random length; short streams sometimes into single bytes.
func pieces(_ bytes: [UInt8], using random: inout SeededGenerator) -> [ArraySlice<UInt8>] {
    let longest = max(bytes.count / 500, [1, 3, 40, 1000, 100_000].randomElement(using: &random) ?? 1)
    var out: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Int.random(in: 1...longest, using: &random)
        out.append(rest.prefix(count))
        rest = rest.dropFirst(count)
    }
    return out
}

/// All frames of a piece of stream, which must hold whole ones.
func frames(_ bytes: [UInt8]) throws -> [Frame] {
    var decoder = FrameDecoder()
    decoder.append(bytes)
    var out: [Frame] = []
    while let frame = try decoder.next() { out.append(frame) }
    return out
}
