import Arguments
import ControlProtocol

/// `kibo completions bash|zsh|fish`, and what those ask for: `kibo completions people|chats|groups|transfers|settings`
struct CompletionsCommand: Command {
    let spec = CommandSpec(
        "completions", .other, "Print a completion script for your shell",
        arguments: [
            ArgumentSpec(
                "SHELL", help: "bash, zsh or fish; or a kind of names, which are printed one to a line",
                choices: shells + CompletedNames.allCases.map(\.rawValue))
        ],
        details: """
            The package installs them. Without it: kibo completions bash > ~/.local/share/bash-completion/completions/kibo
            Names of people, groups, transfers and settings come from the daemon while you type.
            """,
        examples: ["kibo completions bash", "kibo completions people"])

    private static let shells = ["bash", "zsh", "fish"]

    func run(_ context: Context) throws -> ExitCode {
        let commands = CommandCompletion.all(of: CommandTable.all)
        switch context.word(0) {
        case "bash": context.console.write(BashCompletion.script(commands))
        case "zsh": context.console.write(ZshCompletion.script(commands))
        case "fish": context.console.write(FishCompletion.script(commands))
        case let word:
            guard let kind = CompletedNames(rawValue: word) else {
                throw Failure.usage("there is no shell or kind of names \"\(word)\"", command: spec.name)
            }
            // A name with a control character can't be typed anyway.
            for name in try names(kind, context) where !name.unicodeScalars.contains(where: { $0.value < 0x20 }) {
                context.console.line(name)
            }
        }
        return .done
    }

    private func names(_ kind: CompletedNames, _ context: Context) throws -> [String] {
        switch kind {
        case .people: try people(context)
        case .chats: try people(context) + groups(context).map { Context.groupSign + $0 }
        case .groups: try groups(context)
        case .transfers:
            try texts("transfer.list", "transfers", ["name"], context)
        case .settings: try texts("settings.list", "settings", ["key"], context)
        }
    }

    private func people(_ context: Context) throws -> [String] {
        let contacts = try texts("contact.list", "contacts", ["alias", "displayName"], context)
        let peers = try texts("peer.list", "peers", ["displayName"], context)
        return Set(contacts + peers).sorted()
    }

    private func groups(_ context: Context) throws -> [String] {
        try texts("group.list", "groups", ["name"], context)
    }

    /// The first of these fields that has a text, of each object of a list.
    private func texts(_ method: String, _ list: String, _ fields: [String], _ context: Context) throws -> [String] {
        let found = try context.client().call(method)[list]?.array ?? []
        return found.compactMap { object in
            fields.lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty }
        }
    }
}
