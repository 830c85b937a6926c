/// An option of a command.
struct OptionSpec: Equatable {
    /// With its dashes, such as `--file`.
    let name: String
    /// A short form such as `-n`, if there is one.
    let short: String?
    /// What its value is called in help texts; nil for a switch.
    let value: String?
    /// Whether it may be given more than once.
    let repeats: Bool
    /// What it does, for help texts: a phrase.
    let help: String

    init(_ name: String, short: String? = nil, value: String? = nil, repeats: Bool = false, help: String) {
        self.name = name
        self.short = short
        self.value = value
        self.repeats = repeats
        self.help = help
    }
}

/// An argument without a name.
struct ArgumentSpec: Equatable {
    enum Count: Equatable { case one, optional, any }

    /// What it is called in help texts, such as `WHO`.
    let name: String
    let count: Count
    let help: String

    init(_ name: String, _ count: Count = .one, help: String) {
        self.name = name
        self.count = count
        self.help = help
    }

    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        }
    }
}

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

    /// What every command understands.
    static let globalOptions = [
        OptionSpec("--socket", value: "PATH", help: "the daemon's control socket"),
        OptionSpec("--json", help: "print the daemon's answer as JSON"),
        OptionSpec("--help", short: "-h", help: "show this"),
        OptionSpec("--version", help: "print the version"),
    ]

    /// One line: `kibo send CHAT [TEXT…] [--file PATH]… `.
    var usage: String {
        var parts = ["kibo", name] + arguments.map(\.usage)
        for option in options {
            let value = option.value.map { " \($0)" } ?? ""
            parts.append("[\(option.short ?? option.name)\(value)]" + (option.repeats ? "…" : ""))
        }
        return parts.joined(separator: " ")
    }
}
