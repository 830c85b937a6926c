import Arguments
import Basics
import ControlProtocol

/// `kibo mark-read CHAT… | --all`
struct MarkReadCommand: Command {
    let spec = CommandSpec(
        "mark-read", .talk, "Mark messages as read without showing them",
        arguments: [ArgumentSpec("CHAT", .any, help: Context.chatHelp)],
        options: [OptionSpec("--all", help: "in all conversations"), Context.groupOption],
        details: "The others are told that you have read them, if you let them (kibo settings messages.readReceipts).",
        examples: ["kibo mark-read Anna", "kibo mark-read --all"])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals
        guard words.isEmpty == context.arguments.has("--all") else {
            throw Failure.usage(
                words.isEmpty ? "CHAT is missing, or --all" : "give CHAT or --all, not both", command: "mark-read")
        }
        let client = try context.client()
        var marked: [JSONValue] = []
        var count: Int64 = 0
        for chat in try words.isEmpty ? all(client) : words.map({ try one($0, context) }).compactMap({ $0 }) {
            guard chat.unread > 0, let last = try newest(chat.id, client) else { continue }
            let params: JSONObject = ["id": .string(chat.id), "upTo": .string(last.id)]
            let result = try client.call("conversation.markRead", params)
            count += chat.unread - (try Conversation(json: result).unread)
            marked.append(result)
        }
        if context.printJSON(["conversations": .array(marked)]) { return .done }
        let chats = Int64(marked.count)
        context.console.line(
            chats == 0
                ? "You have no unread messages."
                : "\(Humane.count(count, "message is", "messages are")) marked as read"
                    + (chats > 1 ? ", in \(chats) conversations." : "."))
        return .done
    }

    private func one(_ word: String, _ context: Context) throws -> Conversation? {
        guard let id = try context.chat(word).conversation else { return nil }
        return try context.client().call("conversation.get", ["id": .string(id)], as: Conversation.init(json:))
    }

    private func all(_ client: ControlClient) throws -> [Conversation] {
        try [false, true].flatMap { archived -> [Conversation] in
            try Pages.all(client, "conversation.list", ["archived": .bool(archived)], field: "conversations")
        }
    }

    /// The last message in the order that is set.
    private func newest(_ id: String, _ client: ControlClient) throws -> Message? {
        let page = try client.call("message.list", ["conversation": .string(id), "limit": 1])
        return try page["messages"]?.array?.last.map { try Message(json: $0) }
    }
}
