import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo chat CHAT`
struct ChatCommand: Command {
    let spec = CommandSpec(
        "chat", .talk, "Chat with a friend, in a group or with yourself, in the whole terminal",
        arguments: [ArgumentSpec("CHAT", help: Context.chatHelp)],
        options: [Context.groupOption],
        details: """
            Write, and Enter sends. Messages and their states (queued, sent, delivered, read, failed)
            appear and change by themselves; what you see counts as read. PageUp and PageDown scroll, Ctrl-Up
            and Ctrl-Down choose a message, Alt-Up and Alt-Down go to another chat, Alt-Enter begins a new
            line, Tab completes.

            /help lists the commands: /chat, /reply, /edit, /delete, /react, /search, /file, /get and more.
            Calls ring here, too: /answer opens the browser, /decline declines.
            Ctrl-D leaves, Ctrl-Z suspends it.
            """,
        examples: ["kibo chat Anna", "kibo chat :Hikers", "kibo chat @me"])

    func run(_ context: Context) throws -> ExitCode {
        if context.json {
            throw Failure.usage("kibo chat is for people; programs use kibo watch --json", command: "chat")
        }
        guard context.console.isTerminal, context.console.canAsk else {
            throw Failure(
                .usage, "kibo chat needs a terminal.", hint: "In a script: kibo send, kibo read, kibo watch --json")
        }
        let client = try context.client()
        let id = try context.conversation(opening: context.chat(context.word(0)))
        let conversation = try client.call("conversation.get", ["id": .string(id)], as: Conversation.init(json:))
        var people = try People(client)
        if let group = conversation.group { try people.learn(group: group, client) }
        let state = ChatState(
            model: ChatModel(conversation: id), people: people, title: conversation.title,
            contact: conversation.contact, group: conversation.group)

        // The order makes sure that the terminal is given back before the signals are, whatever happens.
        let signals = try ChatSignals()
        let terminal = try ChatTerminal(hasColor: context.console.hasColor)
        let controller = ChatController(state, size: terminal.size, surroundings: Self.surroundings(context))
        let loop = ChatLoop(
            controller, terminal: terminal, signals: signals, link: ChatLink(client), clocks: context.console.clocks)
        let (code, unsent) = loop.run()
        for text in unsent {
            context.console.errorLine("Not sent: \(ForeignText.shown(text))")
        }
        return unsent.isEmpty ? code : .failed
    }

    /// The world as the chat may ask for it.
    static func surroundings(_ context: Context) -> ChatController.Surroundings {
        ChatController.Surroundings(
            path: { try LocalPath.sent($0) }, paths: { PathCompletion.paths($0) },
            home: getenv("HOME").map { String(cString: $0) },
            key: { Self.randomKey() }, answer: { try Self.answer($0, context) })
    }

    /// Opens the browser by another kibo: the chat doesn't wait for it.
    private static func answer(_ call: String, _ context: Context) throws {
        guard Browser.program != nil else { throw Browser.noDisplay }
        let words = ["--socket", context.socketPath, "call", "--answer", call]
        guard let own = Program.find(["kibo"]), Program.detach(own, words) else {
            throw Failure(.failed, "the browser can't be opened", hint: "Try: kibo call --answer")
        }
    }

    /// 128 random bits in hexadecimal.
    private static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
    }
}
