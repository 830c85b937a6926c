import Basics
import Crypto

/// Why bytes of a peer are not an acceptable frame or body, or why a value may not be sent. `field` is the name that
/// docs/PROTOCOL.md gives it.
public enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A frame's header announces more than ``PeerLimits/frameBodyBytes``. The stream is lost.
    case frameTooLong(UInt32)
    /// Not the strict CBOR of docs/PROTOCOL.md.
    case cbor(CBORDecoder.Failure)
    /// A field that must be there isn't.
    case missing(field: String)
    /// A field has another CBOR type.
    case wrongType(field: String)
    /// A field's value is not permitted.
    case invalid(field: String)
    /// A field is longer than `limit` (bytes, characters or elements, as PROTOCOL.md says for it).
    case tooLong(field: String, limit: Int)
    /// A value of a later version of the protocol that nothing can be done with.
    case unsupported(field: String)
    /// A card's certificate is not valid.
    case certificate(DeviceCertificate.Failure)
    /// A card's signature is not its device's.
    case forged

    /// The refusal that the sender of a durable frame is told.
    public var refusal: Refusal {
        switch self {
        case .frameTooLong: Refusal(.tooLarge, detail: "frame")
        case .tooLong(let field, let limit): Refusal(.tooLarge, detail: "\(field): at most \(limit)")
        case .unsupported(let field): Refusal(.unsupported, detail: field)
        case .cbor: Refusal(.invalid, detail: "not valid CBOR")
        case .missing(let field): Refusal(.invalid, detail: "\(field): missing")
        case .wrongType(let field): Refusal(.invalid, detail: "\(field): wrong type")
        case .invalid(let field): Refusal(.invalid, detail: field)
        case .certificate: Refusal(.invalid, detail: "certificate")
        case .forged: Refusal(.invalid, detail: "signature")
        }
    }

    public var description: String {
        switch self {
        case .frameTooLong(let bytes): "a frame of \(bytes) bytes is too long"
        case .cbor(let failure): failure.description
        case .missing(let field): "\(field) is missing"
        case .wrongType(let field): "\(field) has a wrong type"
        case .invalid(let field): "\(field) has a value that is not permitted"
        case .tooLong(let field, let limit): "\(field) is longer than \(limit)"
        case .unsupported(let field): "\(field) is of a later version"
        case .certificate(let failure): failure.description
        case .forged: "the card's signature is not its device's"
        }
    }
}
