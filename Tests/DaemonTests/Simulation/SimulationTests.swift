import Glibc
import TestSupport
import Testing

/// Nothing that a client was told may be lost, doubled or different at two places, whatever happens to disks, daemons,
/// clocks and the network between them.
///
/// `KIBO_SEED=17 swift test --filter SimulationTests` runs one seed again, `KIBO_SEED=5000-9000` runs other seeds.
@Suite("Simulation: three daemons in storms")
struct SimulationTests {
    /// The seeds, in pieces that run side by side: a thousand with `--thorough`.
    private static var pieces: [Range<UInt64>] {
        let wanted = getenv("KIBO_SEED").map { String(cString: $0) } ?? (Thorough.isWanted ? "0-1000" : "0-125")
        let ends = wanted.split(separator: "-").compactMap { UInt64($0) }
        guard let first = ends.first else { return [] }
        let end = ends.count > 1 ? max(first, ends[1]) : first + 1
        return stride(from: first, to: end, by: 25).map { $0..<min($0 + 25, end) }
    }

    @Test("All daemons converge: messages, edits, deletions, reactions, read marks", arguments: pieces)
    func convergence(seeds: Range<UInt64>) throws {
        for seed in seeds {
            let problems = try Simulation(seed: seed).run(operations: 50)
            #expect(problems.isEmpty, "KIBO_SEED=\(seed): \(problems.prefix(12).joined(separator: "\n"))")
        }
    }

    @Test("The same seed gives the same storm")
    func repeatable() throws {
        func trace() throws -> String {
            let simulation = try Simulation(seed: 7)
            _ = try simulation.run(operations: 50)
            let events = try simulation.peers.map { try $0.database.read { try $0.latestEvent() } }
            return "\(simulation.ledger.ids) \(events)"
        }
        let first = try trace()
        #expect(try trace() == first)
    }
}
