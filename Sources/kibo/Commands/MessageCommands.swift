import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo edit MESSAGE TEXT|-`
struct EditCommand: Command {
    let spec = CommandSpec(
        "edit", .talk, "Edit one of your messages",
        arguments: [
            Context.messageArgument, ArgumentSpec("TEXT", .any, help: "the new text; - reads it from standard input"),
        ],
        options: [Context.placeOption, Context.placeIsGroupOption],
        details: "The others see the new text, and that it was edited. last is the last one that you wrote.",
        examples: ["kibo edit last \"At noon, not at one\"", "kibo edit 3f2a \"At noon, not at one\""])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals.dropFirst()
        guard !words.isEmpty else { throw Failure.usage("the new text is missing", command: "edit") }
        let client = try context.client()
        let text =
            words == ["-"] ? try StandardInput.text(maximumBytes: SharedLimits.textBytes) : words.joined(separator: " ")
        let message = try context.message { !$0.deleted && $1 }
        let result = try client.call("message.edit", ["id": .string(message.id), "text": .string(text)])
        if context.printJSON(result) { return .done }
        context.console.line("Edited: \(Words.excerpt(try Message(json: result)))")
        return .done
    }
}

/// `kibo delete MESSAGE [--for me|all]`
struct DeleteCommand: Command {
    let spec = CommandSpec(
        "delete", .talk, "Delete a message here, or for everyone",
        arguments: [Context.messageArgument],
        options: [
            OptionSpec("--for", value: "me|all", help: "me: only on this computer; all: for the others too"),
            Context.placeOption, Context.placeIsGroupOption,
        ],
        details: """
            Without --for you are asked on a terminal; in scripts the message is deleted only on this computer.
            "For all" works for your own messages, and leaves a note that one was deleted. It still works
            after you have deleted a message here. A message that was not sent yet is not sent. last is the last
            message that you wrote.
            """,
        examples: ["kibo delete last", "kibo delete 3f2a --for all"])

    func run(_ context: Context) throws -> ExitCode {
        let choice = context.arguments.value("--for")
        guard choice == nil || choice == "me" || choice == "all" else {
            throw Failure.usage("--for must be me or all, not \"\(choice ?? "")\"", command: "delete")
        }
        let client = try context.client()
        guard let message = try find(choice, context) else {
            return try deleteLater(context.word(0).lowercased(), client, context)
        }
        let people = try People(client, in: message.conversation)
        let isOwn = message.sender == people.own
        guard let whom = try choice ?? ask(message, isOwn, people, context) else {
            context.console.line("Nothing was deleted.")
            return .failed
        }
        let result = try client.call("message.delete", ["id": .string(message.id), "for": .string(whom)])
        if context.printJSON(result) { return .done }
        let excerpt = Words.excerpt(message)
        if whom == "all", !message.isNote {
            context.console.line("Deleted for all: \(excerpt)")
            return .done
        }
        if message.isNote {
            context.console.line("Deleted: \(excerpt)")
            return .done
        }
        context.console.line("Deleted on this computer: \(excerpt)")
        if message.state == .queued, let unsent = Words.unsent([message], people, isDone: true) {
            context.console.line("\(unsent).")
        } else if isOwn, !message.deleted, message.state != .failed {
            context.console.line("The others still have it. Delete it there, too: kibo delete \(message.id) --for all")
        }
        return .done
    }

    /// The message; nil for one that is gone from here, which can still be deleted for all by its whole id.
    private func find(_ choice: String?, _ context: Context) throws -> Message? {
        do {
            return try context.message { !$0.deleted && $1 }
        } catch ClientError.refused(let refusal)
            where refusal.kind == .notFound && choice == "all" && UUIDv7(context.word(0).lowercased()) != nil
        {
            return nil
        }
    }

    private func deleteLater(_ id: String, _ client: ControlClient, _ context: Context) throws -> ExitCode {
        let result = try client.call("message.delete", ["id": .string(id), "for": "all"])
        if context.printJSON(result) { return .done }
        context.console.line("Deleted for all. You had already deleted it on this computer.")
        return .done
    }

    /// - Returns: from whose sight it is to go; nil if it stays.
    private func ask(
        _ message: Message, _ isOwn: Bool, _ people: People, _ context: Context
    ) throws -> String? {
        guard context.asksFirst else { return "me" }
        let title = people.title(ofConversation: message.conversation)
        let excerpt = DisplayWidth.truncate(Words.excerpt(message), to: 60)
        context.console.line("\(people.name(message.sender)), in the chat \(title): \(excerpt)")
        if message.isNote { return context.confirms("Delete this note?") ? "me" : nil }
        guard isOwn, !message.deleted else {
            return context.confirms("Delete it on this computer? The others keep it.") ? "me" : nil
        }
        switch context.console.ask("Delete it only here, or for all? [here/all/N] ")?.lowercased() {
        case "h", "here", "me": return "me"
        case "a", "all": return "all"
        default: return nil
        }
    }
}

/// `kibo react MESSAGE EMOJI [--remove]`
struct ReactCommand: Command {
    let spec = CommandSpec(
        "react", .talk, "React to a message with an emoji",
        arguments: [Context.messageArgument, ArgumentSpec("EMOJI", help: "one emoji, or its name: thumbsup, :+1:")],
        options: [
            OptionSpec("--remove", help: "take the reaction back"), Context.placeOption, Context.placeIsGroupOption,
        ],
        details: "last is the last message from another person.",
        examples: ["kibo react last 👍", "kibo react last thumbsup", "kibo react 3f2a 👍 --remove"])

    func run(_ context: Context) throws -> ExitCode {
        let word = context.word(1)
        guard let emoji = EmojiNames.emoji(word) ?? (EmojiNames.isName(word) ? nil : word) else {
            let near = Spelling.nearest(to: word, among: EmojiNames.all)
            throw Failure(
                .usage, "there is no emoji called \"\(word)\"",
                hint: near.map { "Did you mean: \($0)" } ?? "Give the emoji itself: kibo react MESSAGE 👍")
        }
        let client = try context.client()
        let removes = context.arguments.has("--remove")
        let message = try context.message { message, isOwn in
            removes || !message.deleted && !isOwn
        }
        var params: JSONObject = ["id": .string(message.id), "emoji": .string(emoji)]
        if removes { params["remove"] = true }
        let result = try client.call("message.react", params)
        if context.printJSON(result) { return .done }
        let sign = Words.line(emoji)
        let quote = DisplayWidth.truncate(Words.excerpt(try Message(json: result)), to: 60)
        context.console.line(
            removes ? "You took your \(sign) back from \"\(quote)\"" : "You reacted \(sign) to \"\(quote)\"")
        return .done
    }
}

/// `kibo retry MESSAGE`
struct RetryCommand: Command {
    let spec = CommandSpec(
        "retry", .talk, "Retry a message that failed", arguments: [Context.messageArgument],
        options: [Context.placeOption, Context.placeIsGroupOption],
        details: "last is the last message of yours that has failed.",
        examples: ["kibo retry last"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let message = try context.message { $1 && $0.state == .failed }
        let result = try client.call("message.retry", ["id": .string(message.id)])
        if context.printJSON(result) { return .done }
        let now = try Message(json: result)
        context.console.line("The message is \(Words.progress(now, now: context.now)): \(Words.excerpt(now))")
        return .done
    }
}

/// `kibo why MESSAGE`
struct WhyCommand: Command {
    let spec = CommandSpec(
        "why", .talk, "Show what happened to a message, and what it is waiting for",
        arguments: [Context.messageArgument], options: [Context.placeOption, Context.placeIsGroupOption],
        details: "last is the last message that you wrote.", examples: ["kibo why last", "kibo why 3f2a"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let message = try context.message { $1 }
        let result = try client.call("message.why", ["id": .string(message.id)])
        if context.printJSON(result) { return .done }
        let console = context.console
        console.line(console.styled(Words.excerpt(message), .bold))
        let story = Story(json: result, of: String(message.id.prefix(ShortID.time)), now: context.now)
        for step in story.steps { console.line("\(console.styled(step.when, .dim))  \(step.what)") }
        if !story.now.isEmpty { console.line("\(console.styled("Now:", .bold)) \(story.now)") }
        if message.recipients.count > 1 {
            let people = try People(client, in: message.conversation)
            for line in Words.recipients(message, people, now: context.now) { console.line("  \(line)") }
        }
        return .done
    }
}
