import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a friend who rings without end costs a bounded number of bells, records and bytes, and so does one who floods a call.
@Suite("Floods of calls")
struct CallFloodTests {
    private static func calling(_ call: UUIDv7, number: UInt64 = 1) -> Hint {
        .callState(
            CallStateBody(
                call: call, number: number, phase: .calling, media: .audio, time: HybridTime(rawValue: 5),
                generation: 1, fingerprint: [UInt8](repeating: 1, count: 32)))
    }

    @Test("Of a thousand new calls in a minute at most twelve are noticed, and two ring at a time")
    func rings() throws {
        var pair = CallPair()
        for index in 0..<1000 {
            pair.deliver(Self.calling(id(UInt64(1000 + index))), from: 0)
            #expect(pair.machines[1].open.count <= PeerLimits.callsOfAccount)
            pair.underway = []
            pair.pass(.milliseconds(60))
        }
        #expect(pair.records[1].count <= 13)
        #expect(pair.disks[1].count <= 13)
        // Those beyond the limit are turned away, and that no faster than a few a second.
        #expect(pair.told[1].count < 300)
    }

    @Test("States and signals faster than allowed are dropped, and what is kept is bounded")
    func frames() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        for number in 0..<2000 { pair.deliver(Self.calling(call, number: UInt64.max - 2000 + UInt64(number)), from: 0) }
        #expect(pair.machines[1].refused[.tooOften, default: 0] > 1900)
        let before = pair.disks[1][call]?.count ?? 0
        for number in 1...600 {
            let sdp =
                SampleDescription.text()
                + String(repeating: "a=rtcp-fb:96 transport-cc\r\n", count: 950)
            pair.deliver(
                .callSignal(
                    CallSignalBody(call: call, generation: 1, number: UInt64(number), kind: .offer, sdp: sdp, to: 1)),
                from: 0)
            pair.pass(.milliseconds(20))
        }
        let size = pair.disks[1][call]?.count ?? 0
        #expect(size - before < PeerLimits.callSignalsKept + 4096)
    }

    @Test("A window that sends too much is refused")
    func window() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        var refusals = 0
        for _ in 0..<200 {
            do { try pair.signal(call, from: 1, .restart) } catch CallObjection.tooOften { refusals += 1 }
        }
        #expect((130...140).contains(refusals))
    }

    @Test("Here, too, one makes six calls at once and not more")
    func own() throws {
        var pair = CallPair()
        for _ in 0..<6 {
            let call = try pair.ring(from: 0)
            #expect(throws: CallObjection.busy) { try pair.start(0) }
            try pair.hangUp(call, by: 0)
        }
        #expect(throws: CallObjection.tooOften) { try pair.start(0) }
    }

    @Test("However often a friend rings, one's own call to that friend goes out")
    func otherDirection() throws {
        var pair = CallPair()
        pair.policies[1] = CallPolicy(isAllowed: false)
        for index in 0..<1000 { pair.deliver(Self.calling(id(UInt64(1000 + index))), from: 0) }
        pair.underway = []
        #expect(pair.machines[1].refused[.tooOften, default: 0] > 900)
        let call = try pair.ring(from: 1)
        try pair.accept(call, by: 0)
        #expect(pair.machines[1].engaged == call)
        try pair.hangUp(call, by: 1)
        // And one's own calls take nothing from the friend.
        pair.policies[1] = CallPolicy()
        pair.pass(.seconds(120))
        for _ in 0..<6 { try pair.hangUp(try pair.ring(from: 1), by: 1) }
        for _ in 0..<6 { try pair.hangUp(try pair.ring(from: 0), by: 0) }
        #expect(pair.records[1].count == 13)
    }

    @Test("Where as many calls ring as may, one's own call goes out all the same")
    func ownRoom() throws {
        let people = try (1...6 as ClosedRange<UInt8>).map { try Person($0) }
        let parties = people.map { CallParty(account: $0.account, device: $0.device) }
        var machine = CallMachine(own: parties[0])
        for (index, friend) in parties.dropFirst().enumerated() {
            _ = machine.met(friend, now: someInstant, wall: someTime)
            for number in 0..<3 {
                guard case .callState(let body) = Self.calling(id(UInt64(100 + index * 10 + number))) else { continue }
                _ = machine.heard(
                    body, from: friend, policy: CallPolicy(ringsWhileBusy: true), now: someInstant, wall: someTime)
            }
        }
        #expect(machine.open.count == PeerLimits.calls)
        // This friend's calls found no room here, so that none of them can be answered instead.
        let seat = CallSeat(id: id(1), fingerprint: [UInt8](repeating: 1, count: 32))
        let (call, effects) = try machine.start(
            id(900), with: parties[5].account, media: .audio, seat: seat, time: HybridTime(rawValue: 9),
            ringTime: PeerLimits.callRingTime, now: someInstant, wall: someTime)
        #expect(call == id(900) && machine.engaged == call)
        #expect(effects.contains { if case .tell(parties[5].device, _) = $0 { true } else { false } })
    }

    @Test("Of a thousand records of calls that never rang six are taken at once, and rings count with them")
    func records() throws {
        let (own, friend) = (try Person(1), try Person(2))
        var machine = CallMachine(own: CallParty(account: own.account, device: own.device))
        func taken(_ numbers: Range<UInt64>, at now: Instant) -> Int {
            numbers.count { machine.acceptsRecord(of: id($0), from: friend.account, now: now) }
        }
        #expect(taken(1000..<2000, at: someInstant) == 6)
        #expect(taken(2000..<3000, at: someInstant + .seconds(10)) == 1)
        // A ring counts once, together with its record, which is never put off.
        guard case .callState(let body) = Self.calling(id(50)) else { return }
        let (later, wall) = (someInstant + .seconds(600), someTime + .seconds(600))
        let party = CallParty(account: friend.account, device: friend.device)
        _ = machine.heard(body, from: party, policy: CallPolicy(), now: later, wall: wall)
        #expect(machine.open == [id(50)])
        #expect(taken(3000..<4000, at: later) == 5)
        #expect(taken(50..<51, at: later) == 1)
        // Nothing rings any more, either.
        guard case .callState(let another) = Self.calling(id(51)) else { return }
        _ = machine.heard(another, from: party, policy: CallPolicy(), now: later, wall: wall)
        #expect(machine.open == [id(50)])
    }
}
