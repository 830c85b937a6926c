import Basics
import Swarm

/// (f) What discovery costs and how fast it is among many hosts, simulated: no daemon, no socket, a clock turned by hand. Where
/// all hosts run in full, cards are exchanged too.
struct DiscoveryBench {
    let hosts: Int
    let listeners: Int
    /// Simulated seconds of steady life.
    let seconds: Int
    let seed: Int

    private static let loss = 0.01
    /// How often hosts crash, and start anew.
    private static let rounds = 10

    func run(_ arguments: Arguments) throws {
        try arguments.finish()
        let count = max(20, hosts)
        let full = min(count, listeners)
        var swarm = Swarm(
            Swarm.Shape(
                hosts: count, listeners: full, loss: Self.loss, hasRosters: full == count, seed: UInt64(seed)))
        var table = Table(["", "simulated", "by the formula", "fixed announcer"])
        let last = full - 1
        report("\(count) hosts, \(full) of them in full, 1 % loss, seed \(seed); an announcer every 30 s beside it")
        coldStart(&swarm, full == count ? last : count, &table)
        steadyLife(&swarm, &table)
        if full == count { newcomer(&swarm, last, &table) }
        restart(&swarm, full - 2, &table)
        crashes(&swarm, full - 3, &table)
        table.add(["devices remembered at most", "\(swarm.mostPresent)", "4096"])
        table.print()
    }

    // MARK: What is shown

    private var interval: Int { min(max(max(20, hosts) / 5, 30), 300) }
    private var each: Double { Double(min(max(20, hosts), listeners)) }

    private func text(_ value: Double, _ digits: Int = 1) -> String { Figures.text(value, digits: digits) }

    private func times(_ moments: some Sequence<Instant>, since start: Instant) -> String {
        let delays = SwarmDelays(moments, since: start)
        return
            "mean \(text(delays.mean, 2)), p99 \(text(delays.quantile(0.99), 2)), most \(text(delays.quantile(1), 2)) s"
    }

    // MARK: What happens

    private func coldStart(_ swarm: inout Swarm, _ starting: Int, _ table: inout Table) {
        swarm.startAll(within: .seconds(10), but: starting)
        let begin = swarm.now
        var heard: Int64?
        var named: Int64?
        swarm.run(for: .seconds(3))
        let figures = swarm.takeFigures()
        table.add([
            "cold start of all within 10 s, 13 s: broadcasts/s", text(figures.perSecond(figures.broadcasts)),
            text(3 * Double(hosts) / 13), text(Double(hosts) / 30),
        ])
        table.add([
            "  signatures checked/s, each", text(figures.perSecond(figures.checks) / each),
            "≤ \(text((2_000 + 600 * 13) / 13.0, 0))",
        ])
        table.add(["  then each knows of the others", "\(text(swarm.acquaintance * 100)) %"])
        let limit = swarm.now + .seconds(3 * interval)
        while swarm.now < limit, heard == nil || (swarm.hasRosters && named == nil) {
            swarm.run(for: .milliseconds(500))
            let time = (swarm.now - begin).milliseconds
            if heard == nil, swarm.acquaintance >= 0.9999 { heard = time }
            if named == nil, swarm.familiarity >= 0.9999 { named = time }
        }
        let until = swarm.now - begin
        table.add([
            "  each knows 99.99 % of them after", heard.map { "\(text(Double($0) / 1_000)) s" } ?? "–", "", "30 s",
        ])
        if swarm.hasRosters {
            let later = swarm.takeFigures()
            table.add([
                "  and 99.99 % of their names after", named.map { "\(text(Double($0) / 1_000)) s" } ?? "–", "", "",
            ])
            let sessions = figures.sessions + later.sessions
            table.add([
                "  sessions opened by then", "\(sessions) (\(text(Double(sessions) / each)) each)", "",
                "\(hosts * (hosts - 1) / 2)",
            ])
            table.add(["  pages of rosters by then, each", text(Double(figures.pages + later.pages) / each), "", ""])
        }
        // Until every beacon has come twice.
        swarm.run(for: max(.zero, .seconds(3 * interval) - until))
        _ = swarm.takeFigures()
    }

    private func steadyLife(_ swarm: inout Swarm, _ table: inout Table) {
        swarm.run(for: .seconds(seconds))
        let steady = swarm.takeFigures()
        let got = 1 - Self.loss
        let fails = 1 - got * got
        let favours = 3 * (1 + got + got * got + got * got * got)
        let unicasts = Double(hosts) * (1 + got + fails * (1 + got + favours))
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
        if swarm.hasRosters { table.add(["  sessions opened", "\(steady.sessions)", "0", "0"]) }
    }

    private func newcomer(_ swarm: inout Swarm, _ last: Int, _ table: inout Table) {
        swarm.watch(last)
        let start = swarm.now
        swarm.start(last)
        swarm.run(for: .seconds(20))
        let figures = swarm.takeFigures()
        table.add(["a newcomer, known to \(swarm.sawIt.count)", times(swarm.sawIt.values, since: start), "0.13 mean"])
        table.add(["  its name, known to \(swarm.namedIt.count)", times(swarm.namedIt.values, since: start)])
        table.add(["  sessions opened in 20 s", "\(figures.sessions)", "\(hosts)", "\(hosts)"])
    }

    private func restart(_ swarm: inout Swarm, _ first: Int, _ table: inout Table) {
        var moments: [Instant] = []
        var sessions = 0
        let begin = swarm.now
        var rate = ""
        for round in 0..<Self.rounds where first - round > 0 {
            swarm.crash(first - round)
            swarm.run(for: .seconds(30))
            _ = swarm.takeFigures()
            swarm.watch(first - round)
            let start = swarm.now
            swarm.start(first - round)
            swarm.run(for: .seconds(5))
            let figures = swarm.takeFigures()
            if round == 0 { rate = text(figures.perSecond(figures.broadcasts), 2) }
            swarm.run(for: .seconds(15))
            sessions += figures.sessions + swarm.takeFigures().sessions
            moments += swarm.sawIt.values.map { begin + ($0 - start) }
        }
        table.add(["one restart, 5 s: broadcasts/s", rate, text(3.0 / 5 + Double(hosts) / Double(interval), 2)])
        table.add(["  known to all others, \(moments.count) times", times(moments, since: begin)])
        guard swarm.hasRosters else { return }
        let one = Double(sessions) / Double(Self.rounds)
        table.add(["  sessions opened in 20 s", text(one), "", "\(hosts)"])
        table.add([
            "a day in which each starts once: sessions", text(one * Double(hosts), 0), "", "\(hosts * (hosts - 1))",
        ])
    }

    private func crashes(_ swarm: inout Swarm, _ first: Int, _ table: inout Table) {
        let begin = swarm.now
        var lost: [Instant] = []
        for round in 0..<Self.rounds where first - Self.rounds - round > 0 {
            let moment = swarm.now
            swarm.watch(first - Self.rounds - round)
            swarm.crash(first - Self.rounds - round)
            swarm.run(for: .seconds(30))
            lost += swarm.lostIt.values.map { begin + ($0 - moment) }
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
