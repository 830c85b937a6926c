import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo send CHAT [TEXT|-] [--file PATH]… [--wait STATE] [--reply ID]`
struct SendCommand: Command {
    let spec = CommandSpec(
        "send", .talk, "Send a message, files or folders",
        arguments: [
            ArgumentSpec("CHAT", help: "a friend, or a group: its name after a colon"),
            ArgumentSpec("TEXT", .any, help: "what to say; - reads it from standard input"),
        ],
        options: [
            OptionSpec("--file", short: "-f", value: "PATH", repeats: true, help: "a file or folder to offer with it"),
            OptionSpec("--reply", value: "ID", help: "the message that it answers; see kibo read --ids"),
            OptionSpec(
                "--wait", value: "STATE",
                help: "wait until it is sent, delivered, or (files) done; in a group: with everybody"),
            OptionSpec("--timeout", value: "SECONDS", help: "how long to wait at most"), Context.groupOption,
        ],
        details: """
            The message is stored before this returns: it goes out when the other one is there, even
            days later. Without --wait only its state so far is shown. A text that begins with a dash
            goes after -- . People come before groups; :NAME or --group means a group. Where a name may
            mean several, nothing is sent, and they are listed.
            """,
        examples: [
            "kibo send Anna \"The drawings are ready\"", "kibo send Anna --file drawings/ --wait done",
            "kibo send :Hikers \"Nine at the station\"",
            "df -h | kibo send Anna -",
        ])

    /// Up to where `--wait` waits.
    enum Goal: String, CaseIterable { case sent, delivered, done }

    func run(_ context: Context) throws -> ExitCode {
        let goal = try goal(context)
        let timeout = try context.number("--timeout", in: 1...31_536_000).map { Duration.seconds($0) }
        let client = try context.client()
        var params = try content(context)
        let named = try context.chat(context.word(0))
        let name = Words.object(named)
        var people = try People(client)
        switch named.kind {
        case .person: params["to"] = .string(named.id)
        case .group:
            params["conversation"] = .string(try context.conversation(opening: named))
            try people.learn(group: named.id, client)
        }
        if let word = context.arguments.value("--reply") {
            params["replyTo"] = .string(try Messages.find(word, client).id)
        }

        // The subscription comes first, so that nothing can happen unseen between sending and waiting.
        let watches = goal != nil || context.console.isTerminal && !context.json
        if watches {
            let types = [EventType.messageChanged, .transferChanged, .transferProgress].map(\.rawValue)
            try client.call("events.subscribe", ["types": .strings(types)])
        }
        let answer = try client.call("message.send", params)
        var message = try Message(json: answer)
        guard let goal else {
            if context.printJSON(answer) { return .done }
            if watches { message = try glance(message, people, client) }
            let code = conclude(message, name, people, context)
            return watches ? try follow(message, code, people, client, context) : code
        }
        return try wait(for: message, goal, timeout, name, people, context)
    }

    // MARK: Content and receiver

    private func goal(_ context: Context) throws(Failure) -> Goal? {
        guard let word = context.arguments.value("--wait") else { return nil }
        guard let goal = Goal(rawValue: word) else {
            let words = Goal.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--wait must be one of \(words), not \"\(word)\"", command: "send")
        }
        return goal
    }

    private func content(_ context: Context) throws -> JSONObject {
        var params = JSONObject()
        let words = context.arguments.positionals.dropFirst()
        if words == ["-"] {
            params["text"] = .string(try StandardInput.text(maximumBytes: SharedLimits.textBytes))
        } else if !words.isEmpty {
            params["text"] = .string(words.joined(separator: " "))
        }
        let files = context.arguments.values("--file")
        if !files.isEmpty { params["files"] = .strings(try files.map(LocalPath.existing)) }
        if params.isEmpty { throw Failure.usage("there is nothing to send", command: "send") }
        return params
    }

    // MARK: What becomes of it

    /// How long a person at a terminal is kept waiting for a better answer than "queued".
    private static let glance = Duration.milliseconds(400)
    /// The same where the other side is there, and only this host or theirs is slow.
    private static let longGlance = Duration.milliseconds(2500)

    private func glance(_ message: Message, _ people: People, _ client: ControlClient) throws -> Message {
        let isHere = message.recipients.contains { people.isHere($0.id) }
        return try MessageWaiter(client: client).wait(for: message, timeout: isHere ? Self.longGlance : Self.glance) {
            $0 != .queued && $0 != .sent
        }
    }

    /// Files that are taken without asking are followed to their end; files that wait for an answer are not waited for.
    private func follow(
        _ message: Message, _ code: ExitCode, _ people: People, _ client: ControlClient, _ context: Context
    ) throws -> ExitCode {
        guard code == .done, message.state == .delivered || message.state == .read else { return code }
        let ids = message.attachments.map(\.transfer)
        let moving = try TransferFollower.moving(ids, client, within: Self.glance)
        if moving.isEmpty { return code }
        return try TransferFollower(context, people).follow(moving, printsJSON: false)
    }

    private func wait(
        for message: Message, _ goal: Goal, _ timeout: Duration?, _ name: String, _ people: People, _ context: Context
    ) throws -> ExitCode {
        let client = try context.client()
        let start = SystemClocks().now
        var message = message
        message = try context.interruptibly {
            try MessageWaiter(client: client).wait(for: message, timeout: timeout) { state in
                state == .delivered || state == .read || goal == .sent && state == .sent
            }
        }
        let reached = message.state == .delivered || message.state == .read || goal == .sent && message.state == .sent
        if goal == .done, reached, !message.attachments.isEmpty {
            let rest = timeout.map { $0 - (SystemClocks().now - start) }
            let ids = message.attachments.map(\.transfer)
            return try TransferFollower(context, people).follow(ids, timeout: rest, printsJSON: true)
        }
        if !context.printJSON(message.json) {
            if message.state == .failed || reached { return conclude(message, name, people, context) }
            let seconds = timeout?.components.seconds ?? 0
            throw Failure(
                .failed, "not \(goal == .done ? "delivered" : goal.rawValue) to \(name) within \(seconds) s",
                hint: "It is \(message.state.rawValue) and goes out by itself when \(name) is there.")
        }
        return reached ? .done : .failed
    }

    private func conclude(_ message: Message, _ name: String, _ people: People, _ context: Context) -> ExitCode {
        let console = context.console
        let contact =
            message.recipients.count == 1 ? message.recipients.first.flatMap { people.contacts[$0.id] } : nil
        let isGroup = people.group(ofConversation: message.conversation) != nil
        let reached = message.recipients.lazy.filter { $0.state == .delivered || $0.state == .read }.count
        switch message.state {
        case .queued where reached > 0, .sent where reached > 0:
            console.line(
                "Delivered to \(reached) of \(message.recipients.count) in \(name); the others get it on coming back.")
        case .failed:
            let reason = message.recipients.compactMap(\.reason).first.map { ": " + Words.reason($0) } ?? ""
            console.errorLine(console.styledError("kibo:", .red, .bold) + " not sent to \(name)\(reason)")
            return .failed
        case _ where isGroup && message.recipients.isEmpty:
            console.line("Stored in \(name); no other member can get it now.")
        case .queued where isGroup && message.recipients.count == 1 && !people.isHere(message.recipients[0].id):
            let member = people.name(message.recipients[0].id)
            console.line("Queued for \(name): \(member) is offline and gets it on coming back.")
        case .queued where contact?.presence == .offline:
            console.line("Queued: \(name) is offline and gets it on coming back.")
        case .queued: console.line("Queued for \(name).")
        case .sent: console.line("Sent to \(name).")
        case .delivered, .received: console.line("Delivered to \(name).")
        case .read: console.line("Read by \(name).")
        }
        for file in message.attachments {
            let what = Words.name(file.name) + ", " + Humane.size(file.size) + AttachmentWords.leftOut(file)
            console.line("Offered: \(what). See: kibo transfers")
        }
        return .done
    }
}
