import Basics
import Crypto
import Testing
import Vocabulary

@testable import PeerProtocol

@Suite("Session: discovery keys")
struct SessionDiscoveryKeysTests {
    private func body(_ number: UInt32, held: UInt32 = 0) throws -> DiscoveryKeysBody {
        let keys = DiscoveryKeys(try Person(1).deviceKey)
        return DiscoveryKeysBody(
            number: number, shared: keys.shared(number), pair: keys.pair(with: try Person(2).account), held: held)
    }

    private func told(_ side: SessionSide) throws -> [DiscoveryKeysBody] {
        try side.sent.filter { $0.kind == .discoveryKeys }.map { try DiscoveryKeysBody(decoding: $0.body) }
    }

    @Test(
        "keys are sent after the card to friends and to accounts that we have asked, and to no others",
        arguments: Relation.allCases)
    func given(relation: Relation) throws {
        let side = try SessionSide(relation)
        let keys = try body(3)
        try side.give(.hint(.discoveryKeys(keys)))
        try side.give(.opened(card: side.person.card))
        #expect(try told(side) == (relation == .friend || relation == .requested ? [keys] : []))
        if relation == .friend { #expect(side.sent.map(\.kind) == [.card, .discoveryKeys]) }
        // The same keys again are no news.
        try side.give(.hint(.discoveryKeys(keys)))
        #expect(try told(side).count <= 1)
    }

    @Test("a new friend gets the keys; a former friend doesn't, and gets them anew after a reconciliation")
    func relations() throws {
        let side = try SessionSide(.incoming)
        try side.open()
        try side.give(.hint(.discoveryKeys(try body(1))), at: 1)
        #expect(try told(side).isEmpty)
        try side.give(.relationChanged(.friend), at: 2)
        #expect(try told(side) == [try body(1)])
        _ = side.take()
        try side.give(.relationChanged(.none), at: 3)
        try side.give(.hint(.discoveryKeys(try body(2))), at: 4)
        #expect(try told(side).isEmpty)
        try side.give(.relationChanged(.requested), at: 5)
        #expect(try told(side) == [try body(2)])
    }

    @Test("of many changes only so many are sent, and always the last one")
    func pace() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for number in 1...50 as ClosedRange<UInt32> { try side.give(.hint(.discoveryKeys(try body(number))), at: 1) }
        try side.run(from: 1, to: 8)
        let numbers = try told(side).map(\.number)
        #expect(numbers.count < 8 && numbers.last == 50 && numbers == numbers.sorted())
    }

    @Test("the peer's keys are taken in any relation, so many in a session; malformed ones are ignored")
    func taken() throws {
        let keys = try body(7, held: 2)
        for relation in Relation.allCases where relation != .blocked {
            let side = try SessionSide(relation)
            try side.open()
            for _ in 0..<20 { try side.hear(Frame(kind: .discoveryKeys, body: keys.encoded()), at: 1) }
            #expect(side.effects.filter { $0 == .hint(.discoveryKeys(keys)) }.count == 5)
            try side.hear(Frame(kind: .discoveryKeys, body: [1, 2, 3]), at: 30)
            try side.hear(Frame(kind: .discoveryKeys, body: Array(keys.encoded().dropLast())), at: 40)
            #expect(side.ends.isEmpty)
        }
        // They are not taken before the card.
        let side = try SessionSide(.friend)
        try side.give(.opened(card: side.person.card))
        try side.hear(Frame(kind: .discoveryKeys, body: keys.encoded()))
        #expect(side.ends.count == 1)
    }

    @Test("a body is read as it was written; numbers and lengths are checked")
    func coding() throws {
        let keys = try body(.max, held: .max)
        #expect(try DiscoveryKeysBody(decoding: keys.encoded()) == keys)
        let key = CBOR.bytes([UInt8](repeating: 1, count: 32))
        let wrong: [CBORMap] = [
            [1: .unsigned(0), 2: key, 3: key, 4: .unsigned(0)],
            [1: .unsigned(1 << 32), 2: key, 3: key, 4: .unsigned(0)],
            [1: .unsigned(1), 2: .bytes([1]), 3: key, 4: .unsigned(0)], [1: .unsigned(1), 2: key, 4: .unsigned(0)],
            [1: .unsigned(1), 2: key, 3: key, 4: .unsigned(1 << 32)], [1: .unsigned(1), 2: key, 3: key],
            [1: .unsigned(1), 2: key, 3: .bytes([UInt8](repeating: 1, count: 33)), 4: .unsigned(0)],
        ]
        for map in wrong {
            #expect(throws: WireError.self) { try DiscoveryKeysBody(decoding: CBOR.map(map).encoded()) }
        }
    }
}
