/// An option of a command.
package struct OptionSpec: Hashable, Sendable {
    /// With its dashes, such as `--file`.
    package let name: String
    /// A short form such as `-n`, if there is one.
    package let short: String?
    /// What its value is called in help texts; nil for a switch.
    package let value: String?
    /// Whether it may be given more than once.
    package let repeats: Bool
    /// The words that completion offers for its value; empty if any value will do.
    package let choices: [String]
    /// What it does, for help texts: a phrase.
    package let help: String

    package init(
        _ name: String, short: String? = nil, value: String? = nil, repeats: Bool = false, help: String = "",
        choices: [String] = []
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.repeats = repeats
        self.choices = choices
        self.help = help
    }

    /// The option in a usage line: `[--limit N]`.
    package var usage: String { "[\(short ?? name)\(valueText)]" + (repeats ? "…" : "") }

    /// The option in a list of options: `-n, --limit N`.
    package var title: String { [short, name].compactMap { $0 }.joined(separator: ", ") + valueText }

    private var valueText: String { value.map { " \($0)" } ?? "" }
}

/// An argument without a name.
package struct ArgumentSpec: Hashable, Sendable {
    package enum Count: Hashable, Sendable { case one, optional, any }

    /// What it is called in help texts, such as `WHO`.
    package let name: String
    package let count: Count
    /// The words that completion offers for it; empty if any will do.
    package let choices: [String]
    package let help: String

    package init(_ name: String, _ count: Count = .one, help: String, choices: [String] = []) {
        self.name = name
        self.count = count
        self.choices = choices
        self.help = help
    }

    /// The argument in a usage line: `[TEXT…]`.
    package var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        }
    }
}
