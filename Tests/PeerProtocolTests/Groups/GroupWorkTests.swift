import Basics
import PeerProtocol
import Testing
import Vocabulary

@Suite("The cost of computing a group's state")
struct GroupWorkTests {
    /// The work of taking one more entry and computing the group's state.
    private func cost(
        _ shop: inout Workshop, _ operation: GroupOperation, by author: Int, after parents: [EntryHash]
    ) throws -> GroupWork {
        let meter = GroupMeter(limit: .max)
        shop.graph.meter = meter
        try shop.commit(operation, by: author, after: parents)
        _ = shop.graph.state
        shop.graph.meter = nil
        return meter.work
    }

    @Test("After three thousand concurrent removals of two members by each other, one more is compared with two")
    func mutual() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        let before = shop.graph.heads
        var works: [GroupWork] = []
        for count in [150, 1500] {
            while shop.graph.count < 2 * count {
                try shop.commit(.remove(shop.account(2)), by: 1, after: before)
                try shop.commit(.remove(shop.account(1)), by: 2, after: before)
            }
            works.append(try cost(&shop, .remove(shop.account(2)), by: 1, after: before))
        }
        #expect(shop.graph.count > 3000 && shop.members == [0, 3])
        #expect(works.map(\.judged) == [2, 2] && works.allSatisfy { $0.states <= 2 }, "\(works)")
        // The rest is one look at each entry, to apply it.
        for work in works {
            #expect(work.words < 4 * shop.graph.count && work.entries < 2 * shop.graph.count, "\(works)")
        }
        // What each removal does to others counts as if it had been made once.
        let rename = try shop.commit(.rename("Mine"), by: 1, after: before)
        #expect(shop.graph.isEffective(rename) == false && shop.graph.state.name == "Crew")
        let loaded = try GroupGraph(entries: shop.graph.entries)
        #expect(loaded.state == shop.graph.state)
    }

    @Test("Removals that follow different entries are compared 64 at a time")
    func distinct() throws {
        var shop = try Workshop(members: 4, admins: [1, 2])
        var ends = [1: shop.graph.heads, 2: shop.graph.heads]
        for number in 0..<300 {
            for (author, other) in [(1, 2), (2, 1)] {
                ends[author] = [try shop.commit(.rename("\(number)"), by: author, after: ends[author])]
                try shop.commit(.remove(shop.account(other)), by: author, after: ends[author])
            }
        }
        let work = try cost(&shop, .rename("x"), by: 0, after: [shop.graph.root])
        #expect(shop.members == [0, 3] && work.judged >= 1200)
        // Pair by pair there are 600 · 600 hits of removals alone, and each was visited several times.
        #expect(work.words < 1200 * 1200 / 8, "\(work)")
    }

    @Test("A circle that comes apart ring by ring is taken apart 32 times, and then removal wins")
    func rounds() throws {
        // In each ring A removes B, and B removes the next ring's A; mate 1 removes all A, and the last A removes mate
        // 1.
        let count = 37
        func a(_ ring: Int) -> Int { 2 + 2 * ring }
        func b(_ ring: Int) -> Int { 3 + 2 * ring }
        var shop = try Workshop(members: 2 + 2 * count, admins: [1] + (0..<(2 * count)).map { 2 + $0 })
        let before = shop.graph.heads
        var relieved: [EntryHash] = []
        var circles: [EntryHash] = []
        for ring in 0..<count {
            circles.append(try shop.commit(.remove(shop.account(b(ring))), by: a(ring), after: before))
            try shop.commit(.remove(shop.account(a(ring))), by: 1, after: before)
            if ring + 1 < count {
                relieved.append(try shop.commit(.remove(shop.account(a(ring + 1))), by: b(ring), after: before))
            }
        }
        try shop.commit(.remove(shop.account(1)), by: a(count - 1), after: before)
        // The owner breaks the first ring: what A did there is void, so B's removal holds, and so on.
        try shop.commit(.remove(shop.account(a(0))), by: 0, after: before)
        let rounds = PeerLimits.groupJudgingRounds
        // While rings are taken apart, A is out, and B, which removed it, stays.
        for ring in 0..<rounds {
            #expect(shop.graph.isEffective(circles[ring]) == false && shop.members.contains(b(ring)), "ring \(ring)")
        }
        // Then all removals in the circle count. The last A's doesn't belong to it, since nothing depends on it.
        for ring in rounds..<(count - 1) {
            #expect(shop.graph.isEffective(circles[ring]) == true && !shop.members.contains(b(ring)), "ring \(ring)")
        }
        #expect(!shop.members.contains(1) && relieved.allSatisfy { shop.graph.isEffective($0) == true })
        let loaded = try GroupGraph(entries: shop.graph.entries.sorted { $0.hash < $1.hash })
        #expect(loaded.state == shop.graph.state)
    }

    @Test("A peer's batch may compute only so much; the rest is taken in the next batch")
    func batch() throws {
        var scene = try LogScene(2)
        var heads: [[EntryHash]] = []
        for number in 0..<40 {
            // These are branches, so no state lies on the way to another.
            heads.append([try scene.workshop.commit(.history(number), by: 0, after: [scene.workshop.graph.root])])
        }
        let (author, reader) = (scene.sides[0], scene.sides[1])
        reader.graph = try GroupGraph(entries: scene.workshop.graph.entries)
        var entries: [LogEntry] = []
        for (index, heads) in heads.enumerated() {
            let position = LogEntry.Position(
                root: reader.graph.root, sequence: UInt64(index + 1), previous: entries.last?.hash, heads: heads,
                dependencies: [])
            let id = try #require(UUIDv7(bytes: [UInt8](repeating: 0x70, count: 15) + [UInt8(index)]))
            entries.append(
                try LogEntry.make(
                    .message, id: id, content: LogContent.message(textMessage("\(index)")).encoded(), at: position,
                    key: author.mate.key, time: HybridTime(milliseconds: someTime.milliseconds), at: someTime))
        }
        var batches = 0
        var rest = entries[...]
        while let next = rest.first {
            let meter = GroupMeter(limit: 60)
            reader.graph.meter = meter
            batches += 1
            try #require(batches < 40)
            var taken = 0
            for entry in rest {
                if let refusal = try reader.take(entry).refusal {
                    #expect(refusal.reason == .busy && refusal.reason.isPassing)
                    break
                }
                taken += 1
            }
            #expect(taken > 0, "\(next.sequence)")
            // It exceeds the limit by at most one state of a graph with so many entries.
            #expect(meter.work.cost < 60 + 4 + heads.count + 1)
            rest = rest.dropFirst(taken)
        }
        #expect(batches > 3 && reader.shown.count == 40)
        // The same holds for membership.
        let late = try scene.workshop.entry(.rename("late"), by: 0, after: [scene.workshop.graph.root])
        reader.graph.meter = GroupMeter(limit: 0)
        guard case .refused(let refusal) = reader.graph.insert(late) else { throw WireError.invalid(field: "test") }
        #expect(refusal.reason == .busy)
        reader.graph.meter = GroupMeter()
        #expect(reader.graph.insert(late) == .inserted)
    }
}
