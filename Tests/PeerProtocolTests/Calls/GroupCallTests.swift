import Basics
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: the members of a group ring, join, leave and come back, and all who hear of each other know the same of it, whatever session
/// breaks and whichever daemon is killed.
@Suite("Calls of groups")
struct GroupCallTests {
    @Test("Ring, join, talk, leave: it rings at all, each sees who takes part, and the last one ends it")
    func whole() throws {
        var crowd = CallCrowd(4)
        let call = try crowd.ring(from: 0)
        #expect(crowd.stages(call) == [.ringing, .incoming, .incoming, .incoming])
        #expect(crowd.announced == [[call], [], [], []])
        try crowd.join(call, 1, 2)
        #expect(crowd.stages(call) == [.connecting, .connecting, .connecting, .incoming])
        try crowd.report(call, by: 1, with: [0])
        #expect(crowd.view(call, 1)?.stage == .active)
        for side in crowd.sides { #expect(crowd.inside(call, side) == [0, 1, 2]) }
        try crowd.decline(call, by: 3)
        crowd.pump()
        #expect(crowd.view(call, 3)?.stage == .ongoing && crowd.view(call, 3)?.reason == .declined)
        #expect(crowd.view(call, 0)?.participants.count == 2)
        crowd.talk(.seconds(60))
        try crowd.leave(call, 0)
        #expect(crowd.view(call, 0)?.stage == .ongoing && crowd.view(call, 0)?.reason == .hangup)
        #expect(crowd.view(call, 0)?.seat == nil)
        #expect(crowd.inside(call, 1) == [1, 2])
        try crowd.leave(call, 1)
        #expect(crowd.view(call, 2)?.stage == .outgoing)
        try crowd.leave(call, 2)
        #expect(crowd.stages(call) == [.ended, .ended, .ended, .ended])
        #expect(crowd.outcomes(call) == [.answered, .answered, .answered, .declined])
        #expect(crowd.records[0][call]?.record.duration == 60_000)
        crowd.pass(.seconds(61))
        #expect(crowd.disks.allSatisfy { $0.isEmpty })
        #expect(crowd.machines.allSatisfy { $0.nextDeadline == nil && $0.roots.isEmpty })
    }

    @Test("Not taken in time, the starter alone; nothing that can ring; settings; a large group: Join stays")
    func rings() throws {
        var crowd = CallCrowd(6)
        crowd.policies[2].canRing = false
        crowd.policies[3].ringsGroups = false
        crowd.policies[4] = CallPolicy(isAllowed: false)
        let call = try crowd.ring(from: 0)
        #expect(crowd.stages(call) == [.ringing, .incoming, .ongoing, .ongoing, .ongoing, .incoming])
        crowd.talk(.seconds(46))
        #expect(crowd.stages(call) == [.outgoing] + [CallStage](repeating: .ongoing, count: 5))
        #expect(crowd.outcomes(call) == [.answered, .unanswered, nil, nil, nil, .unanswered])
        #expect(crowd.records[1][call]?.starter == crowd.parties[0])
        // Whoever comes later sees it, and it doesn't ring any more.
        crowd.cut(1)
        crowd.pass(.seconds(61), butFor: [1, 2, 3, 4, 5])
        #expect(crowd.view(call, 1)?.stage == .ended)
        crowd.link(0, 1)
        crowd.pump()
        #expect(crowd.view(call, 1)?.stage == .ongoing)
        try crowd.leave(call, 0)
        #expect(crowd.outcomes(call)[0] == .unanswered)
        #expect(crowd.view(call, 5)?.stage == .ended)

        var large = CallCrowd(9)
        let other = try large.ring(from: 0)
        #expect(large.stages(other) == [.outgoing] + [CallStage](repeating: .ongoing, count: 8))
    }

    @Test("Eight take part, a ninth is told so; of nine who join at once the last one leaves by itself")
    func full() throws {
        var crowd = CallCrowd(10)
        let call = try crowd.ring(from: 0)
        for side in 1...6 { try crowd.join(call, side) }
        // The eighth and the ninth at the same moment: the clock of the one is a little ahead.
        crowd.skews[7] = .milliseconds(5)
        try crowd.accept(call, by: 7)
        try crowd.accept(call, by: 8)
        crowd.pump()
        #expect(crowd.view(call, 8)?.stage == .connecting)
        #expect(crowd.view(call, 7)?.stage == .ongoing && crowd.view(call, 7)?.reason == .full)
        for side in crowd.sides { #expect(crowd.inside(call, side) == [0, 1, 2, 3, 4, 5, 6, 8], "\(side)") }
        #expect(throws: CallObjection.full) { try crowd.accept(call, by: 9) }
        try crowd.leave(call, 3)
        try crowd.join(call, 9)
        #expect(crowd.inside(call, 0) == [0, 1, 2, 4, 5, 6, 8, 9])
    }

    @Test("Two who start at the same moment: the smaller call stays, and both are in it without ringing")
    func glare() throws {
        var crowd = CallCrowd(3)
        let first = try crowd.start(2)
        let second = try crowd.start(0)
        crowd.pump()
        #expect(first < second)
        #expect(crowd.inside(first, 1) == [0, 2])
        #expect(crowd.stages(first) == [.connecting, .incoming, .connecting])
        #expect(crowd.view(second, 0)?.replacedBy == first)
        #expect(crowd.machines.allSatisfy { $0.open == [first] })
        // Nothing stays of the other but that it was begun.
        #expect(crowd.records[0][second]?.record.outcome == .answered)
        #expect(crowd.records[1][second] == nil)
    }

    @Test("Whoever starts one in a group where one goes on joins it; who is in another call is busy")
    func joins() throws {
        var crowd = CallCrowd(3)
        let call = try crowd.ring(from: 0)
        #expect(try crowd.start(1) == call)
        crowd.pump()
        #expect(crowd.inside(call, 2) == [0, 1])
        #expect(throws: CallObjection.taken) { try crowd.accept(call, by: 1) }
        #expect(throws: CallObjection.taken) { try crowd.decline(call, by: 1) }
        let between = try crowd.machines[2].start(
            crowd.freshID(), with: crowd.parties[0].account, media: .audio, seat: crowd.seat(2),
            time: HybridTime(milliseconds: 5), ringTime: .seconds(45), now: crowd.now, wall: crowd.wall(2))
        #expect(throws: CallObjection.busy) { try crowd.accept(call, by: 2) }
        #expect(between.id != call)
    }

    @Test("Leave and come back: a new connection, numbered anew on both sides")
    func again() throws {
        var crowd = CallCrowd(2)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1)
        for _ in 0..<3 { try crowd.signal(call, from: 0, to: 1) }
        try crowd.signal(call, from: 1, to: 0, .restart)
        crowd.pump()
        #expect(try crowd.signals(call, of: 1).count == 3)
        #expect(try crowd.signals(call, of: 1, after: 2).count == 1)
        try crowd.leave(call, 1)
        #expect(crowd.inside(call, 0) == [0])
        #expect(throws: CallObjection.noDevice) { try crowd.signal(call, from: 0, to: 1) }
        try crowd.join(call, 1)
        #expect(crowd.view(call, 0)?.participants.first?.generation == 2)
        try crowd.signal(call, from: 0, to: 1)
        try crowd.signal(call, from: 1, to: 0)
        crowd.pump()
        #expect(try crowd.signals(call, of: 1, after: 3).map(\.generation) == [1])
        #expect(try crowd.signals(call, of: 0).map(\.generation) == [2])
        // A window that was loaded anew: what the other had said to the one before is void.
        try crowd.take(call, by: 0)
        try crowd.signal(call, from: 1, to: 0)
        crowd.pump()
        #expect(try crowd.signals(call, of: 0).isEmpty)
        try crowd.signal(call, from: 1, to: 0)
        crowd.pump()
        #expect(try crowd.signals(call, of: 0).count == 1)
        #expect(crowd.machines[0].refused[.gap] == nil)
    }

    @Test("Two that have no session are shown to each other by a third; one that has left is not")
    func unreachable() throws {
        var crowd = CallCrowd(3)
        crowd.cut(0, 2)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1)
        crowd.pass(.seconds(3), butFor: [])
        #expect(crowd.view(call, 2)?.participants.count == 2)
        try crowd.join(call, 2)
        crowd.talk(.seconds(4))
        let seen = try #require(crowd.view(call, 0)?.participants.first { $0.party == crowd.parties[2] })
        #expect(seen.phase == nil && !seen.isHere)
        #expect(throws: CallObjection.noDevice) { try crowd.signal(call, from: 0, to: 2) }
        crowd.link(0, 2)
        crowd.pump()
        #expect(crowd.inside(call, 0) == [0, 1, 2])
        crowd.cut(0, 2)
        try crowd.leave(call, 2)
        crowd.talk(.seconds(70))
        #expect(crowd.view(call, 0)?.participants.map(\.party) == [crowd.parties[1]])
    }

    @Test("A session that breaks for a moment, a daemon that is killed, a window that is gone")
    func breaks() throws {
        var crowd = CallCrowd(3)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1, 2)
        crowd.cut(1)
        crowd.talk(.seconds(20))
        #expect(crowd.inside(call, 0) == [0, 1, 2])
        crowd.link(0, 1)
        crowd.link(1, 2)
        crowd.pump()
        for side in crowd.sides {
            crowd.restart(side)
            crowd.pump()
            for other in crowd.sides { #expect(crowd.inside(call, other) == [0, 1, 2]) }
        }
        // A window that says nothing any more: away, then out.
        crowd.pass(.seconds(25), butFor: [2])
        #expect(crowd.view(call, 2)?.stage == .away)
        #expect(crowd.view(call, 0)?.participants.last?.phase == .away)
        crowd.pass(.seconds(60), butFor: [2])
        #expect(crowd.inside(call, 0) == [0, 1])
        #expect(crowd.view(call, 2)?.stage == .ongoing && crowd.view(call, 2)?.reason == .lost)
        // A daemon that never comes back, while media flow: it counts until they cease.
        crowd.cut(1)
        for _ in 0..<20 {
            try crowd.report(call, by: 0, with: [1])
            crowd.pass(.seconds(5))
        }
        #expect(crowd.inside(call, 0) == [0, 1])
        try crowd.report(call, by: 0)
        crowd.pass(.seconds(1))
        #expect(crowd.inside(call, 0) == [0])
    }

    @Test("A removed member is dropped by all and is out; a stranger's word does nothing; a new member sees Join")
    func members() throws {
        var crowd = CallCrowd(4)
        for side in crowd.sides { crowd.regroup(side, [0, 1, 2]) }
        let call = try crowd.ring(from: 0)
        #expect(crowd.view(call, 3) == nil)
        try crowd.join(call, 1, 2)
        for side in [0, 1] { crowd.regroup(side, [0, 1]) }
        #expect(crowd.inside(call, 0) == [0, 1])
        #expect(crowd.inside(call, 2) == [0, 1, 2])
        crowd.regroup(2, [0, 1])
        crowd.pump()
        #expect(crowd.view(call, 2)?.stage == .ended && crowd.view(call, 2)?.reason == .notAllowed)
        #expect(crowd.machines[2].engaged == nil)
        for side in [0, 1, 3] { crowd.regroup(side, [0, 1, 3]) }
        crowd.pump()
        #expect(crowd.view(call, 3)?.stage == .incoming)
        crowd.deliver(
            .callState(
                CallStateBody(
                    call: crowd.freshID(), number: 1, phase: .joined, media: .audio, time: HybridTime(rawValue: 5),
                    root: crowd.root, generation: 1, fingerprint: crowd.fingerprint(2))), from: 2, to: 0)
        #expect(crowd.machines[0].open == [call])
        // Blocked: gone for the one who blocks.
        crowd.perform(
            crowd.machines[0].shunned(crowd.parties[1].account, now: crowd.now, wall: crowd.wall(0)), 0)
        #expect(crowd.inside(call, 0) == [0])
    }

    @Test("In another call it rings softly, or only shows Join")
    func waiting() throws {
        var crowd = CallCrowd(3)
        let between = try crowd.machines[1].start(
            crowd.freshID(), with: crowd.parties[2].account, media: .audio, seat: crowd.seat(1),
            time: HybridTime(milliseconds: 5), ringTime: .seconds(45), now: crowd.now, wall: crowd.wall(1))
        crowd.policies[2].ringsWhileBusy = false
        #expect(crowd.machines[1].engaged == between.id)
        let call = try crowd.ring(from: 0)
        #expect(crowd.view(call, 1)?.stage == .incoming && crowd.view(call, 1)?.isWaiting == true)
        #expect(crowd.view(call, 0)?.participants.map(\.phase) == [.waiting, .ringing])
    }

    @Test("The keys go: who takes part leaves, and what rings is missed")
    func closed() throws {
        var crowd = CallCrowd(3)
        let call = try crowd.ring(from: 0)
        try crowd.join(call, 1)
        for side in [1, 2] { crowd.perform(crowd.machines[side].endAll(now: crowd.now, wall: crowd.wall(side)), side) }
        crowd.pump()
        #expect(crowd.inside(call, 0) == [0])
        #expect(crowd.outcomes(call) == [.answered, .answered, .unanswered])
    }
}
