import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: dials that friends make for each other")
struct SessionReachTests {
    private let request = ReachRequestBody(number: 7)
    private let answer = ReachBody(
        number: 7, outcome: .failed, time: WallTime(milliseconds: 5), address: "192.0.2.1:15426", detail: "timed out")

    @Test("Dials are requested and answered among friends only", arguments: Relation.allCases)
    func gate(relation: Relation) throws {
        guard relation != .blocked else { return }
        let side = try SessionSide(relation)
        try side.give(.hint(.reachRequest(request)))
        #expect(side.sent.isEmpty, "not before the session is open")
        try side.open()
        try side.give(.hint(.reachRequest(request)))
        try side.give(.hint(.reach(answer)))
        let frames = [
            Frame(kind: .reachRequest, body: request.encoded()), Frame(kind: .reach, body: answer.encoded()),
        ]
        for frame in frames { try side.hear(frame) }
        if relation == .friend {
            #expect(side.sent == frames)
            #expect(side.effects == [.hint(.reachRequest(request)), .hint(.reach(answer))])
        } else {
            #expect(side.sent.isEmpty && side.effects.isEmpty && !side.machine.isClosed)
            #expect(side.machine.ignored == [.notAllowed: 2])
        }
    }

    @Test("A friend that asks all the time makes us dial now and then")
    func flood() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for number in 0..<5_000 {
            try side.hear(Frame(kind: .reachRequest, body: request.encoded()), at: Double(number) / 1000)
        }
        let made = side.effects.filter { $0 == .hint(.reachRequest(request)) }.count
        #expect(1...3 ~= made)
        #expect(side.machine.ignored == [.tooOften: UInt64(5_000 - made)])
        #expect(!side.machine.isClosed)
    }

    @Test("A malformed body is ignored; a text that is too long is cut and escaped")
    func bodies() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for kind in [FrameKind.reach, .reachRequest] {
            for body in [[], [0xFF], CBOR.map([:]).encoded(), CBOR.map([1: .text("7")]).encoded()] {
                try side.hear(Frame(kind: kind, body: body))
            }
        }
        try side.hear(
            Frame(kind: .reach, body: CBOR.map([1: .unsigned(7), 2: .unsigned(3), 3: .unsigned(1)]).encoded()))
        #expect(side.sent.isEmpty && side.effects.isEmpty && !side.machine.isClosed)
        #expect(side.machine.ignored == [.malformed: 9])
        #expect(try ReachBody(decoding: answer.encoded()) == answer)
        let long = ReachBody(
            number: .max, outcome: .reached, time: WallTime(milliseconds: 1),
            address: String(repeating: "a", count: 500),
            detail: String(repeating: "\u{1B}", count: 900))
        #expect(try ReachBody(decoding: long.encoded()) == long)
        #expect(long.detail?.contains("\u{1B}") == false)
        for count in 0..<answer.encoded().count {
            #expect(throws: WireError.self) { try ReachBody(decoding: Array(answer.encoded().prefix(count))) }
        }
    }

    @Test("A refusal is counted once, by its reason")
    func refusals() throws {
        let side = try SessionSide(.none)
        try side.open()
        for number in 1...3 as ClosedRange<UInt64> {
            try side.hear(Frame(kind: .message, id: id(number), body: [0xA0]))
        }
        try side.hear(Frame(kind: FrameKind(rawValue: 999), id: id(9), body: [0xA0]))
        #expect(side.machine.refused == [.notFriends: 3, .unsupported: 1])
    }
}
