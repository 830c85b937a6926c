/// A page for man(1), written from the same specifications as the help texts. It holds no date: the same specifications
/// always make the same bytes.
package struct ManualPage {
    /// The page as troff reads it, with the macros of man(7).
    package private(set) var text: String

    /// - Parameters:
    ///   - section: of the manual, such as 8 for daemons.
    ///   - summary: the phrase after the dash, without a full stop.
    ///   - source: the program with its version.
    package init(_ name: String, section: Int, summary: String, source: String) {
        text = ".TH \(Self.escaped(name.uppercased())) \(section) \"\" \"\(Self.escaped(source))\"\n"
        text += ".SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(summary))\n"
    }

    /// Begins a section, such as OPTIONS.
    package mutating func section(_ title: String) { text += ".SH \(Self.escaped(title))\n" }

    /// Begins a part of a section.
    package mutating func part(_ title: String) { text += ".SS \(Self.escaped(title))\n" }

    /// Adds a paragraph; its lines are filled again.
    package mutating func paragraph(_ words: String) { text += ".PP\n\(Self.lines(words))\n" }

    /// Adds a name in bold and, indented below it, what it means.
    package mutating func item(_ title: String, _ meaning: String) {
        text += ".TP\n\\fB\(Self.escaped(title))\\fR\n\(Self.lines(meaning))\n"
    }

    /// Adds an item for each argument.
    package mutating func items(_ arguments: [ArgumentSpec]) {
        for argument in arguments { item(argument.name, argument.help) }
    }

    /// Adds an item for each option.
    package mutating func items(_ options: [OptionSpec]) {
        for option in options { item(option.title, option.help + (option.repeats ? " (repeatable)" : "")) }
    }

    /// Adds lines that stay as they are.
    package mutating func verbatim(_ lines: String) {
        text += ".PP\n.nf\n\(Self.lines(lines))\n.fi\n"
    }

    /// Indents what the body adds.
    package mutating func indented(_ body: (inout ManualPage) -> Void) {
        text += ".RS\n"
        body(&self)
        text += ".RE\n"
    }

    /// Each line, so that none is taken for a request to troff.
    private static func lines(_ words: String) -> String {
        words.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = escaped(String(line))
            return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
        }.joined(separator: "\n")
    }

    /// A dash stays one that can be copied, a backslash a backslash.
    private static func escaped(_ words: String) -> String {
        var out = ""
        for character in words {
            switch character {
            case "\\": out += "\\e"
            case "-": out += "\\-"
            case "\"": out += "\\(dq"
            default: out.append(character)
            }
        }
        return out
    }
}
