import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("Session: time")
struct SessionTimeTests {
    @Test("After three silent seconds a ping is sent; after nine the peer counts as dead")
    func silence() throws {
        let side = try SessionSide(.friend)
        try side.open()
        #expect(side.machine.nextDeadline == at(3))
        try side.give(.tick, at: 2.9)
        #expect(side.sent.isEmpty)
        try side.give(.tick, at: 3)
        #expect(side.sent == [Frame(kind: .ping)])
        try side.run(from: 3, to: 8.99)
        #expect(side.sent == [Frame(kind: .ping), Frame(kind: .ping)])
        #expect(!side.machine.isClosed)
        try side.run(from: 8.99, to: 9)
        #expect(side.ends == [.silence])
        #expect(side.ends.allSatisfy { !$0.isClean })
        #expect(side.sent.count == 2, "a dead peer gets no close")
    }

    @Test("A tick that comes a little early sends the ping, so that an idle session wakes once for each")
    func earlyTick() throws {
        let side = try SessionSide(.friend)
        try side.open()
        try side.give(.tick, at: 2.96)
        #expect(side.take().sent == [Frame(kind: .ping)])
        try side.hear(Frame(kind: .pong), at: 2.97)
        // Ours went out at 2.96, and the shell's timer was set before the answer moved the deadline.
        #expect(side.machine.nextDeadline == at(5.96))
        try side.give(.tick, at: 5.92)
        #expect(side.take().sent == [Frame(kind: .ping)])
    }

    @Test("Any byte is a sign of life")
    func anyByte() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let frame = try message(1).encoded()
        for (index, byte) in frame.prefix(20).enumerated() {
            try side.give(.received([byte]), at: 1.4 * Double(index + 1))
            try side.run(from: 1.4 * Double(index), to: 1.4 * Double(index + 1) + 1.3)
        }
        #expect(!side.machine.isClosed)
    }

    @Test("A peer that only answers pings is kept, whatever we send")
    func answeringPeer() throws {
        let side = try SessionSide(.friend)
        try side.open()
        for second in 1...60 {
            // We send all the time; the peer only answers pings.
            try side.give(.hint(.typing(TypingBody(isTyping: true))), at: Double(second))
            try side.run(from: Double(second), to: Double(second) + 0.9)
            if side.take().sent.contains(where: { $0.kind == .ping }) {
                try side.hear(Frame(kind: .pong), at: Double(second) + 0.95)
            }
        }
        #expect(!side.machine.isClosed)
    }

    @Test("Two idle friends stay connected, and send little")
    func idleFriends() throws {
        let (left, right) = (
            try SessionSide(.friend), SessionSide(.friend, person: try Person(2), other: try Person(1))
        )
        try left.give(.opened(card: left.person.card))
        try right.give(.opened(card: right.person.card))
        try left.give(.outbox([], hasMore: false))
        try right.give(.outbox([], hasMore: false))
        var count = 0
        for step in 0..<3000 {
            let now = Double(step) * 0.1
            try left.run(from: now, to: now)
            try right.run(from: now, to: now)
            let (out, back) = (left.take().sent, right.take().sent)
            count += out.count + back.count
            if !out.isEmpty { try right.give(.received(out.flatMap { $0.encoded() }), at: now) }
            if !back.isEmpty { try left.give(.received(back.flatMap { $0.encoded() }), at: now) }
        }
        #expect(!left.machine.isClosed && !right.machine.isClosed)
        // In five minutes this is at most a ping and a pong every three seconds, both ways.
        #expect(count <= 2 + 400)
    }

    @Test(
        "Strangers with nothing to send disconnect after ten seconds; pings don't count",
        arguments: [
            Relation.none, .requested, .incoming,
        ])
    func idleStranger(relation: Relation) throws {
        let side = try SessionSide(relation)
        try side.open()
        for second in 1...9 {
            try side.hear(Frame(kind: .ping), at: Double(second))
            try side.run(from: Double(second), to: Double(second) + 0.9)
        }
        #expect(!side.machine.isClosed)
        try side.run(from: 9.9, to: 10)
        #expect(side.ends == [.closedHere(.idle, detail: nil)])
        #expect(try side.closeBody()?.reason == .idle)
    }

    @Test("A stranger is not idle while something waits on either side")
    func busyStranger() throws {
        let side = try SessionSide(.requested)
        try side.open(outbox: [item(1)])
        func live(_ seconds: ClosedRange<Int>) throws {
            for second in seconds {
                try side.hear(Frame(kind: .pong), at: Double(second))
                try side.run(from: Double(second), to: Double(second) + 0.99)
            }
        }
        try live(1...20)
        #expect(!side.machine.isClosed)
        try side.hear(
            receipt(.stored, [id(1)]),
            Frame(kind: .contactRequest, id: id(2), body: try ContactRequestBody().encoded()), at: 21)
        try live(22...40)
        #expect(!side.machine.isClosed, "the store has not answered")
        try side.give(.committed([id(2)], .stored), at: 41)
        try live(42...49)
        #expect(!side.machine.isClosed)
        try live(50...52)
        #expect(side.ends == [.closedHere(.idle, detail: nil)])
    }

    @Test("Friends are never idle, and neither is a peer that becomes one")
    func becomingFriends() throws {
        let side = try SessionSide(.incoming)
        try side.open()
        try side.give(.relationChanged(.friend), at: 5)
        for second in 6...30 {
            try side.hear(Frame(kind: .ping), at: Double(second))
            try side.run(from: Double(second), to: Double(second) + 0.9)
        }
        #expect(!side.machine.isClosed)
    }

    @Test("A frame must end within half a minute of its beginning")
    func frameDeadline() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let frame = try message(1, text: String(repeating: "x", count: 1000)).encoded()
        try side.give(.received(Array(frame.prefix(30))), at: 1)
        for second in 2...30 {
            try side.give(.received([frame[28 + second]]), at: Double(second))
            try side.run(from: Double(second), to: Double(second) + 0.9)
        }
        #expect(!side.machine.isClosed)
        try side.run(from: 30.9, to: 31)
        #expect(side.ends == [.closedHere(.protocolError, detail: "a frame took too long")])
    }

    @Test("A stream of frames without a gap has no such deadline")
    func frameDeadlineStream() throws {
        let side = try SessionSide(.friend)
        try side.open()
        let ping = Frame(kind: .ping).encoded()
        try side.give(.received(Array(ping.prefix(5))), at: 0)
        for second in 1...100 {
            try side.give(.received(Array(ping.dropFirst(5) + ping.prefix(5))), at: Double(second))
            try side.run(from: Double(second), to: Double(second) + 0.9)
        }
        #expect(!side.machine.isClosed)
    }

    /// The peer answers the pings, and says nothing else.
    private func answer(_ side: SessionSide, from start: Double, through end: Double) throws {
        for second in stride(from: start, through: end, by: 2) {
            try side.hear(Frame(kind: .pong), at: second)
            try side.run(from: second, to: second + 1.9)
        }
    }

    @Test(
        "After an hour the side that dialled is told to renew the keys, each minute until it is done",
        arguments: [true, false])
    func renewal(isDialler: Bool) throws {
        let side = try SessionSide(.friend, isDialler: isDialler)
        try side.open()
        for second in stride(from: 2.0, through: 3640, by: 2) {
            try side.hear(Frame(kind: .pong), at: second)
            try side.run(from: second, to: second + 1.9)
            if second < 3597 { #expect(side.effects.isEmpty) }
        }
        #expect(side.effects == (isDialler ? [.renewalDue] : []))
        try answer(side, from: 3642, through: 3700)
        #expect(side.effects == (isDialler ? [.renewalDue, .renewalDue] : []))
    }

    @Test(
        "A renewal that is asked for waits until no side takes the new session for a dial that crossed, and is due again",
        arguments: [true, false])
    func askedRenewal(isDialler: Bool) throws {
        let side = try SessionSide(.friend, isDialler: isDialler)
        try side.open()
        try side.give(.renew, at: 1)
        try side.run(from: 1, to: 5.9)
        #expect(side.take().effects.isEmpty, "the other side may still see dials that crossed")
        try side.hear(Frame(kind: .pong), at: 5.95)
        try side.run(from: 5.95, to: 6)
        #expect(side.take().effects == [.renewalDue])
        // The dial fails.
        try answer(side, from: 6, through: 66)
        #expect(side.take().effects == [.renewalDue])
        try side.give(.renew, at: 70)
        try side.run(from: 70, to: 70)
        #expect(side.take().effects == [.renewalDue], "an old session makes way at once")
    }

    @Test("Nothing is due before the opening")
    func beforeOpening() throws {
        let side = try SessionSide(.friend)
        #expect(side.machine.nextDeadline == nil)
        try side.give(.tick, at: 1000)
        try side.give(.outboxAppended([item(1)]), at: 1000)
        #expect(side.sent.isEmpty && side.effects.isEmpty)
    }
}
