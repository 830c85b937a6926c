import Arguments

/// Lists for people and for programs.
extension Context {
    /// An option of all commands that print a list.
    static let tsvOption = OptionSpec(
        "--tsv", help: "full rows with tabs between the fields, for programs")

    /// Whether the list is for a program.
    var isForCutting: Bool { arguments.has(Self.tsvOption.name) }

    /// Prints a list.
    func print(_ table: Table) { console.write(isForCutting ? table.tabSeparated : table.render(on: console)) }

    /// Prints a line beside a list, or in place of an empty one. It would be a row to programs, which get none.
    func remark(_ text: String = "") {
        if !isForCutting { console.line(text) }
    }
}
