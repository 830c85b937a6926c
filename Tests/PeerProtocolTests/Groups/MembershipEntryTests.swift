import Basics
import Crypto
import PeerProtocol
import Testing
import Vocabulary

@Suite("Membership entries")
struct MembershipEntryTests {
    private let mates = Mate.all

    @Test("Every operation survives its encoding")
    func roundTrip() throws {
        var shop = try Workshop(members: 3)
        let digest = [UInt8](repeating: 7, count: 32)
        let floors = [mates[0].device, mates[1].device].sorted().map { LogPlace(device: $0, sequence: 9) }
        let operations: [GroupOperation] = [
            .add([mates[5].seed, mates[6].seed], floors: floors), .add([mates[5].seed], floors: []),
            .remove(mates[1].account), .role(mates[1].account, .admin), .leave, .rename("New"),
            .describe("two\nlines"), .describe(""), .avatar(digest), .avatar(nil), .history(100), .device,
        ]
        for operation in operations {
            let made = try shop.entry(operation, by: 0)
            let read = try MembershipEntry(decoding: made.bytes)
            #expect(read.operation == operation)
            #expect(read.hash == made.hash && read.bytes == made.bytes && read.parents == shop.graph.heads)
            #expect(read.author == mates[0].account && read.time == made.time && read.at == made.at)
            #expect(read.group == shop.graph.group && read.root == shop.graph.root)
        }
        let create = try Workshop.create(mates[0], with: [mates[1]], history: 5)
        let read = try MembershipEntry(decoding: create.bytes)
        #expect(read.operation == create.operation && read.isCreate && read.root == read.hash)
    }

    @Test("A group's id has the time and the first 74 bits of the root")
    func identifier() throws {
        let root = try #require(EntryHash([UInt8](repeating: 0xFF, count: 32)))
        let id = MembershipEntry.group(root: root, time: HybridTime(milliseconds: 0x0123_4567_89AB))
        #expect(id.description == "01234567-89ab-7fff-bfff-ffffffffffff")
        let zero = try #require(EntryHash([UInt8](repeating: 0, count: 32)))
        let other = MembershipEntry.group(root: zero, time: HybridTime(milliseconds: 1))
        #expect(other.description == "00000000-0001-7000-8000-000000000000")
        // For 0x80…01 the first 12 bits are 0x800, then come 62 bits that end in bit 73 of the root.
        var bytes = [UInt8](repeating: 0, count: 32)
        (bytes[0], bytes[9]) = (0x80, 0x40)
        let mixed = try #require(EntryHash(bytes))
        #expect(
            MembershipEntry.group(root: mixed, time: HybridTime(milliseconds: 1)).description
                == "00000000-0001-7800-8000-000000000001")
    }

    @Test("Every changed byte and every truncation is detected")
    func damage() throws {
        var shop = try Workshop(members: 2)
        let original = try shop.entry(.rename("x"), by: 0).bytes
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1
            #expect(throws: WireError.self, "byte \(index)") { try MembershipEntry(decoding: bytes) }
        }
        for count in 0..<original.count {
            #expect(throws: WireError.self) { try MembershipEntry(decoding: Array(original.prefix(count))) }
        }
    }

    @Test("An account can't sign for another account's device, and its account signs a certificate")
    func forgery() throws {
        let shop = try Workshop(members: 3)
        func make(_ account: AccountID, _ certificate: DeviceCertificate, _ key: SigningKey) throws {
            _ = try MembershipEntry.make(
                .rename("x"), group: (shop.graph.group, shop.graph.root), parents: shop.graph.heads, by: account,
                certificate: certificate, key: key, time: HybridTime(milliseconds: 1), at: someTime)
        }
        #expect(throws: WireError.forged) { try make(mates[0].account, mates[0].certificate, mates[1].key) }
        #expect(throws: WireError.forged) { try make(mates[0].account, mates[1].certificate, mates[1].key) }
        // This is made by hand: mate 0's certificate under mate 1's signature.
        let bytes = try forged(shop.graph, certificate: mates[0].certificate.encoded(), key: mates[1].key)
        #expect(throws: WireError.forged) { try MembershipEntry(decoding: bytes) }
        // This certificate names mate 0 but is signed by mate 1.
        var certificate = mates[0].certificate.encoded()
        certificate[certificate.count - 1] ^= 1
        let other = try forged(shop.graph, certificate: certificate, key: mates[0].key)
        #expect(throws: WireError.certificate(.forged)) { try MembershipEntry(decoding: other) }
        // A correct entry passes, which shows that the above failed for the right reason.
        let right = try forged(shop.graph, certificate: mates[0].certificate.encoded(), key: mates[0].key)
        #expect(throws: Never.self) { try MembershipEntry(decoding: right) }
    }

    private func forged(
        _ graph: GroupGraph, certificate: [UInt8], key: SigningKey, extra: Bool = false
    ) throws -> [UInt8] {
        let signed = CBOR.map([
            1: .bytes(graph.group.bytes), 2: .bytes(graph.root.bytes), 3: .bytes(certificate),
            4: .array(graph.heads.map { .bytes($0.bytes) }), 5: .unsigned(77), 6: .unsigned(1),
            7: .map([1: .unsigned(5)]),
        ]).encoded()
        var map: CBORMap = [1: .bytes(signed), 2: .bytes(key.sign(signed, label: MembershipEntry.label))]
        if extra { map[3] = .text("beside") }
        return CBOR.map(map).encoded()
    }

    @Test("Nothing can be added beside what is signed: the same entry always has the same bytes")
    func beside() throws {
        let shop = try Workshop(members: 2)
        let bytes = try forged(
            shop.graph, certificate: mates[0].certificate.encoded(), key: mates[0].key, extra: true)
        #expect(throws: WireError.invalid(field: "entry")) { try MembershipEntry(decoding: bytes) }
    }

    @Test("An operation or role of a later version is kept and has no effect")
    func later() throws {
        for operation in [
            CBOR.map([1: .unsigned(99), 40: .text("later")]),
            CBOR.map([1: .unsigned(4), 8: .bytes(mates[1].account.bytes), 9: .unsigned(7)]),
        ] {
            var shop = try Workshop(members: 2)
            let signed = CBOR.map([
                1: .bytes(shop.graph.group.bytes), 2: .bytes(shop.graph.root.bytes),
                3: .bytes(mates[1].certificate.encoded()), 4: .array(shop.graph.heads.map { .bytes($0.bytes) }),
                5: .unsigned(77), 6: .unsigned(1), 7: operation, 50: .text("also later"),
            ]).encoded()
            let bytes = CBOR.map([
                1: .bytes(signed), 2: .bytes(mates[1].key.sign(signed, label: MembershipEntry.label)),
            ]).encoded()
            let entry = try MembershipEntry(decoding: bytes)
            guard case .unknown = entry.operation else {
                Issue.record("\(entry.operation)")
                continue
            }
            let before = shop.graph.state
            #expect(shop.graph.insert(entry) == .inserted)
            #expect(shop.graph.heads == [entry.hash] && shop.graph.state == before)
            try shop.commit(.rename("after"), by: 0)
        }
    }

    @Test("Entries that every member may make are small; the longest name and description fit")
    func small() throws {
        let mate = mates[1]
        func entry(_ operation: CBORMap, padding: Int?) throws -> [UInt8] {
            let parents = (0..<16).map { CBOR.bytes([UInt8](repeating: $0, count: 32)) }
            var map: CBORMap = [
                1: .bytes(shop.graph.group.bytes), 2: .bytes(shop.graph.root.bytes),
                3: .bytes(mate.certificate.encoded()), 4: .array(parents), 5: .unsigned(77), 6: .unsigned(1),
                7: .map(operation),
            ]
            map[50] = padding.map { .bytes([UInt8](repeating: 0, count: $0)) }
            let signed = CBOR.map(map).encoded()
            return CBOR.map([
                1: .bytes(signed), 2: .bytes(mate.key.sign(signed, label: MembershipEntry.label)),
            ]).encoded()
        }
        let shop = try Workshop(members: 2)
        let wide = "\u{1F1E9}\u{1F1EA}"
        // Operations of later versions may be long; the others as long as they need, and a little more.
        let (other, reserve) = (PeerLimits.membershipOtherBytes, PeerLimits.membershipReserveBytes)
        let seeds: CBORMap = [1: .bytes(mates[5].certificate.encoded()), 2: .text(mates[5].name)]
        let operations: [(CBORMap, limit: Int?, reserve: Int)] = [
            ([1: .unsigned(99)], other, 0),
            ([1: .unsigned(4), 8: .bytes(mate.account.bytes), 9: .unsigned(7)], other, 0),
            ([1: .unsigned(10)], nil, reserve), ([1: .unsigned(5)], nil, reserve),
            ([1: .unsigned(3), 8: .bytes(mate.account.bytes)], nil, reserve),
            ([1: .unsigned(6), 2: .text(String(repeating: wide, count: 128))], nil, reserve),
            ([1: .unsigned(7), 3: .text(String(repeating: wide, count: 512))], nil, reserve),
            (
                [1: .unsigned(2), 6: .array([.map(seeds)]), 7: .array([])], nil,
                reserve + PeerLimits.membershipSeedReserveBytes
            ),
        ]
        for (operation, fixed, reserve) in operations {
            // This leaves out the padding key and its head.
            let needed = try entry(operation, padding: nil).count
            let limit = fixed ?? needed + reserve
            // It is long enough that no number before it changes its width.
            let room = limit - (try entry(operation, padding: 300).count) + 300
            #expect(throws: Never.self) { try MembershipEntry(decoding: try entry(operation, padding: room)) }
            #expect(throws: WireError.tooLong(field: "entry", limit: limit)) {
                try MembershipEntry(decoding: try entry(operation, padding: room + 1))
            }
            // From our own disk everything is taken that was ever taken.
            var certificates = CertificateReader(isTrusted: true)
            let old = try entry(operation, padding: room + 1)
            #expect(throws: Never.self) { try MembershipEntry(decoding: old, certificates: &certificates) }
            #expect(certificates.checked == 0)
        }
    }

    @Test("Unknown keys don't make an addition of one person as long as one of two hundred")
    func fat() throws {
        let shop = try Workshop(members: 2)
        let seed: CBORMap = [1: .bytes(mates[5].certificate.encoded()), 2: .text(mates[5].name)]
        let signed = CBOR.map([
            1: .bytes(shop.graph.group.bytes), 2: .bytes(shop.graph.root.bytes),
            3: .bytes(mates[0].certificate.encoded()),
            4: .array([.bytes(shop.graph.root.bytes)]), 5: .unsigned(77), 6: .unsigned(1),
            7: .map([1: .unsigned(2), 6: .array([.map(seed)]), 7: .array([])]),
            50: .bytes([UInt8](repeating: 0, count: 700 << 10)),
        ]).encoded()
        let bytes = CBOR.map([1: .bytes(signed), 2: .bytes(mates[0].key.sign(signed, label: MembershipEntry.label))])
            .encoded()
        #expect(throws: WireError.self) { try MembershipEntry(decoding: bytes) }
    }

    @Test("Each limit allows its value and not one more")
    func limits() throws {
        var shop = try Workshop(members: 2)
        func make(_ operation: GroupOperation) throws { _ = try shop.entry(operation, by: 0) }
        let long = String(repeating: "n", count: 128)
        #expect(throws: Never.self) { try make(.rename(long)) }
        #expect(throws: WireError.tooLong(field: "name", limit: 128)) { try make(.rename(long + "n")) }
        for name in ["", " ", "a\nb", "a\u{202E}b"] {
            #expect(throws: WireError.invalid(field: "name")) { try make(.rename(name)) }
        }
        let text = String(repeating: "d", count: 512)
        #expect(throws: Never.self) { try make(.describe(text)) }
        #expect(throws: WireError.tooLong(field: "description", limit: 512)) { try make(.describe(text + "d")) }
        for text in ["\u{1B}[2J", "a\u{202E}b", "\u{2029}"] {
            #expect(throws: WireError.invalid(field: "description")) { try make(.describe(text)) }
        }
        for text in ["a\n\tb", "שלום\u{200F}!", "\u{2067}a\u{2069}\u{202B}"] {
            #expect(throws: Never.self) { try make(.describe(text)) }
        }
        #expect(throws: WireError.invalid(field: "avatar")) { try make(.avatar([1])) }
        #expect(throws: Never.self) { try make(.history(100_000)) }
        #expect(throws: WireError.invalid(field: "history")) { try make(.history(100_001)) }
        #expect(throws: WireError.invalid(field: "members")) { try make(.add([], floors: [])) }
        let twice = [mates[5].seed, mates[5].seed]
        #expect(throws: WireError.invalid(field: "members")) { try make(.add(twice, floors: [])) }
        let floor = LogPlace(device: mates[0].device, sequence: 0)
        #expect(throws: WireError.invalid(field: "floors")) { try make(.add([mates[5].seed], floors: [floor])) }
        let unnamed = GroupSeed(certificate: mates[5].certificate, name: "")
        #expect(throws: WireError.invalid(field: "member's name")) { try make(.add([unnamed], floors: [])) }
        // These are more parents than an entry may name.
        let parents = (0..<17).compactMap { EntryHash([UInt8](repeating: $0, count: 32)) }
        #expect(throws: Never.self) { try shop.entry(.leave, by: 0, after: Array(parents.prefix(16))) }
        #expect(throws: WireError.tooLong(field: "parents", limit: 16)) {
            try shop.entry(.leave, by: 0, after: parents)
        }
    }
}
