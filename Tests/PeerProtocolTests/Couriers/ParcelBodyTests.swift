import Basics
import Crypto
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: parcels, news of them, and answers to them keep their bounds on both sides of the wire.
@Suite("Bodies of parcels, their news and their answers")
struct ParcelBodyTests {
    private func body(days: Int = 14, sealed: Int = 100) throws -> ParcelBody {
        ParcelBody(
            from: try account(1), to: try account(2), days: days, sealed: [UInt8](repeating: 7, count: sealed))
    }

    @Test("A parcel comes back unchanged, up to its bounds")
    func parcels() throws {
        for (days, sealed) in [(1, 0), (14, 100), (21, PeerLimits.sealedParcelBytes)] {
            let parcel = try body(days: days, sealed: sealed)
            #expect(try ParcelBody(decoding: parcel.encoded()) == parcel)
        }
        #expect(try body(sealed: PeerLimits.sealedParcelBytes).encoded().count <= PeerLimits.frameBodyBytes)
    }

    @Test("Neither side of the wire takes a parcel beyond its bounds")
    func parcelBounds() throws {
        let tooLong = WireError.tooLong(field: "sealed", limit: PeerLimits.sealedParcelBytes)
        for days in [0, -1, 22] {
            #expect(throws: WireError.invalid(field: "days")) { try body(days: days).encoded() }
        }
        #expect(throws: tooLong) { try body(sealed: PeerLimits.sealedParcelBytes + 1).encoded() }
        let own = ParcelBody(from: try account(1), to: try account(1), days: 1, sealed: [])
        #expect(throws: WireError.invalid(field: "to")) { try own.encoded() }

        let map = try cborMap(body().encoded())
        func check(_ key: UInt64, _ value: CBOR?, _ error: WireError) {
            var changed = map
            changed[key] = value
            let bytes = CBOR.map(changed).encoded()
            #expect(throws: error, "\(key)") { try ParcelBody(decoding: bytes) }
        }
        let names: [(UInt64, String)] = [(1, "version"), (2, "from"), (3, "to"), (4, "days"), (5, "sealed")]
        for (key, name) in names {
            check(key, nil, .missing(field: name))
            check(key, .text("x"), .wrongType(field: name))
        }
        check(1, .unsigned(2), .unsupported(field: "version"))
        check(1, .unsigned(0), .unsupported(field: "version"))
        check(2, .bytes([1]), .invalid(field: "from"))
        check(2, .bytes([UInt8](repeating: 1, count: 33)), .tooLong(field: "from", limit: 32))
        check(3, map[2], .invalid(field: "to"))
        check(4, .unsigned(0), .invalid(field: "days"))
        check(4, .unsigned(22), .invalid(field: "days"))
        check(4, .unsigned(.max), .invalid(field: "days"))
        check(5, .bytes([UInt8](repeating: 0, count: PeerLimits.sealedParcelBytes + 1)), tooLong)
    }

    @Test("News come back unchanged, and those of a later version are left out")
    func news() throws {
        let all = ParcelNewsBody.What.allCases.enumerated().map { ParcelNewsBody.Item(id(UInt64($0 + 1)), $1) }
        let most = (1...UInt64(PeerLimits.parcelNews)).map { ParcelNewsBody.Item(id($0), .expired) }
        for items in [all, most] {
            let body = ParcelNewsBody(items)
            #expect(try ParcelNewsBody(decoding: body.encoded()) == body)
        }
        func encoded(_ whats: [CBOR]) -> [UInt8] {
            CBOR.map([1: .array(whats.map { .array([.bytes(id(1).bytes), $0]) })]).encoded()
        }
        let mixed = try ParcelNewsBody(decoding: encoded([.unsigned(7), .unsigned(2), .unsigned(.max), .unsigned(0)]))
        #expect(mixed.items == [ParcelNewsBody.Item(id(1), .expired)])
        #expect(try ParcelNewsBody(decoding: encoded([.unsigned(99)])).items.isEmpty)
        #expect(throws: WireError.wrongType(field: "news")) { try ParcelNewsBody(decoding: encoded([.text("1")])) }
    }

    @Test("News have 1 to 256 parcels, each with an id")
    func newsBounds() throws {
        let item = ParcelNewsBody.Item(id(1), .dropped)
        let tooLong = WireError.tooLong(field: "news", limit: PeerLimits.parcelNews)
        let many = [ParcelNewsBody.Item](repeating: item, count: PeerLimits.parcelNews + 1)
        #expect(throws: tooLong) { try ParcelNewsBody(many).encoded() }
        for items in [[], [item, ParcelNewsBody.Item(.zero, .dropped)]] {
            #expect(throws: WireError.invalid(field: "news")) { try ParcelNewsBody(items).encoded() }
        }
        func check(_ items: [CBOR], _ error: WireError) {
            let bytes = CBOR.map([1: .array(items)]).encoded()
            #expect(throws: error) { try ParcelNewsBody(decoding: bytes) }
        }
        let good = CBOR.array([.bytes(id(1).bytes), .unsigned(1)])
        check([CBOR](repeating: good, count: PeerLimits.parcelNews + 1), tooLong)
        check([], .invalid(field: "news"))
        check([good, .array([.bytes(UUIDv7.zero.bytes), .unsigned(1)])], .invalid(field: "news"))
        check([.array([.bytes(id(1).bytes)])], .wrongType(field: "news"))
        check([.array([.bytes(id(1).bytes), .unsigned(1), .unsigned(1)])], .wrongType(field: "news"))
        check([.bytes(id(1).bytes)], .wrongType(field: "news"))
        #expect(throws: WireError.missing(field: "news")) { try ParcelNewsBody(decoding: CBOR.map([:]).encoded()) }
    }

    @Test("An answer comes back unchanged, up to its bounds, and each part may be missing")
    func answers() throws {
        let stored = (1...UInt64(PeerLimits.hadIDs)).map { id($0) }
        let refused = (1...UInt64(PeerLimits.hadRefusals)).map { HadBody.Refused(id($0), .notFound) }
        for body in [
            HadBody(stored: [id(1)]), HadBody(stored: [], refused: [.init(id(1), .tooLarge)]),
            HadBody(stored: stored, refused: refused),
        ] {
            #expect(try HadBody(decoding: body.encoded()) == body)
        }
        let alone = CBOR.map([2: .array([.array([.bytes(id(1).bytes), .text("not_found")])])]).encoded()
        #expect(try HadBody(decoding: alone) == HadBody(stored: [], refused: [.init(id(1), .notFound)]))
    }

    @Test("An answer says something, and keeps its bounds on both sides of the wire")
    func answerBounds() throws {
        let ids = [UUIDv7](repeating: id(1), count: PeerLimits.hadIDs + 1)
        let refusals = [HadBody.Refused](repeating: .init(id(1), .invalid), count: PeerLimits.hadRefusals + 1)
        let (longIDs, longRefusals) = (
            WireError.tooLong(field: "stored", limit: PeerLimits.hadIDs),
            WireError.tooLong(field: "refused", limit: PeerLimits.hadRefusals)
        )
        #expect(throws: WireError.missing(field: "stored")) { try HadBody(stored: []).encoded() }
        #expect(throws: longIDs) { try HadBody(stored: ids).encoded() }
        #expect(throws: longRefusals) { try HadBody(stored: [], refused: refusals).encoded() }
        for body in [HadBody(stored: [.zero]), HadBody(stored: [id(1)], refused: [.init(.zero, .invalid)])] {
            #expect(throws: WireError.invalid(field: "stored")) { try body.encoded() }
        }
        func check(_ map: CBORMap, _ error: WireError) {
            #expect(throws: error) { try HadBody(decoding: CBOR.map(map).encoded()) }
        }
        let (one, zero) = (CBOR.bytes(id(1).bytes), CBOR.bytes(UUIDv7.zero.bytes))
        func refusal(_ reason: CBOR, of id: CBOR) -> CBOR { .array([.array([id, reason])]) }
        check([:], .missing(field: "stored"))
        check([1: .array([]), 2: .array([])], .missing(field: "stored"))
        check([1: .array([zero])], .invalid(field: "stored"))
        check([1: .array([.text("x")])], .wrongType(field: "stored"))
        check([1: .array([CBOR](repeating: one, count: PeerLimits.hadIDs + 1))], longIDs)
        let many = [CBOR](repeating: .array([one, .text("invalid")]), count: PeerLimits.hadRefusals + 1)
        check([2: .array(many)], longRefusals)
        check([2: refusal(.text("invalid"), of: zero)], .invalid(field: "refused"))
        check([2: refusal(.text("Not Found"), of: one)], .invalid(field: "refused"))
        check([2: refusal(.text(""), of: one)], .invalid(field: "refused"))
        check([2: refusal(.text(String(repeating: "a", count: 33)), of: one)], .invalid(field: "refused"))
        check([2: refusal(.unsigned(1), of: one)], .wrongType(field: "refused"))
        check([2: .array([one])], .wrongType(field: "refused"))
    }

    @Test("A reason of a later version is taken as one that doesn't say more")
    func laterReason() throws {
        let bytes = CBOR.map([2: .array([.array([.bytes(id(1).bytes), .text("too_blue")])])]).encoded()
        #expect(try HadBody(decoding: bytes).refused.map(\.reason) == [.internal])
    }

    @Test("A friend's frames are durable or hints, as their kinds say, and nobody else's are taken")
    func kinds() throws {
        let note = try Mailbox(1).note
        let frames: [(FrameKind, [UInt8])] = [
            (.parcel, try body().encoded()), (.parcelNews, try ParcelNewsBody([.init(id(1), .expired)]).encoded()),
            (.had, try HadBody(stored: [id(1)]).encoded()),
        ]
        for (kind, bytes) in frames {
            let frame = try DurableFrame(Frame(kind: kind, id: id(9), body: bytes))
            #expect(frame.id == id(9) && frame.isParcel == (kind == .parcel))
            #expect(DurableFrame.rules[kind]?.gate == .friends)
        }
        #expect(try Hint(Frame(kind: .mailNote, body: note.encoded())) == .mailNote(note))
        #expect(try Hint.mailNote(note).encoded().body == note.encoded())
    }
}
