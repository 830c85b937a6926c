import Basics

/// An account's statement that a device belongs to it.
///
/// The certificate is the CBOR map `{1: account (32 bytes), 2: device (32 bytes), 3: name (text), 4: created (unsigned,
/// milliseconds since 1970)}`; the account signs `"kibo-device-certificate-v1" ‖ 0x00 ‖ that map`. It travels as
/// `{1: the map's bytes, 2: signature}`. A value of this type is always valid: one with a false signature is made from no bytes but
/// our own disk's.
public struct DeviceCertificate: Hashable, Sendable {
    /// Why bytes are not a certificate.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Longer than ``CryptoLimits/deviceCertificateBytes``.
        case tooLong
        /// Not the CBOR of the definition: damaged, not canonical, or a field is missing, unknown or of the wrong type.
        case malformed
        /// A device name that is empty, above ``CryptoLimits/deviceNameCharacters`` or has characters that names may
        /// not have.
        case invalidName
        /// A time before 1970 or beyond 63 bits.
        case invalidTime
        /// The account did not sign this.
        case forged

        public var description: String {
            switch self {
            case .tooLong: "the certificate is too long"
            case .malformed: "the certificate is damaged"
            case .invalidName: "the device's name is not permitted"
            case .invalidTime: "the certificate's time is out of bounds"
            case .forged: "the account did not sign the certificate"
            }
        }
    }

    /// The label that keeps this signature from serving another purpose. Another form of certificate needs another
    /// label.
    public static let label = "kibo-device-certificate-v1"

    public let account: AccountID
    public let device: DeviceID
    /// The owner's name for the device.
    public let name: String
    public let created: WallTime
    /// The account's signature, 64 bytes.
    public let signature: [UInt8]

    /// Signs a new certificate.
    /// - Throws: `.invalidName`, `.invalidTime`.
    public static func issue(
        by accountKey: SigningKey, for device: DeviceID, name: String, created: WallTime
    ) throws(Failure) -> DeviceCertificate {
        try check(name: name)
        guard created.milliseconds >= 0 else { throw .invalidTime }
        let account = AccountID(accountKey.publicKey)
        let signed = signedBytes(account: account, device: device, name: name, created: created)
        return DeviceCertificate(
            account: account, device: device, name: name, created: created,
            signature: accountKey.sign(signed, label: label))
    }

    private init(account: AccountID, device: DeviceID, name: String, created: WallTime, signature: [UInt8]) {
        self.account = account
        self.device = device
        self.name = name
        self.created = created
        self.signature = signature
    }

    /// Decodes and checks the bytes of a peer or a file, with the signature.
    /// - Throws: ``Failure``.
    public init(decoding bytes: [UInt8]) throws(Failure) { try self.init(bytes, isTrusted: false) }

    /// Decodes bytes that were checked when they came and have been on our own disk since. The signature costs more
    /// than all the rest, and isn't checked again.
    /// - Throws: ``Failure``, but never `.forged`.
    public init(trusting bytes: [UInt8]) throws(Failure) { try self.init(bytes, isTrusted: true) }

    private init(_ bytes: [UInt8], isTrusted: Bool) throws(Failure) {
        guard bytes.count <= CryptoLimits.deviceCertificateBytes else { throw .tooLong }
        let outer = try Self.map(bytes, keys: 2)
        guard let signed = outer[1]?.bytesValue, let signature = outer[2]?.bytesValue,
            signature.count == CryptoLimits.signatureBytes
        else { throw .malformed }
        let inner = try Self.map(signed, keys: 4)
        guard let account = inner[1]?.bytesValue.flatMap({ AccountID(bytes: $0) }),
            let device = inner[2]?.bytesValue.flatMap({ DeviceID(bytes: $0) }),
            let name = inner[3]?.textValue,
            let created = inner[4]?.unsignedValue
        else { throw .malformed }
        try Self.check(name: name)
        guard let milliseconds = Int64(exactly: created) else { throw .invalidTime }
        guard isTrusted || Signature.isValid(signature, of: signed, label: Self.label, by: account.key) else {
            throw .forged
        }
        self.init(
            account: account, device: device, name: name, created: WallTime(milliseconds: milliseconds),
            signature: signature)
    }

    /// The certificate's bytes for the wire and for storage.
    public func encoded() -> [UInt8] {
        let signed = Self.signedBytes(account: account, device: device, name: name, created: created)
        return CBOR.map([1: .bytes(signed), 2: .bytes(signature)]).encoded()
    }

    private static func signedBytes(
        account: AccountID, device: DeviceID, name: String, created: WallTime
    ) -> [UInt8] {
        CBOR.map([
            1: .bytes(account.bytes), 2: .bytes(device.bytes), 3: .text(name), 4: .integer(created.milliseconds),
        ]).encoded()
    }

    private static func check(name: String) throws(Failure) {
        guard ForeignText.isLabel(name, maximumCharacters: CryptoLimits.deviceNameCharacters) else {
            throw .invalidName
        }
    }

    /// A map with exactly the keys 1 to `keys`.
    private static func map(_ bytes: [UInt8], keys: Int) throws(Failure) -> CBORMap {
        let value: CBOR
        do { value = try CBORDecoder.decode(bytes) } catch { throw .malformed }
        guard let map = value.mapValue, map.count == keys else { throw .malformed }
        return map
    }
}
