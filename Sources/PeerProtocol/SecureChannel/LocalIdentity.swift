import Basics
import Crypto

/// Our identity to every peer: the payload of our handshake message, and the key that speaks for it.
///
/// The static key lives for one run of the daemon; its signature is good for ``PeerLimits/staticKeyValidity`` and made
/// again every ``PeerLimits/staticKeyRenewal``.
public struct LocalIdentity: Sendable {
    public let certificate: DeviceCertificate
    public let staticKey: AgreementKey
    /// The device's signature of static key and ``notAfter``, 64 bytes.
    public let staticSignature: [UInt8]
    /// The last moment at which peers accept ``staticKey``, by their own clocks.
    public let notAfter: WallTime
    /// The TCP port on which we can be dialled; 0 for none.
    public let listenPort: UInt16
    /// Names of what we can do beyond the version's minimum.
    public let capabilities: [String]
    /// Program and version, for people.
    public let softwareVersion: String

    public var account: AccountID { certificate.account }
    public var device: DeviceID { certificate.device }

    /// Signs the static key.
    /// - Parameter now: our wall clock; the signature is good until 30 days after it.
    /// - Throws: `.forged` if the key is not the certificate's device; ``WireError`` for capabilities or a version text
    ///   that peers would refuse.
    public static func make(
        deviceKey: SigningKey, certificate: DeviceCertificate, staticKey: AgreementKey, now: WallTime,
        listenPort: UInt16, capabilities: [String] = [], softwareVersion: String
    ) throws(WireError) -> LocalIdentity {
        guard deviceKey.publicKey == certificate.device.key else { throw .forged }
        try IdentityPayload.check(capabilities: capabilities, softwareVersion: softwareVersion)
        let notAfter = max(WallTime(milliseconds: 0), now + PeerLimits.staticKeyValidity)
        let signed = IdentityPayload.signedBytes(staticKey: staticKey.publicKey, notAfter: notAfter)
        return LocalIdentity(
            certificate: certificate, staticKey: staticKey,
            staticSignature: deviceKey.sign(signed, label: IdentityPayload.label), notAfter: notAfter,
            listenPort: listenPort, capabilities: capabilities, softwareVersion: softwareVersion)
    }

    /// The payload of our second or third handshake message.
    var payload: [UInt8] {
        CBOR.map([
            1: .bytes(account.bytes), 2: .bytes(certificate.encoded()), 3: .bytes(staticSignature),
            4: .integer(notAfter.milliseconds), 5: .unsigned(UInt64(listenPort)),
            6: .array(capabilities.map { .text($0) }), 7: .text(softwareVersion),
        ]).encoded()
    }
}
