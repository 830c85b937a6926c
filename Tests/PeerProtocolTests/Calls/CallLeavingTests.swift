import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a window that is closed ends its call within seconds and one that is loaded anew doesn't; what can't be heard any more
/// ceases to ring; and no jump of a wall clock changes either.
@Suite("Windows that go in a call")
struct CallLeavingTests {
    private func close(_ pair: inout CallPair, _ call: UUIDv7, by side: Int) throws {
        let effects = try pair.machines[side].close(
            call, seat: pair.seat(side).id, now: pair.now, wall: pair.wall(side))
        pair.perform(effects, side)
        pair.pump()
    }

    private func take(_ pair: inout CallPair, _ call: UUIDv7, by side: Int) throws {
        let effects = try pair.machines[side].assign(call, seat: pair.seat(side), now: pair.now, wall: pair.wall(side))
        pair.perform(effects, side)
        pair.pump()
    }

    private func talking() throws -> (pair: CallPair, call: UUIDv7) {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        try pair.talk(call, .seconds(20))
        return (pair, call)
    }

    @Test("A window that says that it goes is away at once, and the call is over after some seconds, on both sides")
    func closed() throws {
        for side in 0...1 {
            var (pair, call) = try talking()
            try close(&pair, call, by: side)
            #expect(pair.view(call, side)?.stage == .away)
            #expect(pair.view(call, 1 - side)?.participants.first?.phase == .away)
            pair.pass(PeerLimits.callCloseTime - .seconds(1))
            #expect(pair.machines.allSatisfy { $0.open == [call] })
            pair.pass(.seconds(1))
            #expect(pair.stages(call) == [.ended, .ended])
            #expect(pair.outcomes(call) == [.answered, .answered])
            #expect(pair.view(call, 1 - side)?.reason == .hangup)
        }
    }

    @Test(
        "A window that is loaded anew takes its seat again, and the call goes on; a late word of the old one changes nothing"
    )
    func reloaded() throws {
        var (pair, call) = try talking()
        try close(&pair, call, by: 0)
        // It was under way when the window went.
        try pair.report(call, by: 0)
        #expect(pair.view(call, 0)?.stage == .away)
        pair.pass(.seconds(3))
        try take(&pair, call, by: 0)
        #expect(pair.stages(call) == [.active, .connecting] || pair.stages(call) == [.connecting, .connecting])
        try pair.talk(call, .seconds(60))
        #expect(pair.stages(call) == [.active, .active])
        // Without anything that takes the seat the late word doesn't keep the call.
        try close(&pair, call, by: 0)
        try pair.report(call, by: 0)
        pair.pass(PeerLimits.callCloseTime)
        #expect(pair.outcomes(call) == [.answered, .answered])
    }

    @Test("A caller who closes the window while it rings takes the call back")
    func caller() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try close(&pair, call, by: 0)
        #expect(pair.stages(call) == [.ringing, .incoming])
        pair.pass(PeerLimits.callCloseTime)
        #expect(pair.outcomes(call) == [.cancelled, .cancelled])
        // A window without the seat ends nothing.
        let next = try pair.ring(from: 0)
        #expect(throws: CallObjection.notSeated) {
            _ = try pair.machines[0].close(next, seat: pair.seat(1).id, now: pair.now, wall: pair.wall(0))
        }
    }

    @Test("When nothing can ring any more, the caller is told so after ten seconds; a window that comes back rings on")
    func quiet() throws {
        var pair = CallPair()
        pair.machines[1].note(canRing: false, now: pair.now)
        pair.pass(.seconds(100))
        // What was so before doesn't count for a call that rings now.
        var call = try pair.ring(from: 0)
        pair.pass(PeerLimits.callQuietTime + .seconds(1))
        #expect(pair.stages(call) == [.ringing, .incoming])
        try pair.report(call, by: 0, isConnected: false)
        pair.machines[1].note(canRing: false, now: pair.now)
        pair.pass(.seconds(6))
        pair.machines[1].note(canRing: false, now: pair.now)
        pair.pass(PeerLimits.callQuietTime - .seconds(7))
        #expect(pair.stages(call) == [.ringing, .incoming])
        pair.pass(.seconds(1))
        #expect(pair.outcomes(call) == [.unreachable, .unreachable])
        #expect(pair.view(call, 0)?.reason == .nobody)
        call = try pair.ring(from: 0)
        pair.machines[1].note(canRing: false, now: pair.now)
        pair.pass(PeerLimits.callQuietTime - .seconds(1))
        pair.machines[1].note(canRing: true, now: pair.now)
        try pair.report(call, by: 0, isConnected: false)
        pair.pass(PeerLimits.callQuietTime + .seconds(1))
        #expect(pair.stages(call) == [.ringing, .incoming])
        try pair.accept(call, by: 1)
        // Nothing has to ring in a call that was answered.
        pair.machines[1].note(canRing: false, now: pair.now)
        try pair.talk(call, .seconds(60))
        #expect(pair.stages(call) == [.active, .active])
    }

    @Test("Wall clocks that jump by a year in either direction change neither the course of a call nor its duration")
    func clocks() throws {
        let year = Duration.seconds(365 * 86_400)
        for jump in [year, .zero - year] {
            for side in 0...1 {
                var pair = CallPair()
                let call = try pair.ring(from: 0)
                pair.skews[side] = jump
                try pair.accept(call, by: 1)
                try pair.talk(call, .seconds(30))
                pair.skews[1 - side] = jump + jump
                try pair.talk(call, .seconds(30))
                pair.restart(side)
                pair.link()
                pair.pump()
                pair.skews[side] = .zero - jump
                try pair.talk(call, .seconds(30))
                #expect(pair.stages(call) == [.active, .active])
                try pair.hangUp(call, by: side)
                #expect(pair.outcomes(call) == [.answered, .answered])
                #expect(pair.records[0][call]?.duration == 90_000, "\(jump), \(side)")
                #expect(pair.records[0][call] == pair.records[1][call])
                pair.pass(.seconds(61))
                #expect(pair.disks.allSatisfy { $0.isEmpty } && pair.machines.allSatisfy { $0.open.isEmpty })
                // And the next one rings.
                let next = try pair.ring(from: 1)
                #expect(pair.stages(next) == [.incoming, .ringing])
            }
        }
    }

    @Test("What a host sleeps through is no talk in the record, whether the call goes on or not")
    func sleep() throws {
        for side in 0...1 {
            var (pair, call) = try talking()
            // Both clocks are one here: neither daemon does anything for eight hours.
            pair.now = pair.now + .seconds(8 * 3600)
            pair.pass(.seconds(200))
            #expect(pair.machines.allSatisfy { $0.open.isEmpty })
            let most = (PeerLimits.callKeepTime + PeerLimits.callLateTick + .seconds(120)).milliseconds
            for record in pair.records.compactMap({ $0[call] }) {
                #expect((20_000...(20_000 + most)).contains(record.duration), "\(record.duration)")
            }
            #expect(pair.records.allSatisfy { $0[call] != nil })
            // A nap after which both windows are still there.
            (pair, call) = try talking()
            pair.now = pair.now + .seconds(3600)
            for window in 0...1 { try pair.report(call, by: window) }
            try pair.talk(call, .seconds(20))
            try pair.hangUp(call, by: side)
            let duration = try #require(pair.records[side][call]?.duration)
            #expect((40_000...(40_000 + most)).contains(duration), "\(duration)")
        }
    }

    @Test("A device of two that took the call and hung up ends it, even where only its hangup is heard")
    func hangupOfOne() throws {
        let (own, first, other) = (try Person(1), try Person(2), try Person(3))
        let caller = CallParty(account: own.account, device: own.device)
        // One account with two devices.
        let rung = [first.device, other.device].map { CallParty(account: first.account, device: $0) }
        var machine = CallMachine(own: caller)
        for party in rung { _ = machine.met(party, now: someInstant, wall: someTime) }
        let (call, _) = try machine.start(
            id(100), with: first.account, media: .audio,
            seat: CallSeat(id: id(1), fingerprint: [UInt8](repeating: 1, count: 32)),
            time: HybridTime(milliseconds: someTime.milliseconds), ringTime: PeerLimits.callRingTime, now: someInstant,
            wall: someTime)
        func say(_ phase: CallPhase, _ party: CallParty, _ number: UInt64, reason: CallEnding? = nil) -> [CallEffect] {
            machine.heard(
                CallStateBody(
                    call: call, number: number, phase: phase, media: .audio,
                    time: HybridTime(milliseconds: someTime.milliseconds), reason: reason),
                from: party, policy: CallPolicy(), now: someInstant, wall: someTime)
        }
        for party in rung { _ = say(.ringing, party, 1) }
        #expect(machine.open == [call])
        let effects = say(.ended, rung[0], 3, reason: .hangup)
        #expect(machine.open.isEmpty)
        #expect(effects.contains { if case .record(let note) = $0 { note.record.outcome == .answered } else { false } })
        #expect(
            effects.contains {
                if case .tell(rung[1].device, .callState(let body)) = $0 { body.phase == .ended } else { false }
            })
    }
}
