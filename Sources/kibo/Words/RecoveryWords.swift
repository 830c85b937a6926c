import ControlProtocol

/// How recovery codes are shown, and what is said about one that was typed.
enum RecoveryWords {
    private static let groupCharacters = 4
    private static let groupsInLine = 6

    /// A code in groups of four characters, six groups to a line.
    static func lines(of code: String) -> [String] {
        let groups = groups(of: code)
        return stride(from: 0, to: groups.count, by: groupsInLine).map {
            groups[$0..<min($0 + groupsInLine, groups.count)].joined(separator: " ")
        }
    }

    private static func groups(of code: String) -> [String] {
        let characters = Array(code)
        return stride(from: 0, to: characters.count, by: groupCharacters).map {
            String(characters[$0..<min($0 + groupCharacters, characters.count)])
        }
    }

    /// The answer to `kibo recovery check`.
    static func check(_ result: String, _ places: [Int64]) -> String {
        switch RecoveryCheck(rawValue: result) {
        case .right: "This is the recovery code of your account."
        case .other: "This is the recovery code of another account."
        case .damaged: "This is not a whole recovery code. " + mend(places)
        case .some(.none), nil: "This is not a recovery code: they begin with kiborecover1."
        }
    }

    /// What to look at in a code that is not right.
    /// - Parameter places: the characters that are probably wrong, counted from 1 without spaces.
    static func mend(_ places: [Int64]) -> String {
        let words = places.compactMap { place -> String? in
            guard place > 0 else { return nil }
            let (group, character) = (place - 1).quotientAndRemainder(dividingBy: Int64(groupCharacters))
            return "character \(character + 1) of group \(group + 1)"
        }
        return words.isEmpty
            ? "Compare it with what you have written: 71 characters in 18 groups of four, the last of three."
            : "Look at \(words.joined(separator: " and ")): it is probably wrong."
    }
}
