import Basics
import Swarm

/// (f) What discovery costs and how fast it is among many hosts, simulated: no daemon, no socket, a clock turned by hand.
struct DiscoveryBench {
    let hosts: Int
    let listeners: Int
    /// Simulated seconds of steady life.
    let seconds: Int
    let seed: Int

    func run(_ arguments: Arguments) throws {
        try arguments.finish()
        let count = max(3, hosts)
        var swarm = Swarm(Swarm.Shape(hosts: count, listeners: min(count, listeners), seed: UInt64(seed)))
        let last = min(count, listeners) - 1
        report("\(count) hosts, \(last + 1) of them listening, 1 % loss, seed \(seed)")
        swarm.startAll(within: .seconds(10))
        swarm.run(for: .seconds(3))
        describe("cold start of all within 10 s, 13 s", swarm.takeFigures())
        report("  each knows \(Figures.text(swarm.acquaintance * 100, digits: 1)) % of the others by then")
        // Until every beacon has come twice.
        let interval = min(max(count / 5, 30), 300)
        swarm.run(for: .seconds(3 * interval))
        report("  and \(Figures.text(swarm.acquaintance * 100, digits: 3)) % after \(3 * interval) s more")
        _ = swarm.takeFigures()

        swarm.run(for: .seconds(seconds))
        let steady = swarm.takeFigures()
        describe("steady, \(seconds) s", steady)
        report("  suspicions \(steady.suspicions), hosts given up although they were up: \(steady.wronglyLost)")

        swarm.crash(last)
        swarm.run(for: .seconds(30))
        swarm.watch(last)
        _ = swarm.takeFigures()
        let start = swarm.now
        swarm.start(last)
        swarm.run(for: .seconds(5))
        describe("one restart, 5 s", swarm.takeFigures())
        describe("until they know the newcomer", swarm.sawIt.filter { $0.key != last }.values, since: start)

        var lost: [Instant] = []
        for round in 1...10 where last - round > 0 {
            let moment = swarm.now
            swarm.watch(last - round)
            swarm.crash(last - round)
            swarm.run(for: .seconds(30))
            lost += swarm.lostIt.values.map { start + ($0 - moment) }
        }
        describe("until they miss a crashed host, ten crashes", lost, since: start)
        report("  the most devices that a listener remembers: \(swarm.mostPresent)")
        let (announcer, silence) = (Double(count) / 30, 30.0 * 4)
        report(
            "A fixed announcer of 30 s: \(Figures.text(announcer, digits: 1)) broadcasts/s; a crash is missed after "
                + "\(Figures.text(silence - 15, digits: 0)) s on average, four of its intervals less half of one.")
    }

    private func describe(_ title: String, _ figures: SwarmFigures) {
        let each = Double(min(hosts, listeners))
        func text(_ count: Int, _ part: Double = 1) -> String {
            Figures.text(figures.perSecond(count) / part, digits: 2)
        }
        report(
            "\(title): \(text(figures.broadcasts)) broadcasts/s and \(text(figures.unicasts)) probes and answers/s in all"
        )
        report(
            "  each listener: \(text(figures.received, each)) received/s, \(text(figures.checks, each)) signatures checked/s"
        )
    }

    private func describe(_ title: String, _ moments: some Sequence<Instant>, since start: Instant) {
        let delays = SwarmDelays(moments, since: start)
        func text(_ seconds: Double) -> String { Figures.text(seconds, digits: 2) }
        report(
            "\(title): \(delays.count) times, mean \(text(delays.mean)) s, p99 \(text(delays.quantile(0.99))) s, "
                + "longest \(text(delays.quantile(1))) s")
    }
}
