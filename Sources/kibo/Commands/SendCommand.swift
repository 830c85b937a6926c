import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo send CHAT… [--text TEXT] [FILE…]`, `kibo send --to-device DEVICE FILE…|TEXT`
struct SendCommand: Command {
    let spec = CommandSpec(
        "send", .talk, "Send a message, files or folders",
        arguments: [
            ArgumentSpec("CHAT", .optional, help: Context.chatHelp + "; not with --to-device"),
            ArgumentSpec("FILE", .any, help: "more people or groups, then files and folders; or a text: see below"),
        ],
        options: [
            OptionSpec("--text", value: "TEXT", help: "the text; all other words are then people, groups or files"),
            OptionSpec("--file", short: "-f", value: "PATH", repeats: true, help: "a file or folder to send with it"),
            OptionSpec("--any-type", help: "send files of any type; the receiver decides whether to take them"),
            OptionSpec("--reply", value: "ID", help: "the message that it answers: last, or its id by kibo read --ids"),
            OptionSpec(
                "--wait", value: "STATE",
                help: "wait until it is sent, delivered, read, or (files) done; in a group: with everybody",
                choices: Goal.allCases.map(\.rawValue)),
            OptionSpec("--timeout", value: "SECONDS", help: "the longest time to wait"), Context.groupOption,
            OptionSpec(
                "--to-device", value: "DEVICE",
                help: "give it to a LocalSend device, such as a phone: its name or id, or the beginning of one"),
            OptionSpec("--pin", value: "PIN", help: "--to-device: the PIN that the device asks for"),
            OptionSpec("--no-wait", help: "--to-device: don't wait until it is taken"),
        ],
        details: """
            The words after CHAT are files if all of them are files or folders here, and otherwise a text:
              kibo send Anna see you at nine            the text "see you at nine"
              kibo send Anna report.pdf photos/         two offers
              kibo send Anna Ben report.pdf             the same to both: names come before files
              kibo send Anna Ben --text "Look" *.pdf    with --text, or - for standard input, no word is text
            You are asked if a text begins with a name or contains the name of a file, and if the first
            words are one person's whole name (quote it: 'Anna Berg'). A script sends nothing in these cases,
            and lists what you can write instead: --text for a text, ./NAME for a file. If all words look like
            files (report.pdf, photos/), or one is a path to a file (./report.pdf), and it isn't there, nothing
            is sent: it may be mistyped. With --text it is a text.
            Each receiver gets a separate message. A message to @me is a note to yourself: it is kept here, and
            its files stay where they are. If one of them can't be written to, nothing is sent.

            The message is stored before this returns, and goes out when the receiver is there, even days
            later. Without --wait only its current state is shown; Ctrl-C stops waiting and nothing else.
            A symbolic link that you name is followed, and its file goes under the link's name; links inside a
            folder are left out. Put -- before a text that begins with a dash. Files of a type that is not in
            files.allowedTypes are refused, or left out of a folder; with --any-type they are offered, and held
            back until the receiver runs kibo get --any-type.
            More than 32 files go in several messages, in the order in which you name them.

            With --to-device there is no CHAT: all words are files, or a text, by the same rules. It goes to a
            device that kibo localsend lists. Its user is asked, and nothing is queued for one that is away.
            A device gets files or a text, not both, and up to 32 files and folders at once. What it has taken
            is in your notes. Ctrl-C stops waiting; to take it back: kibo localsend decline.
            """,
        examples: [
            "kibo send Anna The drawings are ready", "kibo send Anna drawings/ --wait done",
            "kibo send :Hikers Ben --text \"Nine at the station\" map.pdf", "df -h | kibo send Anna -",
            "kibo send --to-device \"Nice Orange\" photos/",
        ])

    /// Up to where `--wait` waits.
    enum Goal: String, CaseIterable { case sent, delivered, read, done }

    func run(_ context: Context) throws -> ExitCode {
        if let device = context.arguments.value("--to-device") { return try Giving(context, to: device).run() }
        for option in ["--pin", "--no-wait"] where context.arguments.has(option) {
            throw Failure.usage("\(option) belongs to --to-device", command: spec.name)
        }
        if context.arguments.positionals.isEmpty { throw Failure.usage("CHAT is missing", command: spec.name) }
        let goal = try goal(context)
        let timeout = try context.number("--timeout", in: 1...31_536_000).map { Duration.seconds($0) }
        let files = try context.arguments.values("--file").map(LocalPath.sent)
        let words = context.arguments.positionals.dropFirst() + context.arguments.values("--text")
        if words.allSatisfy(\.isEmpty), files.isEmpty { throw Self.nothing(to: [context.word(0)]) }
        let client = try context.client()
        var people = try People(client)
        let meant = try SendQuestions(context, to: people).words(hasFiles: !files.isEmpty)
        let all = files + (try meant.files.map(LocalPath.sent))
        let messages = Self.portions(of: try content(meant, all, context), all)
        let receivers = try self.receivers(meant.receivers, context, &people)

        // The subscription comes first, so that nothing can happen unseen between sending and waiting.
        let watches = goal != nil || context.console.isTerminal && !context.json
        if watches {
            let types = [EventType.messageChanged, .transferChanged, .transferProgress].map(\.rawValue)
            try client.call("events.subscribe", ["types": .strings(types)])
        }
        if messages.count > 1, !context.json {
            context.console.line(FilePortions.words(messages.count))
        }
        var sending = Sending(
            context: context, people: people, isToSeveral: receivers.count > 1 || messages.count > 1)
        for receiver in receivers { for message in messages { try sending.send(message, to: receiver) } }
        return try sending.conclude(goal, timeout, watches: watches)
    }

    private func goal(_ context: Context) throws(Failure) -> Goal? {
        guard let word = context.arguments.value("--wait") else { return nil }
        guard let goal = Goal(rawValue: word) else {
            let words = Goal.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--wait must be one of \(words), not \"\(word)\"", command: "send")
        }
        return goal
    }

    // MARK: Content and receivers

    /// The text that was meant; nil for none.
    static func text(_ words: SendWords) throws(Failure) -> String? {
        words.readsInput ? try StandardInput.text(maximumBytes: SharedLimits.textBytes) : words.text
    }

    /// - Parameter receiver: the words of the command line that name the receiver.
    static func nothing(to receiver: [String]) -> Failure {
        let start = Shell.line(["kibo", "send"] + receiver)
        return Failure(
            .usage, "there is nothing to send",
            hint: "Give a text or files: \(start) TEXT; for standard input: \(start) -")
    }

    /// As many messages as the files need, in their order; the text and what it answers go with the first.
    private static func portions(of params: JSONObject, _ files: [SentFile]) -> [JSONObject] {
        guard !files.isEmpty else { return [params] }
        return FilePortions.of(files).enumerated().map { number, files in
            var portion = params
            FilePortions.add(files, to: &portion)
            if number > 0 { (portion["text"], portion["replyTo"]) = (nil, nil) }
            return portion
        }
    }

    private func content(_ words: SendWords, _ files: [SentFile], _ context: Context) throws -> JSONObject {
        var params = JSONObject()
        if let text = try Self.text(words) { params["text"] = .string(text) }
        if params.isEmpty, files.isEmpty { throw Failure.usage("there is nothing to send", command: "send") }
        if context.arguments.has("--any-type") { params["anyType"] = true }
        if let word = context.arguments.value("--reply") {
            // last is the last one of that chat that another person wrote; among the notes, the last one.
            let chat = words.receivers.count == 1 ? try context.chat(words.receivers[0]) : nil
            let own = try context.ownAccount()
            let message = try Messages.find(word, context.client(), in: chat?.conversation) {
                !$0.deleted && $0.kind != .system && ($0.sender != own || chat?.kind == .notes)
            }
            params["replyTo"] = .string(message.id)
        }
        return params
    }

    /// All are found, and can be written to, before anything is sent.
    private func receivers(_ words: [String], _ context: Context, _ people: inout People) throws -> [Named] {
        var receivers: [Named] = []
        for word in words {
            let named = try context.chat(word)
            if receivers.contains(where: { $0.id == named.id }) { continue }
            if named.kind == .group { try people.learn(group: named.id, context.client()) }
            receivers.append(named)
        }
        guard receivers.count > 1 else { return receivers }
        for named in receivers {
            let name = Words.object(named)
            if named.kind == .group {
                guard people.groups[named.id]?.state == .member else {
                    throw Failure(.failed, "you are not in \(name) any more, and nothing was sent")
                }
            } else if named.kind == .notes {
                continue
            } else if named.relation != .friend {
                throw Failure(
                    .failed, "\(name) is not your friend, so nothing was sent",
                    hint: "Ask first: kibo add \(Shell.quoted(named.word)); or leave them out.")
            } else if named.trust == .changed {
                throw Failure(
                    .failed, "the key of \(name) has changed, and nothing was sent",
                    hint: "Check that first: kibo verify \(Shell.quoted(named.word)); or leave them out.")
            }
        }
        return receivers
    }
}
