/// What the Tab key may complete: the last word of the text, and what it can be.
struct TabCompletion: Equatable {
    enum Kind: Equatable { case command, chat, path, person }

    let kind: Kind
    /// What stands before the word.
    let head: String
    let word: String

    /// Nil where there is nothing to complete.
    init?(_ text: String, cursorIsAtEnd: Bool) {
        guard cursorIsAtEnd, !text.isEmpty else { return nil }
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            word = String(text.reversed().prefix { !$0.isWhitespace }.reversed())
            head = String(text.dropLast(word.count))
            kind = .person
            if word.isEmpty { return nil }
            return
        }
        guard let blank = text.firstIndex(where: \.isWhitespace) else {
            (kind, head, word) = (.command, "", text)
            return
        }
        let rest = text[text.index(after: blank)...]
        let start = String(text[...blank])
        switch SlashCommand.read(text) {
        case .command(let command) where command.name == .chat: (kind, head, word) = (.chat, start, String(rest))
        case .command(let command) where command.name == .file:
            // The last path; a blank in one is behind a backslash.
            var begin = rest.startIndex
            var isEscaped = false
            for index in rest.indices {
                if rest[index].isWhitespace, !isEscaped { begin = rest.index(after: index) }
                isEscaped = rest[index] == "\\" && !isEscaped
            }
            (kind, head, word) = (.path, start + rest[..<begin], String(rest[begin...]))
        default: return nil
        }
    }

    /// The names that begin with the word, whatever their case.
    func names(among all: [String]) -> [String] {
        let lower = word.lowercased()
        return Array(Set(all.filter { $0.lowercased().hasPrefix(lower) })).sorted()
    }

    /// As much as is common to all of them, with a blank behind it if it is only one and no folder. Nil for none.
    func longest(of found: [String]) -> String? {
        guard var common = found.first else { return nil }
        for other in found.dropFirst() {
            common = String(zip(common, other).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
        }
        if found.count == 1 { return common.hasSuffix("/") || kind == .chat ? common : common + " " }
        return common.count > word.count ? common : word
    }
}
