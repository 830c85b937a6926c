import Arguments
import Basics
import ControlProtocol

let chatArgument = ArgumentSpec("CHAT", help: Context.chatHelp)

/// `kibo pin | unpin | archive | unarchive | mute | unmute CHAT`: one field of a conversation.
struct MarkCommand: Command {
    let spec: CommandSpec
    private let field: String
    private let value: Bool
    /// The words for when it is done, behind whose conversation it is.
    private let done: String

    private init(_ name: String, _ summary: String, _ field: String, _ value: Bool, done: String) {
        spec = CommandSpec(
            name, .talk, summary, arguments: [chatArgument], options: [Context.groupOption])
        self.field = field
        self.value = value
        self.done = done
    }

    static let all = [
        MarkCommand("pin", "Keep a conversation on top of the list", "pinned", true, done: "is pinned."),
        MarkCommand("unpin", "Unpin a conversation", "pinned", false, done: "is not pinned any more."),
        MarkCommand(
            "archive", "Take a conversation out of the list", "archived", true,
            done: "is archived. See: kibo chats --archived"),
        MarkCommand(
            "unarchive", "Bring an archived conversation back into the list", "archived", false,
            done: "is in the list again."),
        MarkCommand("mute", "Mute a conversation: no notifications", "muted", true, done: "is muted."),
        MarkCommand("unmute", "Unmute a conversation", "muted", false, done: "is not muted any more."),
    ]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let named = try context.chat(context.word(0))
        let id = try context.conversation(opening: named)
        let result = try client.call("conversation.update", JSONObject([("id", .string(id)), (field, .bool(value))]))
        if context.printJSON(result) { return .done }
        // Notes are several.
        let done = named.kind == .notes ? "are" + done.dropFirst(2) : done
        context.console.line("\(Words.subject(named)) \(done)")
        return .done
    }
}

/// `kibo forget CHAT [--yes]`
struct ForgetCommand: Command {
    let spec = CommandSpec(
        "forget", .talk, "Delete a whole conversation from this computer",
        arguments: [chatArgument],
        options: [Context.yesOption, Context.groupOption],
        details: """
            All its messages are deleted from this computer for good. The others keep theirs; messages that they have
            not received yet are not sent. On a terminal you are asked first; scripts need --yes.
            You stay a member of a group: kibo group leave ends that.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let named = try context.chat(context.word(0), isStrict: true)
        let isNotes = named.kind == .notes
        let title = Words.object(named)
        let all = isNotes ? "all \(title)" : "all messages with \(title)"
        guard let id = named.conversation else {
            let what = isNotes ? "You have no notes." : "There is no conversation with \(title)."
            throw Failure(.notFound, what, hint: "See: kibo chats")
        }
        let people = try People(client, in: id)
        let queued = try queued(id, client)
        let unsent = Words.unsent(queued, people, isDone: false)
        if !context.arguments.has("--yes") {
            guard context.console.canAsk, !context.json else {
                let also = unsent.map { "; \($0)" } ?? ""
                throw Failure(
                    .usage, "This deletes \(all)\(also).", hint: "To go ahead: --yes")
            }
            if let unsent { context.console.line("\(unsent).") }
            guard context.confirms("Delete \(all) from this computer?") else {
                context.console.line("Nothing was deleted.")
                return .failed
            }
        }
        let result = try client.call("conversation.delete", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        context.console.line(isNotes ? "Your notes are deleted." : "The conversation with \(title) is deleted.")
        if let unsent = Words.unsent(queued, people, isDone: true) { context.console.line("\(unsent).") }
        if let group = people.group(ofConversation: id), group.state == .member {
            context.console.line(
                "You are still a member. To leave: kibo group leave \(Shell.quoted(Words.name(group.name)))")
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
