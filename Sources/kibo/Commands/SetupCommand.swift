import Arguments
import Basics
import ControlProtocol
import Glibc

/// `kibo setup [--name NAME] [--passphrase] [--remember]`
struct SetupCommand: Command {
    let spec = CommandSpec(
        "setup", .start, "Make your account on this computer",
        options: [
            OptionSpec("--name", value: "NAME", help: "your name as others see it; you are asked if it is not given"),
            OptionSpec("--passphrase", help: "ask for a passphrase that seals your keys on the disk"),
            OptionSpec(
                "--passphrase-file", value: "PATH", help: "take the passphrase from a file; - is standard input"),
            OptionSpec("--remember", help: "let the daemon unlock itself whenever it starts"),
        ],
        details: """
            An account is a key that is made on this computer and stays here. Nobody has to approve it, and nothing
            is sent anywhere until others on the network look for people.
            Without a passphrase, the file's permissions protect the key. You can set one later.
            """,
        examples: ["kibo setup", "kibo setup --name \"Anna Berg\" --passphrase"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.startingClient()
        let arguments = context.arguments
        let wantsPassphrase = arguments.has("--passphrase") || arguments.has("--passphrase-file")
        guard wantsPassphrase || !arguments.has("--remember") else {
            throw Failure.usage("--remember needs a passphrase to remember", command: spec.name)
        }
        var params: JSONObject = ["displayName": .string(try arguments.value("--name") ?? Self.askName(context))]
        if wantsPassphrase {
            params["passphrase"] = .string(
                try Passphrases.new(context, option: "--passphrase-file", "A passphrase for your keys: "))
            if arguments.has("--remember") { params["remember"] = true }
        }
        let account = try client.call("account.create", params, timeout: PassphraseCommand.patience)
        if context.printJSON(account) { return .done }
        let made = try Account(json: account)
        context.console.line("You are \(context.console.styled(Words.name(made.displayName), .bold)) on this network.")
        context.console.line("Your id is \(made.id)")
        context.console.line("")
        context.console.line("See who is there: kibo peers")
        if !made.hasPassphrase {
            context.console.line(
                "The file's permissions protect your key. To seal it with a passphrase: kibo passphrase")
        } else if !made.remembered {
            context.console.line("After each start of the daemon: kibo unlock (or once: kibo unlock --remember)")
        }
        sayTypes(context)
        context.console.line(
            "If this disk is lost, so is your account. Write its recovery code down: kibo recovery show")
        context.console.line("To keep your messages safe as well: kibo backup FILE")
        return .done
    }

    /// Which files go and come is said once, before the first one is refused.
    private func sayTypes(_ context: Context) {
        let json = try? context.client().call("settings.get", ["key": "files.allowedTypes"])
        guard let json, let setting = try? Setting(json: json), let types = setting.value.array else { return }
        let words = types.compactMap(\.string).joined(separator: ", ")
        context.console.line("File types that you send and receive: \(ForeignText.escaped(words))")
        context.console.line("To send another type: kibo send --any-type")
        context.console.line("To add types to the list: kibo settings files.allowedTypes +zip,tar")
    }

    /// Asks for the name that others see.
    static func askName(_ context: Context) throws -> String {
        guard context.console.canAsk, !context.json else {
            throw Failure(.usage, "the name is missing", hint: "kibo \(context.command) --name NAME")
        }
        let suggestion = fullName()
        let question = "Your name, as others see it" + (suggestion.map { " [\($0)]" } ?? "") + ": "
        guard let name = context.console.ask(question) else { throw Failure(.usage, "the name is missing") }
        if name.isEmpty, let suggestion { return suggestion }
        return name
    }

    /// The name in the system's list of users; nil if there is none.
    private static func fullName() -> String? {
        guard let entry = getpwuid(getuid()), let field = entry.pointee.pw_gecos else { return nil }
        let name = String(cString: field).prefix { $0 != "," }
        return name.isEmpty ? nil : String(name)
    }
}

extension String {
    /// Without white space at either end.
    var trimmed: String {
        let head = drop(while: \.isWhitespace)
        guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...last])
    }
}
