import Basics

/// A line that begins with a slash, taken apart.
struct SlashCommand: Equatable {
    enum Name: String, CaseIterable {
        case help, quit, chat, reply, edit, delete, react, unreact, retry, why, search, file, get, decline, pause,
            resume, cancel, answer, hangup, ids

        /// How it is used, and what it does.
        var help: (usage: String, meaning: String) {
            switch self {
            case .help: ("/help", "this list")
            case .quit: ("/quit", "leave (also Ctrl-D or Ctrl-C on an empty line)")
            case .chat: ("/chat [NAME]", "go to another chat, or list them")
            case .reply: ("/reply [#ID] [TEXT]", "answer a message")
            case .edit: ("/edit [#ID] [TEXT]", "edit one of your messages")
            case .delete: ("/delete [#ID] [all]", "delete a message here, or for all")
            case .react: ("/react [#ID] EMOJI", "react with an emoji, or its name: thumbsup")
            case .unreact: ("/unreact [#ID] [EMOJI]", "take a reaction back")
            case .retry: ("/retry [#ID]", "retry a message that failed")
            case .why: ("/why [#ID]", "what happened to a message")
            case .search: ("/search WORDS", "find messages in this conversation")
            case .file: ("/file [--any-type] PATH…", "send files or folders; ~ and quotes as in a shell")
            case .get: ("/get [#ID] [--any-type] [NAME]", "take a file that is offered, also one that is held back")
            case .decline: ("/decline [TEXT]", "decline the call that rings; else /decline [#ID] [NAME]: a file")
            case .pause: ("/pause [#ID] [NAME]", "pause a file on its way")
            case .resume: ("/resume [#ID] [NAME]", "resume a file")
            case .cancel: ("/cancel [#ID] [NAME]", "cancel a file, for both sides")
            case .answer: ("/answer", "answer the call that rings, in the browser")
            case .hangup: ("/hangup", "hang up, or cancel a call that is ringing")
            case .ids: ("/ids", "show the messages' #IDs, or hide them")
            }
        }
    }

    let name: Name
    /// The message that is named, without its `#`: an end or beginning of its id, `last` or `last-1`.
    let shortID: String?
    /// The rest of the line.
    let rest: String

    /// The meaning of a line.
    enum Line: Equatable {
        /// A message; a second slash at its beginning is taken away.
        case message(String)
        case command(SlashCommand)
        case unknown(String)
    }

    static func read(_ text: String) -> Line {
        if !text.hasPrefix("/") { return .message(text) }
        if text.hasPrefix("//") { return .message(String(text.dropFirst())) }
        let word = text.dropFirst().prefix { !$0.isWhitespace }
        let name = String(word).lowercased()
        guard let command = Name(rawValue: name) ?? Self.others[name] ?? unique(name) else {
            return .unknown("/" + word)
        }
        var rest = String(text.dropFirst(1 + word.count)).trimmed
        var shortID: String?
        if command.takesShortID, rest.hasPrefix("#") {
            let word = rest.dropFirst().prefix { !$0.isWhitespace }
            shortID = String(word)
            rest = String(rest.dropFirst(1 + word.count)).trimmed
        }
        return .command(SlashCommand(name: command, shortID: shortID, rest: rest))
    }

    /// The names that a beginning could become.
    static func completions(_ beginning: String) -> [String] {
        Name.allCases.map { "/" + $0.rawValue }.filter { $0.hasPrefix(beginning) }.sorted()
    }

    /// The commands that an unknown word may stand for: a few that begin with it, or else the nearest.
    static func meant(by word: String) -> [String] {
        let begun = completions(word.lowercased())
        if word.count > 1, 1...4 ~= begun.count { return begun }
        let names = Name.allCases.map(\.rawValue) + others.keys.sorted()
        guard let near = Spelling.nearest(to: String(word.dropFirst()).lowercased(), among: names) else { return [] }
        return ["/" + (others[near]?.rawValue ?? near)]
    }

    private static let others: [String: Name] = [
        "q": .quit, "exit": .quit, "bye": .quit, "accept": .get, "send": .file, "r": .reply, "e": .edit, "?": .help,
        "find": .search, "join": .chat, "query": .chat, "switch": .chat,
    ]

    private static func unique(_ name: String) -> Name? {
        let matches = Name.allCases.filter { !name.isEmpty && $0.rawValue.hasPrefix(name) }
        return matches.count == 1 ? matches[0] : nil
    }
}

extension SlashCommand.Name {
    /// Whether it does nothing without the daemon. What is sent waits for it.
    var needsDaemon: Bool {
        switch self {
        case .help, .quit, .ids, .reply, .file: false
        case .chat, .edit, .delete, .react, .unreact, .retry, .why, .search, .get, .decline, .pause, .resume, .cancel,
            .answer, .hangup:
            true
        }
    }

    /// Whether it does something about one message.
    var isAboutMessage: Bool {
        switch self {
        case .reply, .edit, .delete, .react, .unreact, .retry, .why: true
        case .help, .quit, .ids, .chat, .search, .file, .get, .decline, .pause, .resume, .cancel, .answer, .hangup:
            false
        }
    }

    /// Whether it does something about what messages carry.
    var isAboutFiles: Bool {
        switch self {
        case .get, .decline, .pause, .resume, .cancel: true
        case .help, .quit, .ids, .chat, .search, .file, .reply, .edit, .delete, .react, .unreact, .retry, .why, .answer,
            .hangup:
            false
        }
    }

    /// Whether a text or a path belongs to it that is worth mending.
    var hasText: Bool {
        switch self {
        case .reply, .edit, .file, .search, .chat: true
        default: false
        }
    }

    /// Whether a message may be named in it.
    var takesShortID: Bool {
        switch self {
        case .reply, .edit, .delete, .react, .unreact, .retry, .why, .get, .decline, .pause, .resume, .cancel: true
        case .help, .quit, .chat, .search, .file, .ids, .answer, .hangup: false
        }
    }
}

/// Paths as people type them behind a command.
enum PathWords {
    /// A text without the quotes around it, if there are any.
    static func unquoted(_ text: String) -> String {
        guard text.count > 1, let first = text.first, first == text.last, "'\"".contains(first) else { return text }
        return String(text.dropFirst().dropLast())
    }

    /// The words of a line by the rules of a shell, as far as paths need them: blanks part words unless they are in
    /// quotes or behind a backslash; `~` at the beginning is home. Nil if a quote is not closed.
    static func read(_ text: String, home: String?) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else if character == "~", word == nil, let home {
                word = home
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if quote != nil || isEscaped { return nil }
        if let word { words.append(word) }
        return words
    }
}
