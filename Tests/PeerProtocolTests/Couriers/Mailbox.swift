import Basics
import Crypto
import Testing

@testable import PeerProtocol

/// A device with a mail key and the note that tells of it, always the same for the same numbers.
struct Mailbox {
    let deviceKey: SigningKey
    let certificate: DeviceCertificate
    let key: AgreementKey
    let note: MailNote

    /// - Parameters:
    ///   - number: the person's.
    ///   - device: the number of the person's device; 0 is that of ``Person``.
    init(
        _ number: UInt8, device: UInt8 = 0, made: WallTime = someTime, couriers: [AccountID] = [], days: Int = 14
    ) throws {
        deviceKey = try SigningKey(seed: Person.secret(number, device == 0 ? 2 : 100 + device))
        certificate = try DeviceCertificate.issue(
            by: SigningKey(seed: Person.secret(number, 1)), for: DeviceID(deviceKey.publicKey),
            name: "host-\(number)-\(device)", created: someTime)
        key = try AgreementKey(secret: Person.secret(number, 50 + device))
        note = try MailNote.issue(
            by: deviceKey, certificate: certificate, key: key.publicKey, made: made, couriers: couriers, days: days)
    }

    var account: AccountID { certificate.account }
    var device: DeviceID { certificate.device }
}

/// An account that tests can distinguish.
func account(_ number: UInt8) throws -> AccountID { try Person(number).account }

/// The map in encoded CBOR.
func cborMap(_ bytes: [UInt8]) throws -> CBORMap {
    guard case .map(let map) = try CBORDecoder.decode(bytes) else { throw WireError.wrongType(field: "body") }
    return map
}
