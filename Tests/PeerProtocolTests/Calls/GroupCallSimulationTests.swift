import Basics
import TestSupport
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: whatever the members of a group do, whatever is lost, in whatever order, whichever daemon is killed and however the clocks
/// jump: when the links hold again, all agree on the call and on who takes part, nobody is in two calls, each pair's signals
/// arrive, and in the end nothing is left of it but one record each.
@Suite("Calls of groups in disorder")
struct GroupCallSimulationTests {
    /// One run of random steps, then peace: the links hold, all know the members, windows report; then windows are gone.
    private func run(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let count = Int.random(in: 3...8, using: &dice)
        var crowd = CallCrowd(count, isLinked: Bool.random(using: &dice))
        var truth = Set(crowd.sides)
        for _ in 0..<Int.random(in: 20...120, using: &dice) { step(&crowd, &truth, &dice) }
        for side in crowd.sides where crowd.members[side] != truth { crowd.regroup(side, truth) }
        crowd.linkAll()
        crowd.pump()
        crowd.talk(.seconds(400))
        agree(&crowd, truth, seed)
        crowd.pass(.seconds(300))
        #expect(crowd.machines.allSatisfy { $0.open.isEmpty }, "seed \(seed): a call goes on for ever")
        #expect(crowd.disks.allSatisfy { $0.isEmpty }, "seed \(seed): a row stays")
        for side in crowd.sides {
            #expect(Set(crowd.announced[side]).count == crowd.announced[side].count, "seed \(seed): told twice")
        }
    }

    private func step(_ crowd: inout CallCrowd, _ truth: inout Set<Int>, _ dice: inout SeededGenerator) {
        let side = Int.random(in: crowd.sides, using: &dice)
        let other = Int.random(in: crowd.sides, using: &dice)
        let open = crowd.machines[side].open.randomElement(using: &dice)
        switch Int.random(in: 0..<32, using: &dice) {
        case 0...2: _ = try? crowd.start(side)
        case 3...7: if let open { try? crowd.accept(open, by: side) }
        case 8: if let open { try? crowd.decline(open, by: side) }
        case 9: if let open { try? crowd.hangUp(open, by: side) }
        case 10: if let open { try? crowd.report(open, by: side, with: [other]) }
        case 11...12: if let open { try? crowd.signal(open, from: side, to: other) }
        case 13: if let open { try? crowd.take(open, by: side) }
        case 14: crowd.cut(side, other)
        case 15...17: crowd.link(side, other)
        case 18: crowd.restart(side)
        case 19: crowd.skews[side] = .seconds(Int.random(in: -100_000...100_000, using: &dice))
        case 20: truth.formSymmetricDifference([other])
        case 21...22: if crowd.members[side] != truth { crowd.regroup(side, truth) }
        case 23...28:
            for _ in 0..<Int.random(in: 1...10, using: &dice) {
                // Each direction of a link keeps its order; which goes first doesn't.
                guard let pair = crowd.underway.keys.sorted().randomElement(using: &dice) else { break }
                crowd.deliverOne(pair)
            }
        default:
            let isQuiet = Bool.random(using: &dice)
            crowd.pass(
                .milliseconds(Int.random(in: 1...20_000, using: &dice)), butFor: isQuiet ? [side] : [],
                delivers: Bool.random(using: &dice))
        }
    }

    /// All members see one call, or none, and the same people in it: exactly those who are in it.
    private func agree(_ crowd: inout CallCrowd, _ truth: Set<Int>, _ seed: UInt64) {
        let engaged = crowd.machines.map(\.engaged)
        let calls = Set(engaged.compactMap(\.self))
        #expect(calls.count <= 1, "seed \(seed): two calls of one group")
        for side in crowd.sides {
            let open = crowd.machines[side].open
            guard truth.contains(side) else {
                #expect(open.isEmpty, "seed \(seed): a former member knows of a call")
                continue
            }
            #expect(Set(open) == calls, "seed \(seed): \(side) sees another call")
            guard let call = calls.first else { continue }
            let inside = Set(crowd.sides.filter { engaged[$0] == call })
            #expect(crowd.inside(call, side) == inside, "seed \(seed): \(side) sees others in it")
            #expect(
                crowd.view(call, side)?.participants.allSatisfy { $0.phase == .joined } == true,
                "seed \(seed): \(side) sees somebody who is not there")
        }
        guard let call = calls.first else { return }
        let inside = crowd.sides.filter { engaged[$0] == call }
        for one in inside {
            for other in inside where other != one {
                let before = (try? crowd.machines[other].signals(call, seat: crowd.seat(other).id, after: 0).next) ?? 0
                try? crowd.signal(call, from: one, to: other)
                crowd.pump()
                let new = (try? crowd.signals(call, of: other, after: before)) ?? []
                #expect(new.map(\.device) == [crowd.parties[one].device], "seed \(seed): \(one) to \(other)")
            }
        }
    }

    @Test("Thousands of orders, losses, restarts, crossed calls, removals and jumping clocks")
    func disorder() {
        for seed in 0..<(Thorough.isWanted ? 20_000 : 60) as Range<UInt64> { run(seed) }
    }

    @Test("All start at the same moment: one call, in whichever order their frames come")
    func glare() {
        for seed in 0..<300 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var crowd = CallCrowd(Int.random(in: 2...8, using: &dice))
            for side in crowd.sides.shuffled(using: &dice) { _ = try? crowd.start(side) }
            while let pair = crowd.underway.keys.sorted().randomElement(using: &dice) { crowd.deliverOne(pair) }
            let all = Set(crowd.sides)
            let calls = Set(crowd.machines.map(\.engaged))
            #expect(calls.count == 1, "seed \(seed)")
            guard let call = calls.first.flatMap(\.self) else { continue }
            for side in crowd.sides { #expect(crowd.inside(call, side) == all, "seed \(seed): \(side)") }
        }
    }
}
