/// A program and its arguments, as a person writes them in a setting. Quotes hold words together as in a shell. Nothing
/// else of a shell works: no variables, no redirection, no second command.
public enum CommandWords {
    /// Why a text is no command.
    public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// A phrase for people.
        public let text: String

        public var description: String { text }
    }

    /// The words of a text; none for an empty one.
    public static func split(_ text: String) throws(Problem) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var characters = Array(text)[...]
        while let character = characters.popFirst() {
            if let open = quote {
                if character == open {
                    quote = nil
                } else if character == "\\", open == "\"", let next = characters.first, "\"\\".contains(next) {
                    word?.append(next)
                    characters.removeFirst()
                } else {
                    word?.append(character)
                }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == "\\" {
                guard let next = characters.popFirst() else { throw Problem(text: "it ends in a backslash") }
                word = (word ?? "") + String(next)
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw Problem(text: "a quote is not closed") }
        if let word { words.append(word) }
        return words
    }

    /// Checks that a text is a command with these placeholders, each of them an argument of its own.
    static func check(_ text: String, required: [String], allowed: [String]) throws(Problem) {
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw Problem(text: "it has control characters in it")
        }
        let words = try split(text)
        guard let program = words.first else { return }
        guard !program.isEmpty else { throw Problem(text: "it names no program") }
        for word in words where word.contains("{") && !allowed.contains(word) {
            throw Problem(text: "\(word) is not one of \(allowed.joined(separator: ", ")) as an argument of its own")
        }
        if allowed.contains(program) { throw Problem(text: "it names no program") }
        for placeholder in required where !words.contains(placeholder) {
            throw Problem(text: "\(placeholder) is missing from its arguments")
        }
    }
}
