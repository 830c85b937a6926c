import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo call WHO [--video]`, `kibo call --answer [ID]`, `kibo call --decline [TEXT]`, `kibo call --hangup`
struct CallCommand: Command {
    let spec = CommandSpec(
        "call", .talk, "Call a friend or a group in the browser, answer or decline a call, or hang up",
        arguments: [
            ArgumentSpec(
                "WHO", .optional,
                help: "a friend or a group; with --decline, a short text for the caller; with --answer, the call")
        ],
        options: [
            OptionSpec("--video", help: "with video"),
            OptionSpec("--answer", help: "answer the call that rings"),
            OptionSpec("--decline", help: "decline the call that rings"),
            OptionSpec("--hangup", help: "hang up, leave a group's call, or cancel one that is ringing"),
            OptionSpec(Context.groupOption.name, help: "WHO is a group (the same as a colon before its name)"),
        ],
        details: """
            Calls run in the browser, which this opens. Without a display you can't talk here, but you can still
            decline a call.
            """,
        examples: [
            "kibo call Ben", "kibo call :Band", "kibo call --answer", "kibo call --decline \"In ten minutes\"",
            "kibo call --hangup",
        ])

    func run(_ context: Context) throws -> ExitCode {
        if context.arguments.has("--answer") { return try answer(context) }
        if context.arguments.has("--decline") { return try decline(context) }
        if context.arguments.has("--hangup") { return try hangUp(context) }
        guard context.arguments.positional(0) != nil else {
            throw Failure.usage("who do you want to call?", command: "call")
        }
        let named = try context.chat(context.word(0))
        guard named.kind != .notes else {
            throw Failure(.failed, "there is nobody to call: @me is your notes")
        }
        let conversation = try context.conversation(opening: named)
        let media = context.arguments.has("--video") ? "video" : "audio"
        try open("call/\(conversation)/\(media)", context)
        context.console.line(Self.begun(named))
        return .done
    }

    /// The sentence that is printed once the browser is open.
    static func begun(_ named: Named) -> String { "Calling in the browser: \(Words.object(named))." }

    /// Opens the page, which goes to this place once it is logged in.
    private func open(_ place: String, _ context: Context) throws {
        guard Browser.program != nil else { throw Browser.noDisplay }
        guard try Browser.open(Gateway.connect(context), at: place) else { throw Browser.noDisplay }
    }

    private func answer(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let id = context.arguments.positional(0)
        let ringing = try Self.calls(client).first { $0.state == .incoming && (id == nil || $0.id == id) }
        guard let ringing else {
            throw Failure(.failed, "nobody is calling right now", hint: "See: kibo calls")
        }
        let media = context.arguments.has("--video") ? "video" : "audio"
        try open("answer/\(ringing.id)/\(media)", context)
        let name = try ringing.participants.first.map { try People(client).name($0.account) } ?? "somebody"
        context.console.line("Answering in the browser: \(name).")
        return .done
    }

    private func decline(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        guard let call = try Self.calls(client).first(where: { $0.state == .incoming }) else {
            throw Failure(.failed, "nobody is calling right now", hint: "See: kibo calls")
        }
        var params: JSONObject = ["id": .string(call.id)]
        if let text = context.arguments.positional(0) { params["text"] = .string(text) }
        let result = try client.call("call.decline", params)
        if context.printJSON(result) { return .done }
        context.console.line("Call declined.")
        return .done
    }

    private func hangUp(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        // The call in which the user talks comes before one that rings beside it.
        let calls = try Self.calls(client).filter { $0.state != .ongoing }
        guard let call = calls.first(where: { $0.seat != nil }) ?? calls.first else {
            throw Failure(.failed, "there is no call", hint: "See: kibo calls")
        }
        let result = try client.call("call.hangup", ["id": .string(call.id)])
        if context.printJSON(result) { return .done }
        let left = try call.group && Call(json: result).state != .ended
        context.console.line(left ? "You have left the call." : "Call ended.")
        return .done
    }

    /// Returns the calls that are not over.
    static func calls(_ client: ControlClient) throws -> [Call] {
        try (client.call("call.list")["calls"]?.array ?? []).map { try Call(json: $0) }
    }
}

/// `kibo calls [-n N] [--missed]`
struct CallsCommand: Command {
    let spec = CommandSpec(
        "calls", .talk, "List calls, the newest first",
        options: [
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (20)"),
            OptionSpec("--missed", help: "only missed calls that you have not seen yet"), Context.tsvOption,
        ])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let limit = try context.number("--limit", in: 1...Int64.max) ?? 20
        let now = try CallCommand.calls(client)
        var messages: [Message] = []
        var params: JSONObject = ["limit": 50]
        while Int64(messages.count) < limit {
            let page = try client.call("call.history", params)
            let calls = try (page["messages"]?.array ?? []).map { try Message(json: $0) }
            messages += calls.filter { $0.unread || !context.arguments.has("--missed") }
            guard let next = page["next"]?.string else { break }
            params["before"] = .string(next)
        }
        messages = Array(messages.prefix(Int(clamping: limit)))
        let result: JSONValue = ["calls": .array(now.map(\.json)), "messages": .array(messages.map(\.json))]
        if context.printJSON(result) { return .done }
        var people = try People(client)
        for conversation in now.map(\.conversation) + messages.map(\.conversation) {
            try people.learn(conversation: conversation, client)
        }
        for call in now {
            if let sentence = CallWords.sentence(call, people) { context.remark(sentence.capitalizedFirst) }
        }
        guard !messages.isEmpty else {
            context.remark(
                context.arguments.has("--missed") ? "You have no missed calls." : "There are no calls yet.")
            return .done
        }
        var table = Table([
            .init(title: "WHEN", isOptional: true), .init(title: "WHO", shrinks: true), .init(title: "CALL"),
        ])
        for message in messages {
            guard message.call != nil else { continue }
            let isOwn = message.sender == people.own
            let other = isOwn ? message.recipients.first?.id ?? "" : message.sender
            let who =
                if let group = people.group(ofConversation: message.conversation) {
                    (isOwn ? "to " : "from \(people.name(other)) in ") + Words.title(of: group)
                } else {
                    (isOwn ? "to " : "from ") + people.name(other)
                }
            table.rows.append([
                .ago(message.sentAt, now: context.now),
                .init(who, message.unread ? .bold : nil),
                .init(message.words, message.unread ? .yellow : nil),
            ])
        }
        context.print(table)
        return .done
    }
}
