import Basics
import Crypto
import Foundation
import PeerProtocol
import Testing

@Suite("Groups on a bad network", .serialized)
struct GroupSimulationTests {
    /// `KIBO_SEED` runs one alone.
    private static let only = ProcessInfo.processInfo.environment["KIBO_SEED"].flatMap { UInt64($0) }
    /// Of ten simulations each. `KIBO_SEEDS` runs more.
    private static let blocks =
        UInt64(ProcessInfo.processInfo.environment["KIBO_SEEDS"].flatMap { Int($0) } ?? 1000) / 10

    private struct Tally {
        var entries = 0
        var changes = 0
        var forgeries = 0
        var noticed = 0
        var restored = 0
        /// Places at which a member whose old copy was put back wrote again, without having met anybody who had it.
        var rewritten = 0
    }

    @Test("Same members, same history, nothing lost, cheats exposed", arguments: 0..<blocks)
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
        // Where little happens little is shown.
        #expect(all.entries > 50 && all.changes > 15, "\(all)")
        // Whoever has lost a part of their chain nearly always meets somebody who has it before they write on.
        #expect(all.restored > 0 && all.rewritten * 3 <= all.restored, "\(all)")
        // Cheats are found out.
        if all.forgeries > 4 { #expect(all.noticed > 0, "\(all)") }
    }

    private func check(_ world: GroupSimulation, _ seed: Comment) throws -> Tally {
        let graph = try #require(world.nodes[0].graph)
        let state = graph.state
        let members = world.nodes.filter { state.has($0.mate.account) }
        var written: [EntryHash: LogEntry] = [:]
        for node in members {
            // Same members.
            #expect(node.graph?.heads == graph.heads && node.graph?.state == state, seed)
            for row in node.disk.log?.storage.rows.values ?? [:].values {
                #expect(row.state == .delivered, "\(seed): \(node.mate.name) holds something back")
                written[row.entry.hash] = row.entry
            }
        }
        for node in members {
            // Same history, for each what they may see; nothing lost of what anybody has.
            let storage = try #require(node.disk.log?.storage)
            let entitlement = try #require(LogEntitlement(node.mate.account, in: graph))
            for (hash, entry) in written where entitlement.covers(entry.place) {
                #expect(storage.rows[hash] != nil, "\(seed): \(node.mate.name) lacks \(entry.place)")
            }
            if state.members[node.mate.account]?.floors.isEmpty == true { try checkOrder(node, seed) }
            // Whoever has both stories has the proof.
            for place in world.forked where storage.entries(at: place).count > 1 {
                #expect(storage.forks.contains { $0.place == place }, seed)
            }
            for hash in world.forbidden {
                #expect(storage.rows[hash] == nil && node.graph?.contains(hash) == false, "\(seed): forged")
            }
        }
        // Who has left or was removed knows it, also if their copy is from before.
        for node in world.nodes where node.wasRestored && graph.lastDeparture(of: node.mate.account) != nil {
            #expect(!node.isMember, "\(seed): \(node.mate.name) believes to be a member")
        }
        // Of those who don't cheat only members whose copy is old can have written twice at one place.
        let devices = Set(world.nodes.filter(\.wasRestored).map(\.mate.device))
        let forks = Set(members.flatMap { $0.disk.log?.storage.forks.map(\.place) ?? [] }).subtracting(world.forked)
        #expect(forks.allSatisfy { devices.contains($0.device) }, seed)
        // Nobody is accused who is honest.
        let noticed = world.nodes.reduce(0) { $0 + $1.exposed }
        if world.forgeries == 0 { #expect(noticed == 0, "\(seed): \(noticed) refused without a forgery") }
        return Tally(
            entries: written.count, changes: graph.count, forgeries: world.forgeries, noticed: noticed,
            restored: world.restored, rewritten: forks.count)
    }

    /// No answer before its question, but where somebody said that it can't be had, or it is from before one's time.
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
