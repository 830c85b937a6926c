import Arguments
import ControlProtocol

/// `kibo completions bash|zsh|fish`, and what those ask for: `kibo completions KIND -- WORD…`
struct CompletionsCommand: Command {
    let spec = CommandSpec(
        "completions", .other, "Print a completion script for your shell",
        arguments: [
            ArgumentSpec(
                "SHELL", help: "bash, zsh or fish; or a kind of names, which are printed one per line",
                choices: shells + CompletedNames.allCases.map(\.rawValue)),
            ArgumentSpec("WORD", .any, help: "for a kind of names: the words of the command line so far"),
        ],
        options: [OptionSpec("--current", value: "TEXT", help: "for a kind of names: what is typed of the next word")],
        details: """
            The package installs them. Without it: kibo completions bash > ~/.local/share/bash-completion/completions/kibo
            Names of people, groups, files and settings come from the daemon while you type.
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
            let (before, socket) = Self.meantDaemon(Array(context.arguments.positionals.dropFirst()))
            let word = context.arguments.value("--current") ?? ""
            let completion = NameCompletion(
                {
                    if let socket { return try ControlClient.connect(path: socket) }
                    return try context.client()
                }, before: before, word: word)
            for name in try completion.names(kind) { context.console.line(name) }
        }
        return .done
    }

    /// Takes the option out of a command line that names the daemon.
    /// - Returns: the other words, and the socket; nil for the usual one.
    static func meantDaemon(_ words: [String]) -> (words: [String], socket: String?) {
        var (rest, socket) = ([String](), String?.none)
        var isNext = false
        for word in words {
            if isNext || word.hasPrefix(socketOption + "=") {
                socket = isNext ? word : String(word.dropFirst(socketOption.count + 1))
                isNext = false
            } else if word == socketOption {
                isNext = true
            } else {
                rest.append(word)
            }
        }
        return (rest, socket)
    }

    private static let socketOption = "--socket"
}
