import Basics
import Crypto
import Vocabulary

@testable import PeerProtocol

/// What friends and couriers send about parcels, and the parcels: the first byte chooses the decoder. What decodes survives
/// its own encoder. In the last two, what the fuzzer makes is sealed as a friend would seal it, so that it opens.
enum FuzzTarget {
    private static let id = UUIDv7(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    private static let (maker, recipient) = (Identities.certificate(1), Identities.certificate(2))
    private static let (makerKey, recipientKey) = (agreementKey(3), agreementKey(4))
    private static let makerNote = note(1, makerKey, [recipient.account], days: 21)
    private static let recipientNote = note(2, recipientKey, [], days: 0)
    private static let envelope = ParcelEnvelope(id: id, from: maker.account, to: recipient.account)
    private static let textKey: SharedKey = {
        let bytes = [UInt8](repeating: 9, count: CryptoLimits.keyBytes)
        guard let key = SharedKey(bytes: bytes) else { fatalError("no key") }
        return key
    }()
    private static let content = ParcelContent(
        frames: [
            Frame(kind: .message, id: id, body: [0xA0]),
            Frame(kind: .had, id: UUIDv7(high: id.high, low: id.low + 1), body: [1, 2, 3]),
        ], note: makerNote, time: Identities.wallTime,
        files: [
            SealedFile(
                transfer: id, file: id, root: root, key: textKey, size: 10 << 20, modified: 1_720_000_000, mode: 0o644)
        ])
    private static let root = [UInt8](repeating: 7, count: PeerLimits.fileRootBytes)

    private static func agreementKey(_ number: UInt8) -> AgreementKey {
        var scalar = [UInt8](repeating: number, count: CryptoLimits.keyBytes)
        guard let key = try? AgreementKey(secret: SecretBytes(moving: &scalar)) else { fatalError("no key") }
        return key
    }

    private static func note(_ number: UInt8, _ key: AgreementKey, _ couriers: [AccountID], days: Int) -> MailNote {
        guard
            let note = try? MailNote.issue(
                by: Identities.key(number + 100), certificate: Identities.certificate(number), key: key.publicKey,
                made: Identities.wallTime, couriers: couriers, days: days)
        else { fatalError("no note") }
        return note
    }

    static let seeds: [[UInt8]] = {
        let sealed = try? ParcelSeal.seal(
            content, in: envelope, with: makerKey, to: [recipientNote], textKey: textKey,
            ephemeral: { agreementKey(5) })
        let plain = try? content.encoded()
        let bodies: [[UInt8]?] = [
            try? ParcelBody(
                from: maker.account, to: recipient.account, days: 14, sealed: sealed ?? [],
                files: [ParcelFile(id: id, root: root, bytes: 10 << 20)]
            ).encoded(),
            try? ParcelNewsBody([.init(id, .handedOver), .init(id, .notNeeded), .init(id, .fileTaken)]).encoded(),
            try? HadBody(stored: [id], refused: [.init(id, .notFound)], files: [id]).encoded(),
            makerNote.encoded(), sealed, plain, plain, plain.flatMap { try? ParcelSeal.padded($0) },
        ]
        return bodies.enumerated().compactMap { number, body in body.map { [UInt8(number)] + $0 } }
    }()

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let body = Array(bytes.dropFirst())
        switch first % 8 {
        case 0:
            if let value = try? ParcelBody(decoding: body) {
                require((try? ParcelBody(decoding: value.encoded())) == value, "parcel")
            }
        case 1:
            if let value = try? ParcelNewsBody(decoding: body), !value.items.isEmpty {
                require((try? ParcelNewsBody(decoding: value.encoded())) == value, "news")
            }
        case 2:
            if let value = try? HadBody(decoding: body) {
                require((try? HadBody(decoding: value.encoded())) == value, "had")
            }
        case 3: note(body)
        case 4: open(body)
        case 5:
            if let value = try? ParcelContent(decoding: body) {
                require((try? ParcelContent(decoding: value.encoded())) == value, "content")
            }
        case 6: seal(padded: (try? ParcelSeal.padded(body)) ?? [])
        default: seal(padded: body)
        }
    }

    private static func note(_ bytes: [UInt8]) {
        guard let trusted = try? MailNote(trusting: bytes) else {
            require((try? MailNote(decoding: bytes)) == nil, "what isn't taken from our disk isn't taken from others")
            return
        }
        require(trusted.encoded() == bytes, "the bytes of a note")
        require(trusted.couriers.count <= PeerLimits.couriers && 0...21 ~= trusted.days, "the bounds of a note")
        if let note = try? MailNote(decoding: bytes) { require(note == trusted, "a note") }
    }

    private static func open(_ sealed: [UInt8]) {
        if let wraps = try? ParcelSeal.wraps(of: sealed) {
            require(1...PeerLimits.parcelDevices ~= wraps.count, "the wraps of a parcel")
        }
        guard let opened = try? ParcelSeal.open(sealed, in: envelope, as: recipient.device, key: { _ in recipientKey })
        else { return }
        require(opened == content, "nobody can make another parcel from a sealed one")
    }

    /// Seals bytes as they are, and opens them.
    private static func seal(padded plain: [UInt8]) {
        let addresses = envelope.id.bytes + envelope.from.bytes + envelope.to.bytes
        let text = textKey.seal(
            plain, nonce: [UInt8](repeating: 0, count: CryptoLimits.longNonceBytes),
            authenticating: Array("kibo-parcel-v1\0".utf8) + addresses)
        var prologue = Array("kibo-parcel-wrap-v1\0".utf8) + addresses + recipient.device.bytes
        prologue.appendBigEndian(UInt64(clamping: recipientNote.made.milliseconds))
        prologue += Blake2b.hash(text, length: CryptoLimits.keyBytes)
        guard
            let wrap = try? NoiseSeal.seal(
                textKey.bytes, from: makerKey, to: recipientNote.key, prologue: prologue, ephemeral: agreementKey(5))
        else { fatalError("no wrap") }
        let entry = CBOR.array([
            .bytes(recipient.device.bytes), .integer(recipientNote.made.milliseconds), .bytes(wrap),
        ])
        let sealed = CBOR.map([1: .array([entry]), 2: .bytes(text)]).encoded()
        let opened = try? ParcelSeal.open(sealed, in: envelope, as: recipient.device) { made in
            require(made == recipientNote.made, "the key that was asked for")
            return recipientKey
        }
        let expected = (try? ParcelSeal.unpadded(plain)).flatMap { try? ParcelContent(decoding: $0) }
        require(opened == expected.flatMap { $0.note.key == makerKey.publicKey ? $0 : nil }, "what was sealed")
        guard let opened else { return }
        require(1...PeerLimits.parcelFrames ~= opened.frames.count, "the frames of a parcel")
        require(opened.frames.allSatisfy { ParcelContent.kinds.contains($0.kind) && $0.id != .zero }, "their kinds")
    }
}
