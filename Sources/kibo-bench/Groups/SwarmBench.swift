import Basics
import ControlProtocol
import TestSupport

/// (g) How long a group's message takes until every member's client has it, with real daemons, where only the first is
/// everyone's friend.
struct SwarmBench {
    private static let warmUp = 20
    private static let limit = Duration.seconds(60)
    private static let window = 100

    let members: Int
    let messages: Int

    func run() throws {
        let options = DaemonProcess.Options.measured(discoveryPort: try FreePort.udp())
        let daemons = try (1...max(2, members)).map { try DaemonProcess.launch(name: "Member \($0)", options: options) }
        for other in daemons.dropFirst() { try daemons[0].befriend(other) }
        let ids = try daemons.dropFirst().map { JSONValue.string(try $0.account.id) }
        let group = try daemons[0].call("group.create", ["name": "SwarmBench", "members": .array(Array(ids))])
        guard let id = group["id"] else { throw BenchFailure(description: "the group has no id") }
        var conversations: [String] = []
        for daemon in daemons {
            conversations.append(
                try Patience.until("\(daemon.name)'s conversation", report: daemon.logTail) {
                    try? daemon.call("group.get", ["id": id])["conversation"]?.string
                })
        }
        let clients = try daemons.map { daemon in
            let client = try daemon.connect()
            try client.call("events.subscribe", ["types": ["message.added"], "ephemeral": false])
            return client
        }
        var random = SeededGenerator(seed: 12)
        var firsts: [Double] = []
        var lasts: [Double] = []
        for number in 0..<(Self.warmUp + messages) {
            let author = Int.random(in: daemons.indices, using: &random)
            let arrivals = try send("\(number)", from: author, daemons[author], conversations[author], clients)
            guard number >= Self.warmUp else { continue }
            firsts.append(arrivals.min() ?? 0)
            lasts.append(arrivals.max() ?? 0)
        }
        report("\(daemons.count) members, \(messages) messages one at a time, of an author each at random:")
        var table = Table(["", "p50 ms", "p99 ms"])
        for (name, values) in [("first member has it", firsts), ("all members have it", lasts)] {
            let figures = Figures(values)
            table.add([
                name, Figures.text(figures.percentile(50), digits: 2), Figures.text(figures.percentile(99), digits: 2),
            ])
        }
        table.print()
        // The author's requests go by a client without events.
        let stream = MessageStream(
            from: try daemons[0].connect(), in: conversations[0], to: Array(clients.dropFirst()), window: Self.window)
        let seconds = try stream.run(messages) { daemons[0].logTail }.inSeconds
        report(
            "\(messages) of one author with \(Self.window) on their way: all members have "
                + "\(Figures.text(Double(messages) / seconds, digits: 0)) a second")
    }

    /// - Returns: the milliseconds after which each of the other members had it.
    private func send(
        _ text: String, from author: Int, _ daemon: DaemonProcess, _ conversation: String, _ clients: [ControlClient]
    ) throws -> [Double] {
        let clocks = SystemClocks()
        let begin = clocks.now
        _ = try daemon.call("message.send", ["conversation": .string(conversation), "text": .string(text)])
        var arrivals: [Double] = []
        for (index, client) in clients.enumerated() {
            // Clients are read in turn: one that got the message during another's wait counts as late, never as early.
            while true {
                guard let event = try client.nextEvent(timeout: Self.limit) else {
                    throw BenchFailure(description: "\"\(text)\" did not come to member \(index + 1)")
                }
                guard event.data["text"]?.string == text else { continue }
                if index != author { arrivals.append((clocks.now - begin).inMilliseconds) }
                break
            }
        }
        return arrivals
    }
}
