import Arguments
import Basics
import ControlProtocol

/// `kibo watch [--consumer NAME] [--since SEQ] [--type TYPE]…`
struct WatchCommand: Command {
    let spec = CommandSpec(
        "watch", .talk, "Show what happens, as it happens",
        options: [
            OptionSpec(
                "--consumer", value: "NAME", help: "go on where this name was last time, and remember how far"),
            OptionSpec("--since", value: "SEQ", help: "begin after this event; 0 is the oldest that is kept"),
            OptionSpec(
                "--epoch", value: "EPOCH", help: "of which log --since is: what kibo status --json said then"),
            OptionSpec("--type", value: "TYPE", repeats: true, help: "only this kind, such as message.added"),
        ],
        details: """
            Runs until Ctrl-C. With --json each event is one line, and with --consumer too none is ever
            missed: an event counts as dealt with once its line is written.
            """,
        examples: [
            "kibo watch", "kibo watch --json --consumer archive --type message.added",
        ])

    func run(_ context: Context) throws -> ExitCode {
        let consumer = context.arguments.value("--consumer")
        if let consumer, consumer.trimmed.isEmpty {
            throw Failure.usage("--consumer needs a name", command: "watch")
        }
        for type in context.arguments.values("--type") where EventType(rawValue: type) == nil {
            let near = Spelling.nearest(to: type, among: EventType.allCases.map(\.rawValue))
            let all = EventType.allCases.map(\.rawValue).joined(separator: ", ")
            let question = near.map { "; did you mean \($0)?" } ?? "; there are \(all)"
            throw Failure.usage("there is no kind of event \"\(type)\"\(question)", command: "watch")
        }
        let client = try context.client()
        var params = JSONObject()
        if let consumer { params["consumer"] = .string(consumer) }
        if let since = try context.number("--since", in: 0...Int64.max) { params["since"] = .integer(since) }
        if let epoch = context.arguments.value("--epoch") { params["epoch"] = .string(epoch) }
        let types = context.arguments.values("--type")
        if !types.isEmpty { params["types"] = .strings(types) }
        var people = context.json ? nil : try People(client, withPeers: true)
        var memory = MessageMemory()
        let epoch = try client.call("events.subscribe", params)["epoch"]?.string
        return try context.untilInterrupted {
            var last: Int64?
            while true {
                // Events that are there already are dealt with in one go; their cursor is kept before waiting for more.
                var event = try client.nextEvent(timeout: .zero)
                if event == nil {
                    if let consumer, let seq = last {
                        var cursor: JSONObject = ["consumer": .string(consumer), "seq": .integer(seq)]
                        if let epoch { cursor["epoch"] = .string(epoch) }
                        try client.call("events.ack", cursor)
                        last = nil
                    }
                    event = try client.nextEvent()
                }
                guard let event else { continue }
                try show(event, &people, &memory, context)
                last = event.seq ?? last
            }
        }
    }

    private func show(
        _ event: Event, _ people: inout People?, _ memory: inout MessageMemory, _ context: Context
    ) throws {
        if context.printJSON(event.json) { return }
        if let contact = try? Contact(json: event.data) { people?.update(contact) }
        if let peer = try? Peer(json: event.data) { people?.update(peer) }
        if event.isOf(.groupChanged), let group = try? Group(json: event.data) { people?.update(group) }
        if EventLine.isOfConversation(event) {
            try people?.learn(conversation: event.data["conversation"]?.string, context.client())
        }
        if let people, let line = EventLine.text(event, people, &memory, context) { context.console.line(line) }
    }
}
