import Basics
import DiscoverySimulation

/// (f) What discovery costs and how fast it is among many simulated hosts, with no daemon or socket and a simulated
/// clock. Where all hosts run in full, cards are exchanged too.
struct DiscoveryBench {
    let hosts: Int
    let listeners: Int
    /// Simulated seconds of steady running.
    let seconds: Int
    let seed: Int

    private static let loss = 0.01
    /// How often a host crashes and starts again.
    private static let rounds = 10

    func run() throws {
        let count = max(20, hosts)
        let full = min(count, listeners)
        var segment = SimulatedSegment(
            SimulatedSegment.Shape(
                hosts: count, listeners: full, loss: Self.loss, hasPeerExchange: full == count, seed: UInt64(seed)))
        var table = Table(["", "simulated", "by the formula", "fixed announcer"])
        let last = full - 1
        report("\(count) hosts, \(full) of them in full, 1 % loss, seed \(seed); an announcer every 30 s beside it")
        coldStart(&segment, full == count ? last : count, &table)
        steadyLife(&segment, &table)
        if full == count { newcomer(&segment, last, &table) }
        restart(&segment, full - 2, &table)
        crashes(&segment, full - 3, &table)
        table.add(["devices remembered at most", "\(segment.hosts.mostPresent)", "4096"])
        table.print()
    }

    // MARK: What is shown

    private var interval: Int { min(max(max(20, hosts) / 5, 30), 300) }
    private var each: Double { Double(min(max(20, hosts), listeners)) }

    private func text(_ value: Double, _ digits: Int = 1) -> String { Figures.text(value, digits: digits) }

    private func times(_ moments: some Sequence<Instant>, since start: Instant) -> String {
        let delays = SimulatedDelays(moments, since: start)
        return
            "mean \(text(delays.mean, 2)), p99 \(text(delays.quantile(0.99), 2)), most \(text(delays.quantile(1), 2)) s"
    }

    // MARK: What happens

    private func coldStart(_ segment: inout SimulatedSegment, _ starting: Int, _ table: inout Table) {
        segment.startAll(within: .seconds(10), but: starting)
        let begin = segment.now
        var heard: Int64?
        var named: Int64?
        segment.run(for: .seconds(3))
        let figures = segment.drainFigures()
        table.add([
            "cold start of all within 10 s, 13 s: broadcasts/s", text(figures.perSecond(figures.broadcasts)),
            text(3 * Double(hosts) / 13), text(Double(hosts) / 30),
        ])
        table.add([
            "  signatures checked/s, each", text(figures.perSecond(figures.checks) / each),
            "≤ \(text((2_000 + 600 * 13) / 13.0, 0))",
        ])
        table.add(["  then each knows of the others", "\(text(segment.hosts.acquaintance * 100)) %"])
        let limit = segment.now + .seconds(3 * interval)
        while segment.now < limit, heard == nil || (segment.hasPeerExchange && named == nil) {
            segment.run(for: .milliseconds(500))
            let time = (segment.now - begin).milliseconds
            if heard == nil, segment.hosts.acquaintance >= 0.9999 { heard = time }
            if named == nil, segment.hosts.familiarity >= 0.9999 { named = time }
        }
        let until = segment.now - begin
        table.add([
            "  each knows 99.99 % of them after", heard.map { "\(text(Double($0) / 1_000)) s" } ?? "–", "", "30 s",
        ])
        if segment.hasPeerExchange {
            let later = segment.drainFigures()
            table.add([
                "  and 99.99 % of their names after", named.map { "\(text(Double($0) / 1_000)) s" } ?? "–", "", "",
            ])
            let sessions = figures.sessions + later.sessions
            table.add([
                "  sessions opened by then", "\(sessions) (\(text(Double(sessions) / each)) each)", "",
                "\(hosts * (hosts - 1) / 2)",
            ])
            table.add([
                "  pages of peer exchange by then, each", text(Double(figures.pages + later.pages) / each), "", "",
            ])
        }
        // Waits until every beacon has come twice.
        segment.run(for: max(.zero, .seconds(3 * interval) - until))
        _ = segment.drainFigures()
    }

    private func steadyLife(_ segment: inout SimulatedSegment, _ table: inout Table) {
        segment.run(for: .seconds(seconds))
        let steady = segment.drainFigures()
        let got = 1 - Self.loss
        let fails = 1 - got * got
        let indirectProbes = 3 * (1 + got + got * got + got * got * got)
        let unicasts = Double(hosts) * (1 + got + fails * (1 + got + indirectProbes))
        let suspicions = fails * fails * power(1 - power(got, 4), 3) * Double(hosts) * Double(seconds)
        table.add([
            "steady, \(seconds) s: broadcasts/s", text(steady.perSecond(steady.broadcasts), 2),
            text(Double(hosts) / Double(interval), 2), text(Double(hosts) / 30),
        ])
        table.add([
            "  probes and answers/s in all", text(steady.perSecond(steady.unicasts)), text(unicasts), "0",
        ])
        table.add(["  datagrams received/s, each", text(steady.perSecond(steady.received) / each, 2)])
        table.add(["  signatures checked/s, each", text(steady.perSecond(steady.checks) / each, 2)])
        table.add(["  bytes/s in all", text(steady.perSecond(steady.bytes), 0)])
        table.add(["  false suspicions", "\(steady.suspicions)", text(suspicions, 3), "–"])
        table.add(["  false losses", "\(steady.wronglyLost)", "0", "0"])
        if segment.hasPeerExchange { table.add(["  sessions opened", "\(steady.sessions)", "0", "0"]) }
    }

    private func newcomer(_ segment: inout SimulatedSegment, _ last: Int, _ table: inout Table) {
        segment.watch(last)
        let start = segment.now
        segment.start(last)
        segment.run(for: .seconds(20))
        let figures = segment.drainFigures()
        table.add([
            "a newcomer, known to \(segment.watched.saw.count)", times(segment.watched.saw.values, since: start),
            "0.13 mean",
        ])
        table.add([
            "  its name, known to \(segment.watched.named.count)", times(segment.watched.named.values, since: start),
        ])
        table.add(["  sessions opened in 20 s", "\(figures.sessions)", "\(hosts)", "\(hosts)"])
    }

    private func restart(_ segment: inout SimulatedSegment, _ first: Int, _ table: inout Table) {
        var moments: [Instant] = []
        var sessions = 0
        let begin = segment.now
        var rate = ""
        for round in 0..<Self.rounds where first - round > 0 {
            segment.crash(first - round)
            segment.run(for: .seconds(30))
            _ = segment.drainFigures()
            segment.watch(first - round)
            let start = segment.now
            segment.start(first - round)
            segment.run(for: .seconds(5))
            let figures = segment.drainFigures()
            if round == 0 { rate = text(figures.perSecond(figures.broadcasts), 2) }
            segment.run(for: .seconds(15))
            sessions += figures.sessions + segment.drainFigures().sessions
            moments += segment.watched.saw.values.map { begin + ($0 - start) }
        }
        table.add(["one restart, 5 s: broadcasts/s", rate, text(3.0 / 5 + Double(hosts) / Double(interval), 2)])
        table.add(["  known to all others, \(moments.count) times", times(moments, since: begin)])
        guard segment.hasPeerExchange else { return }
        let one = Double(sessions) / Double(Self.rounds)
        table.add(["  sessions opened in 20 s", text(one), "", "\(hosts)"])
        table.add([
            "a day in which each starts once: sessions", text(one * Double(hosts), 0), "", "\(hosts * (hosts - 1))",
        ])
    }

    private func crashes(_ segment: inout SimulatedSegment, _ first: Int, _ table: inout Table) {
        let begin = segment.now
        var lost: [Instant] = []
        for round in 0..<Self.rounds where first - Self.rounds - round > 0 {
            let moment = segment.now
            segment.watch(first - Self.rounds - round)
            segment.crash(first - Self.rounds - round)
            segment.run(for: .seconds(30))
            lost += segment.watched.lost.values.map { begin + ($0 - moment) }
        }
        let spread = min(0.002 * Double(hosts), 2) / 2
        table.add([
            "a crash, missed \(lost.count) times", times(lost, since: begin), "mean \(text(1.6 + 3.6 + spread))",
            "mean 105 s",
        ])
    }

    private func power(_ base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { value, _ in value * base }
    }
}
