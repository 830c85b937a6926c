import Basics
import ControlProtocol
import PeerProtocol
import TestSupport

/// How two friends fare while one of their daemons is attacked, by one flood after another. The attackers are separate
/// processes on loopback.
struct HostileBench {
    let seconds: Int
    let attacks: [Attack]

    /// The longest time that an attacker may take to make its keys, and how long it attacks before the measurement.
    private static let preparation = Duration.seconds(120)
    private static let warmUp = Duration.seconds(1)

    func run() throws {
        let port = try FreePort.udp()
        let options = DaemonProcess.Options.measured(discoveryPort: port, logLevel: .error)
        let attacked = try DaemonProcess.launch(name: "Attacked", options: options)
        let friend = try DaemonProcess.launch(name: "Friend", options: options)
        try attacked.befriend(friend)
        // The hostile friend becomes a friend by asking.
        try attacked.set("contacts.policy", to: "everyone")
        let talk = try HonestTalk(attacked, friend)
        _ = try talk.latencies(for: .seconds(2))

        report(
            "\(HonestTalk.rate) messages a second between two friends, request to \"delivered\"; the daemon of one is attacked, \(seconds) s each:"
        )
        var table = Table(["attack", "p50 ms", "p99 ms", "most ms", "MiB most", "CPU %"])
        func add(_ name: String, _ body: () throws -> [Double]) throws {
            guard let pid = attacked.pid else {
                throw BenchFailure(description: "the daemon died\n\(attacked.logTail)")
            }
            let before = try ProcessFigures(pid: pid)
            let begin = SystemClocks().now
            let figures = Figures(try body())
            let after = try ProcessFigures(pid: pid)
            let busy = (after.processorTime - before.processorTime).inSeconds / (SystemClocks().now - begin).inSeconds
            table.add([
                name, Figures.text(figures.median, digits: 2), Figures.text(figures.percentile(99), digits: 2),
                Figures.text(figures.largest, digits: 1),
                Figures.text(Double(after.peakResident) / 1_048_576, digits: 1), Figures.text(busy * 100, digits: 0),
            ])
        }
        try add("nothing") { try talk.latencies(for: .seconds(seconds)) }
        for attack in attacks {
            let child = try start(attack, against: attacked, port: port)
            try Patience.until("the attacker to be ready", within: Self.preparation) {
                try child.output().contains("ready")
            }
            Patience.pause(Self.warmUp)
            var failure: (any Error)?
            do {
                if attack == .requests { try newcomer(at: attacked) }
                try add(attack.text) { try talk.latencies(for: .seconds(seconds)) }
            } catch { failure = error }
            if failure == nil, child.process.wait(.seconds(60)) != .exited(0) {
                failure = BenchFailure(description: "the attacker failed: \(try child.output())")
            }
            child.process.kill()
            if let failure { throw failure }
            let done = try child.output().split(separator: "\n").last { $0.hasPrefix("done ") }
            report("  \(attack.rawValue): \(done.map { String($0.dropFirst(5)) } ?? "?") sent")
        }
        table.print()
    }

    /// Lets somebody from another address ask to be a friend meanwhile, and asks for the daemon's status.
    private func newcomer(at daemon: DaemonProcess) throws {
        try daemon.set("contacts.policy", to: "ask")
        defer { try? daemon.set("contacts.policy", to: "everyone") }
        guard let address = SocketAddress(try daemon.listenAddress) else { return }
        let clocks = SystemClocks()
        let newcomer = try AttackPeer("Newcomer")
        var random = SystemRandomNumberGenerator()
        let begin = clocks.now
        var link = try newcomer.connect(to: address, from: .v4(0x7F00_0002))
        let request = Frame(
            kind: .contactRequest, id: UUIDv7(at: clocks.wallTime, using: &random), body: try ContactRequestBody().encoded())
        link.send(request.encoded())
        var times: [Double] = []
        try Patience.until("the newcomer's request") {
            let asked = clocks.now
            _ = try daemon.call("system.status")
            times.append((clocks.now - asked).inMilliseconds)
            if !link.drain() {
                link = try newcomer.connect(to: address, from: .v4(0x7F00_0002))
                link.send(request.encoded())
            }
            let waiting = try daemon.call("contact.list", ["relation": "incoming"])["contacts"]?.array ?? []
            return waiting.contains { $0["displayName"]?.string == "Newcomer" }
        }
        let time = (clocks.now - begin).inMilliseconds
        for _ in 0..<50 {
            let asked = clocks.now
            _ = try daemon.call("system.status")
            times.append((clocks.now - asked).inMilliseconds)
        }
        report(
            "  a newcomer's request came after \(Figures.text(time, digits: 0)) ms; system.status at most \(Figures.text(times.max() ?? 0, digits: 1)) ms"
        )
    }

    /// An attacking process and its output.
    private struct Child {
        let process: ChildProcess
        let directory: TemporaryDirectory

        func output() throws -> String { try TextFile.text(directory.file("out")) }
    }

    private func start(_ attack: Attack, against daemon: DaemonProcess, port: UInt16) throws -> Child {
        let directory = try TemporaryDirectory()
        let words = [
            "attack", attack.rawValue, "--target", try daemon.listenAddress, "--announce", "\(port)", "--seconds",
            "\(seconds + Int(Self.warmUp.milliseconds / 1_000))",
        ]
        let process = try ChildProcess(
            ProgramPaths.directory + "/kibo-bench", words, environment: [:], outputPath: directory.file("out"))
        return Child(process: process, directory: directory)
    }
}
