import Arguments
import Basics
import ControlProtocol

/// `kibo chats [QUERY]`
struct ChatsCommand: Command {
    let spec = CommandSpec(
        "chats", .talk, "List your conversations, the newest first",
        arguments: [ArgumentSpec("QUERY", .optional, help: "only those whose title matches")],
        options: [
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (50)"),
            OptionSpec("--archived", help: "the archived ones instead"), Context.tsvOption,
        ])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        var params = JSONObject()
        if let query = context.arguments.positional(0) { params["query"] = .string(query) }
        let limit = try context.number("--limit", in: 1...Int64.max)
        if context.arguments.has("--archived") { params["archived"] = true }
        let result = JSONValue.object(
            try Pages.some(limit, client, "conversation.list", params, field: "conversations"))
        if context.printJSON(result) { return .done }
        let conversations = try (result["conversations"]?.array ?? []).map { try Conversation(json: $0) }
        guard !conversations.isEmpty else {
            context.remark(nothing(context))
            return .done
        }
        var people = try People(client)
        for chat in conversations where chat.kind == .group {
            guard let last = chat.lastMessage, last.kind != .system, !people.knows(last.sender) else { continue }
            try people.learn(conversation: chat.id, client)
        }
        var table = Table([
            .init(title: "CHAT", shrinks: true), .init(title: "NEW", alignsRight: true), .init(title: "WHEN"),
            .init(title: "LAST MESSAGE", shrinks: true),
        ])
        let marks = conversations.map { Words.marks($0, now: context.now) }
        // Programs count on the same columns every time.
        if context.isForCutting || marks.contains(where: { !$0.isEmpty }) {
            table = Table(table.columns + [.init(title: "MARKS", isOptional: true)])
        }
        if context.isForCutting { table = Table(table.columns + [.init(title: "ID")]) }
        for (chat, marks) in zip(conversations, marks) {
            let sender = chat.lastMessage.map { self.sender(of: $0, in: chat, people) } ?? ""
            let sign = chat.mentions > 0 && chat.letsMentionsThrough ? "@ " : ""
            var row: [Table.Cell] = [
                .init(Words.title(of: chat), chat.unread > 0 ? .bold : nil),
                .init(
                    chat.unread > 0 ? sign + "\(chat.unread)" : "",
                    chat.unread > 0 ? .cyan : nil, exact: "\(chat.unread)"
                ),
                // The list is ordered by this time; a sender's clock may say something else.
                .ago(chat.updatedAt, now: context.now),
                .init(chat.lastMessage.map { sender + Words.excerpt($0) } ?? ""),
            ]
            if row.count < table.columns.count { row.append(.init(marks, .dim)) }
            if context.isForCutting { row.append(.init(chat.id)) }
            table.rows.append(row)
        }
        context.print(table)
        if result["next"]?.string != nil {
            let more = "There are more than \(conversations.count): kibo chats -n N shows N of them"
            context.remark(context.console.styled(more, .dim))
        }
        return .done
    }

    /// The author of the last message, where the title doesn't name them.
    private func sender(of message: Message, in chat: Conversation, _ people: People) -> String {
        if message.kind == .system { return "" }
        if chat.kind == .notes { return "" }
        if message.sender == people.own { return "you: " }
        return chat.kind == .group ? "\(people.name(message.sender)): " : ""
    }

    private func nothing(_ context: Context) -> String {
        let isArchived = context.arguments.has("--archived")
        if let query = context.arguments.positional(0) {
            return "No \(isArchived ? "archived " : "")conversation matches \"\(ForeignText.escaped(query))\"."
        }
        return isArchived
            ? "No conversation is archived." : "There are no conversations yet. Start one: kibo send WHO TEXT"
    }
}
