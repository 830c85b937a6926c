import Basics
import ControlProtocol
import Vocabulary

/// The result of a command of the user.
enum ChatAction {
    case quit
    case show(ChatState.Panel)
    case toggleShortIDs
    /// Open the browser, to answer this call there.
    case answer(Call)
    /// Ask the daemon for this.
    case calls([ChatCall])
    case send(String, replyTo: String?)
    case sendFiles([SentFile], isOfAnyType: Bool)
    /// The next text answers this message.
    case reply(to: String)
    /// This message's text is to be changed.
    case edit(Message)
}

/// One question to the daemon.
struct ChatCall {
    let method: String
    let params: JSONObject
    let request: ChatRequest

    init(_ method: String, _ params: JSONObject, _ request: ChatRequest) {
        self.method = method
        self.params = params
        self.request = request
    }

    /// - Parameter seq: the number of the last event that was seen.
    static func edit(_ id: String, to text: String, asOf seq: Int64) -> ChatCall {
        ChatCall(
            "message.edit", ["id": .string(id), "text": .string(text)], .edited(id, text: text, asOf: seq))
    }
}

/// Why a command can't be done.
struct ChatRefusal: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// Reads what a command means, as things stand.
struct ChatCommands {
    let state: ChatState
    let surroundings: ChatController.Surroundings

    func action(for command: SlashCommand) throws(ChatRefusal) -> ChatAction {
        if !state.isConnected, command.name.needsDaemon {
            throw ChatRefusal("The daemon isn't running. Try again when it is back.")
        }
        switch command.name {
        case .quit: return .quit
        case .help: return .show(.help)
        case .ids: return .toggleShortIDs
        case .search: return try search(command.rest)
        case .chat:
            if command.rest.isEmpty { return .show(.chats(state.chats, besides: state.model.conversation)) }
            let name = PathWords.unquoted(command.rest)
            return .calls([ChatCall("name.resolve", ["name": .string(name), "for": "chat"], .named)])
        case .file: return try file(command.rest)
        case .answer, .hangup: return try aboutCall(command.name)
        // What rings comes before files, which can be named by their message.
        case .decline where command.shortID == nil && state.calls.ringing != nil: return decline(command.rest)
        case .get, .decline, .pause, .resume, .cancel: return try move(command)
        case .reply, .edit, .delete, .react, .unreact, .retry, .why: return try about(command)
        }
    }

    private func search(_ rest: String) throws(ChatRefusal) -> ChatAction {
        if rest.isEmpty { throw ChatRefusal("Search for what? For example: /search drawings") }
        let params: JSONObject = [
            "query": .string(SearchWords.beginnings(rest)), "conversation": .string(state.model.conversation),
            "limit": 100,
        ]
        return .calls([ChatCall("message.search", params, .search)])
    }

    // MARK: About a message

    private func about(_ command: SlashCommand) throws(ChatRefusal) -> ChatAction {
        let message = try target(command)
        let id = JSONValue.string(message.id)
        switch command.name {
        case .reply:
            return command.rest.isEmpty
                ? .reply(to: message.id) : .send(command.rest, replyTo: message.id)
        case .edit:
            if !command.rest.isEmpty {
                return .calls([.edit(message.id, to: command.rest, asOf: state.model.lastSeq)])
            }
            guard message.sender == state.people.own else {
                throw ChatRefusal("You can edit only your own messages")
            }
            return .edit(message)
        case .delete: return try delete(message, command.rest)
        case .react:
            guard !command.rest.isEmpty else {
                throw ChatRefusal("Which emoji? For example: /react 👍 or /react thumbsup")
            }
            let emoji = try emoji(command.rest)
            return change("message.react", ["id": id, "emoji": .string(emoji)], "No reaction")
        case .unreact:
            let own = message.reactions.last { $0.account == state.people.own }?.emoji
            guard let emoji = command.rest.isEmpty ? own : try emoji(command.rest) else {
                throw ChatRefusal("You have not reacted to it")
            }
            return change(
                "message.react", ["id": id, "emoji": .string(emoji), "remove": true], "Your reaction was not removed")
        case .retry: return change("message.retry", ["id": id], "Could not try again")
        default:
            let request = ChatRequest.why(
                String(message.id.prefix(ShortID.time)), TextWrap.shown(Words.excerpt(message)))
            return .calls([ChatCall("message.why", ["id": id], request)])
        }
    }

    /// An emoji, or the one that a name means.
    private func emoji(_ word: String) throws(ChatRefusal) -> String {
        if let emoji = EmojiNames.emoji(word) { return emoji }
        guard EmojiNames.isName(word) else { return word }
        let near = Spelling.nearest(to: word, among: EmojiNames.all).map { " Did you mean \($0)?" } ?? ""
        throw ChatRefusal("There is no emoji called \(TextWrap.shown(word)).\(near)")
    }

    /// The message that is meant: the named one, the selected one, or the newest for which the command makes sense.
    private func target(_ command: SlashCommand) throws(ChatRefusal) -> Message {
        if let shortID = command.shortID {
            if let back = Messages.stepsBack(shortID.lowercased()) {
                let fitting = state.model.messages.filter(fits(command.name))
                guard back < fitting.count else {
                    throw ChatRefusal(
                        fitting.isEmpty
                            ? "There is no message for that" : "There aren't that many messages here")
                }
                return fitting[fitting.count - 1 - back]
            }
            let messages = state.messages(named: shortID)
            if messages.count == 1 { return messages[0] }
            let problem = messages.isEmpty ? "no message here is called" : "several messages are called"
            throw ChatRefusal(
                "\(problem) #\(TextWrap.shown(shortID)); /ids shows what they are called".capitalizedFirst)
        }
        if let message = state.selection.flatMap({ state.model.message($0) }) { return message }
        if command.name == .delete, command.rest == "all" {
            // That can't be taken back, so there is no guess at what is meant.
            throw ChatRefusal(
                "Which message should be deleted for everyone? Select it with Ctrl-Up, or name it: /delete #ID all (/ids shows the ids)"
            )
        }
        if let message = state.model.messages.last(where: fits(command.name)) { return message }
        throw ChatRefusal("There is no message for that; Ctrl-Up selects one")
    }

    /// Whether a command makes sense for a message.
    private func fits(_ name: SlashCommand.Name) -> (Message) -> Bool {
        let own = state.people.own
        switch name {
        case .edit, .delete, .why: return { $0.sender == own && !$0.deleted && $0.kind != .system }
        case .retry: return { $0.sender == own && $0.state == .failed }
        case .unreact: return { $0.reactions.contains { $0.account == own } }
        case .get, .decline: return { $0.sender != own && !$0.attachments.isEmpty }
        case .pause, .resume, .cancel: return { !$0.attachments.isEmpty }
        default:
            return { [isNotes = state.isNotes] in
                ($0.sender != own || isNotes) && !$0.deleted && $0.kind != .system
            }
        }
    }

    private func delete(_ message: Message, _ rest: String) throws(ChatRefusal) -> ChatAction {
        guard ["", "me", "all"].contains(rest) else {
            throw ChatRefusal("Type /delete for this computer, or /delete all for everyone")
        }
        let excerpt = TextWrap.shown(Words.excerpt(message))
        if message.isNote {
            return change(
                "message.delete", ["id": .string(message.id), "for": "me"], "Not deleted", done: "Deleted: \(excerpt)")
        }
        let waits = Words.unsent([message], state.people, isDone: true).map { " · \($0)" } ?? ""
        return change(
            "message.delete", ["id": .string(message.id), "for": .string(rest == "all" ? "all" : "me")], "Not deleted",
            done: rest == "all" ? "Deleted for all: \(excerpt)" : "Deleted here: \(excerpt)\(waits)")
    }

    /// - Parameter done: the words for when it is done; nil where it shows.
    private func change(
        _ method: String, _ params: JSONObject, _ failure: String, done: String? = nil
    ) -> ChatAction {
        .calls([ChatCall(method, params, .changed(failure, done: done, asOf: state.model.lastSeq))])
    }

    // MARK: Calls

    private func aboutCall(_ name: SlashCommand.Name) throws(ChatRefusal) -> ChatAction {
        if name == .answer {
            guard let call = state.calls.ringing else { throw ChatRefusal("Nobody is calling right now") }
            return .answer(call)
        }
        guard let call = state.calls.engaged ?? state.calls.ringing else { throw ChatRefusal("There is no call") }
        return .calls([ChatCall("call.hangup", ["id": .string(call.id)], .ofCall)])
    }

    /// - Parameter text: a word that goes with it; none if empty.
    private func decline(_ text: String) -> ChatAction {
        var params = JSONObject()
        params["id"] = .optional(state.calls.ringing?.id)
        if !text.isEmpty { params["text"] = .string(text) }
        return .calls([ChatCall("call.decline", params, .ofCall)])
    }

    // MARK: Files

    private func file(_ rest: String) throws(ChatRefusal) -> ChatAction {
        guard var words = PathWords.read(rest, home: surroundings.home) else {
            throw ChatRefusal("A quote is missing its end")
        }
        let isOfAnyType = words.first == "--any-type"
        if isOfAnyType { words.removeFirst() }
        if words.isEmpty { throw ChatRefusal("Which file? For example: /file ~/drawing.pdf") }
        do {
            return .sendFiles(try words.map(surroundings.path), isOfAnyType: isOfAnyType)
        } catch {
            throw ChatRefusal(TextWrap.shown(Sentence.of((error as? Failure)?.message ?? "\(error)")))
        }
    }

    /// Takes, refuses, holds, goes on with or ends what the conversation's messages carry: all of it that the command can be
    /// about, or what is named, or what the named message carries.
    private func move(_ command: SlashCommand) throws(ChatRefusal) -> ChatAction {
        guard let action = FileAction(command.name) else { return .calls([]) }
        var rest = command.rest
        let takesAnyway = action == .get && rest.split(separator: " ").first == "--any-type"
        if takesAnyway { rest = String(rest.dropFirst("--any-type".count)).trimmed }
        var files = try files(of: command, for: action)
        if files.isEmpty { throw ChatRefusal(action.nothing) }
        let isNamed = !rest.isEmpty || command.shortID != nil
        // A user who names no file does not ask for files that are held back.
        if action == .get, rest.isEmpty, !takesAnyway { files.removeAll { heldBack($0) != nil } }
        guard !files.isEmpty else {
            throw ChatRefusal("The offered file is held back because of its type. To take it: /get --any-type")
        }
        let candidates = files.map { Candidate(id: $0.transfer, names: [$0.name], label: Words.name($0.name)) }
        let matches = rest.isEmpty ? candidates : Resolver.matches(rest, among: candidates)
        guard isNamed ? matches.count == 1 || rest.isEmpty : action.takesAll else {
            let names = (matches.isEmpty ? candidates : matches).map(\.label)
            let isOfOneName = Set(names).count < names.count
            throw ChatRefusal(
                TextWrap.shown("Which one? " + names.joined(separator: ", "))
                    + (isOfOneName ? " – name its message too: /\(command.name.rawValue) #ID (/ids)" : ""))
        }
        if action == .get, !takesAnyway {
            let held = files.first { file in heldBack(file) != nil && matches.contains { $0.id == file.transfer } }
            if let held, let why = heldBack(held) {
                throw ChatRefusal(TextWrap.shown("\(Words.name(held.name)) is \(why): /get --any-type takes it"))
            }
        }
        return .calls(
            matches.map { candidate in
                var params: JSONObject = ["id": .string(candidate.id)]
                if takesAnyway, files.contains(where: { $0.transfer == candidate.id && heldBack($0) != nil }) {
                    params["anyway"] = true
                }
                return ChatCall(action.method, params, .moved(candidate.label))
            })
    }

    /// What the named message carries, or all messages here, as far as the action can be about it.
    private func files(of command: SlashCommand, for action: FileAction) throws(ChatRefusal) -> [Attachment] {
        let messages = command.shortID == nil ? state.model.messages : [try target(command)]
        return messages.flatMap { message in
            message.attachments.filter { file in
                let transferState = state.transfers[file.transfer]?.state ?? file.state
                return action.fits(transferState, isOwn: message.sender == state.people.own)
            }
        }
    }

    /// The names that a command about files can be given.
    func fileNames(of command: SlashCommand) -> [String] {
        guard let action = FileAction(command.name), let files = try? files(of: command, for: action) else { return [] }
        return files.map { Words.name($0.name) }
    }

    /// `held back: type zip`; nil for what is not.
    private func heldBack(_ file: Attachment) -> String? {
        if let transfer = state.transfers[file.transfer] {
            return transfer.state == .offered && transfer.heldBack != nil ? Words.heldBack(transfer.unlisted) : nil
        }
        return file.state == .offered && file.heldBack != nil ? Words.heldBack(file.unlisted) : nil
    }
}

/// The action of a command on a transfer.
private enum FileAction {
    case get, decline, pause, resume, cancel

    /// Nil for a command that is about something else.
    init?(_ name: SlashCommand.Name) {
        switch name {
        case .get: self = .get
        case .decline: self = .decline
        case .pause: self = .pause
        case .resume: self = .resume
        case .cancel: self = .cancel
        default: return nil
        }
    }

    var method: String {
        switch self {
        case .get: "transfer.accept"
        case .decline: "transfer.decline"
        case .pause: "transfer.pause"
        case .resume: "transfer.resume"
        case .cancel: "transfer.cancel"
        }
    }

    /// Whether no name means all: not where that would end something.
    var takesAll: Bool { self != .cancel }

    var nothing: String {
        switch self {
        case .get, .decline: "No file is offered to you here"
        case .pause: "There is no file to pause"
        case .resume: "There is no file to resume"
        case .cancel: "There is no file to cancel"
        }
    }

    func fits(_ state: TransferState, isOwn: Bool) -> Bool {
        switch self {
        case .get, .decline: state == .offered && !isOwn
        case .pause: state == .active || state == .queued
        case .resume: state == .paused || state == .failed
        case .cancel: !state.isOver && (state != .offered || isOwn)
        }
    }
}
