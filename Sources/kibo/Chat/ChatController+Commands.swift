import Basics
import ControlProtocol

extension ChatController {
    /// Does what a command says.
    ///
    /// - Returns: whether it could be begun.
    mutating func run(_ command: SlashCommand) -> Bool {
        if !state.isConnected, command.name.needsDaemon {
            return refuse("The daemon is away: try again when it is back")
        }
        switch command.name {
        case .quit: effects.append(.quit)
        case .help: state.panel = Self.help
        case .ids: state.showsTags.toggle()
        case .search: return search(command.rest)
        case .file: return file(command.rest)
        case .get, .decline, .pause, .resume, .cancel: return move(command)
        case .reply, .edit, .delete, .react, .unreact, .retry, .why: return about(command)
        }
        return true
    }

    // MARK: About a message

    private mutating func about(_ command: SlashCommand) -> Bool {
        guard let message = target(command) else { return false }
        let id = JSONValue.string(message.id)
        switch command.name {
        case .reply:
            if command.rest.isEmpty {
                state.composing = .reply(to: message.id)
            } else {
                send(command.rest, replyTo: message.id)
            }
        case .edit:
            if command.rest.isEmpty { return beginEdit(message) }
            change(message.id, to: command.rest)
        case .delete: return delete(message, command.rest)
        case .react: return react(message, command.rest)
        case .unreact:
            let own = message.reactions.last { $0.account == state.people.own }?.emoji
            guard let emoji = command.rest.isEmpty ? own : command.rest else {
                return refuse("You have not reacted to it")
            }
            change("message.react", ["id": id, "emoji": .string(emoji), "remove": true], "Not taken back")
        case .retry: change("message.retry", ["id": id], "Not tried again")
        case .why:
            call(
                "message.why", ["id": id],
                .why(String(message.id.prefix(ShortID.time)), TextWrap.shown(Words.excerpt(message))))
        default: return false
        }
        state.selection = nil
        return true
    }

    /// The message that is meant: the named one, the selected one, or the newest for which the command makes sense.
    mutating func target(_ command: SlashCommand) -> Message? {
        let own = state.people.own
        if let tag = command.tag {
            let found = state.messages(tagged: tag)
            if found.count == 1 { return found[0] }
            let problem = found.isEmpty ? "no message here is called" : "several messages are called"
            _ = refuse("\(problem) #\(TextWrap.shown(tag)); /ids shows what they are called".capitalizedFirst)
            return nil
        }
        if let message = state.selection.flatMap({ state.model.message($0) }) { return message }
        if command.name == .delete, command.rest == "all" {
            // Nobody can take that back: no guess at what is meant.
            _ = refuse("Which one, for all? Choose it with Alt-Up, or name it: /delete #TAG all (/ids shows the tags)")
            return nil
        }
        let fits: (Message) -> Bool
        switch command.name {
        case .edit, .delete, .why: fits = { $0.sender == own && !$0.deleted && $0.kind != .system }
        case .retry: fits = { $0.sender == own && $0.state == .failed }
        case .unreact: fits = { $0.reactions.contains { $0.account == own } }
        default: fits = { $0.sender != own && !$0.deleted && $0.kind != .system }
        }
        if let message = state.model.messages.last(where: fits) { return message }
        _ = refuse("There is no message to do that with; Alt-Up chooses one")
        return nil
    }

    private mutating func beginEdit(_ message: Message) -> Bool {
        guard message.sender == state.people.own else { return refuse("Only what you wrote yourself can be edited") }
        state.composing = .edit(message.id)
        state.editor.finish()
        state.editor.replace(with: message.text)
        state.selection = nil
        // The line is taken over by the old text: it is not to be cleared.
        return false
    }

    private mutating func delete(_ message: Message, _ rest: String) -> Bool {
        guard ["", "me", "all"].contains(rest) else { return refuse("/delete, or /delete all for the others too") }
        let excerpt = TextWrap.shown(Words.excerpt(message))
        let waits = Words.unsent([message], state.people).map { " · \($0)" } ?? ""
        change(
            "message.delete", ["id": .string(message.id), "for": .string(rest == "all" ? "all" : "me")], "Not deleted",
            done: rest == "all" ? "Deleted for all: \(excerpt)" : "Deleted here: \(excerpt)\(waits)")
        state.selection = nil
        return true
    }

    private mutating func react(_ message: Message, _ emoji: String) -> Bool {
        guard !emoji.isEmpty else { return refuse("Which sign? For example: /react 👍") }
        change("message.react", ["id": .string(message.id), "emoji": .string(emoji)], "No reaction")
        state.selection = nil
        return true
    }

    /// - Parameter done: what to say when it is done; nil where it shows.
    private mutating func change(
        _ method: String, _ params: JSONObject, _ failure: String, done: String? = nil
    ) {
        call(method, params, .changed(failure, done: done, asOf: state.model.lastSeq))
    }

    mutating func refuse(_ text: String) -> Bool {
        notify(text, isBad: true)
        return false
    }

    // MARK: What lies over the messages

    private mutating func search(_ rest: String) -> Bool {
        if rest.isEmpty { return refuse("What for? For example: /search drawings") }
        call(
            "message.search",
            ["query": .string(rest), "conversation": .string(state.model.conversation), "limit": 100],
            .search)
        return true
    }

    mutating func showFindings(_ result: JSONValue) {
        let found = (result["messages"]?.array ?? []).compactMap { try? Finding(json: $0) }
        let lines = found.map { finding in
            var line = StyledLine(Humane.moment(finding.message.sentAt, now: wallTime) + "  ", .dim)
            line.append(state.people.name(finding.message.sender), .bold)
            line.append("  ")
            for piece in Highlight.pieces(finding.snippet, finding.marks) {
                line.append(TextWrap.shown(piece.text), piece.isMatch ? .match : .plain)
            }
            return line
        }
        let more = result["next"]?.string == nil ? "" : ", and more"
        let title = found.isEmpty ? "Nothing was found" : "\(found.count) found, the newest first\(more)"
        state.panel = ChatState.Panel(title: title, lines: lines)
    }

    mutating func showStory(_ result: JSONValue, of message: String, _ excerpt: String) {
        let story = Story(json: result, of: message, now: wallTime)
        var lines = story.steps.map { step in
            var line = StyledLine(step.when + "  ", .dim)
            line.append(step.what)
            return line
        }
        if !story.now.isEmpty { lines += [StyledLine(), StyledLine("Now: " + story.now, .bold)] }
        state.panel = ChatState.Panel(title: "What happened to: \(excerpt)", lines: lines)
    }

    private static var help: ChatState.Panel {
        var lines: [StyledLine] = []
        func add(_ left: String, _ right: String) {
            var line = StyledLine(left, .bold).padded(to: 26)
            line.append(right)
            lines.append(line)
        }
        for name in SlashCommand.Name.allCases { add(name.help.usage, name.help.meaning) }
        lines.append(StyledLine())
        lines.append(StyledLine("Without a #TAG the selected message is meant, else the newest that fits.", .dim))
        lines.append(StyledLine())
        add("Enter", "send")
        add("Alt-Enter, Ctrl-J", "a new line")
        add("PageUp, PageDown", "scroll through the messages")
        add("Alt-Up, Alt-Down", "choose a message")
        add("Up, Down", "what you wrote before")
        add("Ctrl-A E K U W Y, Alt-B F", "edit as in a shell")
        add("Ctrl-L, Ctrl-Z", "draw anew, stop for a while (fg goes on)")
        add("Esc", "close this, choose nothing, back to the newest")
        return ChatState.Panel(title: "kibo chat", lines: lines, indent: 26)
    }
}
