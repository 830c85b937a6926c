import Arguments
import Basics
import ControlProtocol

/// The command line. It says nothing that the control interface doesn't: each command is one file in `Commands/` that
/// turns words into requests and results into lines for people (or JSON for programs). It reads no database and speaks
/// to no network; it touches the control socket and its own terminal.
enum Kibo {
    /// Runs the process's command line and returns its exit code.
    static func main() -> Int32 {
        let console = Console.standard()
        if let place = firstBrokenWord() {
            // Swift would put another character there without a word.
            let failure = Failure(
                .usage, "Word \(place) of the command line is not text (UTF-8).",
                hint: "Check the terminal's settings, or where the word comes from.")
            return Report(console: console, json: CommandLine.arguments.contains("--json")).failure(failure).rawValue
        }
        return run(Array(CommandLine.arguments.dropFirst()), console: console).rawValue
    }

    /// The number of the first argument that is no UTF-8; nil if all are.
    private static func firstBrokenWord() -> Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            guard let word = CommandLine.unsafeArgv[index] else { return false }
            return String(validatingCString: word) == nil
        }
    }

    /// Runs one command line.
    static func run(_ words: [String], console: Console) -> ExitCode {
        var wantsJSON = words.prefix { $0 != "--" }.contains("--json")
        var rest: [String] = []
        do {
            let global = ArgumentParser(options: CommandSpec.globalOptions, stopsAtFirstWord: true)
            let before = try global.parse(words, rest: &rest)
            wantsJSON = before.has("--json")
            if before.has("--version") { return printVersion(console) }
            guard let name = rest.first, !before.has("--help") else {
                let help = HelpWriter(console: console).overview(of: CommandTable.all)
                // Asked for it is an answer, otherwise a mistake.
                let isAsked = before.has("--help")
                if isAsked { console.write(help) } else { console.errorLine(String(help.dropLast())) }
                return isAsked ? .done : .usage
            }
            guard let command = CommandTable.command(name) else {
                guard let meant = CommandTable.synonym(name)?.words, !meant.isEmpty else {
                    throw CommandTable.unknown(name)
                }
                return run(words.dropLast(rest.count) + meant + rest.dropFirst(), console: console)
            }
            return try run(command, Array(rest.dropFirst()), before: before, console, &wantsJSON)
        } catch {
            return Report(console: console, json: wantsJSON, words: rest).failure(error)
        }
    }

    private static func run(
        _ command: any Command, _ words: [String], before: ParsedArguments, _ console: Console, _ json: inout Bool
    ) throws -> ExitCode {
        let spec = command.spec
        let arguments: ParsedArguments
        do {
            let options = spec.options + CommandSpec.globalOptions
            arguments = try ArgumentParser(options: options, arguments: spec.arguments).parse(words)
        } catch {
            throw Failure(.usage, error.message, hint: "Usage: \(spec.usage)\nSee:   kibo help \(spec.name)")
        }
        if arguments.has("--help") {
            console.write(HelpWriter(console: console).page(for: spec, aliases: CommandTable.aliases(of: spec)))
            return .done
        }
        if arguments.has("--version") { return printVersion(console) }
        json = json || arguments.has("--json")
        let socket = arguments.value("--socket") ?? before.value("--socket")
        let context = Context(
            console: console, command: spec.name, arguments: arguments, json: json, socket: socket)
        return try command.run(context)
    }

    private static func printVersion(_ console: Console) -> ExitCode {
        console.line("kibo \(ControlProtocol.productVersion)")
        return .done
    }
}
