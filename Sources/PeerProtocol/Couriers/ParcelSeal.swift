// The Couriers folder seals parcels and opens them, and has the machine that decides when one is made
// (docs/PROTOCOL-COURIERS.md). It may use Wire and Crypto, and knows nothing of sockets and storage.

import Basics
import Crypto

/// What a courier can read of a parcel: its id, who has made it and who can open it. The seal holds all three.
public struct ParcelEnvelope: Hashable, Sendable {
    public let id: UUIDv7
    public let from: AccountID
    public let to: AccountID

    public init(id: UUIDv7, from: AccountID, to: AccountID) {
        self.id = id
        self.from = from
        self.to = to
    }

    var bytes: [UInt8] { id.bytes + from.bytes + to.bytes }
}

/// Why a parcel can't be opened.
public enum ParcelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It isn't sealed for this device, or to a mail key that is gone.
    case noKey
    /// It wasn't made as it claims, was changed since, or breaks a rule of docs/PROTOCOL-COURIERS.md.
    case invalid(WireError)

    public var description: String {
        switch self {
        case .noKey: "it is sealed to a key that isn't here"
        case .invalid(let error): error.description
        }
    }
}

/// What is in a parcel.
public struct ParcelContent: Hashable, Sendable {
    /// Frames of the maker in the order of its outbox: 1 to ``PeerLimits/parcelFrames``, each of a kind that
    /// ``kinds`` has and with an id.
    public let frames: [Frame]
    /// The maker's note, by whose key the parcel is sealed.
    public let note: MailNote
    /// When it was sealed, by the maker's clock.
    public let time: WallTime
    /// Files that messages in it offer and that the courier may have; at most ``PeerLimits/parcelFiles``.
    public let files: [SealedFile]

    public init(frames: [Frame], note: MailNote, time: WallTime, files: [SealedFile] = []) {
        self.frames = frames
        self.note = note
        self.time = time
        self.files = files
    }

    /// What parcels may carry: what two people say to each other, what is said in groups, and answers to parcels. All of it
    /// may come twice and late, because an id, a time or a hash identifies it.
    public static let kinds: Set<FrameKind> = [
        .message, .edit, .deletion, .reaction, .seen, .groupChange, .groupEntry, .groupSeen, .had,
    ]

    /// `{1: [[kind, id, body]], 2: note, 3: time, 4?: [files]}`.
    func encoded() throws(WireError) -> [UInt8] {
        try Self.check(frames)
        try FieldRules.bytes(files.count, "files", maximum: PeerLimits.parcelFiles)
        var map: CBORMap = [
            1: .array(
                frames.map { .array([.unsigned(UInt64($0.kind.rawValue)), .bytes($0.id.bytes), .bytes($0.body)]) }),
            2: .bytes(note.encoded()), 3: .integer(time.milliseconds),
        ]
        if !files.isEmpty { map[4] = .array(files.map(\.value)) }
        return CBOR.map(map).encoded()
    }

    /// - Throws: ``WireError``, as the note's check does.
    init(decoding bytes: [UInt8]) throws(WireError) {
        let body = try BodyReader(bytes)
        frames = try body.list(1, "frames", maximum: PeerLimits.parcelFrames) {
            (item, field) throws(WireError) -> Frame in
            guard let parts = item.arrayValue, parts.count == 3,
                let kind = parts[0].unsignedValue.flatMap({ UInt16(exactly: $0) }), let body = parts[2].bytesValue
            else { throw .wrongType(field: field) }
            return Frame(kind: FrameKind(rawValue: kind), id: try BodyReader.id(parts[1], field), body: body)
        }
        time = try body.time(3, "time")
        files =
            try body.optionalList(4, "files", maximum: PeerLimits.parcelFiles) {
                (item, field) throws(WireError) in try SealedFile(item, field)
            } ?? []
        try Self.check(frames)
        note = try MailNote(decoding: body.bytes(2, "mail note", maximum: PeerLimits.mailNoteBytes))
    }

    private static func check(_ frames: [Frame]) throws(WireError) {
        guard !frames.isEmpty else { throw .missing(field: "frames") }
        try FieldRules.bytes(frames.count, "frames", maximum: PeerLimits.parcelFrames)
        for frame in frames where !kinds.contains(frame.kind) {
            throw .unsupported(field: "frame kind \(frame.kind.rawValue)")
        }
        guard frames.allSatisfy({ $0.id != .zero }), Set(frames.map(\.id)).count == frames.count else {
            throw .invalid(field: "frames")
        }
    }
}

/// Seals parcels and opens them (docs/PROTOCOL-COURIERS.md, *The seal*): a text under a key of its own, and that key
/// wrapped for each device of the recipient by `Noise_X` between two mail keys.
///
///     sealed = {1: [[device, made, wrap]], 2: text}
public enum ParcelSeal {
    static let textLabel = "kibo-parcel-v1"
    static let wrapLabel = "kibo-parcel-wrap-v1"
    /// The text's key serves this text alone, so the nonce need not differ.
    private static let nonce = [UInt8](repeating: 0, count: CryptoLimits.longNonceBytes)

    /// A device's wrap, as it travels.
    private struct Wrap {
        let device: DeviceID
        let made: WallTime
        let bytes: [UInt8]

        init(device: DeviceID, made: WallTime, bytes: [UInt8]) {
            self.device = device
            self.made = made
            self.bytes = bytes
        }

        init(_ value: CBOR, _ field: String) throws(WireError) {
            guard let parts = value.arrayValue, parts.count == 3,
                let device = parts[0].bytesValue.flatMap({ DeviceID(bytes: $0) }),
                let made = parts[1].integerValue, let bytes = parts[2].bytesValue
            else { throw .wrongType(field: field) }
            guard made >= 0, bytes.count == PeerLimits.parcelWrapBytes else { throw .invalid(field: field) }
            (self.device, self.made, self.bytes) = (device, WallTime(milliseconds: made), bytes)
        }

        var value: CBOR { .array([.bytes(device.bytes), .integer(made.milliseconds), .bytes(bytes)]) }
    }

    /// Seals a parcel.
    /// - Parameters:
    ///   - key: the secret half of the mail key that `content.note` names.
    ///   - notes: those of the recipient's devices; 1 to ``PeerLimits/parcelDevices``.
    ///   - textKey: a fresh key; fixed only for vectors, like the ephemeral keys. Each wrap uses one of those.
    /// - Throws: ``WireError`` where nobody would open it: `.tooLong` for more than ``PeerLimits/parcelTextBytes``,
    ///   `.invalid` for keys or notes that don't belong to the envelope.
    public static func seal(
        _ content: ParcelContent, in envelope: ParcelEnvelope, with key: AgreementKey, to notes: [MailNote],
        textKey: SharedKey, ephemeral: () -> AgreementKey = { AgreementKey() }
    ) throws(WireError) -> [UInt8] {
        guard content.note.account == envelope.from, content.note.key == key.publicKey else {
            throw .invalid(field: "mail note")
        }
        guard !notes.isEmpty, notes.allSatisfy({ $0.account == envelope.to }) else {
            throw .invalid(field: "recipient")
        }
        try FieldRules.bytes(notes.count, "devices", maximum: PeerLimits.parcelDevices)
        let text = textKey.seal(
            try padded(content.encoded()), nonce: nonce, authenticating: associated(envelope))
        let hash = Blake2b.hash(text, length: CryptoLimits.keyBytes)
        var wraps: [CBOR] = []
        for note in notes {
            let prologue = prologue(envelope, note.device, note.made, hash)
            // A device whose key everybody could open gets none; it can't keep the others from theirs.
            guard
                let bytes = try? NoiseSeal.seal(
                    textKey.bytes, from: key, to: note.key, prologue: prologue, ephemeral: ephemeral())
            else { continue }
            wraps.append(Wrap(device: note.device, made: note.made, bytes: bytes).value)
        }
        guard !wraps.isEmpty else { throw .invalid(field: "key") }
        return CBOR.map([1: .array(wraps), 2: .bytes(text)]).encoded()
    }

    /// The notes to which a parcel is sealed, without opening it: whose devices, and which of their keys.
    /// - Throws: ``WireError``.
    static func wraps(of sealed: [UInt8]) throws(WireError) -> [(DeviceID, WallTime)] {
        try read(sealed).wraps.map { ($0.device, $0.made) }
    }

    /// Opens a parcel, from cheap checks to dear ones.
    /// - Parameters:
    ///   - device: this device.
    ///   - key: gives the mail key whose note was made then; nil if there is none.
    public static func open(
        _ sealed: [UInt8], in envelope: ParcelEnvelope, as device: DeviceID, key: (WallTime) -> AgreementKey?
    ) throws(ParcelError) -> ParcelContent {
        do {
            let (wraps, text) = try read(sealed)
            // Of several wraps for one device only the first counts: each costs two agreements.
            guard let wrap = wraps.first(where: { $0.device == device }), let own = key(wrap.made) else {
                throw ParcelError.noKey
            }
            let hash = Blake2b.hash(text, length: CryptoLimits.keyBytes)
            let opened: NoiseSeal.Opened
            do {
                opened = try NoiseSeal.open(
                    wrap.bytes[...], with: own, prologue: prologue(envelope, device, wrap.made, hash))
            } catch {
                throw WireError.invalid(field: "wrap")
            }
            guard let textKey = SharedKey(bytes: opened.payload),
                let plain = textKey.open(text, nonce: nonce, authenticating: associated(envelope))
            else { throw WireError.invalid(field: "text") }
            let content = try ParcelContent(decoding: unpadded(plain))
            // Only now is it known who has sealed it: the owner of the key that the maker's device has signed.
            guard content.note.account == envelope.from, content.note.key == opened.sender else {
                throw WireError.forged
            }
            return content
        } catch let error as ParcelError {
            throw error
        } catch let error as WireError {
            throw .invalid(error)
        } catch {
            throw .invalid(.invalid(field: "sealed"))
        }
    }

    private static func read(_ sealed: [UInt8]) throws(WireError) -> (wraps: [Wrap], text: [UInt8]) {
        let body = try BodyReader(sealed)
        let wraps = try body.list(1, "wraps", maximum: PeerLimits.parcelDevices) {
            (item, field) throws(WireError) in try Wrap(item, field)
        }
        let text = try body.bytes(2, "text", maximum: PeerLimits.parcelTextBytes.upperBound + CryptoLimits.tagBytes)
        return (wraps, text)
    }

    private static func associated(_ envelope: ParcelEnvelope) -> [UInt8] {
        Array(textLabel.utf8) + [0] + envelope.bytes
    }

    private static func prologue(
        _ envelope: ParcelEnvelope, _ device: DeviceID, _ made: WallTime, _ hash: [UInt8]
    ) -> [UInt8] {
        var bytes = Array(wrapLabel.utf8) + [0] + envelope.bytes + device.bytes
        bytes.appendBigEndian(UInt64(clamping: made.milliseconds))
        return bytes + hash
    }

    // MARK: Length

    /// The content's length in four bytes, the content, and zeros up to a power of two, so that the length tells a
    /// courier little.
    static func padded(_ content: [UInt8]) throws(WireError) -> [UInt8] {
        let bounds = PeerLimits.parcelTextBytes
        let needed = content.count + lengthBytes
        guard needed <= bounds.upperBound else { throw .tooLong(field: "parcel", limit: bounds.upperBound) }
        var size = bounds.lowerBound
        while size < needed { size *= 2 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        bytes.appendBigEndian(UInt32(content.count))
        bytes += content
        bytes += [UInt8](repeating: 0, count: size - needed)
        return bytes
    }

    static func unpadded(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        guard PeerLimits.parcelTextBytes ~= bytes.count else { throw .invalid(field: "padding") }
        let length = bytes.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - lengthBytes, bytes.dropFirst(lengthBytes + length).allSatisfy({ $0 == 0 })
        else { throw .invalid(field: "padding") }
        return Array(bytes.dropFirst(lengthBytes).prefix(length))
    }

    private static let lengthBytes = 4
}
