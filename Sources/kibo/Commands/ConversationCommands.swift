import Arguments
import Basics
import ControlProtocol

let chatArgument = ArgumentSpec("CHAT", help: "a friend, or a group: its name after a colon")

/// `kibo pin | unpin | archive | unarchive | mute | unmute CHAT`: one field of a conversation.
struct MarkCommand: Command {
    let spec: CommandSpec
    private let field: String
    private let value: Bool
    /// The words for when it is done.
    private let done: String
    /// Whether that is said of its messages.
    private let isOfMessages: Bool

    private init(
        _ name: String, _ summary: String, _ field: String, _ value: Bool, done: String, isOfMessages: Bool = false
    ) {
        spec = CommandSpec(
            name, .talk, summary, arguments: [chatArgument], options: [Context.groupOption])
        self.field = field
        self.value = value
        self.done = done
        self.isOfMessages = isOfMessages
    }

    static let all = [
        MarkCommand("pin", "Keep a conversation on top of the list", "pinned", true, done: "is on top now"),
        MarkCommand("unpin", "Let it stand where its last message puts it", "pinned", false, done: "is not pinned"),
        MarkCommand("archive", "Put a conversation away", "archived", true, done: "is put away: kibo chats --archived"),
        MarkCommand("unarchive", "Take it back into the list", "archived", false, done: "is in the list again"),
        MarkCommand("mute", "No notifications of a conversation", "muted", true, done: "makes no noise"),
        MarkCommand("unmute", "Notifications again", "muted", false, done: "notify again", isOfMessages: true),
    ]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let named = try context.chat(context.word(0))
        let id = try context.conversation(opening: named)
        let result = try client.call("conversation.update", JSONObject([("id", .string(id)), (field, .bool(value))]))
        if context.printJSON(result) { return .done }
        let title = Words.subject(named)
        context.console.line("\(title)\(isOfMessages ? "'s messages" : "") \(done).")
        return .done
    }
}

/// `kibo forget CHAT [--yes]`
struct ForgetCommand: Command {
    let spec = CommandSpec(
        "forget", .talk, "Delete a whole conversation from this computer",
        arguments: [chatArgument],
        options: [OptionSpec("--yes", short: "-y", help: "don't ask first"), Context.groupOption],
        details: """
            All its messages go, here and for good. What the others have stays with them; what they have
            not got yet is not sent any more. On a terminal you are asked first; a script has to say --yes.
            You stay in a group all the same: kibo group leave ends that.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let named = try context.chat(context.word(0), isStrict: true)
        let title = Words.object(named)
        guard let id = named.conversation else {
            throw Failure(.notFound, "there is no conversation with \(title)", hint: "See: kibo chats")
        }
        let people = try People(client, in: id)
        let unsent = Words.unsent(try queued(id, client), people)
        if !context.arguments.has("--yes") {
            guard context.console.canAsk, !context.json else {
                let also = unsent.map { "; \($0)" } ?? ""
                throw Failure(
                    .usage, "this deletes all messages with \(title)\(also)", hint: "If that is meant: --yes")
            }
            if let unsent { context.console.line("\(unsent).") }
            context.console.write("Delete all messages with \(title) from this computer? [y/N] ")
            guard let answer = readLine()?.trimmed.lowercased(), answer == "y" || answer == "yes" else {
                context.console.line("Nothing was deleted.")
                return .failed
            }
        }
        let result = try client.call("conversation.delete", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        context.console.line("The conversation with \(title) is deleted.")
        if let unsent, context.arguments.has("--yes") { context.console.line("\(unsent).") }
        if let group = people.group(ofConversation: id), group.state == .member {
            context.console.line("You stay in it: kibo group leave \(Shell.quoted(Words.name(group.name)))")
        }
        return .done
    }

    /// The messages that wait in a conversation to be sent, as far as a look at the newest finds them.
    private func queued(_ id: String, _ client: ControlClient) throws -> [Message] {
        var found: [Message] = []
        var params: JSONObject = ["conversation": .string(id), "limit": 500]
        for _ in 0..<Self.pages {
            let page = try client.call("message.list", params)
            let messages = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            found += messages.filter { $0.state == .queued }
            guard page["hasMore"]?.bool == true, let first = messages.first else { break }
            params["before"] = .string(first.position)
        }
        return found
    }

    /// Pages of 500 that are looked through: a courtesy must not take long.
    private static let pages = 20
}
