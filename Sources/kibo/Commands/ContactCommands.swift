import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo remove | block | unblock WHO`: one step with one person.
struct PersonCommand: Command {
    let spec: CommandSpec
    private let method: String
    /// The people among whom the person is looked for.
    private let purpose: NamePurpose
    /// The sentence for when it is done, by what they were before; the name takes the place of `%` in it.
    private let done: @Sendable (Relation?) -> String

    private init(
        _ name: String, _ summary: String, who: String, details: String, examples: [String], among purpose: NamePurpose,
        done: @escaping @Sendable (Relation?) -> String
    ) {
        spec = CommandSpec(
            name, .people, summary, arguments: [ArgumentSpec("WHO", help: who)], details: details, examples: examples)
        method = "contact.\(name)"
        self.purpose = purpose
        self.done = done
    }

    private static let whole =
        "WHO is a whole name, an alias or an id. Where several have the name, they are listed."

    static let all = [
        PersonCommand(
            "remove", "Be friends no more", who: "one of those in kibo contacts",
            details: """
                They are told. Messages and files that wait for them are not sent; the conversation stays
                (kibo forget CHAT deletes it).
                \(whole)
                """, examples: ["kibo remove Mallory"], among: .contact
        ) { before in
            switch before {
            case .friend: "Removed %: you are not friends any more."
            case .requested: "Your request to % is taken back."
            case .incoming: "Declined: the request of %."
            default: "The request to %, which was refused, is put away."
            }
        },
        PersonCommand(
            "block", "Never hear of a person again", who: "a name from kibo contacts or kibo peers, or an id",
            details: """
                They see you as offline, can't ask to be your friend, and are not told. Messages and files
                that wait for them are not sent; the conversation stays.
                \(whole)
                """, examples: ["kibo block Mallory"], among: .anybody
        ) { before in
            before == .blocked
                ? "% was blocked already." : "Blocked %: they see you as offline, and can't ask."
        },
        PersonCommand(
            "unblock", "Let a blocked person ask again", who: "one of those who are blocked in kibo contacts",
            details: "You are no friends then; either may ask.", examples: ["kibo unblock Mallory"], among: .blocked
        ) { _ in "% is not blocked any more. You are no friends: either may ask, you with kibo add." },
    ]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let person = try context.find(context.word(0), purpose, isStrict: true)
        let result = try client.call(method, ["id": .string(person.id)])
        if context.printJSON(result) { return .done }
        let name = context.console.styled(Words.name(try Contact(json: result).shownName), .bold)
        let sentence = done(person.relation).split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        context.console.line(sentence.joined(separator: name))
        return .done
    }
}

/// `kibo alias WHO [NAME]`
struct AliasCommand: Command {
    let spec = CommandSpec(
        "alias", .people, "Call a person by another name, here only",
        arguments: [
            ArgumentSpec("WHO", help: "one of those in kibo contacts"),
            ArgumentSpec("NAME", .optional, help: "what to call them; without it, as they call themselves"),
        ],
        examples: ["kibo alias Anna \"Anna from the workshop\"", "kibo alias \"Anna from the workshop\""])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let person = try context.find(context.word(0), .contact)
        let id = person.id
        let alias = context.arguments.positional(1) ?? ""
        let result = try client.call("contact.update", ["id": .string(id), "alias": .string(alias)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let who = person.others > 0 ? " (\(ShortID.account(id)))" : ""
        let own = context.console.styled(Words.name(contact.displayName), .bold) + who
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
        "auto-download", .people, "Whether a person's files are taken without asking",
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
        let person = try context.find(context.word(0), .contact)
        let id = person.id
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
        let name = context.console.styled(Words.object(person), .bold)
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
        "trust", .people, "Say that a friend has a new key",
        arguments: [ArgumentSpec("WHO", help: "a person whose key has changed, see kibo contacts")],
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
        let person = try context.find(context.word(0), .contact, isStrict: true)
        let id = person.id
        if person.trust == .changed { try confirm(Words.name(person.name), person.word, context) }
        let result = try client.call("contact.trustNewKey", ["id": .string(id)])
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let name = context.console.styled(Words.name(contact.shownName), .bold)
        if contact.relation == .friend {
            context.console.line("\(name) and you are friends, with the new key.")
        } else {
            context.console.line("\(name) is asked to be your friend, with the new key.")
        }
        if let conversation = person.conversation {
            // It stays where it is if there was one with the new key already.
            let isMoved = contact.conversation == conversation
            context.console.line(
                isMoved ? "The conversation goes on with it." : "The conversation with the old key stays as it is.")
        }
        context.console.line("Compare numbers: kibo verify \(Shell.quoted(contact.id))")
        return .done
    }

    /// The friendship with the old key ends, and nothing brings it back but asking anew.
    private func confirm(_ name: String, _ word: String, _ context: Context) throws {
        if context.arguments.has("--yes") { return }
        guard context.console.canAsk, !context.json else {
            throw Failure(
                .usage, "this ends the friendship with the old key of \(name)",
                hint: "If you have asked them and the new key is theirs: kibo trust \(Shell.quoted(word)) --yes")
        }
        context.console.write(
            "Have you asked \(name), and is the new key theirs? The old one counts no more then [y/N]: ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.trimmed.lowercased()) else {
            throw Failure(
                .failed, "nothing was changed", hint: "To keep the old key: kibo verify \(Shell.quoted(word))")
        }
    }
}
