import Glibc
import Testing

/// Nothing that a client was told may be lost, doubled or different at two places, whatever happens to disks, daemons,
/// clocks and the network between them.
///
/// `KIBO_SEED=17 swift test --filter SimulationTests` runs one seed again.
@Suite("Simulation: three daemons, a thousand storms")
struct SimulationTests {
    private static let chunk = 25

    private static var chunks: [UInt64] {
        guard let text = getenv("KIBO_SEED").map({ String(cString: $0) }), let seed = UInt64(text) else {
            return (0..<40).map { $0 * UInt64(chunk) }
        }
        return [seed]
    }

    @Test("All converge: messages, edits, deletions, reactions, read marks", arguments: chunks)
    func convergence(first: UInt64) throws {
        let isAlone = getenv("KIBO_SEED") != nil
        for seed in first..<first + (isAlone ? 1 : UInt64(Self.chunk)) {
            let problems = try Simulation(seed: seed).run(operations: 60)
            #expect(problems.isEmpty, "KIBO_SEED=\(seed): \(problems.prefix(12).joined(separator: "\n"))")
        }
    }
}
