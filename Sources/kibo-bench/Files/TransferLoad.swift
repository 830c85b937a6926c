import Basics
import ControlProtocol
import Glibc
import TestSupport
import Vocabulary

/// Sends files and folders between two daemons.
struct TransferLoad {
    private static let limit = Duration.seconds(600)

    let pair: Pair
    private let listener: ControlClient

    init() throws {
        pair = try Pair()
        listener = try pair.listener(["transfer.changed"])
    }

    /// Offers a file or folder and waits until the receiver has the offer. Returns the transfer's id.
    func offer(_ source: String) throws -> String {
        let offer = try pair.sender.call(
            "transfer.send", ["to": .string(try pair.receiver.account.id), "paths": .strings([source])])
        guard let id = offer["transfers"]?.array?.first?["id"]?.string else {
            throw BenchFailure(description: "transfer.send answered without a transfer: \(offer)")
        }
        try wait(for: id, .offered)
        return id
    }

    func accept(_ id: String, to folder: String) throws {
        try pair.receiver.call("transfer.accept", ["id": .string(id), "path": .string(folder)])
    }

    /// Seconds from the acceptance until the receiver reports that everything is there.
    func transfer(_ source: String, to folder: String) throws -> Double {
        let id = try offer(source)
        let clocks = SystemClocks()
        let begin = clocks.now
        try accept(id, to: folder)
        try wait(for: id, .done)
        return (clocks.now - begin).inSeconds
    }

    func wait(for id: String, _ state: TransferState) throws {
        let deadline = SystemClocks().now + Self.limit
        while let event = try listener.nextEvent(timeout: deadline - SystemClocks().now) {
            guard event.data["id"]?.string == id else { continue }
            let transfer = try Transfer(json: event.data)
            if transfer.state == state { return }
            if transfer.state.isOver {
                throw BenchFailure(
                    description: "the transfer is \(transfer.state.rawValue): \(transfer.reason?.rawValue ?? "")\n"
                        + pair.sender.logTail + "\n" + pair.receiver.logTail)
            }
        }
        throw BenchFailure(description: "the transfer was not \(state.rawValue) within \(Self.limit)")
    }

    /// Prints the most memory that either daemon ever had, and its processor time.
    /// - Parameter transfers: the number of transfers so far.
    func reportDaemons(transfers: Int) throws {
        for daemon in [pair.sender, pair.receiver] {
            guard let pid = daemon.pid else { continue }
            let figures = try ProcessFigures(pid: pid)
            let peak = Figures.text(Double(figures.peakResident) / 1_048_576, digits: 1)
            let time = Figures.text(figures.processorTime.inSeconds / Double(transfers), digits: 2)
            report("  \(daemon.name.lowercased()): at most \(peak) MiB resident, \(time) s of a core for each transfer")
        }
    }
}

/// Programs that copy from $SOURCE to $DESTINATION, in turn with Kibo.
struct CopyContest {
    private static let limit = Duration.seconds(600)

    let rounds: Int
    let contenders: [Contender]
    /// The directory of all files, on one file system.
    let place: String
    private var seconds: [String: [Double]] = [:]
    private var dropped: Set<String> = []

    init(rounds: Int, contenders: [Contender], place: String) {
        (self.rounds, self.contenders, self.place) = (rounds, contenders, place)
    }

    /// - Parameters:
    ///   - keeps: leaves the copies until the end, because deleting thousands of files slows a contender that makes
    ///     files next.
    ///   - own: copies with Kibo into a folder that it makes, and returns the seconds it took.
    mutating func run(
        _ source: String, keeps: Bool, text: (Double) -> String, own: (_ folder: String, _ round: Int) throws -> Double
    ) throws {
        let runner = self
        for round in 1...rounds {
            try record("kibo", round, copy: "\(place)/kibo.\(round)", keeps: keeps, text) {
                guard mkdir($0, 0o700) == 0 else { throw SystemError("mkdir \($0)") }
                return try own($0, round)
            }
            for (number, contender) in contenders.enumerated() where !dropped.contains(contender.name) {
                do {
                    let copy = "\(place)/copy.\(number).\(round)"
                    try record(contender.name, round, copy: copy, keeps: keeps, text) {
                        try runner.shell(contender.command, source, $0)
                    }
                } catch let failure as BenchFailure {
                    // A contender that does not work on this machine is no reason to measure nothing.
                    report("  \(contender.name) does not take part: \(failure)")
                    dropped.insert(contender.name)
                }
            }
        }
    }

    /// Prints the medians, and Kibo's relative to each.
    func summarise(_ text: (Double) -> String) {
        guard let own = seconds["kibo"].map({ Figures($0).median }) else { return }
        for name in ["kibo"] + contenders.map(\.name) {
            guard let figures = seconds[name].map(Figures.init) else { continue }
            let ratio =
                name == "kibo" ? "" : "  kibo is \(Figures.text(figures.median / own, digits: 2)) times as fast"
            report("  \(name.padded(28))\(text(figures.median).padded(12, left: true))\(ratio)")
        }
    }

    /// Runs a command and returns the seconds it took.
    @discardableResult
    func shell(_ command: String, _ source: String, _ destination: String) throws -> Double {
        try Shell.run(
            command, ["SOURCE": source, "DESTINATION": destination, "HOME": place], log: place + "/log",
            limit: Self.limit)
    }

    private mutating func record(
        _ name: String, _ round: Int, copy: String, keeps: Bool, _ text: (Double) -> String,
        _ body: (String) throws -> Double
    ) throws {
        // The writes that the previous copy left to the system must not count for this one.
        sync()
        let result = try body(copy)
        seconds[name, default: []].append(result)
        report("  round \(round)  \(name.padded(28))\(text(result).padded(12, left: true))")
        if !keeps { TemporaryDirectory.remove(copy) }
    }
}
