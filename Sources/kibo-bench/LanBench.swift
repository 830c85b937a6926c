import Basics
import ControlProtocol
import TestSupport

/// Many real daemons on one network, which is loopback: how soon all know a newcomer, how soon all miss one that is
/// killed, and what each takes while nothing happens. All are strangers to each other, as most people in an office are.
struct LanBench {
    let daemons: Int
    let rounds: Int
    let seconds: Int

    /// The time until greetings and the first looks at each other are over.
    private static let settle = Duration.seconds(20)

    func run() throws {
        let port = try FreePort.udp()
        report("starting \(daemons) daemons on loopback …")
        let clocks = SystemClocks()
        var crowd: [DaemonProcess] = []
        for number in 1...daemons {
            let options = DaemonProcess.Options.measured(discoveryPort: port, logLevel: .warning)
            crowd.append(try DaemonProcess.launch(name: "Host \(number)", options: options))
        }
        let last = clocks.now
        try Patience.until("everybody to see everybody", within: .seconds(300), atLeastEvery: .milliseconds(50)) {
            try crowd.allSatisfy { try $0.status.peers == daemons - 1 }
        }
        report("  all see all \(Figures.text((clocks.now - last).inSeconds, digits: 1)) s after the last start")
        Patience.pause(Self.settle)
        try countSessions(crowd, "from the start")
        try measureIdling(crowd)
        try countSessions(crowd, "with the idle time")
        try measureNewcomers(crowd, port)
        try countSessions(crowd, "with the newcomers")
    }

    /// Prints the connections of each daemon so far. Both ends of a session count it.
    private func countSessions(_ crowd: [DaemonProcess], _ since: String) throws {
        let texts = try crowd.map { try $0.call("system.metrics").string ?? "" }
        func sum(_ name: String, _ label: String = "") -> [Double] {
            texts.map { text in
                text.split(separator: "\n").filter { $0.hasPrefix(name) && $0.contains(label) }
                    .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
            }
        }
        let opened = Figures(sum("kibo_sessions_opened_total"))
        let dials = sum("kibo_dials_total", "connected")
        let open = sum("kibo_sessions{") + sum("kibo_sessions ")
        let all = Int(dials.reduce(0, +))
        report(
            "sessions, \(since): \(all) dialled in all, of \(daemons * (daemons - 1) / 2) pairs; each daemon opened or took "
                + "\(Figures.text(opened.median, digits: 0)), at most \(Figures.text(opened.largest, digits: 0)); "
                + "\(Int(open.reduce(0, +)) / 2) are open")
    }

    private func measureIdling(_ crowd: [DaemonProcess]) throws {
        let processes = crowd.compactMap(\.pid)
        let before = try processes.map { try ProcessFigures(pid: $0) }
        Patience.pause(.seconds(seconds))
        let after = try processes.map { try ProcessFigures(pid: $0) }
        let busy = Figures(
            zip(before, after).map { ($1.processorTime - $0.processorTime).inSeconds / Double(seconds) * 100 })
        let resident = Figures(after.map { Double($0.resident) / 1_048_576 })
        report("nothing happens, \(seconds) s, of each daemon:")
        report(
            "  processor: median \(Figures.text(busy.median, digits: 2)) %, most \(Figures.text(busy.largest, digits: 2)) % of a core"
        )
        report(
            "  resident: median \(Figures.text(resident.median, digits: 1)), most \(Figures.text(resident.largest, digits: 1)) MiB"
        )
    }

    private func measureNewcomers(_ crowd: [DaemonProcess], _ port: UInt16) throws {
        let clocks = SystemClocks()
        let clients = try crowd.map { daemon in
            let client = try daemon.connect()
            try client.call("events.subscribe", ["types": .strings(["peer.appeared", "peer.vanished"])])
            return client
        }
        var (found, missed): ([Double], [Double]) = ([], [])
        for round in 1...rounds {
            let newcomer = try DaemonProcess(
                name: "Newcomer \(round)", options: .measured(discoveryPort: port, logLevel: .warning))
            try newcomer.start()
            // A daemon announces itself only once it has an account.
            let begin = clocks.now
            let account = try newcomer.createAccount().id
            found += try Self.wait(for: "peer.appeared", of: account, at: clients, since: begin)
            Patience.pause(.seconds(5))
            let end = clocks.now
            newcomer.kill()
            missed += try Self.wait(for: "peer.vanished", of: account, at: clients, since: end)
        }
        for (what, times) in [("a newcomer is seen by", found), ("one that is killed is missed by", missed)] {
            let figures = Figures(times)
            let texts = [("median", figures.median), ("p99", figures.percentile(99)), ("last", figures.largest)].map {
                "\($0) \(Figures.text($1, digits: 2)) s"
            }
            report("\(what) each of \(clients.count), \(rounds) times: \(texts.joined(separator: ", "))")
        }
    }

    /// Seconds until each client has got the event about the account.
    private static func wait(
        for type: String, of account: String, at clients: [ControlClient], since begin: Instant
    ) throws -> [Double] {
        var waiting = Set(clients.indices)
        var times: [Double] = []
        let clocks = SystemClocks()
        while !waiting.isEmpty {
            guard clocks.now - begin < .seconds(120) else {
                throw BenchFailure(description: "\(waiting.count) daemons have not heard of \(type) within two minutes")
            }
            for index in waiting {
                while let event = try clients[index].nextEvent(timeout: .zero) {
                    guard event.type == type, event.data["account"]?.string == account else { continue }
                    times.append((clocks.now - begin).inSeconds)
                    waiting.remove(index)
                }
            }
            Patience.pause(.milliseconds(2))
        }
        return times
    }
}
