import Arguments
import ControlProtocol

/// `kibo lock`
struct LockCommand: Command {
    let spec = CommandSpec(
        "lock", .start, "Lock your account: nothing is received or sent",
        details: """
            You go offline, transfers stop, and the daemon forgets your keys. Your messages stay on the disk;
            kibo settings privacy.historyWhileLocked says whether they can be read while Kibo is locked. An
            account without a passphrase can't be locked.
            """)

    func run(_ context: Context) throws -> ExitCode {
        let result = try context.client().call("account.lock")
        if context.printJSON(result) { return .done }
        context.console.line("Locked. Open it again with: kibo unlock")
        if try Account(json: result).remembered {
            context.console.line("The daemon remembers the passphrase and will unlock itself at the next start.")
        }
        return .done
    }
}

/// `kibo unlock [--remember|--forget]`
struct UnlockCommand: Command {
    let spec = CommandSpec(
        "unlock", .start, "Unlock your account with its passphrase",
        options: [
            Passphrases.fileOption,
            OptionSpec("--remember", help: "let the daemon unlock itself whenever it starts"),
            OptionSpec("--forget", help: "don't let the daemon unlock itself any more"),
        ],
        details: """
            --remember stores the passphrase in a file in the daemon's data directory that only you can
            read. If the daemon runs as a service, systemd can pass it instead, as the credential
            kibo-passphrase (see systemd-creds).
            """,
        examples: ["kibo unlock", "kibo unlock --remember", "kibo unlock --passphrase-file ~/.kibo-passphrase"])

    func run(_ context: Context) throws -> ExitCode {
        let (remember, forget) = (context.arguments.has("--remember"), context.arguments.has("--forget"))
        guard !remember || !forget else {
            throw Failure.usage("give --remember or --forget, not both", command: spec.name)
        }
        let client = try context.client()
        let before = try client.call("account.get", as: Account.init(json:))
        guard before.hasPassphrase else {
            // The daemon has the words for it.
            _ = try client.call("account.unlock", ["passphrase": "-"])
            return .done
        }
        var params: JSONObject = ["passphrase": .string(try Passphrases.present(context))]
        if remember || forget { params["remember"] = .bool(remember) }
        let result = try client.call("account.unlock", params, timeout: PassphraseCommand.patience)
        if context.printJSON(result) { return .done }
        let account = try Account(json: result)
        let name = context.console.styled(Words.name(account.displayName), .bold)
        context.console.line(before.locked ? "Unlocked. You are \(name) on this network." : "It is already unlocked.")
        if remember { context.console.line("From now on the daemon unlocks itself when it starts.") }
        if forget {
            context.console.line(
                account.remembered
                    ? "The file is gone, but systemd gives the daemon the passphrase (credential kibo-passphrase)."
                    : "From now on it is locked after each start.")
        }
        return .done
    }
}
