import Basics
import ControlProtocol

/// `kibo remove | block | unblock WHO`: one step with one person.
struct PersonCommand: Command {
    let spec: CommandSpec
    private let method: String
    /// Whom the command is about, if several have the name.
    private let isLikely: @Sendable (Relation) -> Bool
    /// Whether it may be somebody who is only nearby.
    private let takesPeers: Bool
    /// What to say when it is done: the lines behind the name.
    private let done: [String]

    private init(
        _ name: String, _ summary: String, who: String, details: String, examples: [String], takesPeers: Bool = false,
        done: [String], isLikely: @escaping @Sendable (Relation) -> Bool
    ) {
        spec = CommandSpec(
            name, .people, summary, arguments: [ArgumentSpec("WHO", help: who)], details: details, examples: examples)
        method = "contact.\(name)"
        self.takesPeers = takesPeers
        self.done = done
        self.isLikely = isLikely
    }

    static let all = [
        PersonCommand(
            "remove", "Be friends no more", who: "one of those in kibo contacts",
            details: """
                They are told. Messages and files that wait for them are not sent; the conversation stays
                (kibo forget CHAT deletes it).
                """, examples: ["kibo remove Mallory"],
            done: ["and you are not friends any more."]
        ) { $0 == .friend },
        PersonCommand(
            "block", "Never hear of somebody again", who: "a name from kibo contacts or kibo peers, or an id",
            details: """
                They see you as offline, can't ask to be your friend, and are not told. Messages and files
                that wait for them are not sent; the conversation stays.
                """, examples: ["kibo block Mallory"], takesPeers: true,
            done: ["is blocked: they see you as offline, and can't ask."]
        ) { $0 != .blocked },
        PersonCommand(
            "unblock", "Let somebody who is blocked ask again", who: "one of those who are blocked in kibo contacts",
            details: "You are no friends then; either may ask.", examples: ["kibo unblock Mallory"],
            done: ["is not blocked any more. You are no friends: either may ask, you with kibo add."]
        ) { $0 == .blocked },
    ]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let id = try People(client, withPeers: takesPeers).account(context.word(0), likely: isLikely)
        let result = try client.call(method, ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let name = context.console.styled(Words.name(try Contact(json: result).shownName), .bold)
        for line in done { context.console.line("\(name) \(line)") }
        return .done
    }
}

/// `kibo alias WHO [NAME]`
struct AliasCommand: Command {
    let spec = CommandSpec(
        "alias", .people, "Call somebody by another name, here only",
        arguments: [
            ArgumentSpec("WHO", help: "one of those in kibo contacts"),
            ArgumentSpec("NAME", .optional, help: "what to call them; without it, as they call themselves"),
        ],
        examples: ["kibo alias Anna \"Anna from the workshop\"", "kibo alias \"Anna from the workshop\""])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let id = try People(client).account(context.word(0)) { $0 == .friend }
        let alias = context.arguments.positional(1) ?? ""
        let result = try client.call("contact.update", ["id": .string(id), "alias": .string(alias)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let own = context.console.styled(Words.name(contact.displayName), .bold)
        context.console.line(
            contact.alias.isEmpty
                ? "\(own) is called so here, too."
                : "\(own) is \(context.console.styled(Words.name(contact.alias), .bold)) here from now on.")
        return .done
    }
}

/// `kibo auto-download WHO [default|never|always]`
struct AutoDownloadCommand: Command {
    let spec = CommandSpec(
        "auto-download", .people, "Whether somebody's files are taken without asking",
        arguments: [
            ArgumentSpec("WHO", help: "one of those in kibo contacts"),
            ArgumentSpec("WHEN", .optional, help: "default, never or always; without it, show what holds"),
        ],
        details: """
            default   as the settings say: kibo settings files.autoDownload
            never     each one waits for kibo get
            always    whatever the kind, up to files.maxReceiveBytes
            """, examples: ["kibo auto-download Anna always"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let id = try People(client).account(context.word(0)) { $0 == .friend }
        let result: JSONValue
        if let word = context.arguments.positional(1) {
            guard AutoDownload(rawValue: word) != nil else {
                throw Failure.usage("WHEN is default, never or always, not \"\(word)\"", command: context.command)
            }
            result = try client.call("contact.update", ["id": .string(id), "autoDownload": .string(word)])
        } else {
            result = try client.call("contact.get", ["id": .string(id)])
        }
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        switch contact.autoDownload {
        case .default: context.console.line("Files of \(name): as the settings say (kibo settings files.autoDownload).")
        case .never: context.console.line("Files of \(name): never without asking.")
        case .always: context.console.line("Files of \(name): always, whatever the kind.")
        }
        return .done
    }
}

/// `kibo trust WHO`
struct TrustCommand: Command {
    let spec = CommandSpec(
        "trust", .people, "Say that somebody has a new key",
        arguments: [ArgumentSpec("WHO", help: "somebody whose key has changed, see kibo contacts")],
        options: [OptionSpec("--yes", help: "you have asked them, and the new key is theirs")],
        details: """
            Somebody else answers by the name of a friend: that is the friend with a new device and a
            new key, or somebody who wants to be taken for them. Ask your friend, by telephone or face
            to face. If it is them, this goes on with the new key: the conversation moves to it, and it
            is asked to be your friend. Compare numbers then: kibo verify WHO.

            If it is not them, keep the old key (kibo verify WHO) and send the other one away (kibo
            requests, kibo decline, kibo block).
            """, examples: ["kibo trust Ben", "kibo trust Ben --yes"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let people = try People(client)
        let changed = Set(people.contacts.values.filter { $0.trust == .changed }.map(\.id))
        let word = context.word(0)
        // Of two who have the name, it is about the one whose key has changed.
        let candidates = people.candidates { _ in false }.filter { changed.contains($0.id) }
        let matches = Resolver.matches(word, among: candidates)
        let id = matches.count == 1 ? matches[0].id : try people.account(word) { $0 == .friend }
        if changed.contains(id) { try confirm(people.name(id), context) }
        let result = try client.call("contact.trustNewKey", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        if contact.relation == .friend {
            context.console.line("\(name) and you are friends, with the new key.")
        } else {
            context.console.line("\(name) is asked to be your friend, with the new key.")
        }
        if let conversation = people.contacts[id]?.conversation {
            // It stays where it is if there was one with the new key already.
            let isMoved = contact.conversation == conversation
            context.console.line(
                isMoved ? "The conversation goes on with it." : "The conversation with the old key stays as it is.")
        }
        context.console.line("Compare numbers: kibo verify \(Shell.quoted(contact.id))")
        return .done
    }

    /// The friendship with the old key ends, and nothing brings it back but asking anew.
    private func confirm(_ name: String, _ context: Context) throws {
        if context.arguments.has("--yes") { return }
        guard context.console.canAsk, !context.json else {
            throw Failure(
                .usage, "this ends the friendship with the old key of \(name)",
                hint: "If you have asked them and the new key is theirs: kibo trust \(Shell.quoted(name)) --yes")
        }
        context.console.write(
            "Have you asked \(name), and is the new key theirs? The old one counts no more then [y/N]: ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.trimmed.lowercased()) else {
            throw Failure(
                .failed, "nothing was changed", hint: "To keep the old key: kibo verify \(Shell.quoted(name))")
        }
    }
}
