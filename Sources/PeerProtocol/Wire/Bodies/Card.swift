import Basics
import Crypto
import Vocabulary

/// A person's public face, signed by a device of theirs. Handing it on is safe: the card carries its own proof.
///
/// The signed map is `{1: account, 2: device certificate, 3: display name, 4: status text, 5: avatar digest?, 6:
/// e-mail?, 7: phone?, 8: version}`; the device signs `"kibo-card-v1" ‖ 0x00 ‖ that map`; the card travels as `{1: the
/// map's bytes, 2: signature}`. A value of this type is always valid. Fields of a later version are kept in ``encoded``.
public struct Card: Hashable, Sendable {
    /// This keeps the signature from serving another purpose.
    public static let label = "kibo-card-v1"

    /// A person's own words about themselves.
    public struct Profile: Hashable, Sendable {
        /// At most ``SharedLimits/foreignNameCharacters`` characters on one line.
        public var displayName: String
        /// At most ``SharedLimits/statusTextCharacters`` characters on one line; may be empty.
        public var statusText: String
        /// BLAKE2b-256 of the avatar's file.
        public var avatarDigest: [UInt8]?
        /// An address as ``EmailAddress`` has it.
        public var email: String?
        /// E.164: `+` and digits.
        public var phone: String?

        public init(
            displayName: String, statusText: String = "", avatarDigest: [UInt8]? = nil, email: String? = nil,
            phone: String? = nil
        ) {
            self.displayName = displayName
            self.statusText = statusText
            self.avatarDigest = avatarDigest
            self.email = email
            self.phone = phone
        }
    }

    public let certificate: DeviceCertificate
    public let profile: Profile
    /// If an account has two cards, the one with the higher version counts.
    public let version: UInt64
    /// The bytes that travel and are stored.
    public let encoded: [UInt8]
    /// Whether the bytes have an address or a number that is none, and that the profile therefore lacks.
    public let hasLeftOut: Bool

    public var account: AccountID { certificate.account }
    public var device: DeviceID { certificate.device }

    /// Makes and signs a card.
    /// - Throws: ``WireError`` where a peer would refuse the profile, or `.forged` if the key is not the certificate's
    ///   device.
    public static func issue(
        by deviceKey: SigningKey, certificate: DeviceCertificate, profile: Profile, version: UInt64
    ) throws(WireError) -> Card {
        guard deviceKey.publicKey == certificate.device.key else { throw .forged }
        try check(profile)
        var map: CBORMap = [
            1: .bytes(certificate.account.bytes), 2: .bytes(certificate.encoded()), 3: .text(profile.displayName),
            4: .text(profile.statusText), 8: .unsigned(version),
        ]
        map[5] = profile.avatarDigest.map { .bytes($0) }
        map[6] = profile.email.map { .text($0) }
        map[7] = profile.phone.map { .text($0) }
        let signed = CBOR.map(map).encoded()
        let encoded = CBOR.map([1: .bytes(signed), 2: .bytes(deviceKey.sign(signed, label: label))]).encoded()
        try FieldRules.bytes(encoded.count, "card", maximum: PeerLimits.cardBytes)
        return Card(certificate: certificate, profile: profile, version: version, encoded: encoded)
    }

    private init(
        certificate: DeviceCertificate, profile: Profile, version: UInt64, encoded: [UInt8], hasLeftOut: Bool = false
    ) {
        self.hasLeftOut = hasLeftOut
        self.certificate = certificate
        self.profile = profile
        self.version = version
        self.encoded = encoded
    }

    /// Reads and checks a card, both signatures included. An address or a number that is none is left out of the profile.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        try FieldRules.bytes(bytes.count, "card", maximum: PeerLimits.cardBytes)
        let outer = try BodyReader(bytes)
        let signed = try outer.bytes(1, "card", maximum: PeerLimits.cardBytes)
        let signature = try outer.bytes(2, "signature", maximum: CryptoLimits.signatureBytes)
        let body = try BodyReader(signed)
        let account = try body.bytes(1, "account", maximum: CryptoLimits.keyBytes)
        let certificateBytes = try body.bytes(2, "certificate", maximum: CryptoLimits.deviceCertificateBytes)
        let email = try body.optionalText(6, "e-mail", maximumBytes: PeerLimits.cardBytes)
        let phone = try body.optionalText(7, "phone", maximumBytes: PeerLimits.cardBytes)
        let profile = Profile(
            displayName: try body.text(3, "display name", maximumBytes: SharedLimits.foreignNameCharacters * 8),
            statusText: try body.text(4, "status text", maximumBytes: SharedLimits.statusTextCharacters * 8),
            avatarDigest: try body.optionalBytes(5, "avatar digest", maximum: PeerLimits.avatarDigestBytes),
            // What is no address, or no number, is left out: the rest of the card counts.
            email: EmailAddress.checked(email), phone: phone.flatMap { CardRules.isPhone($0) ? $0 : nil })
        let version = try body.unsigned(8, "version")
        try Self.check(profile)
        let certificate: DeviceCertificate
        do { certificate = try DeviceCertificate(decoding: certificateBytes) } catch { throw .certificate(error) }
        guard account == certificate.account.bytes else { throw .invalid(field: "account") }
        guard Signature.isValid(signature, of: signed, label: Self.label, by: certificate.device.key) else {
            throw .forged
        }
        self.init(
            certificate: certificate, profile: profile, version: version, encoded: bytes,
            hasLeftOut: profile.email != email || profile.phone != phone)
    }

    private static func check(_ profile: Profile) throws(WireError) {
        try FieldRules.label(profile.displayName, "display name", maximum: SharedLimits.foreignNameCharacters)
        try FieldRules.optionalLine(profile.statusText, "status text", maximum: SharedLimits.statusTextCharacters)
        if let digest = profile.avatarDigest, digest.count != PeerLimits.avatarDigestBytes {
            throw .invalid(field: "avatar digest")
        }
        if let email = profile.email {
            try FieldRules.bytes(email.utf8.count, "e-mail", maximum: SharedLimits.emailBytes)
            guard EmailAddress.isOne(email) else { throw .invalid(field: "e-mail") }
        }
        if let phone = profile.phone, !CardRules.isPhone(phone) { throw .invalid(field: "phone") }
    }
}

/// The rule of a card for a number; ``EmailAddress`` is that for an address.
public enum CardRules {
    /// E.164: `+` and digits.
    public static func isPhone(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && PeerLimits.phoneDigits ~= digits.count
            && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}
