import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: a call between two rings, is taken, declined, taken back and ended, and both sides know the same of it, whatever session
/// breaks and whichever daemon is killed.
@Suite("Calls between two")
struct CallMachineTests {
    @Test("Ring, answer, talk, hang up: both see each step and keep one record with one duration")
    func whole() throws {
        var pair = CallPair()
        let call = try pair.start(0)
        #expect(pair.view(call, 0)?.stage == .outgoing)
        pair.pump()
        #expect(pair.stages(call) == [.ringing, .incoming])
        try pair.accept(call, by: 1)
        #expect(pair.stages(call) == [.connecting, .connecting])
        try pair.talk(call, .seconds(61))
        #expect(pair.stages(call) == [.active, .active])
        try pair.hangUp(call, by: 1)
        #expect(pair.stages(call) == [.ended, .ended])
        #expect(pair.outcomes(call) == [.answered, .answered])
        #expect(pair.records[0][call] == pair.records[1][call])
        #expect(pair.records[0][call]?.duration == 61_000)
        #expect(pair.view(call, 0)?.reason == .hangup)
        pair.pass(.seconds(61))
        #expect(pair.disks.allSatisfy { $0.isEmpty })
        #expect(pair.view(call, 0) == nil)
        #expect(pair.machines.allSatisfy { $0.nextDeadline == nil })
    }

    @Test("Declined, cancelled, not answered, nobody there to hear it ring, not allowed")
    func ends() throws {
        var pair = CallPair()
        var call = try pair.ring(from: 0)
        try pair.decline(call, by: 1)
        #expect(pair.outcomes(call) == [.declined, .declined])
        call = try pair.ring(from: 0)
        try pair.hangUp(call, by: 0)
        #expect(pair.outcomes(call) == [.cancelled, .cancelled])
        call = try pair.ring(from: 1)
        for _ in 0..<10 where pair.machines[1].open == [call] {
            try pair.report(call, by: 1, isConnected: false)
            pair.pass(.seconds(5))
        }
        #expect(pair.outcomes(call) == [.unanswered, .unanswered])
        #expect(pair.view(call, 0)?.reason == .unanswered)
        pair.policies[1].canRing = false
        call = try pair.ring(from: 0)
        #expect(pair.outcomes(call) == [.unreachable, .unreachable])
        #expect(pair.view(call, 0)?.reason == .nobody)
        pair.policies[1] = CallPolicy(isAllowed: false)
        call = try pair.ring(from: 0)
        #expect(pair.outcomes(call) == [.unreachable, .unreachable])
        #expect(pair.view(call, 0)?.reason == .notAllowed)
        #expect(pair.machines[1].open.isEmpty)
    }

    @Test("A friend who is offline is not rung, and learns of it later")
    func offline() throws {
        var pair = CallPair(isLinked: false)
        let call = try pair.start(0)
        #expect(pair.view(call, 0)?.stage == .ended)
        #expect(pair.outcomes(call) == [.unreachable, nil])
        pair.link()
        pair.pump()
        #expect(pair.outcomes(call) == [.unreachable, .unreachable])
        #expect(pair.told[1].isEmpty)
    }

    @Test("After five seconds without a word the other side counts as silent")
    func silent() throws {
        var pair = CallPair()
        let call = try pair.start(0)
        pair.underway = []
        pair.pass(.seconds(4))
        #expect(pair.view(call, 0)?.participants.first?.isSilent == false)
        pair.pass(.seconds(2))
        #expect(pair.view(call, 0)?.participants.first?.isSilent == true)
    }

    @Test("Two calls that cross become the one of the smaller device, answered on both sides, without ringing")
    func glare() throws {
        var pair = CallPair()
        let first = try pair.start(0)
        let second = try pair.start(1)
        pair.pump()
        #expect(pair.stages(first) == [.connecting, .connecting])
        #expect(pair.view(second, 1)?.replacedBy == first)
        #expect(pair.view(second, 0) == nil)
        #expect(pair.view(first, 1)?.seat == pair.seat(1).id)
        try pair.talk(first, .seconds(10))
        try pair.hangUp(first, by: 0)
        #expect(pair.records.map(\.count) == [1, 1])
        #expect(pair.outcomes(first) == [.answered, .answered])
        #expect(
            !pair.told.joined().contains { if case .callState(let body) = $0 { body.phase == .ringing } else { false } }
        )
    }

    @Test("Who calls somebody that calls just now takes their call")
    func late() throws {
        var pair = CallPair()
        let first = try pair.ring(from: 1)
        #expect(try pair.start(0) == first)
        pair.pump()
        #expect(pair.stages(first) == [.connecting, .connecting])
    }

    @Test("One seat: the second window is refused, requests of a window without the seat, too")
    func seats() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        #expect(throws: CallObjection.own) { try pair.accept(call, by: 0) }
        #expect(throws: CallObjection.own) { try pair.decline(call, by: 0) }
        try pair.accept(call, by: 1)
        #expect(throws: CallObjection.taken) { try pair.accept(call, by: 1) }
        #expect(throws: CallObjection.taken) { try pair.decline(call, by: 1) }
        let other = id(77)
        #expect(throws: CallObjection.notSeated) {
            try pair.machines[1].report(call, seat: other, connected: [], now: pair.now, wall: someTime)
        }
        #expect(throws: CallObjection.notSeated) {
            try pair.machines[1].update(call, seat: other, sends: .camera, now: pair.now, wall: someTime)
        }
        #expect(throws: CallObjection.noCall) {
            try pair.machines[1].report(other, seat: other, connected: [], now: pair.now, wall: someTime)
        }
    }

    @Test("What a window sends is told to the other side, also when it is switched faster than may be told")
    func sends() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        let seat = pair.seat(1).id
        for index in 0..<60 {
            let sends: CallSends = index % 2 == 0 ? [.microphone] : [.microphone, .camera]
            pair.perform(
                try pair.machines[1].update(call, seat: seat, sends: sends, now: pair.now, wall: pair.wall(1)), 1)
            pair.pump()
        }
        #expect(pair.machines[0].refused[.tooOften] == nil)
        pair.pass(.seconds(2))
        #expect(pair.view(call, 0)?.participants.first?.sends == [.microphone, .camera])
    }

    @Test("Signals come in order, once, also over a broken session and a daemon that was killed")
    func signals() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.signal(call, from: 0, .offer, sdp: pair.sdp(0))
        try pair.accept(call, by: 1)
        // The offer that came with the ring is there for the window that answers.
        #expect(try pair.signals(call, of: 1).map(\.kind) == [.offer])
        try pair.signal(call, from: 1, .answer, sdp: pair.sdp(1))
        try pair.signal(
            call, from: 1, .candidates,
            lines: ["candidate:1 1 udp 5 127.0.0.1 9 typ host", "candidate:1 2 udp 5 127.0.0.1 9 typ host"])
        #expect(try pair.signals(call, of: 0).map(\.kind) == [.answer, .candidates])
        #expect(try pair.signals(call, of: 0).last?.candidates.count == 1)
        pair.cut()
        try pair.signal(call, from: 0, .restart)
        try pair.signal(call, from: 0, .offer, sdp: pair.sdp(0))
        pair.restart(0)
        pair.pass(.seconds(3))
        pair.link()
        pair.pump()
        #expect(try pair.signals(call, of: 1).map(\.kind) == [.offer, .restart, .offer])
        pair.restart(1)
        pair.link()
        pair.pump()
        #expect(try pair.signals(call, of: 1).map(\.index) == [1, 2, 3])
        #expect(try pair.signals(call, of: 1, after: 2).map(\.kind) == [.offer])
        #expect(pair.machines[1].refused[.gap] == nil)
    }

    @Test(
        "A window that is loaded anew begins a generation: old signals are void on both sides, and the other side sees it"
    )
    func generations() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        try pair.signal(call, from: 0, .offer, sdp: pair.sdp(0))
        pair.perform(
            try pair.machines[1].assign(call, seat: pair.seat(1), now: pair.now, wall: pair.wall(1)), 1)
        // Said to the window before: dropped, and what follows is heard.
        try pair.signal(call, from: 0, .offer, sdp: pair.sdp(0))
        pair.pump()
        #expect(pair.view(call, 0)?.participants.first?.generation == 2)
        #expect(try pair.signals(call, of: 1).isEmpty)
        try pair.signal(call, from: 0, .offer, sdp: pair.sdp(0))
        #expect(try pair.signals(call, of: 1).map(\.kind) == [.offer])
        try pair.signal(call, from: 1, .answer, sdp: pair.sdp(1))
        #expect(try pair.signals(call, of: 0).last?.generation == 2)
    }

    @Test("A killed daemon finds the call again: its window goes on in its seat, and the duration goes on")
    func restarts() throws {
        for side in 0...1 {
            var pair = CallPair()
            let call = try pair.ring(from: 0)
            try pair.accept(call, by: 1)
            try pair.talk(call, .seconds(60))
            pair.restart(side)
            pair.pass(.seconds(4))
            pair.link()
            pair.pump()
            try pair.talk(call, .seconds(30))
            #expect(pair.stages(call) == [.active, .active])
            try pair.hangUp(call, by: side)
            #expect(pair.outcomes(call) == [.answered, .answered])
            #expect(pair.records[0][call] == pair.records[1][call])
            #expect((80_000...94_000).contains(pair.records[0][call]?.duration ?? 0))
        }
    }

    @Test("A daemon that is killed while it rings goes on, on both sides")
    func restartsWhileRinging() throws {
        for side in 0...1 {
            var pair = CallPair()
            let call = try pair.ring(from: 0)
            pair.restart(side)
            pair.pass(.seconds(2))
            pair.link()
            pair.pump()
            #expect(pair.stages(call) == [.ringing, .incoming])
            try pair.accept(call, by: 1)
            #expect(pair.stages(call) == [.connecting, .connecting])
        }
    }

    @Test("A caller that never comes back: it stops ringing, and both have the same record in the end")
    func vanishes() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        pair.restart(0)
        pair.pass(.seconds(25))
        #expect(pair.view(call, 1)?.stage == .ended)
        pair.pass(.seconds(120))
        pair.link()
        pair.pass(.seconds(1))
        #expect(pair.records.map(\.count) == [1, 1])
        #expect(pair.records[0][call]?.outcome == pair.records[1][call]?.outcome)
    }

    @Test("A window that reports no more is away, then the call is lost; one that comes back goes on")
    func away() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        try pair.talk(call, .seconds(10))
        func only(_ side: Int, _ seconds: Int) throws {
            for _ in 0..<(seconds / 5) where pair.machines[side].open.contains(call) {
                try pair.report(call, by: side)
                pair.pass(.seconds(5))
            }
        }
        try only(0, 30)
        #expect(pair.stages(call) == [.away, .away])
        try pair.report(call, by: 1)
        #expect(pair.stages(call) == [.active, .active])
        try only(0, 100)
        #expect(pair.stages(call) == [.ended, .ended])
        #expect(pair.outcomes(call) == [.answered, .answered])
        #expect(pair.view(call, 0)?.reason == .lost)
    }

    @Test("No connection within twenty seconds: failed on both sides; media gone for thirty: lost")
    func media() throws {
        var pair = CallPair()
        var call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        for _ in 0..<5 where !pair.machines[0].open.isEmpty {
            for side in 0...1 { try pair.report(call, by: side, isConnected: false) }
            pair.pass(.seconds(5))
        }
        #expect(pair.outcomes(call) == [.failed, .failed])
        call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        try pair.talk(call, .seconds(10))
        for _ in 0..<8 where !pair.machines[0].open.isEmpty {
            for side in 0...1 { try pair.report(call, by: side, isConnected: false) }
            pair.pass(.seconds(5))
        }
        #expect(pair.outcomes(call) == [.answered, .answered])
        #expect(pair.view(call, 1)?.reason == .lost)
    }

    @Test("A window is told that the session with the other side is lost, and that it is back")
    func reachable() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        try pair.talk(call, .seconds(10))
        func isTold(_ effects: [CallEffect]) -> Bool {
            effects.contains { if case .changed = $0 { true } else { false } }
        }
        let other = pair.parties[1]
        let lost = pair.machines[0].lost(other.device, now: pair.now, wall: pair.wall(0))
        #expect(isTold(lost) && pair.view(call, 0)?.participants.first?.isHere == false)
        let met = pair.machines[0].met(other, now: pair.now, wall: pair.wall(0))
        #expect(isTold(met) && pair.view(call, 0)?.participants.first?.isHere == true)
    }

    @Test("A session that breaks ends no call in which media flow")
    func session() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        try pair.talk(call, .seconds(10))
        pair.cut()
        try pair.talk(call, .seconds(300))
        #expect(pair.stages(call) == [.active, .active])
        try pair.hangUp(call, by: 0)
        pair.link()
        pair.pump()
        #expect(pair.stages(call) == [.ended, .ended])
        #expect(pair.records[0][call] == pair.records[1][call])
    }

    @Test("Cancelled and answered at the same moment: the caller's word counts on both sides")
    func crossed() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        pair.perform(try pair.machines[0].hangUp(call, now: pair.now, wall: pair.wall(0)), 0)
        pair.perform(
            try pair.machines[1].accept(call, seat: pair.seat(1), now: pair.now, wall: pair.wall(1)), 1)
        pair.perform(try pair.machines[1].hangUp(call, now: pair.now, wall: pair.wall(1)), 1)
        pair.pump()
        #expect(pair.outcomes(call) == [.cancelled, .cancelled])
    }

    @Test("Locked: what rings ends as nobody's, what is active ends; a former friend hears no more")
    func locked() throws {
        var pair = CallPair()
        var call = try pair.ring(from: 0)
        pair.perform(pair.machines[1].endAll(now: pair.now, wall: pair.wall(1)), 1)
        pair.pump()
        #expect(pair.outcomes(call) == [.unreachable, .unreachable])
        call = try pair.ring(from: 0)
        try pair.accept(call, by: 1)
        pair.perform(pair.machines[1].endAll(now: pair.now, wall: pair.wall(1)), 1)
        pair.pump()
        #expect(pair.outcomes(call) == [.answered, .answered])
        call = try pair.ring(from: 0)
        pair.perform(pair.machines[1].parted(pair.parties[0].account, now: pair.now, wall: pair.wall(1)), 1)
        #expect(pair.machines[1].open.isEmpty)
    }

    @Test("A third person can say nothing in a call, and a state of an unknown call is turned away once")
    func strangers() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        let other = try Person(9)
        let third = CallParty(account: other.account, device: other.device)
        let end = CallStateBody(
            call: call, number: .max, phase: .ended, media: .audio, time: HybridTime(rawValue: 1), reason: .hangup)
        #expect(pair.machines[1].heard(end, from: third, policy: CallPolicy(), now: pair.now, wall: someTime).isEmpty)
        // What a third person calls so is another call, which isn't known.
        #expect(pair.stages(call) == [.ringing, .incoming] && pair.machines[1].open == [call])
        let joined = CallStateBody(
            call: id(55), number: 1, phase: .joined, media: .audio, time: HybridTime(rawValue: 1), generation: 1,
            fingerprint: pair.fingerprint(0))
        let answer = pair.machines[1].heard(joined, from: third, policy: CallPolicy(), now: pair.now, wall: someTime)
        guard case .tell(third.device, .callState(let body))? = answer.first else {
            Issue.record("no answer")
            return
        }
        #expect(body.phase == .ended && body.reason == .lost && answer.count == 1)
        #expect(pair.machines[1].view(id(55), now: pair.now, wall: someTime) == nil)
        let grouped = CallStateBody(
            call: id(56), number: 1, phase: .calling, media: .audio, time: HybridTime(rawValue: 1),
            root: EntryHash(pair.fingerprint(0)), generation: 1, fingerprint: pair.fingerprint(0))
        #expect(
            pair.machines[1].heard(grouped, from: third, policy: CallPolicy(), now: pair.now, wall: someTime).isEmpty)
    }

    @Test("A memory that can't be read is forgotten")
    func memory() throws {
        var pair = CallPair()
        let call = try pair.ring(from: 0)
        let bytes = try #require(pair.disks[0][call])
        for cut in 0..<bytes.count {
            _ = CallMachine(own: pair.parties[0], remembering: [Array(bytes[..<cut])], now: pair.now, wall: someTime)
        }
        #expect(
            CallMachine(own: pair.parties[1], remembering: [bytes], now: pair.now, wall: someTime).open.isEmpty,
            "another account's")
        #expect(
            CallMachine(own: pair.parties[0], remembering: [bytes, [1]], now: pair.now, wall: someTime).open == [call])
    }
}
