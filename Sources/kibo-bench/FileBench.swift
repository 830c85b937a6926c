import Basics
import ControlProtocol
import Glibc
import TestSupport

/// (b) How fast a file goes from disk to disk, Kibo and contenders in turn: ratios of one run mean something where
/// megabytes per second of two runs do not.
struct FileBench {
    private static let limit = Duration.seconds(600)

    let mebibytes: Int
    let rounds: Int
    /// Where source and copies are; one file system for all.
    let directory: String
    let contenders: [Contender]

    func run(_ arguments: Arguments) throws {
        try arguments.finish()
        let place = directory + "/kibo-bench.\(getpid())"
        guard mkdir(place, 0o700) == 0 else { throw SystemError("mkdir \(place)") }
        defer { TemporaryDirectory.remove(place) }
        let source = place + "/source"
        try shell("head -c \(mebibytes)M /dev/urandom > \"$SOURCE\"", source, place + "/none", log: place + "/log")

        let pair = try Pair()
        let listener = try pair.listener(["transfer.changed"])
        var rates: [String: [Double]] = [:]
        var dropped: Set<String> = []
        for round in 1...rounds {
            let copies = place + "/kibo"
            try record("kibo", round, &rates, copy: copies) {
                guard mkdir(copies, 0o700) == 0 else { throw SystemError("mkdir \(copies)") }
                let seconds = try transfer(source, to: copies, pair, listener)
                if round == 1 {
                    try shell("cmp \"$SOURCE\" \"$DESTINATION\"", source, copies + "/source", log: place + "/log")
                }
                return seconds
            }
            for contender in contenders where !dropped.contains(contender.name) {
                do {
                    try record(contender.name, round, &rates, copy: place + "/copy") {
                        try shell(contender.command, source, place + "/copy", log: place + "/log")
                    }
                } catch let failure as BenchFailure {
                    // One that does not work on this machine is no reason to measure nothing.
                    report("  \(contender.name) does not take part: \(failure)")
                    dropped.insert(contender.name)
                }
            }
        }
        summarise(rates)
        for daemon in [pair.sender, pair.receiver] {
            guard let pid = daemon.pid else { continue }
            let peak = Double(try ProcessFigures(pid: pid).peakResident) / 1_048_576
            report("  \(daemon.name.lowercased()): at most \(Figures.text(peak, digits: 1)) MiB resident")
        }
    }

    private func record(
        _ name: String, _ round: Int, _ rates: inout [String: [Double]], copy: String, _ body: () throws -> Double
    ) throws {
        // What the one before has left to be written is not this one's work.
        sync()
        let seconds = try body()
        let rate = Double(mebibytes) * 1.048576 / seconds
        rates[name, default: []].append(rate)
        report("  round \(round)  \(name.padded(24))\(Figures.text(rate, digits: 0).padded(8, left: true)) MB/s")
        TemporaryDirectory.remove(copy)
    }

    private func summarise(_ rates: [String: [Double]]) {
        let own = Figures(rates["kibo"] ?? []).median
        report("file of \(mebibytes) MiB, median of \(rounds) rounds in turn:")
        for name in ["kibo"] + contenders.map(\.name) {
            guard let figures = rates[name].map(Figures.init) else { continue }
            let ratio = name == "kibo" ? "" : "  kibo is \(Figures.text(own / figures.median, digits: 2)) times that"
            report("  \(name.padded(24))\(Figures.text(figures.median, digits: 0).padded(8, left: true)) MB/s\(ratio)")
        }
    }

    /// Seconds from the acceptance until the receiver says that the file is there.
    private func transfer(_ source: String, to folder: String, _ pair: Pair, _ listener: ControlClient) throws -> Double
    {
        let offer = try pair.sender.call(
            "transfer.send", ["to": .string(try pair.receiver.account.id), "paths": .strings([source])])
        guard let id = offer["transfers"]?.array?.first?["id"]?.string else {
            throw BenchFailure(description: "transfer.send answered without a transfer: \(offer)")
        }
        try wait(for: id, .offered, pair, listener)
        let clocks = SystemClocks()
        let begin = clocks.now
        try pair.receiver.call("transfer.accept", ["id": .string(id), "path": .string(folder)])
        try wait(for: id, .done, pair, listener)
        return (clocks.now - begin).inSeconds
    }

    private func wait(for id: String, _ state: TransferState, _ pair: Pair, _ listener: ControlClient) throws {
        let deadline = SystemClocks().now + Self.limit
        while let event = try listener.nextEvent(timeout: deadline - SystemClocks().now) {
            guard event.data["id"]?.string == id else { continue }
            let transfer = try Transfer(json: event.data)
            if transfer.state == state { return }
            if transfer.state.isFinal {
                throw BenchFailure(
                    description: "the transfer is \(transfer.state.rawValue): \(transfer.reason ?? "")\n"
                        + pair.sender.logTail + "\n" + pair.receiver.logTail)
            }
        }
        throw BenchFailure(description: "the transfer was not \(state.rawValue) within \(Self.limit)")
    }

    /// Runs a command; how many seconds it took.
    @discardableResult
    private func shell(_ command: String, _ source: String, _ destination: String, log: String) throws -> Double {
        try Shell.run(
            command, ["SOURCE": source, "DESTINATION": destination, "HOME": directory], log: log, limit: Self.limit)
    }
}
