import Arguments
import Basics
import ControlProtocol

/// `kibo search QUERY… [--chat CHAT] [-n N]`
struct SearchCommand: Command {
    let spec = CommandSpec(
        "search", .talk, "Find messages by their words",
        arguments: [ArgumentSpec("QUERY", .any, help: "whole words; \"words in a row\"; beginnings such as draw*")],
        options: [
            OptionSpec("--chat", value: "CHAT", help: "only in this conversation; :NAME for a group"),
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (50)"),
            OptionSpec("--before", value: "POS", help: "go on from where a search has ended"),
            OptionSpec("--ids", help: "show the messages' ids"),
        ],
        details: """
            The newest come first. What is found is in all messages that are on this computer.
            Words are whole: draw does not find drawings, draw* does. Chinese and Japanese, which have no
            blanks between words, are found by the beginning of a run of characters. Emoji are not found.
            """,
        examples: ["kibo search drawings", "kibo search --chat Anna '\"by noon\"'"])

    func run(_ context: Context) throws -> ExitCode {
        let limit = try context.number("--limit", in: 1...500)
        let query = context.arguments.positionals.joined(separator: " ")
        guard !query.trimmed.isEmpty else { throw Failure.usage("there is nothing to look for", command: "search") }
        let client = try context.client()
        var params: JSONObject = ["query": .string(query)]
        if let word = context.arguments.value("--chat") {
            guard let id = try context.chat(word).conversation else {
                if !context.printJSON(["messages": []]) { context.console.line("Nothing was found.") }
                return .done
            }
            params["conversation"] = .string(id)
        }
        if let limit { params["limit"] = .integer(limit) }
        if let before = context.arguments.value("--before") { params["before"] = .string(before) }
        let result = try client.call("message.search", params)
        if context.printJSON(result) { return .done }
        let found = try (result["messages"]?.array ?? []).map { try Finding(json: $0) }
        if found.isEmpty { context.console.line("Nothing was found.") }
        var people = try People(client)
        for finding in found { try people.learn(conversation: finding.message.conversation, client) }
        let ids = context.arguments.has("--ids") ? Messages.shortIDs(found.map(\.message)) : [:]
        for finding in found { show(finding, ids[finding.message.id], people, context) }
        if let next = result["next"]?.string {
            let more = "There is more: \(again(query, before: next, context))"
            context.console.line(context.console.styled(more, .dim))
        }
        return .done
    }

    /// The command that shows the next page.
    private func again(_ query: String, before next: String, _ context: Context) -> String {
        var words = ["kibo", "search"]
        for option in ["--chat", "--limit"] {
            if let value = context.arguments.value(option) { words += [option, Shell.quoted(value)] }
        }
        if context.arguments.has("--ids") { words.append("--ids") }
        words += ["--before", Shell.quoted(next)]
        if query.hasPrefix("-") { words.append("--") }
        return ForeignText.escaped((words + [Shell.quoted(query)]).joined(separator: " "))
    }

    private func show(_ finding: Finding, _ id: String?, _ people: People, _ context: Context) {
        let (message, console) = (finding.message, context.console)
        var head = console.styled(Humane.moment(message.sentAt, now: context.now), .dim) + "  "
        if let id { head += console.styled(id, .dim) + "  " }
        let title = people.title(ofConversation: message.conversation)
        let sender = people.name(message.sender)
        // In a conversation of two, the title is the sender's name unless we wrote it ourselves.
        let names =
            message.sender == people.own ? "you to \(title)" : sender == title ? sender : "\(sender) to \(title)"
        let who = message.kind == .system ? title : names
        console.line(
            head + console.styled(who, .bold) + ": " + Highlight.text(finding.snippet, finding.marks, console))
    }
}

/// One message that a search has found.
struct Finding {
    let message: Message
    let snippet: String
    let marks: [Highlight.Mark]

    init(json: JSONValue) throws(ShapeError) {
        message = try Message(json: json["message"] ?? .null)
        if let line = message.line {
            // The search matched one of its names.
            (snippet, marks) = (LineWords.text(line), [])
            return
        }
        snippet = json["snippet"]?.string ?? ""
        marks = (json["marks"]?.array ?? []).compactMap(Highlight.Mark.init(json:))
    }
}
