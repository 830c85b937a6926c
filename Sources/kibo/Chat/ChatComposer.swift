import Basics
import ControlProtocol

/// The line being written: its text, what it is going to be, and when the others learn that the user writes.
struct ChatComposer {
    /// The purpose of the text being written.
    enum Purpose: Equatable {
        case message
        case reply(to: String)
        case edit(String)
    }

    private(set) var editor = LineEditor()
    private(set) var purpose = Purpose.message
    private var typing = TypingNotice()

    /// When ``tick(at:)`` wants to be called.
    var deadline: Instant? { typing.deadline }

    /// Whether nothing is written.
    var isEmpty: Bool { editor.isEmpty }
    var text: String { editor.text }

    // MARK: Writing

    mutating func handle(_ key: Keystroke) -> LineEditor.Outcome { editor.handle(key) }

    /// The next text answers this message.
    mutating func reply(to id: String) { purpose = .reply(to: id) }

    /// The text of this message is changed.
    mutating func edit(_ message: Message) {
        purpose = .edit(message.id)
        editor.finish()
        editor.replace(with: message.text)
    }

    /// A text that could not be sent goes back to where it was written, unless another one is there by now.
    mutating func giveBack(_ text: String?, as purpose: Purpose) {
        guard editor.isEmpty, let text else { return }
        editor.replace(with: text)
        self.purpose = purpose
    }

    /// Empties the line. Its text stays within reach of the Up key.
    mutating func finish() { editor.finish() }

    /// Gives up what is written; it stays within reach of the Up key.
    mutating func giveUp() {
        editor.finish()
        purpose = .message
    }

    /// The next text is a message again. A text that was to be changed goes.
    /// - Returns: whether it was something else.
    mutating func leave() -> Bool {
        if purpose == .message { return false }
        if case .edit = purpose { editor.replace(with: "") }
        purpose = .message
        return true
    }

    /// The next text is a message again. A text that was to be changed stays within reach of the Up key.
    mutating func begin() {
        if case .edit = purpose { editor.finish() }
        purpose = .message
    }

    /// Takes the text as written, and what it is.
    mutating func submit() -> Purpose {
        defer { purpose = .message }
        editor.finish()
        return purpose
    }

    /// Another chat: its text, as far as one was begun.
    mutating func turn(to text: String) {
        purpose = .message
        editor.replace(with: text)
    }

    /// Completes the last word: the name of a command, a person or a chat, or a path.
    ///
    /// - Parameters:
    ///   - names: of the people here; chats: of all chats and friends, for /chat; files: of those that a command can be
    ///     about; paths: the paths that begin with a text.
    /// - Returns: what it may be, where it can't be only one.
    mutating func complete(
        names: [String], chats: [String], files: (SlashCommand) -> [String], paths: (String) -> [String]
    ) -> [String] {
        guard let completion = TabCompletion(text, cursorIsAtEnd: editor.after.isEmpty) else { return [] }
        let matches: [String] =
            switch completion.kind {
            case .command: SlashCommand.completions(completion.word)
            case .chat: completion.names(among: chats)
            case .path: paths(completion.word)
            case .person: completion.names(among: names)
            case .emoji: EmojiNames.names(beginning: completion.word)
            case .file(let command): completion.names(among: files(command))
            }
        guard let common = completion.longest(of: matches) else { return [] }
        editor.replace(with: completion.head + common)
        return matches.count == 1 ? [] : matches
    }

    // MARK: What the others learn of it

    /// The text was changed.
    /// - Returns: the news about typing to tell; nil for none.
    mutating func edited(at now: Instant) -> Bool? {
        var isComposing = !editor.isEmpty && !editor.text.hasPrefix("/")
        if case .edit = purpose { isComposing = false }
        return typing.edited(isComposing: isComposing, at: now)
    }

    mutating func tick(at now: Instant) -> Bool? { typing.tick(at: now) }

    /// The text is sent or given up.
    mutating func stopTyping() -> Bool? { typing.stop() }
}
