import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo watch [--consumer NAME] [--since SEQ] [--type TYPE]…`
struct WatchCommand: Command {
    let spec = CommandSpec(
        "watch", .talk, "Show what happens, as it happens",
        options: [
            OptionSpec(
                "--consumer", value: "NAME", help: "continue where this name left off last time, and remember the place"
            ),
            OptionSpec("--since", value: "SEQ", help: "start after this event; 0 is the oldest that is kept"),
            OptionSpec(
                "--epoch", value: "EPOCH",
                help: "the log epoch that --since belongs to, as kibo status --json showed it then"),
            OptionSpec(
                "--type", value: "TYPE", repeats: true, help: "only this kind, such as message.added",
                choices: EventType.allCases.map(\.rawValue)),
            OptionSpec("--reconnect", help: "if the daemon stops, wait for it and continue"),
        ],
        details: """
            Runs until Ctrl-C. With --json each event is one line, and with --consumer as well, none is ever
            missed: an event counts as dealt with once its line is written. With --reconnect it also waits for a
            daemon that is not running yet; connection changes are reported on standard error.
            """,
        examples: [
            "kibo watch", "kibo watch --json --reconnect --consumer archive --type message.added",
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
            throw Failure.usage("there is no event type \"\(type)\"\(question)", command: "watch")
        }
        var params = JSONObject()
        if let consumer { params["consumer"] = .string(consumer) }
        if let since = try context.number("--since", in: 0...Int64.max) { params["since"] = .integer(since) }
        if let epoch = context.arguments.value("--epoch") { params["epoch"] = .string(epoch) }
        let types = context.arguments.values("--type")
        if !types.isEmpty { params["types"] = .strings(types) }
        var session = WatchSession(context: context, params: params, consumer: consumer)
        guard context.arguments.has("--reconnect") else { return try context.untilInterrupted { try session.run() } }
        let interrupts = Interrupts(noticingReaderOf: STDOUT_FILENO)
        return try withExtendedLifetime(interrupts) {
            var isAway = false
            while true {
                do throws(ClientError) {
                    let client = try context.client()
                    client.interruptDescriptor = interrupts.descriptor >= 0 ? interrupts.descriptor : nil
                    if isAway { context.console.errorLine("The daemon is back.") }
                    isAway = false
                    try session.run()
                } catch {
                    switch error {
                    case .interrupted: return .done
                    case .disconnected, .noDaemon: break
                    default: throw error
                    }
                    context.disconnect()
                    if !isAway { context.console.errorLine("The daemon isn't running. Waiting for it…") }
                    isAway = true
                    if interrupts.comes(within: Self.pause) { return .done }
                }
            }
        }
    }

    /// Between two tries to reach the daemon.
    private static let pause = Duration.seconds(1)
}

/// Shows events, over one connection after another.
private struct WatchSession {
    let context: Context
    /// Of `events.subscribe`: where the next connection goes on.
    var params: JSONObject
    let consumer: String?
    private var people: People?
    private var memory = MessageMemory()

    init(context: Context, params: JSONObject, consumer: String?) {
        self.context = context
        self.params = params
        self.consumer = consumer
    }

    /// Shows what happens until the connection ends.
    mutating func run() throws(ClientError) {
        let client = try context.client()
        people = context.json ? nil : try People(client, withPeers: true)
        let epoch = try client.call("events.subscribe", params)["epoch"]?.string
        if let epoch { params["epoch"] = .string(epoch) }
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
            try show(event)
            if let seq = event.seq {
                last = seq
                // A consumer's place is known to the daemon.
                if consumer == nil { params["since"] = .integer(seq) } else { params["since"] = nil }
            }
        }
    }

    private mutating func show(_ event: Event) throws(ClientError) {
        if context.printJSON(event.json) { return }
        if let contact = try? Contact(json: event.data) { people?.update(contact) }
        if let peer = try? Peer(json: event.data) { people?.update(peer) }
        if event.isOf(.groupChanged), let group = try? Group(json: event.data) { people?.update(group) }
        if EventSentence.isOfConversation(event) {
            try people?.learn(conversation: event.data["conversation"]?.string, context.client())
        }
        if let people, let line = EventSentence.text(event, people, &memory, context) { context.console.line(line) }
    }
}
