import Arguments
import Basics
import ControlProtocol

/// `kibo read CHAT [-n N] [--before WHEN] [--after WHEN] [--ids] [--pinned] [--keep-unread]`
struct ReadCommand: Command {
    let spec = CommandSpec(
        "read", .talk, "Show the messages of a conversation",
        arguments: [ArgumentSpec("CHAT", help: Context.chatHelp)],
        options: [
            OptionSpec("--limit", short: "-n", value: "N", help: "how many at most (50)"),
            OptionSpec("--before", value: "WHEN", help: "only older messages"),
            OptionSpec("--after", value: "WHEN", help: "only newer messages, the oldest first"),
            OptionSpec(
                "--ids", help: "show the messages' ids, for edit, delete, react, forward, retry, why, send --reply"),
            OptionSpec("--pinned", help: "only the pinned messages; to pin one: kibo react MESSAGE 📌"),
            OptionSpec("--keep-unread", help: "don't mark the messages as read"), Context.groupOption,
        ],
        details: """
            WHEN is a day (2026-11-21), a day with a time ("2026-11-21 14:00"), a time of today (14:00), today,
            yesterday, or a position that this command has printed.
            The messages count as read, and the others are told if your settings allow it (kibo settings).
            """,
        examples: ["kibo read Anna", "kibo read Anna --after yesterday", "kibo read Anna -n 2000 --before 2026-10-01"])

    private static let standard: Int64 = 50

    func run(_ context: Context) throws -> ExitCode {
        let limit = try context.number("--limit", in: 1...Int64.max) ?? Self.standard
        let (before, after) = (try place("--before", context), try place("--after", context))
        let isPinned = context.arguments.has("--pinned")
        if isPinned, before != nil || after != nil {
            throw Failure.usage("--pinned goes with neither --before nor --after", command: "read")
        }
        let client = try context.client()
        let named = try context.chat(context.word(0))
        guard let id = named.conversation else {
            if !context.printJSON(["messages": [], "hasMore": false]) {
                let place = named.kind == .group ? "in \(Words.object(named))" : Words.place(named)
                context.console.line("There are no messages \(place) yet.")
            }
            return .done
        }
        if isPinned { return try pinned(id, limit, context) }
        let pages = MessagePages(client: client, conversation: id)
        let result = try pages.read(before: before, after: after, limit: limit)
        let messages = try (result["messages"]?.array ?? []).map { try Message(json: $0) }
        if !context.printJSON(.object(result)) {
            let hasMore = result["hasMore"]?.bool == true
            let transcript = try transcript(messages, id, context)
            if after == nil {
                let unread = hasMore ? try unreadElsewhere(messages, id, client) : nil
                show(messages, unread: unread, transcript, context)
            } else {
                show(messages, unread: nil, transcript, context)
                if hasMore, let last = messages.last { context.console.line(further(from: last, context)) }
            }
        }
        // This comes last of all: a message that could not be printed was not read.
        if !context.arguments.has("--keep-unread") { try markRead(id, messages, context) }
        return .done
    }

    /// Shows the pinned messages. They don't count as read.
    private func pinned(_ id: String, _ limit: Int64, _ context: Context) throws -> ExitCode {
        let params: JSONObject = ["conversation": .string(id), "has": "pin", "limit": .integer(min(limit, 500))]
        let result = try context.client().call("message.media", params)
        if context.printJSON(result) { return .done }
        let messages = try (result["messages"]?.array ?? []).reversed().map { try Message(json: $0) }
        if messages.isEmpty { context.console.line("No message is pinned. To pin one: kibo react MESSAGE 📌") }
        let transcript = try transcript(messages, id, context)
        for message in messages { context.console.write(transcript.text(message)) }
        return .done
    }

    /// What an option names; nil where it is not given.
    private func place(_ option: String, _ context: Context) throws -> MessagePages.Place? {
        guard let word = context.arguments.value(option) else { return nil }
        if let time = Moment.read(word, now: context.now) { return .time(time) }
        // Positions are for the daemon to read. They begin with more digits than a year has.
        let head = word.prefix { $0 != "-" }
        guard word.allSatisfy({ $0 == "-" || $0.isASCII && ($0.isLetter || $0.isNumber) }),
            word.contains(where: \.isNumber), head.count > 4 || head.count == word.count
        else {
            throw Failure.usage("\(option) must be \(Moment.allowed), not \"\(word)\"", command: "read")
        }
        return .position(word)
    }

    /// The line that says how to go on behind the last message that is shown.
    private func further(from last: Message, _ context: Context) -> String {
        let chat = Shell.quoted(context.word(0))
        let limit = context.arguments.value("--limit").map { " -n \($0)" } ?? ""
        let position = Shell.quoted(ForeignText.escaped(last.position))
        return context.console.styled("newer ones: kibo read \(chat) --after \(position)\(limit)", .dim)
    }

    /// The number of unread messages beside those that are shown.
    private func unreadElsewhere(_ messages: [Message], _ id: String, _ client: ControlClient) throws -> Int64 {
        let all = try client.call("conversation.get", ["id": .string(id)], as: Conversation.init(json:)).unread
        return max(0, all - Int64(messages.lazy.filter(\.unread).count))
    }

    private func transcript(_ messages: [Message], _ id: String, _ context: Context) throws -> Transcript {
        let client = try context.client()
        return Transcript(
            console: context.console, people: try People(client, in: id),
            quoted: try Messages.quoted(in: messages, client),
            ids: context.arguments.has("--ids") ? Messages.shortIDs(messages) : [:])
    }

    /// - Parameter unread: how many unread ones are not shown; nil if there is nothing older at all.
    private func show(_ messages: [Message], unread: Int64?, _ transcript: Transcript, _ context: Context) {
        let console = context.console
        if messages.isEmpty { console.line("There are no messages.") }
        if let unread, let first = messages.first {
            let chat = Shell.quoted(context.word(0))
            // Below a position there may be unread ones too: then it isn't known how many of them are above.
            let others = context.arguments.has("--before") ? "more unread; older ones" : "unread above"
            let what = unread > 0 ? "\(unread) \(others)" : "older ones"
            let limit = context.arguments.value("--limit").map { " -n \($0)" } ?? ""
            let more =
                "\(what): kibo read \(chat) --before \(Shell.quoted(ForeignText.escaped(first.position)))\(limit)"
            console.line(console.styled(more, unread > 0 ? .yellow : .dim))
        }
        var day = ""
        var isBehindUnread = false
        for message in messages {
            let today = Humane.day(message.sentAt, now: context.now)
            if today != day { console.line(console.styled("— \(today) —", .dim)) }
            day = today
            if message.unread, !isBehindUnread {
                console.line(console.styled("— unread —", .yellow))
                isBehindUnread = true
            }
            console.write(transcript.text(message))
        }
    }

    private func markRead(_ id: String, _ messages: [Message], _ context: Context) throws {
        guard let first = messages.first, let last = messages.last, messages.contains(where: \.unread) else { return }
        // Messages above the first one have not been shown either.
        var params: JSONObject = ["id": .string(id), "from": .string(first.id), "upTo": .string(last.id)]
        // Messages that come in above the last one while this goes on have not been shown.
        if let arrival = messages.map(\.arrival).max(), arrival > 0 { params["arrival"] = .integer(arrival) }
        do {
            try context.client().call("conversation.markRead", params)
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            // The messages were shown: that is what was asked for.
            if refusal.kind == .noSpace {
                context.console.errorLine(
                    "The disk is full. Kibo will mark these messages as read when there is room.")
                return
            }
            guard refusal.code == RPCError.invalidParamsCode else { throw error }
            // A daemon that can't be told where the shown part begins would mark more than was shown.
            context.console.errorLine(
                "These messages stay unread, because the daemon is older than this program. Restart the daemon.")
        }
    }
}
