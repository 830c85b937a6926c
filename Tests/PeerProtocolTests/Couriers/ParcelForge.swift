import Basics
import Crypto

@testable import PeerProtocol

/// Makes parcels by docs/PROTOCOL-COURIERS.md, without the checks of ``ParcelSeal``: what somebody could send who means
/// harm.
struct ParcelForge {
    var envelope: ParcelEnvelope
    /// Who seals: a mail key, perhaps another than the note inside names.
    var maker: AgreementKey
    var recipient: MailNote
    var textKey = [UInt8](repeating: 9, count: CryptoLimits.keyBytes)

    /// The map inside the text; keys that are nil are left out.
    static func content(_ frames: [CBOR]?, note: [UInt8]?, time: CBOR? = .integer(someTime.milliseconds)) -> [UInt8] {
        var map: CBORMap = [:]
        map[1] = frames.map { .array($0) }
        map[2] = note.map { .bytes($0) }
        map[3] = time
        return CBOR.map(map).encoded()
    }

    static func frame(_ kind: UInt64, _ id: UUIDv7, _ body: [UInt8] = [0xA0]) -> CBOR {
        .array([.unsigned(kind), .bytes(id.bytes), .bytes(body)])
    }

    /// A content behind its length, with so many zeros behind it.
    static func plain(_ content: [UInt8], size: Int = 4096) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(content.count))
        bytes += content
        return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    func text(_ plain: [UInt8]) -> [UInt8] {
        let associated = Array("kibo-parcel-v1\0".utf8) + envelope.id.bytes + envelope.from.bytes + envelope.to.bytes
        guard let key = SharedKey(bytes: textKey) else { return [] }
        return key.seal(
            plain, nonce: [UInt8](repeating: 0, count: CryptoLimits.longNonceBytes), authenticating: associated)
    }

    func wrap(for text: [UInt8]) throws -> [UInt8] {
        var prologue = Array("kibo-parcel-wrap-v1\0".utf8) + envelope.id.bytes + envelope.from.bytes
        prologue += envelope.to.bytes + recipient.device.bytes
        prologue.appendBigEndian(UInt64(recipient.made.milliseconds))
        prologue += Blake2b.hash(text, length: CryptoLimits.keyBytes)
        return try NoiseSeal.seal(textKey, from: maker, to: recipient.key, prologue: prologue)
    }

    static func sealed(_ wraps: [CBOR], _ text: [UInt8]) -> [UInt8] {
        CBOR.map([1: .array(wraps), 2: .bytes(text)]).encoded()
    }

    func entry(_ wrap: [UInt8]) -> CBOR {
        .array([.bytes(recipient.device.bytes), .integer(recipient.made.milliseconds), .bytes(wrap)])
    }

    /// A sealed parcel with this content.
    func sealed(_ content: [UInt8]) throws -> [UInt8] { try sealed(plain: Self.plain(content)) }

    func sealed(plain: [UInt8]) throws -> [UInt8] {
        let text = text(plain)
        return Self.sealed([entry(try wrap(for: text))], text)
    }
}
