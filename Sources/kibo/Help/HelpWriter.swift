import Arguments

/// Writes help texts from the command table.
struct HelpWriter {
    let console: Console

    /// `kibo help`: all commands by heading.
    func overview(of commands: [any Command]) -> String {
        var out = "Kibo: messages and files between the people of one network, without a server.\n\n"
        out += "\(heading("Usage")) kibo [--socket PATH] [--json] COMMAND …\n"
        let width = commands.map { $0.spec.name.count }.max() ?? 0
        for group in CommandSpec.Group.allCases {
            let members = commands.map(\.spec).filter { $0.group == group }
            if members.isEmpty { continue }
            out += "\n\(heading(group.rawValue))\n"
            for spec in members { out += "  \(pad(spec.name, width))  \(spec.summary)\n" }
        }
        out += "\n\(Self.placeholders) kibo help COMMAND says more.\n"
        out += "\n\(heading("Exit codes"))\n"
        for code in ExitCode.allCases { out += "  \(pad("\(code.rawValue)", 3))  \(code.meaning)\n" }
        return out
    }

    /// What the words WHO, CHAT and MESSAGE stand for.
    static let placeholders = """
        WHO is an alias, a name or an id; CHAT is the same, or a group: its name after a colon (:Hikers).
        MESSAGE is last, last-1, or an id that kibo read CHAT --ids shows.
        If a name is ambiguous, nothing is done, and the matches are listed.
        """

    /// A usage that is longer than a line goes on in the next one, at its words.
    private static func wrapped(_ usage: String) -> String {
        var lines: [String] = [""]
        for word in usage.split(separator: " ") {
            if let last = lines.last, last.count + word.count > 90 { lines.append("      ") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines.joined(separator: "\n")
    }

    /// `kibo help COMMAND`.
    /// - Parameter aliases: other words for it.
    func page(for spec: CommandSpec, aliases: [String]) -> String {
        var out = "\(spec.summary)\n\n\(heading("Usage")) \(Self.wrapped(spec.usage))\n"
        let global = CommandSpec.globalOptions.filter { $0.name != "--version" }
        let rows = [
            spec.arguments.map { ($0.name, $0.help) }, spec.options.map(row), global.map(row),
        ]
        let width = rows.joined().map { DisplayWidth.of($0.0) }.max() ?? 0
        for (title, section) in zip(["Arguments", "Options", "Everywhere"], rows) where !section.isEmpty {
            out += "\n\(heading(title))\n"
            for (name, help) in section { out += "  \(pad(name, width))  \(help)\n" }
        }
        if !aliases.isEmpty {
            out += "\n\(heading("Aliases")) \(aliases.map { "kibo \($0)" }.joined(separator: ", "))\n"
        }
        if !spec.details.isEmpty { out += "\n\(spec.details)\n" }
        if !spec.examples.isEmpty {
            out += "\n\(heading("Examples"))\n"
            for example in spec.examples { out += "  \(example)\n" }
        }
        return out
    }

    private func row(_ option: OptionSpec) -> (String, String) {
        (option.title, option.help + (option.repeats ? " (repeatable)" : ""))
    }

    private func heading(_ text: String) -> String { console.styled("\(text):", .bold) }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    }
}
