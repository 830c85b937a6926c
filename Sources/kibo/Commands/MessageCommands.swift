import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// The argument that all commands for one message take.
private let messageArgument = ArgumentSpec("MESSAGE", help: "the beginning of its id, as kibo read --ids shows it")

/// `kibo edit MESSAGE TEXT|-`
struct EditCommand: Command {
    let spec = CommandSpec(
        "edit", .talk, "Change the text of a message of yours",
        arguments: [messageArgument, ArgumentSpec("TEXT", .any, help: "the new text; - reads it from standard input")],
        details: "The others see the new text, and that it was edited.",
        examples: ["kibo edit 019ac0de-2222 \"At noon, not at one\""])

    func run(_ context: Context) throws -> ExitCode {
        let words = context.arguments.positionals.dropFirst()
        guard !words.isEmpty else { throw Failure.usage("the new text is missing", command: "edit") }
        let client = try context.client()
        let text =
            words == ["-"] ? try StandardInput.text(maximumBytes: SharedLimits.textBytes) : words.joined(separator: " ")
        let message = try Messages.find(context.word(0), client)
        let result = try client.call("message.edit", ["id": .string(message.id), "text": .string(text)])
        if context.printJSON(result) { return .done }
        context.console.line("Edited: \(Words.excerpt(try Message(json: result)))")
        return .done
    }
}

/// `kibo delete MESSAGE [--for me|all]`
struct DeleteCommand: Command {
    let spec = CommandSpec(
        "delete", .talk, "Delete a message here, or for everybody",
        arguments: [messageArgument],
        options: [OptionSpec("--for", value: "me|all", help: "me: only here (as without it); all: for the others too")],
        details: """
            For all only works for your own messages, and leaves a mark that one was deleted. Nobody is
            asked first: what is to go has to be named. What was not sent yet is not sent any more.
            """,
        examples: ["kibo delete 019ac0de-2222 --for all"])

    func run(_ context: Context) throws -> ExitCode {
        let whom = context.arguments.value("--for") ?? "me"
        guard whom == "me" || whom == "all" else {
            throw Failure.usage("--for must be me or all, not \"\(whom)\"", command: "delete")
        }
        let client = try context.client()
        let message = try Messages.find(context.word(0), client)
        let result = try client.call("message.delete", ["id": .string(message.id), "for": .string(whom)])
        if context.printJSON(result) { return .done }
        context.console.line("Deleted\(whom == "all" ? " for all" : ""): \(Words.excerpt(message))")
        if whom == "me", message.state == .queued,
            let unsent = Words.unsent([message], try People(client, in: message.conversation))
        {
            context.console.line("\(unsent).")
        }
        return .done
    }
}

/// `kibo react MESSAGE EMOJI [--remove]`
struct ReactCommand: Command {
    let spec = CommandSpec(
        "react", .talk, "Say what you think of a message, in one sign",
        arguments: [messageArgument, ArgumentSpec("EMOJI", help: "one sign")],
        options: [OptionSpec("--remove", help: "take it back")],
        examples: ["kibo react 019ac0de-2222 👍", "kibo react 019ac0de-2222 👍 --remove"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let message = try Messages.find(context.word(0), client)
        let emoji = context.word(1)
        var params: JSONObject = ["id": .string(message.id), "emoji": .string(emoji)]
        if context.arguments.has("--remove") { params["remove"] = true }
        let result = try client.call("message.react", params)
        if context.printJSON(result) { return .done }
        let done = context.arguments.has("--remove") ? "Taken back" : "Reacted"
        context.console.line("\(done): \(Words.excerpt(emoji))  \(Words.excerpt(try Message(json: result)))")
        return .done
    }
}

/// `kibo retry MESSAGE`
struct RetryCommand: Command {
    let spec = CommandSpec(
        "retry", .talk, "Try again to send a message that has failed", arguments: [messageArgument])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let message = try Messages.find(context.word(0), client)
        let result = try client.call("message.retry", ["id": .string(message.id)])
        if context.printJSON(result) { return .done }
        let now = try Message(json: result)
        context.console.line("It is \(Words.progress(now)): \(Words.excerpt(now))")
        return .done
    }
}

/// `kibo why MESSAGE`
struct WhyCommand: Command {
    let spec = CommandSpec(
        "why", .talk, "Tell a message's story: what happened to it, and what it waits for",
        arguments: [messageArgument], examples: ["kibo why 019ac0de-2222"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let message = try Messages.find(context.word(0), client)
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

/// The answer to `message.why`, fit for a terminal.
struct Story {
    let steps: [(when: String, what: String)]
    let now: String

    /// - Parameter message: as much of its id as means it.
    init(json: JSONValue, of message: String, now: WallTime) {
        steps = (json["steps"]?.array ?? []).compactMap { step in
            guard let remark = Remark<StoryStep>.read(step) else { return nil }
            return (
                step["at"]?.integer.map { Humane.moment($0, now: now, precise: true) } ?? "?",
                Words.excerpt(StoryWords.step(remark, now: now))
            )
        }
        let states = Remark<StoryState>.list(json["now"])
        self.now = Words.excerpt(states.map { StoryWords.state($0, of: message, now: now) }.joined(separator: " "))
    }
}
