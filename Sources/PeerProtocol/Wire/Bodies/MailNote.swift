import Basics
import Crypto

/// What a device tells its friends about parcels: the key to which they are sealed, who may carry them, and whether this
/// device keeps parcels itself. The device signs it, so that it can travel inside a parcel.
///
/// The signed map is `{1: account, 2: device certificate, 3: key, 4: made, 5: [couriers], 6: days}`; the device signs
/// `"kibo-mail-note-v1" ‖ 0x00 ‖ that map`; the note travels as `{1: the map's bytes, 2: signature}`. A value of this
/// type is always valid.
public struct MailNote: WireBody {
    /// This keeps the signature from serving another purpose.
    public static let label = "kibo-mail-note-v1"

    public let certificate: DeviceCertificate
    /// The public half of the device's mail key.
    public let key: Key32
    /// When the note was made, by the device's clock. Of two notes of a device the later one counts.
    public let made: WallTime
    /// The friends who may carry parcels for the account, without repetition.
    public let couriers: [AccountID]
    /// For how many days the device keeps parcels for friends who have named its account; 0: it keeps none.
    public let days: Int
    private let bytes: [UInt8]

    public var account: AccountID { certificate.account }
    public var device: DeviceID { certificate.device }
    /// Whether the device keeps parcels for friends who have named its account.
    public var carries: Bool { days > 0 }

    /// Makes and signs a note.
    /// - Throws: `.forged` if the key is not the certificate's device, `.tooLong` for too many couriers, `.invalid` for a
    ///   courier that is named twice, the account itself, a time before 1970, or more than 21 days.
    public static func issue(
        by deviceKey: SigningKey, certificate: DeviceCertificate, key: Key32, made: WallTime, couriers: [AccountID],
        days: Int
    ) throws(WireError) -> MailNote {
        guard deviceKey.publicKey == certificate.device.key else { throw .forged }
        guard made.milliseconds >= 0 else { throw .invalid(field: "made") }
        try check(couriers, of: certificate.account)
        guard 0...PeerLimits.parcelDays.upperBound ~= days else { throw .invalid(field: "days") }
        let signed = CBOR.map([
            1: .bytes(certificate.account.bytes), 2: .bytes(certificate.encoded()), 3: .bytes(key.bytes),
            4: .integer(made.milliseconds), 5: .array(couriers.map { .bytes($0.bytes) }), 6: .unsigned(UInt64(days)),
        ]).encoded()
        let bytes = CBOR.map([1: .bytes(signed), 2: .bytes(deviceKey.sign(signed, label: label))]).encoded()
        return MailNote(
            certificate: certificate, key: key, made: made, couriers: couriers, days: days, bytes: bytes)
    }

    private init(
        certificate: DeviceCertificate, key: Key32, made: WallTime, couriers: [AccountID], days: Int,
        bytes: [UInt8]
    ) {
        self.certificate = certificate
        self.key = key
        self.made = made
        self.couriers = couriers
        self.days = days
        self.bytes = bytes
    }

    /// Reads and checks a note, both signatures included.
    public init(decoding bytes: [UInt8]) throws(WireError) { try self.init(bytes, isTrusted: false) }

    /// Reads a note that was checked when it came and has been on our own disk since.
    /// - Throws: ``WireError``, but never `.forged`.
    public init(trusting bytes: [UInt8]) throws(WireError) { try self.init(bytes, isTrusted: true) }

    private init(_ bytes: [UInt8], isTrusted: Bool) throws(WireError) {
        try FieldRules.bytes(bytes.count, "mail note", maximum: PeerLimits.mailNoteBytes)
        let outer = try BodyReader(bytes)
        let signed = try outer.bytes(1, "mail note", maximum: PeerLimits.mailNoteBytes)
        let signature = try outer.bytes(2, "signature", maximum: CryptoLimits.signatureBytes)
        let body = try BodyReader(signed)
        let account = try body.bytes(1, "account", maximum: CryptoLimits.keyBytes)
        let certificateBytes = try body.bytes(2, "certificate", maximum: CryptoLimits.deviceCertificateBytes)
        guard let key = Key32(try body.bytes(3, "key", maximum: CryptoLimits.keyBytes)) else {
            throw .invalid(field: "key")
        }
        let made = try body.time(4, "made")
        let couriers =
            try body.optionalList(5, "couriers", maximum: PeerLimits.couriers) {
                (item, field) throws(WireError) -> AccountID in
                guard let account = item.bytesValue.flatMap({ AccountID(bytes: $0) }) else {
                    throw .invalid(field: field)
                }
                return account
            } ?? []
        guard let days = Int(exactly: try body.unsigned(6, "days")), 0...PeerLimits.parcelDays.upperBound ~= days else {
            throw .invalid(field: "days")
        }
        let certificate: DeviceCertificate
        do {
            certificate =
                isTrusted
                ? try DeviceCertificate(trusting: certificateBytes) : try DeviceCertificate(decoding: certificateBytes)
        } catch {
            throw .certificate(error)
        }
        guard account == certificate.account.bytes else { throw .invalid(field: "account") }
        try Self.check(couriers, of: certificate.account)
        guard isTrusted || Signature.isValid(signature, of: signed, label: Self.label, by: certificate.device.key)
        else { throw .forged }
        self.init(
            certificate: certificate, key: key, made: made, couriers: couriers, days: days, bytes: bytes)
    }

    private static func check(_ couriers: [AccountID], of account: AccountID) throws(WireError) {
        try FieldRules.bytes(couriers.count, "couriers", maximum: PeerLimits.couriers)
        guard Set(couriers).count == couriers.count, !couriers.contains(account) else {
            throw .invalid(field: "couriers")
        }
    }

    /// The bytes that travel and are stored.
    public func encoded() -> [UInt8] { bytes }
}
