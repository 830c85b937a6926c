import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Goal: what members send each other about a group survives the wire, and what breaks the rules is refused.
@Suite("Wire: bodies of groups")
struct GroupBodyTests {
    private static func range(_ number: UInt8, _ from: UInt64, _ to: UInt64) throws -> LogRange {
        try #require(LogRange(device: try Person(number).device, from: from, to: to))
    }

    private static func top(_ number: UInt8, _ sequence: UInt64) throws -> LogReference {
        LogReference(place: LogPlace(device: try Person(number).device, sequence: sequence), hash: hash(sequence))
    }

    private static func frames() throws -> [GroupFrame] {
        let entries = [
            GroupEntryBody(try logEntry(Person(1))), GroupEntryBody(try logEntry(Person(2)).withoutContent()),
        ]
        return [
            .heads(GroupHeadsBody(root: someRoot, heads: [hash(2), hash(3)].sorted(), digest: hash(4))),
            .tops(GroupTopsBody(root: someRoot, tops: [], isReply: false)),
            .tops(
                GroupTopsBody(
                    root: someRoot, tops: try [top(1, 5), top(1, 6), top(2, 1)].sorted(), isReply: true, hasMore: true)),
            .want(GroupWantBody(root: someRoot, heads: [hash(9), hash(8)])),
            .want(GroupWantBody(root: someRoot, heads: [hash(9)], after: hash(7))),
            .want(
                GroupWantBody(
                    root: someRoot, ranges: try [range(2, 1, 9), range(1, 4, 4)], hashes: [hash(7), hash(6)])),
            .entries(GroupEntriesBody(root: someRoot)),
            .entries(
                GroupEntriesBody(
                    root: someRoot, membership: [[1, 2], [3]], entries: entries, withheld: try [range(1, 1, 3)],
                    hasMore: true, unavailable: [hash(7)])),
            .typing(GroupTypingBody(root: someRoot, isTyping: false)),
        ]
    }

    private static func decode(_ kind: FrameKind, _ bytes: [UInt8]) throws -> GroupFrame? {
        switch kind {
        case .groupHeads: .heads(try GroupHeadsBody(decoding: bytes))
        case .groupTops: .tops(try GroupTopsBody(decoding: bytes))
        case .groupWant: .want(try GroupWantBody(decoding: bytes))
        case .groupEntries: .entries(try GroupEntriesBody(decoding: bytes))
        case .groupTyping: .typing(try GroupTypingBody(decoding: bytes))
        default: nil
        }
    }

    @Test("Every body survives the wire; truncated bodies are refused, and unknown keys are skipped")
    func roundTrip() throws {
        for frame in try Self.frames() {
            let bytes = try frame.body()
            #expect(try Self.decode(frame.kind, bytes) == frame)
            for count in 0..<bytes.count {
                #expect(throws: WireError.self) { try Self.decode(frame.kind, Array(bytes.prefix(count))) }
            }
            guard case .map(var map) = try CBORDecoder.decode(bytes) else { return }
            map[77] = .text("of a later version")
            #expect(try Self.decode(frame.kind, CBOR.map(map).encoded()) == frame)
            map[1] = .bytes([1])
            #expect(throws: WireError.invalid(field: "root")) { try Self.decode(frame.kind, CBOR.map(map).encoded()) }
        }
        let change = GroupChangeBody(root: someRoot, entries: [[1], [2, 3]])
        #expect(try GroupChangeBody(decoding: change.encoded()) == change)
        let seen = GroupSeenBody(root: someRoot, messages: [id(1), id(2)])
        #expect(try GroupSeenBody(decoding: seen.encoded()) == seen)
        let entry = GroupEntryBody(try logEntry(Person(1)))
        #expect(try GroupEntryBody(decoding: entry.encoded()) == entry)
    }

    @Test("Empty, repeated and unordered content is refused")
    func rules() throws {
        func want(_ map: CBORMap) throws -> GroupWantBody {
            var map = map
            map[1] = .bytes(someRoot.bytes)
            return try GroupWantBody(decoding: CBOR.map(map).encoded())
        }
        let hashes = [hash(1), hash(2), hash(3)].sorted().map { CBOR.bytes($0.bytes) }
        #expect(throws: Never.self) { try want([4: .array(hashes)]) }
        #expect(throws: WireError.missing(field: "heads")) { try want([:]) }
        #expect(throws: WireError.invalid(field: "hashes")) { try want([4: .array(hashes.reversed())]) }
        #expect(throws: WireError.invalid(field: "hashes")) { try want([4: .array([hashes[0], hashes[0]])]) }
        let device = CBOR.bytes(try Person(1).device.bytes)
        func range(_ from: UInt64, _ to: UInt64) -> CBOR { .array([device, .unsigned(from), .unsigned(to)]) }
        #expect(throws: Never.self) { try want([3: .array([range(1, 2), range(3, 3)])]) }
        for bad in [range(0, 2), range(3, 2), range(1, PeerLimits.logSequence + 1), .array([device]), .unsigned(1)] {
            #expect(throws: WireError.self) { try want([3: .array([bad])]) }
        }
        #expect(throws: WireError.invalid(field: "ranges")) { try want([3: .array([range(3, 3), range(1, 2)])]) }
        #expect(throws: WireError.missing(field: "heads")) { try GroupWantBody(root: someRoot).encoded() }
        #expect(throws: WireError.self) { try GroupHeadsBody(root: someRoot, heads: [], digest: hash(1)).encoded() }
        #expect(throws: WireError.self) { try GroupChangeBody(root: someRoot, entries: []).encoded() }
        #expect(throws: WireError.self) { try GroupChangeBody(root: someRoot, entries: [[]]).encoded() }
        #expect(throws: WireError.self) { try GroupSeenBody(root: someRoot, messages: []).encoded() }
        #expect(throws: WireError.self) { try GroupSeenBody(root: someRoot, messages: [.zero]).encoded() }
    }

    @Test("Each limit allows its value and not one more")
    func limits() throws {
        let hashes = (0...UInt64(PeerLimits.groupWants)).map { hash($0) }
        #expect(throws: Never.self) { try GroupWantBody(root: someRoot, hashes: Array(hashes.dropLast())).encoded() }
        #expect(throws: WireError.tooLong(field: "hashes", limit: 256)) {
            try GroupWantBody(root: someRoot, hashes: hashes).encoded()
        }
        let device = try Person(1).device
        let tops = (1...UInt64(PeerLimits.groupTopsInFrame) + 1).map {
            LogReference(place: LogPlace(device: device, sequence: $0), hash: someRoot)
        }
        let most = GroupTopsBody(root: someRoot, tops: Array(tops.dropLast()), isReply: false)
        #expect(try GroupTopsBody(decoding: most.encoded()) == most)
        #expect(throws: WireError.self) { try GroupTopsBody(root: someRoot, tops: tops, isReply: false).encoded() }
        let long = [UInt8](repeating: 1, count: PeerLimits.membershipEntryBytes)
        #expect(throws: Never.self) { try GroupChangeBody(root: someRoot, entries: [long]).encoded() }
        #expect(throws: WireError.self) { try GroupChangeBody(root: someRoot, entries: [long + [1]]).encoded() }
        #expect(throws: WireError.self) { try GroupChangeBody(root: someRoot, entries: [long, long]).encoded() }
    }

    @Test("Random bytes never trap", arguments: 0..<20 as Range<UInt64>)
    func garbage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bodies = try Self.frames().map { ($0.kind, try $0.body()) }
        for _ in 0..<200 {
            guard let (kind, body) = bodies.randomElement(using: &random) else { return }
            var bytes = body
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? Self.decode(kind, bytes)
            _ = try? GroupChangeBody(decoding: bytes)
            _ = try? GroupEntryBody(decoding: bytes).entry()
            _ = try? GroupSeenBody(decoding: bytes)
        }
    }
}
