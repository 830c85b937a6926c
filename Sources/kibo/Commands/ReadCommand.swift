import Basics
import ControlProtocol

/// `kibo read CHAT [-n N] [--before POS]`
struct ReadCommand: Command {
    let spec = CommandSpec(
        "read", .talk, "Show the messages of a conversation",
        arguments: [ArgumentSpec("CHAT", help: "a person or a conversation, by name or id")],
        options: [
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (50)"),
            OptionSpec("--before", value: "POS", help: "only what is older than this position"),
        ],
        examples: ["kibo read Anna", "kibo read Anna -n 200"])

    func run(_ context: Context) throws -> ExitCode {
        let limit = try context.number("--limit", in: 1...500)
        let client = try context.client()
        let chats = try Chats(client)
        guard let id = try conversation(context.word(0), chats) else {
            if !context.printJSON(["messages": [], "hasMore": false]) {
                context.console.line("There are no messages with \(context.word(0)) yet.")
            }
            return .done
        }
        var params: JSONObject = ["conversation": .string(id)]
        if let limit { params["limit"] = .integer(limit) }
        if let before = context.arguments.value("--before") { params["before"] = .string(before) }
        let result = try client.call("message.list", params)
        if context.printJSON(result) { return .done }
        let messages = try (result["messages"]?.array ?? []).map { try Message(json: $0) }
        if messages.isEmpty { context.console.line("There are no messages.") }
        if result["hasMore"]?.bool == true, let first = messages.first {
            let chat = Shell.quoted(context.word(0))
            let more = "older ones: kibo read \(chat) --before \(ForeignText.escaped(first.position))"
            context.console.line(context.console.styled(more, .dim))
        }
        show(messages, chats.people, context)
        return .done
    }

    /// Nil if there is none with that person yet.
    private func conversation(_ word: String, _ chats: Chats) throws -> String? {
        switch try chats.target(word) {
        case .conversation(let id): id
        case .person(let account): chats.conversation(with: account)?.id ?? chats.people.contacts[account]?.conversation
        }
    }

    private func show(_ messages: [Message], _ people: People, _ context: Context) {
        var day = ""
        for message in messages {
            let today = Humane.day(message.sentAt, now: context.now)
            if today != day { context.console.line(context.console.styled("— \(today) —", .dim)) }
            day = today
            context.console.write(render(message, people, context.console))
        }
    }

    private func render(_ message: Message, _ people: People, _ console: Console) -> String {
        let isOwn = message.sender == people.own
        let head =
            console.styled(Humane.timeOfDay(message.sentAt), .dim) + " "
            + console.styled(people.name(message.sender), .bold, isOwn ? .green : .cyan)
        var text = message.deleted ? console.styled("(deleted)", .dim) : indented(message.text)
        if message.editedAt != nil { text += console.styled(" (edited)", .dim) }
        let body = text.isEmpty ? "" : ": " + text
        var out = head + body + (isOwn ? state(message, console) : "") + "\n"
        for attachment in message.attachments { out += "        " + render(attachment, isOwn, console) + "\n" }
        return out
    }

    /// Further lines stand under the first, so that no text can look like another message.
    private func indented(_ text: String) -> String {
        ForeignText.escaped(text, multiline: true).split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\n        ")
    }

    private func state(_ message: Message, _ console: Console) -> String {
        switch message.state {
        case .received: return ""
        case .failed:
            let reasons = message.recipients.compactMap(\.reason).map(Words.reason)
            return console.styled("  failed" + (reasons.first.map { ": \($0)" } ?? ""), .red)
        case .queued: return console.styled("  queued", .yellow)
        case .sent, .delivered, .read: return console.styled("  \(message.state.rawValue)", .dim)
        }
    }

    private func render(_ file: Attachment, _ isOwn: Bool, _ console: Console) -> String {
        let name = "[\(Words.name(file.name)), \(Humane.size(file.size))]"
        switch file.state {
        case .offered where !isOwn: return "\(name) offered – take it with: kibo get \(file.transfer)"
        case .done: return name + (file.path.map { " \(ForeignText.escaped($0))" } ?? " done")
        default: return "\(name) \(file.state.rawValue)"
        }
    }
}

/// Words as a shell wants them, for hints that people copy.
enum Shell {
    /// In single quotes unless it is plain letters and the like.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./:@%+".utf8.contains(byte)
            }
        if isPlain { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
