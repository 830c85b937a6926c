import Arguments
import Basics
import ControlProtocol
import Glibc
import TestSupport

/// (e) A backup of a long history: how long it takes to make and to restore, how much memory that needs, how large the file
/// is, and how long a friend's messages take meanwhile. The recovery code opens it: a passphrase would take 256 MiB for a
/// second, which is measured nowhere here.
struct BackupBench {
    private static let makeSeconds = 20.0
    private static let makeMebibytes = 32.0
    private static let fileMebibytes = 80.0
    private static let restoreSeconds = 60.0
    private static let restoreMebibytes = 128.0
    private static let messageBound = Bound(limit: 50)
    private static let aloneMessages = 300
    private static let warmUp = 50
    private static let limit = Duration.seconds(600)
    /// The size to which the store cuts its log once it is written back.
    private static let logMebibytes = 16.0
    /// How long the daemon has to do that.
    private static let checkpoint = Duration.seconds(30)

    let messages: Int
    let conversations: Int
    let rounds: Int
    /// The directory that holds the data of a daemon with a history; nil: they are made.
    let reuse: String?
    /// Where the files go.
    let directory: String
    let contenders: [Contender]

    /// What one backup took.
    private struct Making {
        let seconds: Double
        let mebibytes: Double
        let path: String
        let fileMebibytes: Double
        let latencies: [Double]
    }

    func run() throws {
        let place = directory + "/kibo-bench.\(getpid())"
        guard mkdir(place, 0o700) == 0 else { throw SystemError("mkdir \(place)") }
        defer { TemporaryDirectory.remove(place) }
        let options = DaemonProcess.Options.measured(discoveryPort: try FreePort.udp())
        let anna = try DaemonProcess(name: "Anna", options: options)
        if let reuse {
            try HistoryBench.copy(reuse, to: anna.dataPath)
        } else {
            let plan = HistoryPlan(
                messages: messages, conversations: conversations, end: SystemClocks().wallTime)
            try HistoryBench.make(plan, anna)
        }
        sync()
        try anna.start()
        let pair = try Pair(try DaemonProcess.launch(name: "Ben", options: options), anna)
        guard let code = try anna.call("recovery.code")["code"]?.string else {
            throw BenchFailure(description: "no recovery code came")
        }
        let load = try MessageLoad(pair)
        let alone = try load.latencies(Self.aloneMessages, warmUp: Self.warmUp).map(\.inMilliseconds)
        var (makings, bare): ([Making], [String: [Double]]) = ([], [:])
        for _ in 0..<rounds {
            makings.append(try make(anna, load, in: place))
            for contender in contenders { bare[contender.name, default: []].append(try copy(contender, anna, place)) }
        }
        guard let last = makings.last else { throw BenchFailure(description: "no round was run") }
        let seconds = Figures(makings.map(\.seconds)).median
        report("a backup of \(messages) messages, median of \(rounds) rounds in turn:")
        say("made in", seconds, "s", Self.makeSeconds)
        for contender in contenders {
            let other = Figures(bare[contender.name] ?? []).median
            report(
                "  \(contender.name): \(Figures.text(other, digits: 1)) s; Kibo takes "
                    + "\(Figures.text(seconds / other, digits: 2)) times as long, and reads its file back")
        }
        say("resident above idle", Figures(makings.map(\.mebibytes)).largest, "MiB", Self.makeMebibytes)
        say("the file has", last.fileMebibytes, "MiB", Self.fileMebibytes)
        var table = Table(["milliseconds of a friend's message", "p50", "p99", "bound", ""])
        table.add(HistoryBench.row("alone", alone, nil))
        table.add(HistoryBench.row("beside a backup", makings.flatMap(\.latencies), Self.messageBound))
        table.print()
        try reportLog(anna, load)
        try anna.stop()
        try restore(last.path, code)
    }

    private func say(_ what: String, _ value: Double, _ unit: String, _ bound: Double) {
        let verdict = value <= bound ? Bound.Verdict.holds : .broken
        report(
            "  \(what) \(Figures.text(value, digits: 1)) \(unit); bound \(Figures.text(bound, digits: 0)) \(unit): "
                + verdict.rawValue)
    }

    private static func resident(_ daemon: DaemonProcess) throws -> Double {
        guard let pid = daemon.pid else { throw BenchFailure(description: "the daemon has ended\n\(daemon.logTail)") }
        return Double(try ProcessFigures(pid: pid).resident) / 1_048_576
    }

    /// Makes a backup while messages come, one at a time, and looks at the memory with each.
    private func make(_ anna: DaemonProcess, _ load: MessageLoad, in place: String) throws -> Making {
        let client = try anna.connect()
        let idle = try Self.resident(anna)
        var most = idle
        let clocks = SystemClocks()
        let begin = clocks.now
        let request = try client.send("backup.rotate", ["directory": .string(place), "keep": 1])
        try client.flush(timeout: Self.limit)
        var latencies: [Double] = []
        while true {
            latencies.append(try load.latency(latencies.count).inMilliseconds)
            most = max(most, try Self.resident(anna))
            try client.pump()
            guard let reply = client.bufferedReply() else { continue }
            guard reply.id == .integer(request), case .result(let result) = reply.outcome else {
                throw BenchFailure(description: "the backup was refused: \(reply.outcome)")
            }
            let made = try BackupSummary(json: result["backup"] ?? .null)
            return Making(
                seconds: (clocks.now - begin).inSeconds, mebibytes: most - idle, path: made.path,
                fileMebibytes: Double(made.bytes) / 1_048_576, latencies: latencies)
        }
    }

    private func copy(_ contender: Contender, _ anna: DaemonProcess, _ place: String) throws -> Double {
        let clocks = SystemClocks()
        let begin = clocks.now
        let log = try TemporaryDirectory()
        try Shell.run(
            contender.command,
            ["SOURCE": anna.dataPath + "/kibo.sqlite", "DESTINATION": place + "/bare"], log: log.file("log"),
            limit: Self.limit)
        defer { unlink(place + "/bare") }
        return (clocks.now - begin).inSeconds
    }

    /// Waits until the write-ahead log is small again: it can't be written back while a backup reads. The store cuts it with
    /// the first message after it was written back.
    private func reportLog(_ anna: DaemonProcess, _ load: MessageLoad) throws {
        func mebibytes() -> Double {
            var status = stat()
            guard stat(anna.dataPath + "/kibo.sqlite-wal", &status) == 0 else { return 0 }
            return Double(status.st_size) / 1_048_576
        }
        let clocks = SystemClocks()
        let (begin, first) = (clocks.now, mebibytes())
        while mebibytes() > Self.logMebibytes, clocks.now - begin < Self.checkpoint {
            _ = try load.latency(0)
            usleep(100_000)
        }
        let end = mebibytes()
        report(
            "  the write-ahead log has \(Figures.text(first, digits: 1)) MiB at the end, and "
                + "\(Figures.text(end, digits: 1)) MiB \(Figures.text((clocks.now - begin).inSeconds, digits: 1)) s later"
        )
    }

    private func restore(_ path: String, _ code: String) throws {
        let daemon = try DaemonProcess(name: "Anna", options: .measured())
        try daemon.start()
        let client = try daemon.connect()
        var most = 0.0
        let clocks = SystemClocks()
        let begin = clocks.now
        _ = try client.send("backup.restore", ["path": .string(path), "passphrase": .string(code)])
        try client.flush(timeout: Self.limit)
        while true {
            most = max(most, try Self.resident(daemon))
            try client.pump()
            if let reply = client.bufferedReply() {
                guard case .result = reply.outcome else {
                    throw BenchFailure(description: "the restore was refused: \(reply.outcome)")
                }
                break
            }
            usleep(5_000)
        }
        let seconds = (clocks.now - begin).inSeconds
        try daemon.reconnect { $0["account"]?.string != nil }
        say("restored in", seconds, "s", Self.restoreSeconds)
        say("resident at most", most, "MiB", Self.restoreMebibytes)
        report("  answers again after \(Figures.text((clocks.now - begin).inSeconds, digits: 1)) s")
        try daemon.stop()
    }
}
