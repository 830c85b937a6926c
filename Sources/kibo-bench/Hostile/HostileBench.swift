import Basics
import ControlProtocol
import Glibc
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
        report(
            "\(HonestTalk.rate) messages a second between two friends, request to \"delivered\"; the daemon of one is attacked, \(seconds) s each:"
        )
        var table = Table(["attack", "p50 ms", "p99 ms", "most ms", "status, most ms", "MiB most", "CPU %"])
        let usual = attacks.filter { $0 != .disk }
        if !usual.isEmpty { try run(usual, at: try Place(), &table) }
        if attacks.contains(.disk) {
            if let place = try Place(diskBytes: Self.smallDisk) {
                try run([.disk], at: place, &table)
            } else {
                report("  disk: left out, because only root can mount a small file system")
            }
        }
        table.print()
    }

    private static let smallDisk = 500 << 20
    /// How long somebody who asks to be a friend after a flood may take to come through.
    private static let newcomer = Duration.seconds(5)
    /// The longest time between two looks whether they have.
    private static let look = Duration.milliseconds(50)

    /// The daemon that is attacked, and a friend of it.
    private final class Place {
        let port: UInt16
        let options: DaemonProcess.Options
        let attacked: DaemonProcess
        let friend: DaemonProcess
        private var mounted: String?

        init() throws {
            port = try FreePort.udp()
            options = .measured(discoveryPort: port, logLevel: .error)
            attacked = try DaemonProcess.launch(name: "Attacked", options: options)
            friend = try DaemonProcess.launch(name: "Friend", options: options)
            try befriend()
            // A friend's messages are all to be stored, and are more than one may write in a day.
            try attacked.set("messages.dailyBytes", to: .integer(4 << 40))
        }

        /// Puts the data of the attacked daemon on a disk of its own. Nil if this process may not mount.
        init?(diskBytes: Int) throws {
            port = try FreePort.udp()
            options = .measured(discoveryPort: port, logLevel: .error)
            attacked = try DaemonProcess(name: "Attacked", options: options)
            let path = attacked.dataPath
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(diskBytes),mode=700") == 0 else { return nil }
            mounted = path
            friend = try DaemonProcess.launch(name: "Friend", options: options)
            try attacked.start()
            try attacked.createAccount()
            try befriend()
        }

        private func befriend() throws {
            try attacked.befriend(friend)
            // The hostile friend becomes a friend by asking.
            try attacked.set("contacts.policy", to: "everyone")
        }

        deinit { if let mounted { umount2(mounted, CInt(MNT_DETACH)) } }
    }

    private func run(_ attacks: [Attack], at place: Place, _ table: inout Table) throws {
        let attacked = place.attacked
        let talk = try HonestTalk(attacked, place.friend)
        _ = try talk.latencies(for: .seconds(2))
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
                Figures.text(figures.largest, digits: 1), Figures.text(talk.statuses.max() ?? 0, digits: 1),
                Figures.text(Double(after.peakResident) / 1_048_576, digits: 1), Figures.text(busy * 100, digits: 0),
            ])
        }
        try add("nothing") { try talk.latencies(for: .seconds(seconds)) }
        for attack in attacks {
            let child = try start(attack, against: attacked, port: place.port)
            try Patience.until("the attacker to be ready", within: Self.preparation) {
                try child.output().contains("ready")
            }
            Patience.pause(Self.warmUp)
            var failure: (any Error)?
            do {
                if attack == .requests { try newcomer(at: attacked) }
                try add(attack.text) { try talk.latencies(for: .seconds(seconds)) }
                if attack == .disk { try meetNewcomer(at: place) }
            } catch { failure = error }
            if failure == nil, child.process.wait(.seconds(60)) != .exited(0) {
                failure = BenchFailure(description: "the attacker failed: \(try child.output())")
            }
            child.process.kill()
            if let failure { throw failure }
            let done = try child.output().split(separator: "\n").last { $0.hasPrefix("done ") }
            report("  \(attack.rawValue): \(done.map { String($0.dropFirst(5)) } ?? "?") sent")
        }
    }

    /// Somebody else becomes a friend, and their message comes through.
    private func meetNewcomer(at place: Place) throws {
        let attacked = place.attacked
        let newcomer = try DaemonProcess.launch(name: "Newcomer", options: place.options)
        try newcomer.waitToSee(attacked)
        let begin = SystemClocks().now
        let id = try attacked.account.id
        try newcomer.call("contact.request", ["id": .string(id)])
        try Patience.until(
            "the newcomer to be a friend", within: Self.newcomer, atLeastEvery: Self.look, report: attacked.logTail
        ) {
            try newcomer.contact(id)?.relation == .friend
        }
        let sent = try Message(json: newcomer.call("message.send", ["to": .string(id), "text": "hello"]))
        try Patience.until(
            "the newcomer's message to arrive", within: Self.newcomer, atLeastEvery: Self.look, report: attacked.logTail
        ) {
            try Message(json: newcomer.call("message.get", ["id": .string(sent.id)])).state == .delivered
        }
        let took = (SystemClocks().now - begin).inMilliseconds
        let putOff = try attacked.status.putOff.map { "\($0.name ?? "?") (\($0.reason.rawValue))" }
        report(
            "  a newcomer's first message: \(Figures.text(took, digits: 0)) ms; put off: \(putOff.joined(separator: ", "))"
        )
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
            kind: .contactRequest, id: UUIDv7(at: clocks.wallTime, using: &random),
            body: try ContactRequestBody().encoded())
        link.send(request.encoded())
        var times: [Double] = []
        try Patience.until("the newcomer's request", atLeastEvery: Self.look) {
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
