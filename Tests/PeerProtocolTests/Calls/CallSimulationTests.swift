import Basics
import TestSupport
import Testing
import Vocabulary

@testable import PeerProtocol

/// Goal: whatever two people do, whatever is lost, in whatever order, whichever daemon is killed and however the clocks jump: in the
/// end no call is under way, each has at most one record on each side, and both sides have the same.
@Suite("Calls in disorder")
struct CallSimulationTests {
    /// One run of random steps, then peace: the link holds, and time passes.
    private func run(_ seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var pair = CallPair()
        var calls: Set<UUIDv7> = []
        for _ in 0..<60 {
            let side = Int.random(in: 0...1, using: &dice)
            let open = pair.machines[side].open
            switch Int.random(in: 0..<24, using: &dice) {
            case 0...2: if let call = try? pair.start(side) { calls.insert(call) }
            case 3...5: if let call = open.randomElement(using: &dice) { try? pair.accept(quietly: call, by: side) }
            case 6: if let call = open.randomElement(using: &dice) { try? pair.decline(quietly: call, by: side) }
            case 7: if let call = open.randomElement(using: &dice) { try? pair.hangUp(quietly: call, by: side) }
            case 8...9:
                if let call = open.first {
                    try? pair.report(quietly: call, by: side, isConnected: Bool.random(using: &dice))
                }
            case 10: if let call = open.first { try? pair.signal(quietly: call, from: side) }
            case 11: if let call = open.first { try? pair.take(quietly: call, by: side) }
            case 12: pair.cut()
            case 13...14: pair.link()
            case 15: pair.restart(side)
            case 16: pair.skews[side] = .seconds(Int.random(in: -100_000...100_000, using: &dice))
            // A frame may be lost only with its session; the rest of it is on its way.
            case 17...21: for _ in 0..<Int.random(in: 1...4, using: &dice) { pair.deliverOne() }
            default: pair.passQuietly(.milliseconds(Int.random(in: 1...20_000, using: &dice)))
            }
        }
        pair.link()
        pair.pump()
        // Nobody does anything any more: windows are gone.
        for _ in 0..<40 { pair.pass(.seconds(10)) }
        pair.deliverRecords()
        #expect(pair.machines.allSatisfy { $0.open.isEmpty }, "seed \(seed): a call goes on for ever")
        #expect(pair.disks.allSatisfy { $0.isEmpty }, "seed \(seed): a row stays")
        for (call, record) in pair.records[0] {
            #expect(pair.records[1][call] == record, "seed \(seed): one record, two outcomes")
        }
        #expect(Set(pair.records[0].keys) == Set(pair.records[1].keys), "seed \(seed): a record on one side only")
        #expect(Set(pair.records[0].keys).isSubset(of: calls), "seed \(seed)")
    }

    @Test("Thousands of orders, losses, restarts, crossed calls and jumping clocks")
    func disorder() {
        for seed in 0..<(Thorough.isWanted ? 50_000 : 800) as Range<UInt64> { run(seed) }
    }

    @Test("Two who call at the same moment talk, in whichever order their frames come")
    func glare() {
        for seed in 0..<500 as Range<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var pair = CallPair()
            let first = Int.random(in: 0...1, using: &dice)
            guard let one = try? pair.start(first) else { return }
            if Bool.random(using: &dice) { pair.passQuietly(.milliseconds(1)) }
            guard let two = try? pair.start(1 - first) else { return }
            while !pair.underway.isEmpty {
                // Each direction keeps its order; which goes first doesn't.
                let to = Int.random(in: 0...1, using: &dice)
                let index = pair.underway.firstIndex { $0.to == to } ?? 0
                let hint = pair.underway.remove(at: index)
                pair.deliver(hint.hint, from: 1 - hint.to)
            }
            let open = Set(pair.machines.flatMap(\.open))
            #expect(open.count == 1 && open.isSubset(of: [one, two]), "seed \(seed)")
            for call in open { #expect(pair.stages(call) == [.connecting, .connecting], "seed \(seed)") }
        }
    }
}

extension CallPair {
    fileprivate mutating func accept(quietly call: UUIDv7, by side: Int) throws {
        perform(try machines[side].accept(call, seat: seat(side), now: now, wall: wall(side)), side)
    }

    fileprivate mutating func decline(quietly call: UUIDv7, by side: Int) throws {
        perform(try machines[side].decline(call, now: now, wall: wall(side)), side)
    }

    fileprivate mutating func hangUp(quietly call: UUIDv7, by side: Int) throws {
        perform(try machines[side].hangUp(call, now: now, wall: wall(side)), side)
    }

    fileprivate mutating func report(quietly call: UUIDv7, by side: Int, isConnected: Bool) throws {
        perform(
            try machines[side].report(
                call, seat: seat(side).id, connected: isConnected ? [parties[1 - side].device] : [], now: now,
                wall: wall(side)), side)
    }

    fileprivate mutating func signal(quietly call: UUIDv7, from side: Int) throws {
        perform(
            try machines[side].signal(
                call, seat: seat(side).id, to: parties[1 - side].device, .offer, sdp: sdp(side), lines: [],
                addresses: addresses, now: now, wall: wall(side)), side)
    }

    fileprivate mutating func take(quietly call: UUIDv7, by side: Int) throws {
        perform(try machines[side].assign(call, seat: seat(side), now: now, wall: wall(side)), side)
    }

    /// Lets time pass without delivering what is under way.
    fileprivate mutating func passQuietly(_ duration: Duration) {
        now = now + duration
        for side in 0...1 { perform(machines[side].tick(now: now, wall: wall(side)), side) }
    }
}
