import Basics
import Crypto
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: only the recipient's devices open a parcel, only whole, and only as its maker's.
@Suite("Sealed parcels")
struct ParcelSealTests {
    private let anna: Mailbox
    private let ben: Mailbox
    private let envelope: ParcelEnvelope
    private let textKey: SharedKey

    init() throws {
        (anna, ben) = (try Mailbox(1), try Mailbox(2))
        envelope = ParcelEnvelope(id: id(40), from: anna.account, to: ben.account)
        textKey = try #require(SharedKey(bytes: [UInt8](repeating: 7, count: CryptoLimits.keyBytes)))
    }

    private func message(_ number: UInt64, _ text: String = "Hello") throws -> Frame {
        Frame(kind: .message, id: id(number), body: try textMessage(text).encoded())
    }

    private func content(_ frames: [Frame]? = nil) throws -> ParcelContent {
        ParcelContent(frames: try frames ?? [message(1)], note: anna.note, time: someTime)
    }

    private func seal(_ content: ParcelContent? = nil, to notes: [MailNote]? = nil) throws -> [UInt8] {
        try ParcelSeal.seal(
            content ?? self.content(), in: envelope, with: anna.key, to: notes ?? [ben.note], textKey: textKey)
    }

    /// Opens as Ben's first device, whatever *made* says, if nothing else is said.
    private func open(
        _ sealed: [UInt8], in envelope: ParcelEnvelope? = nil, as device: DeviceID? = nil, with key: AgreementKey? = nil
    ) throws(ParcelError) -> ParcelContent {
        try ParcelSeal.open(sealed, in: envelope ?? self.envelope, as: device ?? ben.device) { _ in key ?? ben.key }
    }

    private var forge: ParcelForge { ParcelForge(envelope: envelope, maker: anna.key, recipient: ben.note) }

    // MARK: Opening

    @Test("The recipient has the frames in their order, the maker's note and the time")
    func opens() throws {
        let frames =
            [try message(3, "a"), try message(1, "b")]
            + ParcelContent.kinds.enumerated().map { Frame(kind: $1, id: id(UInt64(100 + $0)), body: [0xA0]) }
        let content = try content(frames)
        var asked: [WallTime] = []
        let opened = try ParcelSeal.open(seal(content), in: envelope, as: ben.device) { made in
            asked.append(made)
            return ben.key
        }
        #expect(opened == content && opened.frames.map(\.id) == frames.map(\.id))
        #expect(asked == [ben.note.made])
    }

    @Test("Two parcels of the same content have no block in common")
    func fresh() throws {
        let other = try #require(SharedKey(bytes: [UInt8](repeating: 8, count: CryptoLimits.keyBytes)))
        let (first, second) = (
            try cborMap(seal()),
            try cborMap(
                ParcelSeal.seal(content(), in: envelope, with: anna.key, to: [ben.note], textKey: other))
        )
        let texts = [first, second].compactMap { $0[2]?.bytesValue }
        #expect(texts.count == 2 && texts[0].count == texts[1].count)
        let same = zip(texts[0], texts[1]).count { $0 == $1 }
        #expect(same < texts[0].count / 16)
        let wraps = [first, second].compactMap { $0[1]?.arrayValue?.first?.arrayValue?[2].bytesValue }
        #expect(wraps.count == 2 && Set(wraps.map { Array($0.prefix(32)) }).count == 2)
    }

    @Test("Sixteen devices open it, each with its own key, and no other; seventeen are too many")
    func devices() throws {
        let boxes = try (0..<17).map { try Mailbox(2, device: UInt8($0), made: someTime + .seconds($0)) }
        let sealed = try seal(to: boxes.prefix(16).map(\.note))
        #expect(sealed.count <= PeerLimits.sealedParcelBytes)
        for box in boxes.prefix(16) {
            let opened = try ParcelSeal.open(sealed, in: envelope, as: box.device) { made in
                made == box.note.made ? box.key : nil
            }
            #expect(opened.frames.count == 1)
        }
        #expect(throws: ParcelError.noKey) { try open(sealed, as: boxes[16].device, with: boxes[16].key) }
        // With another device's key, and with another device's name.
        #expect(throws: ParcelError.invalid(.invalid(field: "wrap"))) {
            try open(sealed, as: boxes[3].device, with: boxes[4].key)
        }
        let wraps = try ParcelSeal.wraps(of: sealed)
        #expect(wraps.map(\.0) == boxes.prefix(16).map(\.device))
        #expect(wraps.map(\.1) == boxes.prefix(16).map(\.note.made))
        #expect(throws: WireError.tooLong(field: "devices", limit: 16)) { try seal(to: boxes.map(\.note)) }
    }

    @Test("A parcel for a mail key that is gone, or for another device, has no key")
    func noKey() throws {
        let sealed = try seal()
        #expect(throws: ParcelError.noKey) {
            try ParcelSeal.open(sealed, in: envelope, as: ben.device) { _ in nil }
        }
        #expect(throws: ParcelError.noKey) { try open(sealed, as: Mailbox(2, device: 1).device) }
    }

    // MARK: Harm

    @Test("Each byte of a sealed parcel counts")
    func flipped() throws {
        let sealed = try seal()
        for place in sealed.indices {
            var wrong = sealed
            wrong[place] ^= 1 << UInt8(place % 8)
            #expect(throws: ParcelError.self, "byte \(place)") { try open(wrong) }
        }
        for count in stride(from: 0, to: sealed.count, by: 17) {
            #expect(throws: ParcelError.self) { try open(Array(sealed.prefix(count))) }
        }
        #expect(throws: ParcelError.self) { try open(sealed + [0]) }
        #expect(try open(sealed).frames.count == 1)
    }

    @Test("Id, accounts, device and key of a parcel can't be exchanged")
    func exchanged() throws {
        let sealed = try seal()
        let (eve, other) = (try account(5), try Mailbox(2, device: 1, made: someTime + .seconds(1)))
        for wrong in [
            ParcelEnvelope(id: id(41), from: envelope.from, to: envelope.to),
            ParcelEnvelope(id: envelope.id, from: eve, to: envelope.to),
            ParcelEnvelope(id: envelope.id, from: envelope.from, to: eve),
            ParcelEnvelope(id: envelope.id, from: envelope.to, to: envelope.from),
        ] {
            #expect(throws: ParcelError.invalid(.invalid(field: "wrap"))) { try open(sealed, in: wrong) }
        }
        // The wrap under another device's name, and under another of the device's keys, while the key is the right one.
        let map = try cborMap(sealed)
        let (wrap, text) = (
            try #require(map[1]?.arrayValue?.first?.arrayValue?[2]), try #require(map[2]?.bytesValue)
        )
        let renamed = ParcelForge.sealed(
            [.array([.bytes(other.device.bytes), .integer(ben.note.made.milliseconds), wrap])], text)
        #expect(throws: ParcelError.invalid(.invalid(field: "wrap"))) { try open(renamed, as: other.device) }
        let dated = ParcelForge.sealed(
            [.array([.bytes(ben.device.bytes), .integer(other.note.made.milliseconds), wrap])], text)
        #expect(throws: ParcelError.invalid(.invalid(field: "wrap"))) { try open(dated) }
    }

    @Test("A forged parcel opens where everything is right, so the others are refused for what is wrong with them")
    func forgery() throws {
        let content = ParcelForge.content([ParcelForge.frame(48, id(1))], note: anna.note.encoded())
        #expect(try open(forge.sealed(content)).frames.map(\.id) == [id(1)])
    }

    @Test("A friend can't make parcels as another friend's, neither with their note nor with one of their own")
    func otherMaker() throws {
        let eve = try Mailbox(5)
        let frames = [ParcelForge.frame(48, id(1))]
        var forge = forge
        forge.maker = eve.key
        for note in [anna.note, eve.note] {
            let sealed = try forge.sealed(ParcelForge.content(frames, note: note.encoded()))
            #expect(throws: ParcelError.invalid(.forged)) { try open(sealed) }
        }
        // Anna's key, but a note of Eve's.
        forge.maker = anna.key
        let sealed = try forge.sealed(ParcelForge.content(frames, note: eve.note.encoded()))
        #expect(throws: ParcelError.invalid(.forged)) { try open(sealed) }
        // Another device of Anna's, with the note of the first.
        forge.maker = try Mailbox(1, device: 1).key
        let mixed = try forge.sealed(ParcelForge.content(frames, note: anna.note.encoded()))
        #expect(throws: ParcelError.invalid(.forged)) { try open(mixed) }
    }

    @Test("A recipient who knows the text's key can't put another text under the maker's wrap")
    func otherText() throws {
        let honest = try cborMap(seal())
        let wraps = try #require(honest[1]?.arrayValue)
        var forge = forge
        forge.textKey = textKey.bytes
        let text = forge.text(
            ParcelForge.plain(
                ParcelForge.content([ParcelForge.frame(50, id(1))], note: anna.note.encoded())))
        #expect(throws: ParcelError.invalid(.invalid(field: "wrap"))) { try open(ParcelForge.sealed(wraps, text)) }
    }

    @Test("Of two wraps for a device only the first counts")
    func firstWrap() throws {
        let sealed = try cborMap(seal())
        let (wraps, text) = (try #require(sealed[1]?.arrayValue), try #require(sealed[2]?.bytesValue))
        let wrong = forge.entry([UInt8](repeating: 1, count: PeerLimits.parcelWrapBytes))
        #expect(try open(ParcelForge.sealed(wraps + [wrong], text)).frames.count == 1)
        #expect(throws: ParcelError.invalid(.invalid(field: "wrap"))) {
            try open(ParcelForge.sealed([wrong] + wraps, text))
        }
    }

    @Test("What isn't a sealed parcel is refused before anything is computed")
    func form() throws {
        let sealed = try cborMap(seal())
        let (wraps, text) = (try #require(sealed[1]?.arrayValue), try #require(sealed[2]?.bytesValue))
        func check(_ bytes: [UInt8], _ error: WireError) {
            #expect(throws: ParcelError.invalid(error)) {
                try ParcelSeal.open(bytes, in: envelope, as: ben.device) { _ in
                    Issue.record("a key was asked for")
                    return nil
                }
            }
        }
        check(CBOR.map([2: .bytes(text)]).encoded(), .missing(field: "wraps"))
        check(CBOR.map([1: .array(wraps)]).encoded(), .missing(field: "text"))
        check(ParcelForge.sealed([], text), .invalid(field: "wraps"))
        let many = [CBOR](repeating: wraps[0], count: PeerLimits.parcelDevices + 1)
        check(ParcelForge.sealed(many, text), .tooLong(field: "wraps", limit: PeerLimits.parcelDevices))
        let most = PeerLimits.parcelTextBytes.upperBound + CryptoLimits.tagBytes
        check(
            ParcelForge.sealed(wraps, [UInt8](repeating: 0, count: most + 1)), .tooLong(field: "text", limit: most))
        let (device, wrap) = (CBOR.bytes(ben.device.bytes), CBOR.bytes([UInt8](repeating: 1, count: 128)))
        for (entry, error) in [
            (CBOR.bytes([1]), .wrongType(field: "wraps")),
            (.array([device, .unsigned(1)]), .wrongType(field: "wraps")),
            (.array([device, .unsigned(1), wrap, .null]), .wrongType(field: "wraps")),
            (.array([.bytes([1]), .unsigned(1), wrap]), .wrongType(field: "wraps")),
            (.array([device, .negative(0), wrap]), .invalid(field: "wraps")),
            (
                .array([device, .unsigned(1), .bytes([UInt8](repeating: 1, count: 127))]),
                .invalid(field: "wraps")
            ),
            (.array([device, .unsigned(1), .bytes([UInt8](repeating: 1, count: 129))]), .invalid(field: "wraps")),
        ] as [(CBOR, WireError)] {
            check(ParcelForge.sealed([entry], text), error)
        }
    }

    @Test("A content that breaks a rule is refused, though its maker has sealed it well")
    func contents() throws {
        let (note, good) = (anna.note.encoded(), ParcelForge.frame(48, id(1)))
        func check(_ content: [UInt8], _ error: WireError) throws {
            let sealed = try forge.sealed(plain: ParcelForge.plain(content, size: 16_384))
            #expect(throws: ParcelError.invalid(error)) { try open(sealed) }
        }
        func check(_ frames: [CBOR]?, _ error: WireError) throws {
            try check(ParcelForge.content(frames, note: note), error)
        }
        try check(nil, .missing(field: "frames"))
        try check([CBOR](), .invalid(field: "frames"))
        try check([good, good], .invalid(field: "frames"))
        try check([good, ParcelForge.frame(50, id(1))], .invalid(field: "frames"))
        try check([ParcelForge.frame(48, .zero)], .invalid(field: "frames"))
        for kind in [1, 16, 17, 18, 19, 33, 64, 96, 112, 113, 114, 116, 65_535] as [UInt64] {
            try check([good, ParcelForge.frame(kind, id(2))], .unsupported(field: "frame kind \(kind)"))
        }
        try check([.array([.unsigned(48), .bytes(id(1).bytes)])], .wrongType(field: "frames"))
        try check([ParcelForge.frame(65_536, id(1))], .wrongType(field: "frames"))
        let many = (1...UInt64(PeerLimits.parcelFrames + 1)).map { ParcelForge.frame(48, id($0)) }
        try check(many, .tooLong(field: "frames", limit: PeerLimits.parcelFrames))
        let most = ParcelForge.content(Array(many.dropLast()), note: note)
        #expect(try open(forge.sealed(plain: ParcelForge.plain(most, size: 16_384))).frames.count == 256)
        try check(ParcelForge.content([good], note: nil), .missing(field: "mail note"))
        try check(ParcelForge.content([good], note: [0xA0]), .missing(field: "mail note"))
        try check(ParcelForge.content([good], note: note, time: nil), .missing(field: "time"))
        try check(ParcelForge.content([good], note: note, time: .negative(0)), .wrongType(field: "time"))
        var changed = try cborMap(note)
        changed[2] = .bytes([UInt8](repeating: 1, count: CryptoLimits.signatureBytes))
        try check(ParcelForge.content([good], note: CBOR.map(changed).encoded()), .forged)
    }

    // MARK: Sealing

    @Test("Nobody seals what nobody would open")
    func sealing() throws {
        #expect(throws: WireError.missing(field: "frames")) { try seal(content([])) }
        #expect(throws: WireError.invalid(field: "frames")) { try seal(content([message(1), message(1)])) }
        #expect(throws: WireError.invalid(field: "frames")) {
            try seal(content([Frame(kind: .message, id: .zero, body: [0xA0])]))
        }
        #expect(throws: WireError.unsupported(field: "frame kind 17")) {
            try seal(content([Frame(kind: .contactRequest, id: id(1), body: [0xA0])]))
        }
        let many = try (1...UInt64(PeerLimits.parcelFrames + 1)).map { try message($0) }
        #expect(throws: WireError.tooLong(field: "frames", limit: PeerLimits.parcelFrames)) { try seal(content(many)) }
        #expect(try open(seal(content(Array(many.dropLast())))).frames.count == PeerLimits.parcelFrames)
        #expect(throws: WireError.invalid(field: "recipient")) { try seal(to: []) }
        #expect(throws: WireError.invalid(field: "recipient")) { try seal(to: [ben.note, Mailbox(3).note]) }
        // Another device's key, and another account's note.
        #expect(throws: WireError.invalid(field: "mail note")) {
            try ParcelSeal.seal(
                content(), in: envelope, with: Mailbox(1, device: 1).key, to: [ben.note], textKey: textKey)
        }
        let carl = try Mailbox(3)
        #expect(throws: WireError.invalid(field: "mail note")) {
            try ParcelSeal.seal(
                ParcelContent(frames: [message(1)], note: carl.note, time: someTime), in: envelope, with: carl.key,
                to: [ben.note], textKey: textKey)
        }
        // A key to which everybody agrees on the same secret.
        let weak = try MailNote.issue(
            by: ben.deviceKey, certificate: ben.certificate,
            key: #require(Key32([UInt8](repeating: 0, count: CryptoLimits.keyBytes))), made: someTime, couriers: [],
            days: 0)
        #expect(throws: WireError.invalid(field: "key")) { try seal(to: [weak]) }
    }

    @Test("A parcel holds as much as its longest text, and no byte more")
    func longest() throws {
        func content(_ bytes: Int) throws -> ParcelContent {
            try self.content([Frame(kind: .message, id: id(1), body: [UInt8](repeating: 1, count: bytes))])
        }
        let (most, all) = (PeerLimits.parcelTextBytes.upperBound, 100_000)
        // What is around the body is as long for any body of this size.
        let around = try content(all).encoded().count - all
        let longest = try content(most - 4 - around)
        let sealed = try seal(longest)
        #expect(try open(sealed) == longest)
        #expect(try cborMap(sealed)[2]?.bytesValue?.count == most + CryptoLimits.tagBytes)
        #expect(sealed.count <= PeerLimits.sealedParcelBytes)
        #expect(throws: WireError.tooLong(field: "parcel", limit: most)) { try seal(content(most - 3 - around)) }
    }

    @Test("Texts are padded to the next power of two from 1 KiB to 512 KiB")
    func padding() throws {
        var size = 1024
        while size <= PeerLimits.parcelTextBytes.upperBound {
            for (count, expected) in [(size - 4, size), (size - 5, size), (size - 3, size * 2)] {
                let content = [UInt8](repeating: 5, count: count)
                guard expected <= PeerLimits.parcelTextBytes.upperBound else {
                    #expect(throws: WireError.tooLong(field: "parcel", limit: 524_288)) {
                        try ParcelSeal.padded(content)
                    }
                    continue
                }
                let padded = try ParcelSeal.padded(content)
                #expect(padded.count == expected)
                #expect(try ParcelSeal.unpadded(padded) == content)
            }
            size *= 2
        }
        #expect(try ParcelSeal.padded([]).count == 1024)
        #expect(try ParcelSeal.unpadded(ParcelSeal.padded([])).isEmpty)
    }

    @Test("Padding has a right length and zeros only")
    func wrongPadding() throws {
        let content = ParcelForge.content([ParcelForge.frame(48, id(1))], note: anna.note.encoded())
        let wrong = ParcelError.invalid(.invalid(field: "padding"))
        func check(_ plain: [UInt8]) throws {
            let sealed = try forge.sealed(plain: plain)
            #expect(throws: wrong) { try open(sealed) }
        }
        // Any length between the least and the greatest will do.
        for size in [1024, 1025, 3000, 524_288] {
            #expect(try open(forge.sealed(plain: ParcelForge.plain(content, size: size))).frames.count == 1)
        }
        try check(ParcelForge.plain(content, size: 1023))
        for place in [content.count + 4, 1023] {
            var plain = ParcelForge.plain(content, size: 1024)
            plain[place] = 1
            try check(plain)
        }
        for length in [1021, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
            var plain: [UInt8] = []
            plain.appendBigEndian(length)
            try check(plain + [UInt8](repeating: 0, count: 1020))
        }
    }
}
