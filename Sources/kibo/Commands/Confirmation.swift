import Arguments
import ControlProtocol

/// Asking before something that can't be taken back, or that others notice.
extension Context {
    static let yesOption = OptionSpec("--yes", short: "-y", help: "don't ask first")

    /// Fewer characters of a name are never taken for a person or a group where something can't be taken back.
    static let shortestBeginning = 3

    /// Whether there is a person to ask who has not said yes already.
    var asksFirst: Bool { console.canAsk && !json && !arguments.has(Self.yesOption.name) }

    /// Asks a question, to which nothing but a yes is a yes.
    func confirms(_ question: String) -> Bool {
        guard let answer = console.ask("\(question) [y/N] ") else { return false }
        return ["y", "yes"].contains(answer.lowercased())
    }

    /// The person or group that a dangerous action is about. A person who is asked with the whole name may type the beginning of
    /// it; without a question only the whole name counts.
    func findForDanger(_ word: String, _ purpose: NamePurpose) throws(ClientError) -> Named {
        try find(word, purpose, isStrict: !asksFirst || word.count < Self.shortestBeginning)
    }
}
