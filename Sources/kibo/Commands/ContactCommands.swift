import Arguments
import Basics
import ControlProtocol
import Vocabulary

/// `kibo remove | block | unblock WHO`: one step with one person.
struct PersonCommand: Command {
    let spec: CommandSpec
    private let method: String
    /// The people to search for the person.
    private let purpose: NamePurpose
    /// The question before it, by what they are now; nil where there is none. The name takes the place of `%` in it.
    private let question: @Sendable (Relation?) -> String?
    /// The sentence for when it is done, by what they were before; the name takes the place of `%` in it.
    private let done: @Sendable (Relation?) -> String

    private init(
        _ name: String, _ summary: String, who: String, options: [OptionSpec] = [], details: String, examples: [String],
        among purpose: NamePurpose, asks question: @escaping @Sendable (Relation?) -> String? = { _ in nil },
        done: @escaping @Sendable (Relation?) -> String
    ) {
        spec = CommandSpec(
            name, .people, summary, arguments: [ArgumentSpec("WHO", help: who)], options: options, details: details,
            examples: examples)
        method = "contact.\(name)"
        self.purpose = purpose
        self.question = question
        self.done = done
    }

    private static let whole = """
        On a terminal you are asked first, and the beginning of a name is enough (three characters or more).
        In scripts, and with --yes, WHO must be a whole name, an alias or an id. If several people have the name,
        they are listed and nothing is done.
        """

    static let all = [
        PersonCommand(
            "remove", "Remove a person from your friends", who: "one of those in kibo contacts",
            options: [Context.yesOption],
            details: """
                They are told. Queued messages and files for them are not sent; the conversation stays
                (kibo forget CHAT deletes it).
                \(whole)
                """, examples: ["kibo remove Mallory"], among: .contact,
            asks: { before in
                switch before {
                case .friend: "Remove % from your friends? They are told, and queued messages are not sent."
                case .requested: "Take back your request to %?"
                case .incoming: "Decline %'s request?"
                default: "Clear your request to %, which was refused?"
                }
            },
            done: { before in
                switch before {
                case .friend: "Removed %: you are not friends any more."
                case .requested: "Your request to % is taken back."
                case .incoming: "Declined %'s request."
                default: "Cleared your request to %, which was refused."
                }
            }),
        PersonCommand(
            "block", "Block a person, so that you hear nothing from them any more",
            who: "a name from kibo contacts or kibo peers, or an id",
            options: [Context.yesOption],
            details: """
                They see you as offline, can't ask to be your friend, and are not told. Queued messages and files
                for them are not sent; the conversation stays.
                \(whole)
                """, examples: ["kibo block Mallory"], among: .anybody,
            asks: { before in
                before == .blocked ? nil : "Block %? They see you as offline, and queued messages are not sent."
            },
            done: { before in
                before == .blocked
                    ? "% is already blocked."
                    : "% is blocked: they see you as offline, and can't ask to be your friend."
            }),
        PersonCommand(
            "unblock", "Unblock a person", who: "a blocked person from kibo contacts",
            details: "You are not friends afterwards; each of you can ask the other.",
            examples: ["kibo unblock Mallory"],
            among: .blocked
        ) { _ in "% is not blocked any more. You are not friends; to ask them: kibo add NAME" },
    ]

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let asks = spec.options.contains(Context.yesOption)
        let word = context.word(0)
        let person = try asks ? context.findForDanger(word, purpose) : context.find(word, purpose, isStrict: true)
        if context.asksFirst, let question = question(person.relation) {
            // The id tells a person from others who take the same name.
            let whom = "\(Words.name(person.name)) (\(ShortID.account(person.id)))"
            guard context.confirms(Self.fill(question, whom)) else {
                context.console.line("Nothing was changed.")
                return .failed
            }
        }
        let result = try client.call(method, ["id": .string(person.id)])
        if context.printJSON(result) { return .done }
        let name = context.console.styled(Words.name(try Contact(json: result).shownName), .bold)
        context.console.line(Self.fill(done(person.relation), name))
        return .done
    }

    private static func fill(_ sentence: String, _ name: String) -> String {
        sentence.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).joined(separator: name)
    }
}

/// `kibo alias WHO [NAME|--remove]`
struct AliasCommand: Command {
    let spec = CommandSpec(
        "alias", .people, "Give a person a name that only you see",
        arguments: [
            ArgumentSpec("WHO", help: "one of those in kibo contacts"),
            ArgumentSpec("NAME", .optional, help: "your name for them; without it, show what is set"),
        ],
        options: [OptionSpec("--remove", help: "remove it: they have their own name again")],
        examples: ["kibo alias Anna \"Anna from the workshop\"", "kibo alias \"Anna from the workshop\" --remove"])

    func run(_ context: Context) throws -> ExitCode {
        let removes = context.arguments.has("--remove")
        let given = context.arguments.positional(1)
        if removes, given != nil { throw Failure.usage("give a NAME or --remove, not both", command: "alias") }
        let client = try context.client()
        let person = try context.find(context.word(0), .contact)
        let id = JSONValue.string(person.id)
        let result: JSONValue
        if let alias = removes ? "" : given {
            result = try client.call("contact.update", ["id": id, "alias": .string(alias)])
        } else {
            result = try client.call("contact.get", ["id": id])
        }
        if context.printJSON(result) { return .done }
        let contact = try Contact(json: result)
        let who = person.others > 0 ? " (\(ShortID.account(person.id)))" : ""
        let own = context.console.styled(Words.name(contact.displayName), .bold) + who
        let alias = context.console.styled(Words.name(contact.alias), .bold)
        switch (contact.alias.isEmpty, removes || given != nil) {
        case (false, true): context.console.line("\(own) is called \(alias) here now.")
        case (false, false): context.console.line("\(own) is called \(alias) here.")
        case (true, true): context.console.line("\(own) has no alias any more.")
        case (true, false):
            context.console.line(
                "\(own) has no alias. To give them one: kibo alias \(Shell.quoted(context.word(0))) NAME")
        }
        return .done
    }
}

/// `kibo auto-download WHO [default|never|always]`
struct AutoDownloadCommand: Command {
    let spec = CommandSpec(
        "auto-download", .people, "Say whether a person's files are taken without asking",
        arguments: [
            ArgumentSpec("WHO", help: "one of those in kibo contacts"),
            ArgumentSpec(
                "WHEN", .optional, help: "default, never or always; without it, show what is set",
                choices: AutoDownload.allCases.map(\.rawValue)),
        ],
        details: """
            default   as the settings say: kibo settings files.autoDownload
            never     every file waits for kibo get
            always    every kind, up to files.maxReceiveBytes
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
        case .default:
            context.console.line("Files from \(name) are taken as the settings say: kibo settings files.autoDownload")
        case .never: context.console.line("Files from \(name) always wait for: kibo get")
        case .always: context.console.line("Files from \(name) are taken without asking, whatever their kind.")
        }
        return .done
    }
}

/// `kibo trust WHO`
struct TrustCommand: Command {
    let spec = CommandSpec(
        "trust", .people, "Trust the new key of a friend",
        arguments: [ArgumentSpec("WHO", help: "a person whose key has changed (see kibo contacts)")],
        options: [OptionSpec("--yes", help: "you have asked them, and the new key is theirs")],
        details: """
            Another account is using a friend's name. Either your friend has a new device with a new
            key, or somebody is pretending to be your friend. Ask your friend by phone or face to face.
            If it is your friend, kibo trust moves the conversation to the new key and asks it to be your
            friend. Compare numbers then: kibo verify WHO.

            If it is not your friend, keep the old key (kibo verify WHO) and block the other account (kibo
            requests, kibo block).
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

    /// The friendship with the old key ends, and only a new request can bring it back.
    private func confirm(_ name: String, _ word: String, _ context: Context) throws {
        if context.arguments.has("--yes") { return }
        guard context.console.canAsk, !context.json else {
            throw Failure(
                .usage, "This ends the friendship with the old key of \(name).",
                hint: "If you have asked them and the new key is theirs: kibo trust \(Shell.quoted(word)) --yes")
        }
        guard
            context.confirms("Have you asked \(name), and is the new key theirs? The old one will no longer count.")
        else {
            throw Failure(
                .failed, "Nothing was changed.", hint: "To keep the old key: kibo verify \(Shell.quoted(word))")
        }
    }
}
