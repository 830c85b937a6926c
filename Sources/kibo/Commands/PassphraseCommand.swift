import Arguments
import Basics
import ControlProtocol

/// `kibo passphrase [--remove]`
struct PassphraseCommand: Command {
    private static let newOption = "--new-passphrase-file"

    let spec = CommandSpec(
        "passphrase", .start, "Set, change or remove the passphrase of your account",
        options: [
            OptionSpec(
                "--passphrase-file", value: "PATH", help: "read the current one from a file; - is standard input"),
            OptionSpec(newOption, value: "PATH", help: "read the new one from a file"),
            OptionSpec("--remove", help: "remove the passphrase"),
        ],
        details: """
            The passphrase seals your keys on the disk, so that somebody who steals the disk can't use them. Nobody can
            open the account without it, not even you: it can't be reset. If something fails while it
            is being changed, the old one stays valid.
            """,
        examples: ["kibo passphrase", "kibo passphrase --new-passphrase-file new.txt", "kibo passphrase --remove"])

    /// Sealing takes a second, on a slow or busy machine many.
    static let patience = Duration.seconds(120)

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let removes = context.arguments.has("--remove")
        guard !removes || !context.arguments.has(Self.newOption) else {
            throw Failure.usage("give --remove or \(Self.newOption), not both", command: spec.name)
        }
        let account = try client.call("account.get", as: Account.init(json:))
        guard !account.locked else {
            throw Failure(.noAccount, "The account is locked.", hint: "Unlock it first: kibo unlock")
        }
        if removes, !account.hasPassphrase {
            context.console.line("Your account has no passphrase.")
            return .done
        }
        var params = JSONObject()
        if account.hasPassphrase { params["old"] = .string(try Passphrases.present(context, "Current passphrase: ")) }
        if !removes { params["new"] = .string(try new(context, isFirst: !account.hasPassphrase)) }
        let result = try client.call("account.changePassphrase", params, timeout: Self.patience)
        if context.printJSON(result) { return .done }
        say(try Account(json: result), isFirst: !account.hasPassphrase, context.console)
        return .done
    }

    /// A user who has none yet may name the file by either option.
    private func new(_ context: Context, isFirst: Bool) throws -> String {
        let isGiven = context.arguments.has(Self.newOption)
        return try Passphrases.new(context, option: isFirst && !isGiven ? "--passphrase-file" : Self.newOption)
    }

    private func say(_ account: Account, isFirst: Bool, _ console: Console) {
        guard account.hasPassphrase else {
            console.line("Your account has no passphrase any more: the file's permissions protect the keys.")
            return
        }
        console.line(isFirst ? "Your keys are sealed with the passphrase." : "The new passphrase is now in use.")
        if isFirst {
            console.line("After the next start of the daemon: kibo unlock. To lock now: kibo lock")
        } else if account.remembered {
            console.line(
                "The daemon remembers it. If systemd passes the passphrase to the daemon, change the credential too.")
        }
    }
}
