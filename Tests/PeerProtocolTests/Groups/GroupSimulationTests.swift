import Basics
import Crypto
import Foundation
import PeerProtocol
import TestSupport
import Testing
import Vocabulary

@Suite("Groups on a bad network", .serialized)
struct GroupSimulationTests {
    /// The seed of `KIBO_SEED`, which runs alone.
    private static let only = ProcessInfo.processInfo.environment["KIBO_SEED"].flatMap { UInt64($0) }
    /// The number of blocks, each of ten simulations: `--thorough` runs a thousand of them, `KIBO_SEEDS` as many as it says.
    private static let blocks: UInt64 = {
        let environment = ProcessInfo.processInfo.environment
        let usual: UInt64 = Thorough.isWanted ? 1000 : 250
        return (environment["KIBO_SEEDS"].flatMap { UInt64($0) } ?? usual) / 10
    }()

    private struct Tally {
        var entries = 0
        var changes = 0
        var forgeries = 0
        var noticed = 0
        var restored = 0
        /// Places at which a member restored from an old copy wrote again without having met a member that had the
        /// entry.
        var rewritten = 0
    }

    @Test("All have the same members and history, nothing is lost, and cheats are detected", arguments: 0..<blocks)
    func converge(block: UInt64) throws {
        var all = Tally()
        for seed in (block * 10)..<(block * 10 + 10) {
            if let only = Self.only, only != seed { continue }
            let world = try GroupSimulation(seed: seed)
            #expect(world.problems.isEmpty, "seed \(seed): \(world.problems)")
            let tally = try check(world, "seed \(seed)")
            all.entries += tally.entries
            all.changes += tally.changes
            all.forgeries += tally.forgeries
            all.noticed += tally.noticed
            all.restored += tally.restored
            all.rewritten += tally.rewritten
        }
        guard Self.only == nil else { return }
        // A simulation in which little happens shows little.
        #expect(all.entries > 50 && all.changes > 15, "\(all)")
        // A member that lost a part of its chain nearly always meets one that has it before it writes on.
        #expect(all.restored > 0 && all.rewritten * 3 <= all.restored, "\(all)")
        // Cheats are detected.
        if all.forgeries > 4 { #expect(all.noticed > 0, "\(all)") }
    }

    private func check(_ world: GroupSimulation, _ seed: Comment) throws -> Tally {
        let graph = try #require(world.nodes[0].graph)
        let state = graph.state
        let members = world.nodes.filter { state.has($0.mate.account) }
        var written: [EntryHash: LogEntry] = [:]
        for node in members {
            // All have the same members.
            #expect(node.graph?.heads == graph.heads && node.graph?.state == state, seed)
            for row in node.disk.log?.storage.rows.values ?? [:].values {
                #expect(row.state == .delivered, "\(seed): \(node.mate.name) holds something back")
                written[row.entry.hash] = row.entry
            }
        }
        for node in members {
            // All have the same history, as far as each may see it, and no entry of any member is lost.
            let storage = try #require(node.disk.log?.storage)
            let entitlement = try #require(LogEntitlement(node.mate.account, in: graph))
            for (hash, entry) in written where entitlement.covers(entry.place) {
                #expect(storage.rows[hash] != nil, "\(seed): \(node.mate.name) lacks \(entry.place)")
            }
            if state.members[node.mate.account]?.floors.isEmpty == true { try checkOrder(node, seed) }
            // A member that has both entries of a fork has the proof.
            for place in world.forked where storage.entries(at: place).count > 1 {
                #expect(storage.forks.contains { $0.place == place }, seed)
            }
            for hash in world.forbidden {
                #expect(storage.rows[hash] == nil && node.graph?.contains(hash) == false, "\(seed): forged")
            }
        }
        // A former member knows that it has left or was removed, even if its copy is older.
        for node in world.nodes where node.wasRestored && graph.lastDeparture(of: node.mate.account) != nil {
            #expect(!node.isMember, "\(seed): \(node.mate.name) believes to be a member")
        }
        // Among honest members, only those with an old copy can have written twice at one place.
        let devices = Set(world.nodes.filter(\.wasRestored).map(\.mate.device))
        let forks = Set(members.flatMap { $0.disk.log?.storage.forks.map(\.place) ?? [] }).subtracting(world.forked)
        #expect(forks.allSatisfy { devices.contains($0.device) }, seed)
        // No honest member is accused.
        let noticed = world.nodes.reduce(0) { $0 + $1.exposed }
        if world.forgeries == 0 { #expect(noticed == 0, "\(seed): \(noticed) refused without a forgery") }
        return Tally(
            entries: written.count, changes: graph.count, forgeries: world.forgeries, noticed: noticed,
            restored: world.restored, rewritten: forks.count)
    }

    /// Checks that no answer stands before its question, unless that can't be had or is from before the member's time.
    private func checkOrder(_ node: GroupNode, _ seed: Comment) throws {
        guard !node.hasWithheld, let storage = node.disk.log?.storage else { return }
        for (hash, row) in storage.rows {
            for reference in row.entry.references {
                guard let earlier = storage.rows[reference.hash]?.number, let own = row.number else { continue }
                #expect(earlier < own, "\(seed): \(hash) stands before what it refers to")
            }
        }
    }
}
