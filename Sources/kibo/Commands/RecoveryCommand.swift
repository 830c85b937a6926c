import Arguments
import ControlProtocol

/// `kibo recovery show|check`
struct RecoveryCommand: Command {
    let spec = CommandSpec(
        "recovery", .start, "Show or check the code that brings your account back if this disk is lost",
        arguments: [ArgumentSpec("ACTION", help: "show, check", choices: ["show", "check"])],
        options: [
            Passphrases.fileOption, RecoveryCodes.fileOption, CodeDrawing.invertOption,
            OptionSpec("--yes", short: "-y", help: "show it without asking first"),
        ],
        details: """
            The code is your account's key as text. Anyone who has it has your account: they can write as you and read
            what is sent to you. Write it down, or print it, and keep it where nobody else finds it. It stays the same
            for the life of the account, whatever the passphrase is.

            show asks for the passphrase if the account has one. check reads a code that you type, without showing it,
            and says whether it is the right one, so that you know you can read your own handwriting.

            With the code, kibo recover brings the account back on another disk. Your messages are not in it.
            """,
        examples: ["kibo recovery show", "kibo recovery check", "kibo recovery check --code-file -"])

    func run(_ context: Context) throws -> ExitCode {
        switch context.word(0) {
        case "show": try show(context)
        case "check": try check(context)
        default: throw Failure.usage("kibo recovery has no action \"\(context.word(0))\"", command: spec.name)
        }
    }

    private func show(_ context: Context) throws -> ExitCode {
        let account = try context.client().call("account.get", as: Account.init(json:))
        guard !account.locked else {
            throw Failure(.noAccount, "The account is locked.", hint: "Unlock it first: kibo unlock")
        }
        if context.asksFirst {
            context.console.line(
                "Anyone who has this code has your account. Make sure that nobody else can see the screen now.")
            guard context.confirms("Show the code?") else {
                context.console.line("Nothing was shown.")
                return .failed
            }
        }
        var params = JSONObject()
        if account.hasPassphrase { params["passphrase"] = .string(try Passphrases.present(context)) }
        let result = try context.client().call("recovery.code", params, timeout: PassphraseCommand.patience)
        if context.printJSON(result) { return .done }
        let console = context.console
        if console.canAsk { console.write(CodeDrawing.lines(of: result["qr"]?.string ?? "", context)) }
        for line in RecoveryWords.lines(of: result["code"]?.string ?? "") { console.line(line) }
        console.line("")
        console.line("Anyone who has this code has your account. Keep it on paper, where nobody else finds it.")
        console.line("Then check what you have written: kibo recovery check")
        return .done
    }

    private func check(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let result = try client.call(
            "recovery.check", ["code": .string(try RecoveryCodes.given(context))])
        let isRight = result["result"]?.string == RecoveryCheck.right.rawValue
        if context.printJSON(result) { return isRight ? .done : .failed }
        context.console.line(
            RecoveryWords.check(
                result["result"]?.string ?? "", (result["places"]?.array ?? []).compactMap(\.integer)))
        return isRight ? .done : .failed
    }
}

/// `kibo recover [--name NAME]`
struct RecoverCommand: Command {
    let spec = CommandSpec(
        "recover", .start, "Bring your account back from its recovery code",
        options: [
            OptionSpec("--name", value: "NAME", help: "your name as others see it; you are asked if it is not given"),
            RecoveryCodes.fileOption,
        ],
        details: """
            For a new disk with no account yet. Your key comes back with a new device, so friends keep you as the
            person they know. The code holds no messages and no list of friends. For 30 days friends who have you
            on their list show up in kibo requests as soon as they are on the network. Accept those that you know:
            what they have sent meanwhile waits on their side, and arrives then. Groups come back with the friend
            who added you.

            The old device must not run any more. If somebody has stolen it, or has read the code, they can act as you:
            make a new account instead (kibo setup), and tell your friends in another way.
            """,
        examples: ["kibo recover", "kibo recover --name \"Anna Berg\" --code-file -"])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.startingClient()
        guard try context.ownAccount() == nil else {
            throw Failure(
                .failed, "There is an account here already.",
                hint: "The code of another account can only be used where there is none yet. See: kibo status")
        }
        let name = try context.arguments.value("--name") ?? SetupCommand.askName(context)
        let result = try client.call(
            "account.recover", ["code": .string(try RecoveryCodes.given(context)), "displayName": .string(name)],
            timeout: PassphraseCommand.patience)
        if context.printJSON(result) { return .done }
        let account = try Account(json: result)
        let console = context.console
        console.line("You are \(console.styled(Words.name(account.displayName), .bold)) on this network again.")
        console.line("Your id is \(account.id)")
        console.line("")
        console.line("Friends who have you on their list show up as requests for 30 days: kibo requests")
        console.line("What they have sent meanwhile arrives when you accept them. Older messages don't come back.")
        console.line("The old device must not run any more.")
        console.line("The file's permissions protect your key. To seal it with a passphrase: kibo passphrase")
        return .done
    }
}

/// Gets a recovery code from a file, or from the person at the terminal. It never comes from the command's own words, which
/// every user on the host can read.
enum RecoveryCodes {
    static let fileOption = OptionSpec(
        "--code-file", value: "PATH", help: "the file that holds the recovery code; - is standard input")

    static func given(_ context: Context) throws -> String {
        if let path = context.arguments.value(fileOption.name) { return try Passphrases.inFile(path, "recovery code") }
        do { return try context.console.askSecret("Recovery code (it is not shown): ") } catch let failure as Failure {
            throw failure == SecretPrompt.noTerminal() ? SecretPrompt.noTerminal(fileOption.name) : failure
        }
    }
}
