import Arguments

/// Everything about a command but what it does: the parser and the help texts are made from it.
struct CommandSpec: Equatable {
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// Under which heading `kibo help` lists it.
    let group: Group
    let arguments: [ArgumentSpec]
    let options: [OptionSpec]
    /// More to say in `kibo help COMMAND`; lines are kept as they are.
    let details: String
    /// Lines to copy.
    let examples: [String]

    enum Group: String, CaseIterable {
        case start = "To begin"
        case people = "People"
        case talk = "Talking"
        case files = "Files"
        case other = "More"
    }

    init(
        _ name: String, _ group: Group, _ summary: String, arguments: [ArgumentSpec] = [], options: [OptionSpec] = [],
        details: String = "", examples: [String] = []
    ) {
        self.name = name
        self.group = group
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.details = details
        self.examples = examples
    }

    /// The options that every command understands.
    static let globalOptions = [
        OptionSpec("--socket", value: "PATH", help: "the daemon's control socket"),
        OptionSpec("--json", help: "print the daemon's answer as JSON"),
        OptionSpec("--help", short: "-h", help: "show this"),
        OptionSpec("--version", help: "print the version"),
    ]

    /// One line: `kibo send CHAT [FILE…] [--text TEXT] …`.
    var usage: String {
        (["kibo", name] + arguments.map(\.usage) + options.map(\.usage)).joined(separator: " ")
    }
}
