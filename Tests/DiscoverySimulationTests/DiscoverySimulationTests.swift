import Basics
import DiscoverySimulation
import PeerProtocol
import Testing

/// The simulation is small enough for a debug build; `kibo-bench discovery` does the same with one and ten thousand
/// hosts.
@Suite("Discovery among many hosts") struct DiscoverySimulationTests {
    private static let hosts = 120

    /// All hosts but the last, half a minute after they started within ten seconds.
    private func settled(seed: UInt64) -> SimulatedSegment {
        var segment = SimulatedSegment(SimulatedSegment.Shape(hosts: Self.hosts, seed: seed))
        for index in 0..<Self.hosts - 1 {
            segment.start(index)
            segment.run(for: .seconds(10) / Self.hosts)
        }
        segment.run(for: .seconds(30))
        return segment
    }

    @Test(
        "A segment's traffic stays in its bounds, all see a newcomer, and all miss a crashed host",
        arguments: [1, 2] as [UInt64])
    func lifeOfASegment(seed: UInt64) {
        var segment = settled(seed: seed)
        let count = Self.hosts - 1
        let cold = segment.drainFigures()
        // Each host sends three HELLOs, and its beacons have begun.
        #expect(cold.broadcasts >= 3 * count && cold.broadcasts <= 5 * count)
        #expect(segment.hosts.acquaintance > 0.9)

        segment.run(for: .seconds(60))
        let steady = segment.drainFigures()
        #expect(segment.hosts.acquaintance > 0.999)
        // This is N / T of the formula, with 119 hosts and 30 s.
        #expect(abs(steady.perSecond(steady.broadcasts) - Double(count) / 30) < 1)
        // Each host sends a probe and gets its answer every second, and a few more for lost ones.
        let perHost = steady.perSecond(steady.unicasts) / Double(count)
        #expect(perHost > 1.8 && perHost < 2.4)
        #expect(steady.wronglyLost == 0)

        segment.watch(count)
        let newcomer = segment.now
        segment.start(count)
        segment.run(for: .seconds(5))
        let seen = SimulatedDelays(segment.watched.saw.filter { $0.key != count }.values, since: newcomer)
        #expect(seen.count == count && seen.quantile(0.99) <= 1.5)
        let start = segment.drainFigures()
        #expect(start.sent[.hello] == 3)

        let crash = segment.now
        segment.crash(count)
        segment.run(for: .seconds(15))
        let lost = SimulatedDelays(segment.watched.lost.values, since: crash)
        #expect(
            lost.count == count && lost.mean <= 6 && lost.quantile(0.99) <= 10,
            "\(lost.count) \(lost.mean) \(lost.quantile(0.99))")
        #expect(segment.drainFigures().wronglyLost == 0)
    }

    @Test("When half of all hosts crash at once, the others miss all of these and none of their own")
    func halfGoesDark() {
        var segment = settled(seed: 3)
        _ = segment.drainFigures()
        let half = (Self.hosts - 1) / 2
        for index in 0..<half { segment.crash(index) }
        segment.run(for: .seconds(60))
        #expect(abs(segment.hosts.acquaintance - 1) < 0.001)
        let figures = segment.drainFigures()
        #expect(figures.wronglyLost == 0)
        // Each crashed host is suspected once, or twice if two hosts do so at the same time; each suspicion is sent
        // twice.
        #expect(figures.suspicions >= half && figures.suspicions <= 6 * half)
    }

    @Test("with a crowd too large for the table, listeners stay within their bounds")
    func crowd() {
        var segment = SimulatedSegment(SimulatedSegment.Shape(hosts: 6_000, listeners: 1, seed: 4))
        segment.startAll(within: .seconds(10))
        segment.run(for: .seconds(5))
        let figures = segment.drainFigures()
        // More hosts send than a listener is willing to check.
        #expect(figures.received > 10_000)
        #expect(figures.checks <= 2_000 + 15 * 600)
        #expect(segment.hosts.mostPresent <= DiscoveryLimits.strangers)
    }

    @Test(
        "After a cold start all hosts know all names within seconds, by a few sessions each; a restart needs nearly none"
    )
    func peerExchange() {
        let hosts = 60
        var segment = SimulatedSegment(SimulatedSegment.Shape(hosts: hosts, loss: 0, hasPeerExchange: true, seed: 5))
        segment.startAll(within: .seconds(3), but: hosts - 1)
        segment.run(for: .seconds(10))
        #expect(segment.hosts.familiarity > 0.999, "\(segment.hosts.familiarity)")
        let cold = segment.drainFigures()
        #expect(cold.sessions < hosts * 20 && cold.sessions < hosts * (hosts - 1) / 3, "\(cold.sessions)")

        segment.run(for: .seconds(25))
        _ = segment.drainFigures()
        segment.watch(hosts - 1)
        let start = segment.now
        segment.start(hosts - 1)
        segment.run(for: .seconds(15))
        let named = SimulatedDelays(segment.watched.named.values, since: start)
        #expect(named.count == hosts - 1 && named.quantile(0.99) <= 2, "\(named.count) \(named.quantile(1))")
        let newcomer = segment.drainFigures()
        #expect(newcomer.sessions <= 2 * hosts, "\(newcomer.sessions)")

        segment.crash(3)
        segment.run(for: .seconds(25))
        _ = segment.drainFigures()
        segment.watch(3)
        let restart = segment.now
        segment.start(3)
        segment.run(for: .seconds(20))
        let back = SimulatedDelays(segment.watched.named.values, since: restart)
        #expect(back.count == hosts - 1 && back.quantile(0.99) <= 2)
        #expect(segment.drainFigures().sessions <= hosts / 4)
    }
}
