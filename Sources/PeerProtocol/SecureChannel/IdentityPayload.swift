import Basics
import Crypto

/// Why a peer's identity was not believed.
public enum IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payload is not what docs/PROTOCOL.md says.
    case malformed(WireError)
    /// The device certificate is not valid.
    case certificate(DeviceCertificate.Failure)
    /// The certificate is of another account than the payload names.
    case accountMismatch
    /// The device did not sign this static key.
    case staticSignature
    /// The signature ended before our clock's time, or was made long after it: one of the two clocks is wrong by weeks.
    /// All else was right. `days` is how far the peer's clock is ahead of ours, to about a day; negative if it is behind.
    case clocksApart(device: DeviceID, account: AccountID, days: Int64)

    public var description: String {
        switch self {
        case .malformed(let error): "the identity: \(error)"
        case .certificate(let failure): failure.description
        case .accountMismatch: "the certificate is of another account"
        case .staticSignature: "the device did not sign the key"
        case .clocksApart(_, _, let days): "the peer's clock is about \(Self.offset(days)) ours"
        }
    }

    /// `400 days behind`.
    public static func offset(_ days: Int64) -> String {
        "\(days.magnitude) days \(days < 0 ? "behind" : "ahead of")"
    }
}

/// The payload of the second and third handshake message.
///
/// CBOR `{1: account, 2: device certificate, 3: static signature, 4: not after, 5: listen port, 6: [capabilities],
/// 7: software version}`, where the device signs `"kibo-noise-static-v1" ‖ 0x00 ‖ X25519 key ‖ not after u64`.
enum IdentityPayload {
    /// This keeps the signature from serving another purpose.
    static let label = "kibo-noise-static-v1"

    static func signedBytes(staticKey: Key32, notAfter: WallTime) -> [UInt8] {
        var bytes = staticKey.bytes
        bytes.appendBigEndian(UInt64(clamping: notAfter.milliseconds))
        return bytes
    }

    static func check(capabilities: [String], softwareVersion: String) throws(WireError) {
        try FieldRules.bytes(capabilities.count, "capabilities", maximum: PeerLimits.capabilities)
        for name in capabilities {
            try FieldRules.bytes(name.utf8.count, "capability", maximum: PeerLimits.capabilityBytes)
            guard !name.isEmpty, name.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw .invalid(field: "capability")
            }
        }
        try FieldRules.optionalLabel(
            softwareVersion, "software version", maximum: PeerLimits.softwareVersionCharacters)
    }

    /// Checks everything that the payload claims about the owner of `staticKey`, which the handshake has proved to be
    /// the peer's.
    static func verify(
        _ payload: [UInt8], staticKey: Key32, wallTime: WallTime
    ) throws(IdentityError) -> PeerIdentity {
        let claims: Claims
        do { claims = try Claims(decoding: payload) } catch { throw .malformed(error) }
        let certificate: DeviceCertificate
        do {
            certificate = try DeviceCertificate(decoding: claims.certificate)
        } catch {
            throw .certificate(error)
        }
        guard certificate.account.bytes == claims.account else { throw .accountMismatch }
        let signed = signedBytes(staticKey: staticKey, notAfter: claims.notAfter)
        guard Signature.isValid(claims.signature, of: signed, label: label, by: certificate.device.key) else {
            throw .staticSignature
        }
        // A daemon signs for as long as this, every day. The side whose clock is behind could take the signature, but the
        // other side takes none of its own: both have to know why there is no session.
        let validity = PeerLimits.staticKeyValidity
        guard wallTime <= claims.notAfter, claims.notAfter <= wallTime + validity + validity else {
            let day = Duration.seconds(24 * 3600).milliseconds
            let signedAt = claims.notAfter.milliseconds / day - validity.milliseconds / day
            throw .clocksApart(
                device: certificate.device, account: certificate.account, days: signedAt - wallTime.milliseconds / day)
        }
        return PeerIdentity(
            certificate: certificate, staticKey: staticKey,
            listenPort: claims.listenPort == 0 ? nil : claims.listenPort,
            capabilities: Set(claims.capabilities), softwareVersion: claims.softwareVersion)
    }

    private struct Claims {
        let account: [UInt8]
        let certificate: [UInt8]
        let signature: [UInt8]
        let notAfter: WallTime
        let listenPort: UInt16
        let capabilities: [String]
        let softwareVersion: String

        init(decoding bytes: [UInt8]) throws(WireError) {
            let body = try BodyReader(bytes)
            account = try body.bytes(1, "account", maximum: CryptoLimits.keyBytes)
            certificate = try body.bytes(2, "certificate", maximum: CryptoLimits.deviceCertificateBytes)
            signature = try body.bytes(3, "static signature", maximum: CryptoLimits.signatureBytes)
            notAfter = try body.time(4, "not after")
            guard let port = UInt16(exactly: try body.unsigned(5, "listen port")) else {
                throw .invalid(field: "listen port")
            }
            listenPort = port
            let limit = PeerLimits.capabilities
            capabilities =
                try body.optionalList(6, "capabilities", maximum: limit) { (item, _) throws(WireError) -> String in
                    guard case .text(let name) = item else { throw .wrongType(field: "capability") }
                    return name
                } ?? []
            softwareVersion =
                try body.optionalText(
                    7, "software version", maximumBytes: PeerLimits.softwareVersionCharacters * 8) ?? ""
            try IdentityPayload.check(capabilities: capabilities, softwareVersion: softwareVersion)
        }
    }
}
