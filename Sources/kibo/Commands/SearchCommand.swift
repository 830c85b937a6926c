import Arguments
import Basics
import ControlProtocol

/// `kibo search QUERY… [--chat CHAT] [-n N]`
struct SearchCommand: Command {
    let spec = CommandSpec(
        "search", .talk, "Find messages by their words",
        arguments: [
            ArgumentSpec("QUERY", .any, help: "words or beginnings of words; \"words in a row\" must match whole")
        ],
        options: [
            OptionSpec("--chat", value: "CHAT", help: "only in this conversation: a friend, a group, or @me"),
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (50)"),
            OptionSpec("--whole", help: "only whole words: draw does not find drawings"),
            OptionSpec("--after", value: "WHEN", help: "only messages sent then or later"),
            OptionSpec("--before", value: "WHEN", help: "only messages sent before; or continue where a search ended"),
            OptionSpec("--ids", help: "show the messages' ids"), Context.groupOption,
        ],
        details: """
            Searches all messages on this computer, the newest first. draw also finds drawings.
            WHEN is a day (2026-11-21), a day with a time, 14:00, today or yesterday. In Chinese, Japanese, Korean
            and Thai any part of a sentence is found. Emoji are not found. If nothing is found, it ends with 1.
            """,
        examples: ["kibo search draw", "kibo search --chat Anna --after yesterday '\"by noon\"'"])

    private static let standard: Int64 = 50

    func run(_ context: Context) throws -> ExitCode {
        let limit = try context.number("--limit", in: 1...Int64.max) ?? Self.standard
        let query = context.arguments.positionals.joined(separator: " ")
        guard !query.trimmed.isEmpty else { throw Failure.usage("QUERY is missing", command: "search") }
        let client = try context.client()
        let isWhole = context.arguments.has("--whole")
        var params: JSONObject = ["query": .string(isWhole ? query : SearchWords.beginnings(query))]
        if let word = context.arguments.value("--chat") {
            guard let id = try context.chat(word).conversation else {
                if !context.printJSON(["messages": []]) { context.console.line("Nothing was found.") }
                return .failed
            }
            params["conversation"] = .string(id)
        }
        let result = try find(params, limit, client, context)
        let findings = try (result["messages"]?.array ?? []).map { try Finding(json: $0) }
        let code = findings.isEmpty ? ExitCode.failed : .done
        if context.printJSON(.object(result)) { return code }
        if findings.isEmpty {
            let hint = isWhole ? " To find words that only begin like this, leave out --whole." : ""
            context.console.line("Nothing was found.\(hint)")
        }
        var people = try People(client)
        for finding in findings { try people.learn(conversation: finding.message.conversation, client) }
        let ids = context.arguments.has("--ids") ? Messages.shortIDs(findings.map(\.message)) : [:]
        for finding in findings { show(finding, ids[finding.message.id], people, context) }
        if let next = result["next"]?.string {
            let more = "There are more: \(again(query, before: next, context))"
            context.console.line(context.console.styled(more, .dim))
        }
        return code
    }

    /// So many findings of the wanted time, page after page.
    private func find(
        _ query: JSONObject, _ limit: Int64, _ client: ControlClient, _ context: Context
    ) throws -> JSONObject {
        func moment(_ option: String) -> Int64? {
            context.arguments.value(option).flatMap { Moment.read($0, now: context.now) }
        }
        let (start, end) = (moment("--after"), moment("--before"))
        if let word = context.arguments.value("--after"), start == nil {
            throw Failure.usage("--after must be \(Moment.allowed), not \"\(word)\"", command: "search")
        }
        var params = query
        if end == nil, let before = context.arguments.value("--before") { params["before"] = .string(before) }
        var findings: [JSONValue] = []
        while true {
            params["limit"] = .integer(min(limit - Int64(findings.count), Pages.size))
            let page = try client.call("message.search", params)
            findings += (page["messages"]?.array ?? []).filter { finding in
                guard let time = finding["message"]?["sentAt"]?.integer else { return true }
                return time >= start ?? .min && time < end ?? .max
            }
            guard Int64(findings.count) < limit, let next = page["next"]?.string else {
                var result: JSONObject = ["messages": .array(findings)]
                if let next = page["next"]?.string { result["next"] = .string(next) }
                return result
            }
            params["before"] = .string(next)
        }
    }

    /// The command that shows the next page.
    private func again(_ query: String, before next: String, _ context: Context) -> String {
        var words = ["kibo", "search"]
        for option in ["--chat", "--limit", "--after"] {
            if let value = context.arguments.value(option) { words += [option, Shell.quoted(value)] }
        }
        for option in ["--ids", "--whole", Context.groupOption.name] where context.arguments.has(option) {
            words.append(option)
        }
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
        let who = message.kind == .system ? title : message.isNote ? Words.notes : names
        // The notes are no device's: what was given to one stands behind a comma.
        let device = GuestWords.device(of: message).map { (message.givenTo == nil ? " " : ", ") + $0 } ?? ""
        console.line(
            head + console.styled(who, .bold) + device + ": " + Highlight.text(finding.snippet, finding.marks, console))
    }
}
