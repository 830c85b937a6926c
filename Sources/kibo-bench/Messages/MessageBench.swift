import Basics
import ControlProtocol
import Glibc
import TestSupport

/// (a) What a message costs, from `message.send` until the receiver's client has the event. In between lie a commit to
/// disk at the sender, the network and a commit at the receiver. Brokers that keep messages on disk are measured in
/// turn with it.
struct MessageBench {
    private static let warmUp = 100
    private static let limit = Duration.seconds(300)
    /// The numbers of messages whose system calls are counted.
    private static let counted = (alone: 200, pipelined: 5_000)

    let latencies: Int
    let throughput: Int
    let rounds: Int
    let contenders: [Contender]
    /// The path of a library that the daemons load first, such as that of `Benchmarks/slow_disk.c`; system calls are not
    /// counted then.
    let preload: String?

    func run() throws {
        try compare()
        if preload == nil { try countCalls() }
    }

    // MARK: Time

    private func compare() throws {
        let load = try MessageLoad(Pair(preload: preload))
        var figures: [String: [MessageFigures]] = [:]
        var dropped: Set<String> = []
        report(
            "message, send to event, \(latencies) one at a time; \(throughput) with \(MessageLoad.window) on their way:"
        )
        for round in 1...rounds {
            sync()
            try record("kibo", round, &figures) {
                let alone = Figures(try load.latencies(latencies, warmUp: Self.warmUp).map(\.inMilliseconds))
                let seconds = try load.pipelined(throughput).inSeconds
                return MessageFigures(
                    p50: alone.percentile(50), p99: alone.percentile(99), perSecond: Double(throughput) / seconds)
            }
            for contender in contenders where !dropped.contains(contender.name) {
                sync()
                do {
                    try record(contender.name, round, &figures) { try run(contender) }
                } catch let failure as BenchFailure {
                    // A contender that does not work on this machine is no reason to measure nothing.
                    report("  \(contender.name) does not take part: \(failure)")
                    dropped.insert(contender.name)
                }
            }
        }
        report("median of \(rounds) rounds in turn:")
        let names = ["kibo"] + contenders.map(\.name)
        MessageFigures.table(
            names.compactMap { name in figures[name].map { (name, MessageFigures(medianOf: $0)) } }
        ).print()
    }

    private func record(
        _ name: String, _ round: Int, _ figures: inout [String: [MessageFigures]], _ body: () throws -> MessageFigures
    ) throws {
        let result = try body()
        figures[name, default: []].append(result)
        let cells = result.cells
        report("  round \(round)  \(name.padded(30))p50 \(cells[0]) ms, p99 \(cells[1]) ms, \(cells[2]) a second")
    }

    private func run(_ contender: Contender) throws -> MessageFigures {
        let directory = try TemporaryDirectory()
        let log = directory.file("log")
        try Shell.run(
            contender.command,
            [
                "LATENCIES": "\(latencies)", "THROUGHPUT": "\(throughput)", "WINDOW": "\(MessageLoad.window)",
            ], log: log, limit: Self.limit)
        let output = try TextFile.text(log)
        guard let figures = MessageFigures(output: output) else {
            throw BenchFailure(description: "its output is no figures: \(TextFile.tail(output, lines: 3))")
        }
        return figures
    }

    // MARK: System calls

    private func countCalls() throws {
        guard let strace = Shell.find("strace") else { return report("no strace: system calls are not counted") }
        report("system calls a message, one at a time, \(Self.counted.alone) of them:")
        try count(CallCounter.inputOutput, Self.counted.alone, strace) { try $0.latencies($1, warmUp: 0) }
        report("pipelined, \(Self.counted.pipelined) of them:")
        try count(CallCounter.syncs, Self.counted.pipelined, strace) { try $0.pipelined($1) }
    }

    private func count<Result>(
        _ calls: [String], _ messages: Int, _ strace: String, _ body: (MessageLoad, Int) throws -> Result
    ) throws {
        let directory = try TemporaryDirectory()
        let sender = CallCounter(strace: strace, calls: calls, path: directory.file("sender"))
        let receiver = CallCounter(strace: strace, calls: calls, path: directory.file("receiver"))
        let load: MessageLoad
        do {
            load = try MessageLoad(Pair(counters: (sender, receiver)))
        } catch {
            return report("  strace can't trace here: \(error)")
        }
        // The writes left by the greetings and by the last messages settle in between.
        _ = try body(load, min(messages, 100))
        sleep(1)
        let before = (try sender.counts, try receiver.counts)
        _ = try body(load, messages)
        sleep(1)
        let after = (try sender.counts, try receiver.counts)
        var table = Table(["", "sender", "receiver"])
        for call in calls {
            let counts = [(before.0, after.0), (before.1, after.1)].map { ($1[call] ?? 0) - ($0[call] ?? 0) }
            guard counts.contains(where: { $0 > 0 }) else { continue }
            table.add([call] + counts.map { Figures.text(Double($0) / Double(messages), digits: 3) })
        }
        table.print()
    }
}
