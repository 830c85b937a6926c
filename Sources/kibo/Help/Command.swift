/// One command of the program. A new one is a file in this folder and a line in ``CommandTable``.
protocol Command: Sendable {
    /// Name, words, options and help.
    var spec: CommandSpec { get }

    /// Does it.
    ///
    /// - Throws: ``Failure`` and `ClientError`, which are shown with what to do about them.
    func run(_ context: Context) throws -> ExitCode
}

/// Words that people bring from other programs, and where they lead.
struct Synonym: Sendable {
    let names: [String]
    /// The words that mean exactly the same and are run in its place; empty where there is no such command.
    let words: [String]
    /// What to type instead, where the meaning is not the same; empty where it is.
    let advice: String

    init(_ names: [String], means words: String...) { (self.names, self.words, advice) = (names, words, "") }
    init(_ names: [String], says advice: String) { (self.names, words, self.advice) = (names, [], advice) }
}
