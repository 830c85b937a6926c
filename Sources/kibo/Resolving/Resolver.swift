import Basics
import ControlProtocol

/// Something that a person may mean by a word.
struct Candidate: Equatable {
    /// The id by which the daemon knows it.
    let id: String
    /// The names that people have for it.
    let names: [String]
    /// How it is listed where the word is ambiguous; fit for a terminal.
    let label: String
    /// Whether the command at hand is more likely to mean this one than others of the same name.
    var isLikely = false

    /// The same, by one more name.
    func named(_ name: String) -> Candidate {
        Candidate(id: id, names: names + [name], label: label, isLikely: isLikely)
    }
}

/// Finds out which of several files or entries is meant. The daemon decides who a name means: see `name.resolve`.
enum Resolver {
    /// How many candidates an error lists.
    private static let listed = 10

    /// The one that is meant. The first rule that fits any candidate decides: the id itself, a name, a name in other
    /// case, the beginning of a name or of an id. If several fit, the only likely one is taken.
    ///
    /// - Parameters:
    ///   - kind: the kind of thing to look for, in the plural, such as `people`.
    ///   - hint: where to look if nothing fits.
    static func resolve(
        _ word: String, among candidates: [Candidate], kind: String, hint: String
    ) throws(Failure) -> Candidate {
        let matches = matches(word, among: candidates)
        if matches.count == 1 { return matches[0] }
        if matches.isEmpty { throw Failure(.notFound, "No \(kind) match \"\(word)\".", hint: hint) }
        let likely = matches.filter(\.isLikely)
        if likely.count == 1 { return likely[0] }
        // Candidates that the command can't be about would only be in the way.
        let named = likely.isEmpty ? matches : likely
        var lines = named.prefix(listed).map { "  " + $0.label }
        if named.count > listed { lines.append("  and \(named.count - listed) more") }
        throw Failure(
            .failed, "\"\(word)\" may mean any of \(named.count) \(kind).",
            hint: (["Say which one, with more letters or an id:"] + lines).joined(separator: "\n"))
    }

    /// All that the first fitting rule lets through.
    static func matches(_ word: String, among candidates: [Candidate]) -> [Candidate] {
        guard !word.isEmpty else { return [] }
        let lower = word.lowercased()
        let rules: [(Candidate) -> Bool] = [
            { $0.id == lower },
            { $0.names.contains(word) },
            { $0.names.contains { $0.lowercased() == lower } },
            { $0.id.hasPrefix(lower) || $0.names.contains { $0.lowercased().hasPrefix(lower) } },
        ]
        for rule in rules {
            let matches = candidates.filter(rule)
            if !matches.isEmpty { return matches }
        }
        return []
    }
}
