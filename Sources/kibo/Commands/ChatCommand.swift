import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo chat CHAT`
struct ChatCommand: Command {
    let spec = CommandSpec(
        "chat", .talk, "Talk to a friend, or in a group: a conversation that fills the terminal",
        arguments: [ArgumentSpec("CHAT", help: "a friend, or a group: its name after a colon")],
        options: [Context.groupOption],
        details: """
            Write, and Enter sends. Messages and their states (queued, sent, delivered, read, failed)
            come and change by themselves; what is seen counts as read. PageUp and PageDown scroll,
            Alt-Up and Alt-Down choose a message, Alt-Enter begins a new line.

            /help lists the commands: /reply, /edit, /delete, /react, /why, /search, /file, /get and more.
            Ctrl-D leaves, Ctrl-Z stops it for a while.
            """,
        examples: ["kibo chat Anna", "kibo chat :Hikers"])

    func run(_ context: Context) throws -> ExitCode {
        if context.json {
            throw Failure.usage("kibo chat has nothing for programs: kibo watch --json has", command: "chat")
        }
        guard context.console.isTerminal, context.console.canAsk else {
            throw Failure(
                .usage, "kibo chat needs a terminal", hint: "In a script: kibo send, kibo read, kibo watch --json")
        }
        let client = try context.client()
        let id = try context.conversation(opening: context.chat(context.word(0)))
        let conversation = try client.call("conversation.get", ["id": .string(id)], as: Conversation.init(json:))
        var people = try People(client)
        if let group = conversation.group { try people.learn(group: group, client) }
        let state = ChatState(
            model: ChatModel(conversation: id), people: people, title: conversation.title,
            contact: conversation.contact, group: conversation.group)
        let surroundings = ChatController.Surroundings(
            path: { try LocalPath.existing($0) }, home: getenv("HOME").map { String(cString: $0) },
            key: { Self.randomKey() })

        // The order makes sure that the terminal is given back before the signals are, whatever happens.
        let signals = try ChatSignals()
        let terminal = try ChatTerminal(hasColor: context.console.hasColor)
        let controller = ChatController(state, size: terminal.size, surroundings: surroundings)
        let loop = ChatLoop(
            controller, terminal: terminal, signals: signals, link: ChatLink(client), clocks: context.console.clocks)
        let (code, unsent) = loop.run()
        for text in unsent {
            context.console.errorLine("Not sent: \(ForeignText.escaped(text, multiline: true))")
        }
        return unsent.isEmpty ? code : .failed
    }

    /// 128 random bits in hexadecimal.
    private static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
    }
}
