import ControlProtocol
import Glibc

/// `kibo setup [--name NAME]`
struct SetupCommand: Command {
    let spec = CommandSpec(
        "setup", .start, "Make your account on this computer",
        options: [OptionSpec("--name", value: "NAME", help: "what others see; asked for if it is not given")],
        details: """
            An account is a key that is made here and stays here. Nobody has to grant it, and nothing
            is sent anywhere until others on the network look who is there.
            """,
        examples: ["kibo setup", "kibo setup --name \"Anna Berg\""])

    func run(_ context: Context) throws -> ExitCode {
        let client = try context.client()
        let name = try context.arguments.value("--name") ?? ask(context)
        let account = try client.call("account.create", ["displayName": .string(name)])
        if context.printJSON(account) { return .done }
        let made = try Account(json: account)
        context.console.line("You are \(context.console.styled(Words.name(made.displayName), .bold)) on this network.")
        context.console.line("Your id is \(made.id)")
        context.console.line("")
        context.console.line("See who is there: kibo peers")
        return .done
    }

    private func ask(_ context: Context) throws -> String {
        guard context.console.canAsk, !context.json else {
            throw Failure(.usage, "the name is missing", hint: "kibo setup --name NAME")
        }
        let suggestion = fullName()
        context.console.write("Your name, as others see it" + (suggestion.map { " [\($0)]" } ?? "") + ": ")
        guard let line = readLine() else { throw Failure(.usage, "the name is missing") }
        let name = line.trimmed
        if name.isEmpty, let suggestion { return suggestion }
        return name
    }

    /// The name in the system's list of users; nil if there is none.
    private func fullName() -> String? {
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
