/// What the Tab key may complete: the last word of the text, and what it can be.
struct TabCompletion: Equatable {
    enum Kind: Equatable {
        case command, chat, path, person, emoji
        /// A file of a message that this command can be about.
        case file(SlashCommand)
    }

    let kind: Kind
    /// What stands before the word.
    let head: String
    let word: String

    /// Whether nothing can follow the word.
    private var takesRestOfLine: Bool {
        switch kind {
        case .chat, .file: true
        case .command, .path, .person, .emoji: false
        }
    }

    /// Nil where there is nothing to complete.
    init?(_ text: String, cursorIsAtEnd: Bool) {
        guard cursorIsAtEnd, !text.isEmpty else { return nil }
        guard text.hasPrefix("/"), !text.hasPrefix("//") else {
            word = String(text.reversed().prefix { !$0.isWhitespace }.reversed())
            head = String(text.dropLast(word.count))
            // A colon begins the name of an emoji; one alone, or a face, doesn't.
            kind = word.hasPrefix(":") && word.dropFirst().first?.isLetter == true ? .emoji : .person
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
        case .command(let command) where command.name == .chat:
            // A name needs no quotes here.
            let isQuoted = rest.first.map { "'\"".contains($0) } ?? false
            (kind, head, word) = (.chat, start, String(rest.dropFirst(isQuoted ? 1 : 0)))
        case .command(let command) where command.name == .file:
            let begin = Self.lastWord(rest)
            (kind, head, word) = (.path, start + rest[..<begin], String(rest[begin...]))
        case .command(let command) where command.name == .react || command.name == .unreact:
            word = String(rest.reversed().prefix { !$0.isWhitespace }.reversed())
            (kind, head) = (.emoji, start + rest.dropLast(word.count))
            if word.isEmpty || word.hasPrefix("#") { return nil }
        case .command(let command) where command.name.isAboutFiles:
            // The name is the rest of the line; a message and an option may stand before it.
            var name = rest.drop(while: \.isWhitespace)
            for sign in ["#", "--any-type"] where name.hasPrefix(sign) {
                guard let end = name.firstIndex(where: \.isWhitespace) else { return nil }
                name = name[end...].drop(while: \.isWhitespace)
            }
            (kind, head, word) = (.file(command), String(text[..<name.startIndex]), String(name))
        default: return nil
        }
    }

    /// Where the last path begins; a blank in one is behind a backslash or in quotes.
    private static func lastWord(_ text: Substring) -> Substring.Index {
        var begin = text.startIndex
        var isEscaped = false
        var quote: Character?
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character.isWhitespace {
                begin = text.index(after: index)
            }
        }
        return begin
    }

    /// The names that begin with the word, whatever their case.
    func names(among all: [String]) -> [String] {
        let lower = word.lowercased()
        return Array(
            Set(
                all.filter { name in
                    let name = name.lowercased()
                    // The colon of a group need not be typed.
                    return name.hasPrefix(lower)
                        || name.hasPrefix(NameSign.group) && name.dropFirst().hasPrefix(lower)
                })
        ).sorted()
    }

    /// As much as is common to all of them, with a blank behind it if it is only one and no folder. Nil for none.
    func longest(of found: [String]) -> String? {
        guard var common = found.first else { return nil }
        // The name of an emoji becomes the emoji itself.
        if kind == .emoji, found.count == 1, let emoji = EmojiNames.emoji(common) { return emoji + " " }
        for other in found.dropFirst() {
            common = String(zip(common, other).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
        }
        if found.count == 1 {
            if common.hasSuffix("/") || takesRestOfLine { return common }
            // A path that was begun in quotes ends in them.
            let quote = kind == .path ? common.first.flatMap { "'\"".contains($0) ? String($0) : nil } : nil
            return common + (quote ?? "") + " "
        }
        if kind == .emoji { return word.hasPrefix(":") ? ":" + common : common }
        return common.count > word.count ? common : word
    }
}
