import Arguments
import Basics
import ControlProtocol
import Glibc
import TestSupport

/// (d) A daemon with years of history: how long it takes to start, to turn pages, to list, to search and to send, and
/// how much memory it needs.
struct HistoryBench {
    private static let startBound = Bound(limit: 300)
    private static let pageBound = Bound(limit: 5)
    private static let listBound = Bound(limit: 10)
    private static let searchBound = Bound(limit: 50)
    /// The limit of resident memory, in MiB, after all measurements.
    private static let residentBound = 80.0
    private static let warmUp = 20

    let messages: Int
    let conversations: Int
    /// The share of conversations in Chinese, in percent.
    let hanPercent: Int
    let calls: Int
    let starts: Int
    /// The directory in which to leave a copy of the daemon's data, for another run.
    let keep: String?
    /// The directory that holds such a copy.
    let reuse: String?

    /// The name of a conversation's friend; the first one has the longest conversation.
    static func name(_ number: Int) -> String { "Person \(number + 1)" }

    init(_ arguments: ParsedArguments) throws(ArgumentParser.Problem) {
        messages = try arguments.number("--messages", default: 1_000_000)
        conversations = try arguments.number("--conversations", default: 1_000)
        hanPercent = try arguments.number("--chinese", default: 10)
        calls = try arguments.number("--calls", default: 200)
        starts = try arguments.number("--starts", default: 10)
        keep = arguments.value("--keep")
        reuse = arguments.value("--reuse")
        if keep == "" || reuse == "" { throw ArgumentParser.Problem(message: "--keep and --reuse need a directory") }
        if keep != nil, reuse != nil {
            throw ArgumentParser.Problem(message: "--keep and --reuse exclude each other")
        }
    }

    func run() throws {
        let plan = HistoryPlan(
            messages: messages, conversations: conversations, hanPercent: hanPercent, end: SystemClocks().wallTime)
        let daemon = try DaemonProcess(name: "Anna", options: .measured())
        if let reuse {
            try Self.copy(reuse, to: daemon.dataPath)
        } else {
            try Self.make(plan, daemon)
        }
        if let keep { try Self.copy(daemon.dataPath, to: keep) }
        sync()
        let milliseconds = try start(daemon)
        var table = Table(["", "p50", "p99", "bound", ""])
        table.add(Self.row("start, exec to first answer", milliseconds, Self.startBound))
        let all = HistoryCalls(
            daemon: daemon, vocabulary: plan.vocabulary, hanVocabulary: plan.hanVocabulary, calls: calls,
            warmUp: Self.warmUp)
        for result in try all.run() {
            table.add(result.cells(bounds: (page: Self.pageBound, list: Self.listBound, search: Self.searchBound)))
        }
        report("milliseconds of \(calls) calls each, \(milliseconds.count) starts:")
        table.print()
        try reportMemory(daemon)
        try daemon.stop()
    }

    /// A row of the table. Without a bound there is no verdict.
    static func row(_ name: String, _ milliseconds: [Double], _ bound: Bound?) -> [String] {
        let figures = Figures(milliseconds)
        let cells = [
            name, Figures.text(figures.percentile(50), digits: 2), Figures.text(figures.percentile(99), digits: 2),
        ]
        guard let bound else { return cells }
        return cells + [Figures.text(bound.limit, digits: 0), bound.verdict(figures).rawValue]
    }

    /// Makes an account and writes the history into its database. The daemon stands still afterwards.
    static func make(_ plan: HistoryPlan, _ daemon: DaemonProcess) throws {
        try daemon.start()
        try daemon.createAccount()
        try daemon.stop()
        let clocks = SystemClocks()
        let begin = clocks.now
        let written = try HistoryStore.fill(directory: daemon.dataPath, plan: plan)
        func percent(_ count: Int) -> String {
            Figures.text(Double(count) * 100 / Double(max(1, written.messages)), digits: 1) + " %"
        }
        let seconds = Figures.text((clocks.now - begin).inSeconds, digits: 0)
        let mebibytes = Figures.text(Double(written.bytes) / 1_048_576, digits: 0)
        report(
            "made in \(seconds) s: \(written.messages) messages in \(plan.conversations) conversations, \(mebibytes) MiB;"
        )
        report(
            "  \(written.files) with a file; the commonest word stands in \(percent(written.withCommonest)) of them, "
                + "the rarest in \(written.withRarest)")
    }

    private func start(_ daemon: DaemonProcess) throws -> [Double] {
        var milliseconds: [Double] = []
        // The first start reads what filling the store has left, and is not counted.
        for number in 0...starts {
            if number > 0 { try daemon.stop() }
            try daemon.start()
            let time = daemon.startDuration.inMilliseconds
            if number == 0 {
                report("first start: \(Figures.text(time, digits: 0)) ms")
            } else {
                milliseconds.append(time)
            }
        }
        return milliseconds
    }

    private func reportMemory(_ daemon: DaemonProcess) throws {
        guard let pid = daemon.pid else { throw BenchFailure(description: "the daemon has ended\n\(daemon.logTail)") }
        let figures = try ProcessFigures(pid: pid)
        let (now, peak) = (Double(figures.resident) / 1_048_576, Double(figures.peakResident) / 1_048_576)
        let verdict = peak <= Self.residentBound ? Bound.Verdict.holds : .broken
        report(
            "resident: \(Figures.text(now, digits: 1)) MiB now, \(Figures.text(peak, digits: 1)) MiB at most; "
                + "bound \(Figures.text(Self.residentBound, digits: 0)) MiB: \(verdict.rawValue)")
    }

    /// Copies a data directory.
    static func copy(_ source: String, to destination: String) throws {
        let log = try TemporaryDirectory()
        try Shell.run(
            "mkdir -p -m 700 \"$DESTINATION\" && cp -a \"$SOURCE\"/. \"$DESTINATION\"",
            ["SOURCE": source, "DESTINATION": destination], log: log.file("log"), limit: .seconds(120))
    }
}
