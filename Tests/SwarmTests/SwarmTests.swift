import Basics
import PeerProtocol
import Swarm
import Testing

/// Small enough for a debug build; `kibo-bench discovery` does the same with a thousand and ten thousand hosts.
@Suite("Discovery among many") struct SwarmTests {
    private static let hosts = 120

    /// All but the last host, half a minute after they started within ten seconds.
    private func settled(seed: UInt64) -> Swarm {
        var swarm = Swarm(Swarm.Shape(hosts: Self.hosts, seed: seed))
        for index in 0..<Self.hosts - 1 {
            swarm.start(index)
            swarm.run(for: .seconds(10) / Self.hosts)
        }
        swarm.run(for: .seconds(30))
        return swarm
    }

    @Test("what a segment carries, who sees a newcomer, who misses a crashed host", arguments: [1, 2] as [UInt64])
    func lifeOfASegment(seed: UInt64) {
        var swarm = settled(seed: seed)
        let count = Self.hosts - 1
        let cold = swarm.takeFigures()
        // Three HELLOs each, and beacons that have begun.
        #expect(cold.broadcasts >= 3 * count && cold.broadcasts <= 5 * count)
        #expect(swarm.acquaintance > 0.9)

        swarm.run(for: .seconds(60))
        let steady = swarm.takeFigures()
        #expect(swarm.acquaintance > 0.999)
        // N / T of the formula: 119 hosts, 30 s.
        #expect(abs(steady.perSecond(steady.broadcasts) - Double(count) / 30) < 1)
        // A probe and its answer for each host and second, and a few more for what was lost.
        let perHost = steady.perSecond(steady.unicasts) / Double(count)
        #expect(perHost > 1.8 && perHost < 2.4)
        #expect(steady.wronglyLost == 0)

        swarm.watch(count)
        let newcomer = swarm.now
        swarm.start(count)
        swarm.run(for: .seconds(5))
        let seen = SwarmDelays(swarm.sawIt.filter { $0.key != count }.values, since: newcomer)
        #expect(seen.count == count && seen.quantile(0.99) <= 1.5)
        let start = swarm.takeFigures()
        #expect(start.sent[.hello] == 3)

        let crash = swarm.now
        swarm.crash(count)
        swarm.run(for: .seconds(15))
        let lost = SwarmDelays(swarm.lostIt.values, since: crash)
        #expect(
            lost.count == count && lost.mean <= 6 && lost.quantile(0.99) <= 10,
            "\(lost.count) \(lost.mean) \(lost.quantile(0.99))")
        #expect(swarm.takeFigures().wronglyLost == 0)
    }

    @Test("half of all go dark at once: the others miss them all, and none of themselves")
    func halfGoesDark() {
        var swarm = settled(seed: 3)
        _ = swarm.takeFigures()
        let half = (Self.hosts - 1) / 2
        for index in 0..<half { swarm.crash(index) }
        swarm.run(for: .seconds(60))
        #expect(abs(swarm.acquaintance - 1) < 0.001)
        let figures = swarm.takeFigures()
        #expect(figures.wronglyLost == 0)
        // One suspicion for each that is gone, and some that two had at the same time; each is said twice.
        #expect(figures.suspicions >= half && figures.suspicions <= 6 * half)
    }

    @Test("with a crowd too large for the table, listeners stay within their bounds")
    func crowd() {
        var swarm = Swarm(Swarm.Shape(hosts: 6_000, listeners: 1, seed: 4))
        swarm.startAll(within: .seconds(10))
        swarm.run(for: .seconds(5))
        let figures = swarm.takeFigures()
        // More speak than a listener is willing to check.
        #expect(figures.received > 10_000)
        #expect(figures.checks <= 2_000 + 15 * 600)
        #expect(swarm.mostPresent <= DiscoveryLimits.strangers)
    }

    @Test(
        "a cold start among many: all names known by all within seconds, by a few sessions each; a restart by next to none"
    )
    func rosters() {
        let hosts = 60
        var swarm = Swarm(Swarm.Shape(hosts: hosts, loss: 0, hasRosters: true, seed: 5))
        swarm.startAll(within: .seconds(3), but: hosts - 1)
        swarm.run(for: .seconds(10))
        #expect(swarm.familiarity > 0.999, "\(swarm.familiarity)")
        let cold = swarm.takeFigures()
        #expect(cold.sessions < hosts * 20 && cold.sessions < hosts * (hosts - 1) / 3, "\(cold.sessions)")

        swarm.run(for: .seconds(25))
        _ = swarm.takeFigures()
        swarm.watch(hosts - 1)
        let start = swarm.now
        swarm.start(hosts - 1)
        swarm.run(for: .seconds(15))
        let named = SwarmDelays(swarm.namedIt.values, since: start)
        #expect(named.count == hosts - 1 && named.quantile(0.99) <= 2, "\(named.count) \(named.quantile(1))")
        let newcomer = swarm.takeFigures()
        #expect(newcomer.sessions <= 2 * hosts, "\(newcomer.sessions)")

        swarm.crash(3)
        swarm.run(for: .seconds(25))
        _ = swarm.takeFigures()
        swarm.watch(3)
        let restart = swarm.now
        swarm.start(3)
        swarm.run(for: .seconds(20))
        let back = SwarmDelays(swarm.namedIt.values, since: restart)
        #expect(back.count == hosts - 1 && back.quantile(0.99) <= 2)
        #expect(swarm.takeFigures().sessions <= hosts / 4)
    }
}
