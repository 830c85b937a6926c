import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: presence")
struct SessionPresenceTests {
    private func frame(_ presence: Presence) -> Frame {
        Frame(kind: .presence, body: PresenceBody(presence).encoded())
    }

    private func told(_ side: SessionSide) -> [Frame] { side.sent.filter { $0.kind == .presence } }

    private func shown(_ side: SessionSide) -> [Presence] {
        side.effects.compactMap { if case .hint(.presence(let body)) = $0 { body.presence } else { nil } }
    }

    @Test("An away user's presence is sent right after the card, to friends only", arguments: Relation.allCases)
    func opening(relation: Relation) throws {
        guard relation != .blocked else { return }
        for presence in [Presence.online, .away] {
            let side = try SessionSide(relation)
            try side.give(.hint(.presence(PresenceBody(presence))))
            #expect(side.sent.isEmpty, "not before the session is open")
            try side.give(.opened(card: side.person.card))
            let expected = relation == .friend && presence == .away ? [FrameKind.card, .presence] : [.card]
            #expect(side.sent.map(\.kind) == expected)
            #expect(told(side) == (expected.count == 2 ? [frame(.away)] : []))
        }
    }

    @Test("A blocked peer gets no card and no presence")
    func blocked() throws {
        let side = try SessionSide(.blocked)
        try side.give(.hint(.presence(PresenceBody(.away))))
        try side.give(.opened(card: side.person.card))
        try side.give(.hint(.presence(PresenceBody(.online))))
        #expect(side.sent.allSatisfy { $0.kind == .close })
    }

    @Test("Changes are sent at once; quick changes are sent slowly, and the last state in any case")
    func pace() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.give(.hint(.presence(PresenceBody(.away))), at: 1)
        try side.give(.hint(.presence(PresenceBody(.away))), at: 1)
        #expect(told(side) == [frame(.away)])
        _ = side.take()
        // A broken client sends away and online a thousand times in a second.
        for number in 0..<1000 {
            try side.give(
                .hint(.presence(PresenceBody(number % 2 == 0 ? .online : .away))), at: 1 + Double(number) / 1000)
        }
        #expect(told(side).count <= 6)
        try side.give(.hint(.presence(PresenceBody(.online))), at: 2)
        try side.run(from: 2, to: 8)
        #expect(told(side).last == frame(.online), "the last state is sent")
        #expect(told(side).count <= 7)
        // After a pause, changes are sent at once again.
        _ = side.take()
        try side.hear(Frame(kind: .pong), at: 30)
        try side.give(.hint(.presence(PresenceBody(.away))), at: 30)
        #expect(told(side) == [frame(.away)])
    }

    @Test("A stranger that becomes a friend gets the presence; a former friend gets no more")
    func relations() throws {
        let side = try SessionSide(.requested)
        try side.give(.hint(.presence(PresenceBody(.away))))
        try side.open()
        try side.give(.hint(.presence(PresenceBody(.online))), at: 1)
        try side.give(.hint(.presence(PresenceBody(.away))), at: 2)
        #expect(told(side).isEmpty)
        try side.give(.relationChanged(.friend), at: 3)
        #expect(told(side) == [frame(.away)])
        _ = side.take()
        try side.give(.relationChanged(.none), at: 4)
        try side.give(.hint(.presence(PresenceBody(.online))), at: 5)
        #expect(told(side).isEmpty)
        // They are friends again in the same session, so the presence is sent whatever the peer believes.
        try side.give(.relationChanged(.friend), at: 6)
        #expect(told(side) == [frame(.online)])
    }

    @Test("A friend is online from its card on, unless a presence comes with the card")
    func seen() throws {
        let side = try SessionSide(.friend)
        try side.give(.opened(card: side.person.card))
        #expect(shown(side).isEmpty, "a peer has no presence before its card")
        try side.hear(Frame(kind: .card, body: side.other.card.encoded))
        #expect(shown(side) == [.online])
        let other = try SessionSide(.friend)
        try other.give(.opened(card: other.person.card))
        try other.hear(Frame(kind: .card, body: other.other.card.encoded), frame(.away))
        #expect(shown(other) == [.away], "the peer isn't shown online for a moment first")
        // The presence comes after the card's effect, so that names are known.
        guard case .card? = other.effects.first(where: { if case .card = $0 { true } else { false } }) else {
            Issue.record("no card")
            return
        }
        _ = other.take()
        try other.hear(frame(.online), frame(.away), frame(.away), at: 1)
        #expect(shown(other).isEmpty, "the presence hasn't changed")
        try other.hear(frame(.online), at: 1)
        #expect(shown(other) == [.online])
    }

    @Test("The presence of a peer that has just accepted us counts once we know that; a stranger's is not shown")
    func early() throws {
        let side = try SessionSide(.requested)
        try side.open()
        try side.hear(frame(.away))
        #expect(shown(side).isEmpty)
        try side.give(.relationChanged(.friend))
        #expect(shown(side) == [.away])
    }

    @Test("A friend's flood of changes is shown a few times, and its last state")
    func flood() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for number in 0..<2000 {
            try side.hear(frame(number % 2 == 0 ? .away : .online), at: Double(number) / 1000)
        }
        try side.hear(frame(.away), at: 2)
        try side.run(from: 2, to: 5)
        #expect(shown(side).count <= 10 && shown(side).last == .away)
        #expect(!side.machine.isClosed)
    }

    @Test(
        "Malformed or later presence is ignored, refused with an id, and an error before the card"
    )
    func malformed() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for body in [[], [0xFF], CBOR.map([:]).encoded(), CBOR.map([1: .unsigned(9)]).encoded()] {
            try side.hear(Frame(kind: .presence, body: body))
        }
        #expect(side.sent.isEmpty && side.effects.isEmpty && !side.machine.isClosed)
        try side.hear(Frame(kind: .presence, id: id(1), body: PresenceBody(.away).encoded()))
        guard case .refused(let refusal)? = try side.receipts().first?.status else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.reason == .unsupported)
        let early = try SessionSide(.friend)
        try early.give(.opened(card: early.person.card))
        try early.hear(frame(.away))
        #expect(early.ends == [.closedHere(.protocolError, detail: "presence before the card")])
    }
}
