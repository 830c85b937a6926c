import Basics
import Crypto
import Foundation
import PeerProtocol
import Testing
import Vocabulary

/// Members that do whatever they may, as far as each knows, and one that backdates. In the end all learn everything.
private struct RandomGraph {
    private(set) var entries: [MembershipEntry] = []
    private(set) var root: MembershipEntry
    private var random: SeededGenerator
    private let mates: [Mate]
    private var views: [GroupGraph]
    private var skews: [Int64]
    private var time = someTime.milliseconds
    private var made = 0

    init(seed: UInt64, entries count: Int) throws {
        random = SeededGenerator(seed: seed)
        let people = Int.random(in: 3...12, using: &random)
        mates = Array(Mate.all[..<(people + 2)])
        root = try Workshop.create(mates[0], with: Array(mates[1..<people]))
        let graph = try GroupGraph(create: root)
        views = mates.map { _ in graph }
        skews = mates.map { _ in 0 }
        for index in skews.indices { skews[index] = Int64.random(in: -600_000...600_000, using: &random) }
        // There are admins from the start, so that conflicts arise.
        for admin in 1..<people where Bool.random(using: &random) {
            let role: GroupRole = Int.random(in: 0..<4, using: &random) == 0 ? .owner : .admin
            try act(.role(mates[admin].account, role), by: 0)
        }
        for to in mates.indices { tell(to, from: 0) }
        while made < count { try step() }
        entries = Array(Set(views.flatMap(\.entries)))
        entries.sort { $0.hash < $1.hash }
    }

    private mutating func step() throws {
        time += Int64.random(in: 1...2000, using: &random)
        let author = mates.indices.randomElement(using: &random) ?? 0
        if Int.random(in: 0..<10, using: &random) < 1 {
            tell(author, from: mates.indices.randomElement(using: &random) ?? 0)
            return
        }
        let other = mates.randomElement(using: &random) ?? mates[0]
        let operation: GroupOperation
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<6: operation = .remove(other.account)
        case 6..<12:
            operation = .role(other.account, GroupRole.allCases.randomElement(using: &random) ?? .member)
        case 12..<17:
            let floor = LogPlace(device: mates[0].device, sequence: UInt64.random(in: 1...9, using: &random))
            operation = .add([other.seed], floors: Bool.random(using: &random) ? [floor] : [])
        case 17:
            let both = [other, mates[author]].sorted { $0.account < $1.account }.map(\.seed)
            operation = .add(Array(both.prefix(other.account == mates[author].account ? 1 : 2)), floors: [])
        case 18..<21: operation = .rename("name \(time)")
        case 21: operation = .history(Int(time % 1000))
        case 22: operation = .leave
        default: operation = .device
        }
        try act(operation, by: author)
    }

    /// Makes an entry if it is allowed. One in three of mate 1's entries claims not to know what its author knows.
    private mutating func act(_ operation: GroupOperation, by author: Int) throws {
        var parents = views[author].parentsForNext(by: mates[author].account)
        var at = time + skews[author]
        if author == 1, Int.random(in: 0..<3, using: &random) == 0 {
            let old = views[author].entries.randomElement(using: &random) ?? root
            parents = [old.hash]
            at = old.at.milliseconds
        }
        let device = Int.random(in: 0..<2, using: &random)
        let entry = try MembershipEntry.make(
            operation, group: (root.group, root.root), parents: parents, by: mates[author].account,
            certificate: mates[author].certificates[device], key: mates[author].keys[device],
            time: HybridTime(milliseconds: at), at: WallTime(milliseconds: at))
        if views[author].insert(entry) == .inserted { made += 1 }
    }

    private mutating func tell(_ to: Int, from: Int) {
        let heads = views[to].heads
        for entry in views[from].entries(lackedBy: heads, maximumBytes: 1 << 20).entries {
            let taken = views[to].insert(entry)
            #expect(taken == .inserted || taken == .duplicate, "\(taken)")
        }
    }
}

@Suite("The order in which entries arrive")
struct GroupOrderTests {
    /// The number of blocks, each of eight random graphs; `KIBO_SEEDS` sets it.
    private static let blocks = UInt64(ProcessInfo.processInfo.environment["KIBO_SEEDS"].flatMap { Int($0) } ?? 64) / 8

    private func graph(_ entries: [MembershipEntry]) throws -> GroupGraph {
        let root = try #require(entries.first { $0.isCreate })
        var graph = try GroupGraph(create: root)
        // Like at a peer, an entry that lacks another one waits.
        var waiting = entries.filter { !$0.isCreate }
        while !waiting.isEmpty {
            var later: [MembershipEntry] = []
            for entry in waiting {
                switch graph.insert(entry) {
                case .inserted, .duplicate: break
                case .missing: later.append(entry)
                case .refused(let refusal): Issue.record("\(refusal)")
                }
            }
            try #require(later.count < waiting.count)
            waiting = later
        }
        return graph
    }

    @Test("In any order the members are the same, and those of the written rules", arguments: 0..<blocks)
    func orders(block: UInt64) throws {
        var voids = 0
        for seed in (block * 8)..<(block * 8 + 8) {
            let random = try RandomGraph(seed: seed, entries: 24)
            var generator = SeededGenerator(seed: seed)
            let first = try graph(random.entries)
            #expect(first.count == random.entries.count)
            for _ in 0..<3 {
                let other = try graph(random.entries.shuffled(using: &generator))
                #expect(other.state == first.state && other.heads == first.heads, "seed \(seed)")
                for entry in random.entries {
                    #expect(other.isEffective(entry.hash) == first.isEffective(entry.hash), "seed \(seed)")
                }
                for entry in random.entries.shuffled(using: &generator) {
                    #expect(other.state(at: [entry.hash]) == first.state(at: [entry.hash]), "seed \(seed)")
                }
            }
            let loaded = try GroupGraph(entries: random.entries.shuffled(using: &generator))
            #expect(loaded.state == first.state, "seed \(seed)")
            compare(first, GroupReference(random.entries), Set(random.entries.map(\.hash)), seed)
            voids += random.entries.count { first.isEffective($0.hash) == false }
        }
        // Without conflicts the test would show little.
        #expect(voids > 8)
    }

    private func compare(
        _ graph: GroupGraph, _ reference: GroupReference, _ set: Set<EntryHash>, _ seed: UInt64
    ) {
        let (state, expected) = (graph.state, reference.evaluate(set))
        #expect(Set(set.filter { graph.isEffective($0) == false }) == expected.voids, "seed \(seed)")
        #expect(state.name == expected.name && state.history == expected.history, "seed \(seed)")
        #expect(Set(state.members.keys) == Set(expected.members.keys), "seed \(seed)")
        for (account, member) in state.members {
            let other = expected.members[account]
            #expect(member.role == other?.role && member.since == other?.since, "seed \(seed)")
            #expect(member.floors == other?.floors, "seed \(seed)")
            #expect(member.certificates.map(\.device) == other?.devices, "seed \(seed)")
        }
    }

    @Test("All orders of a small conflict give the same members")
    func permutations() throws {
        var shop = try Workshop(members: 5, admins: [1, 2, 3])
        let before = shop.graph.heads
        try shop.commit(.remove(shop.account(2)), by: 1, after: before)
        try shop.commit(.remove(shop.account(3)), by: 2, after: before)
        try shop.commit(.role(shop.account(4), .admin), by: 3, after: before)
        try shop.commit(.remove(shop.account(1)), by: 4)
        let entries = shop.graph.entries
        let (settled, rest) = (entries.dropLast(4), Array(entries.suffix(4)))
        var count = 0
        func permute(_ order: [MembershipEntry], _ left: [MembershipEntry]) throws {
            if left.isEmpty {
                let graph = try self.graph(settled + order)
                #expect(graph.state == shop.graph.state)
                count += 1
            }
            for (index, next) in left.enumerated() {
                var others = left
                others.remove(at: index)
                try permute(order + [next], others)
            }
        }
        try permute([], rest)
        #expect(count == 24)
    }
}
