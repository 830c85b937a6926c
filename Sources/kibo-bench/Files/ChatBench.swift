import Basics
import ControlProtocol
import Glibc
import TestSupport

/// (d) What a transfer costs friends who write meanwhile: the latency of messages alone, and while a file is sent.
struct ChatBench {
    private static let warmUp = 50
    /// How many messages are sent before the transfer is checked again.
    private static let batch = 20

    let mebibytes: Int
    let messages: Int
    let rounds: Int
    let directory: String

    func run() throws {
        let place = directory + "/kibo-bench.\(getpid())"
        guard mkdir(place, 0o700) == 0 else { throw SystemError("mkdir \(place)") }
        defer { TemporaryDirectory.remove(place) }
        let source = place + "/source"
        try Shell.run(
            "head -c \(mebibytes)M /dev/urandom > \"$SOURCE\"", ["SOURCE": source], log: place + "/log",
            limit: .seconds(600))
        let load = try TransferLoad()
        let talk = try MessageLoad(load.pair)
        let client = try load.pair.receiver.connect()
        var idle: [Double] = []
        var busy: [Double] = []
        for round in 1...rounds {
            sync()
            idle += try talk.latencies(messages, warmUp: Self.warmUp).map(\.inMilliseconds)
            let copies = "\(place)/copies.\(round)"
            guard mkdir(copies, 0o700) == 0 else { throw SystemError("mkdir \(copies)") }
            let id = try load.offer(source)
            try load.accept(id, to: copies)
            while true {
                let some = try talk.latencies(Self.batch, warmUp: 0).map(\.inMilliseconds)
                let transfer = try Transfer(json: client.call("transfer.get", ["id": .string(id)]))
                guard transfer.state != .done else { break }
                guard !transfer.state.isOver else {
                    throw BenchFailure(description: "the transfer is \(transfer.state.rawValue)")
                }
                // Only messages sent entirely during the transfer count.
                if transfer.state == .active { busy += some }
            }
            TemporaryDirectory.remove(copies)
        }
        report("message, send to event, \(rounds) rounds with a file of \(mebibytes) MiB in each:")
        var table = Table(["", "messages", "p50 ms", "p99 ms", "longest ms"])
        for (name, values) in [("nothing else", idle), ("during a transfer", busy)] {
            let figures = Figures(values)
            table.add(
                [name, "\(values.count)"]
                    + [figures.percentile(50), figures.percentile(99), figures.largest].map {
                        Figures.text($0, digits: 2)
                    })
        }
        table.print()
        let ratio = Figures(busy).percentile(99) / Figures(idle).percentile(99)
        report("  p99 during a transfer is \(Figures.text(ratio, digits: 2)) times the other")
    }
}
