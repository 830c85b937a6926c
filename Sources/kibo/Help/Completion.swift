import Arguments

/// What may stand at a place of a command line.
enum Completion: Equatable {
    /// One of these.
    case words([String])
    /// A path.
    case files
    /// A name that the daemon knows.
    case names(CompletedNames)
    /// Free text, a number.
    case nothing

    /// From what a place is called in the help: `WHO`, `GROUP`, `me|all`, `PATH`.
    init(place: String, choices: [String]) {
        let parts = place.split(separator: "|").map(String.init)
        if !choices.isEmpty {
            self = .words(choices)
        } else if parts.count > 1, parts.allSatisfy({ $0 == $0.lowercased() }) {
            self = .words(parts)
        } else if let names = parts.lazy.compactMap(CompletedNames.init(place:)).first {
            self = .names(names)
        } else {
            self = ["PATH", "FILE", "DIR"].contains(where: parts.contains) ? .files : .nothing
        }
    }
}

/// Names that `kibo completions` asks the daemon for.
enum CompletedNames: String, CaseIterable {
    case people, chats, groups, transfers, settings

    init?(place: String) {
        switch place {
        case "WHO": self = .people
        case "CHAT": self = .chats
        case "GROUP": self = .groups
        case "TRANSFER": self = .transfers
        case "KEY": self = .settings
        default: return nil
        }
    }
}

/// What a command's words may be, for all shells.
struct CommandCompletion {
    let name: String
    let summary: String
    let options: [(spec: OptionSpec, value: Completion?)]
    let arguments: [(spec: ArgumentSpec, value: Completion)]

    init(_ spec: CommandSpec, commands: [String]) {
        name = spec.name
        summary = spec.summary
        options = Self.values(of: spec.options)
        arguments = spec.arguments.map { argument in
            let choices = argument.name == "COMMAND" ? commands : argument.choices
            return (argument, Completion(place: argument.name, choices: choices))
        }
    }

    /// The options that stand before and behind every command.
    static let everywhere = values(of: CommandSpec.globalOptions)

    static func all(of commands: [any Command]) -> [CommandCompletion] {
        let names = commands.map(\.spec.name)
        return commands.map { CommandCompletion($0.spec, commands: names) }
    }

    private static func values(of options: [OptionSpec]) -> [(spec: OptionSpec, value: Completion?)] {
        options.map { option in (option, option.value.map { Completion(place: $0, choices: option.choices) }) }
    }
}
