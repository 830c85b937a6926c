import Basics
import ControlProtocol

/// Decides what happens in `kibo chat`: keys, events, answers and time go in, effects come out. It has no I/O and no
/// clock.
///
/// It answers the person's keys. ``ChatFeed`` keeps the messages up to date, ``ChatComposer`` the line being written,
/// ``ChatCommands`` reads what a command means, and ``ChatOutput`` gathers the effects.
struct ChatController {
    /// The functions that tell it about the world outside.
    struct Surroundings {
        /// An existing file or directory that is to be sent.
        var path: (String) throws -> SentFile
        /// The paths that begin with a text, as they are typed; folders end in a slash.
        var paths: (String) -> [String] = { _ in [] }
        var home: String?
        /// A name for a message that no other program makes.
        var key: () -> String
        /// Opens the browser at a call, to answer it there.
        var answer: (String) throws -> Void = { _ in }
    }

    var state: ChatState
    private var feed = ChatFeed()
    private var out = ChatOutput()
    private let surroundings: Surroundings

    init(_ state: ChatState, size: ChatScreen.Size, surroundings: Surroundings) {
        self.state = state
        self.state.size = size
        self.surroundings = surroundings
    }

    var screen: ChatScreen { state.screen }

    /// Takes the effects that have gathered.
    mutating func drainEffects() -> [ChatEffect] { out.drain() }

    // MARK: Time

    /// When ``tick()`` wants to be called at the latest; nil for any time.
    var deadline: Instant? {
        let pending = state.pending.map { $0.since + .milliseconds(500) }.filter { $0 > state.now }
        let others = [state.composer.deadline, state.notice?.until, state.calls.bellAt].compactMap { $0 }
        return (others + state.typing.values + pending).min()
    }

    mutating func tick() {
        if let notice = state.notice, state.now >= notice.until { state.notice = nil }
        state.typing = state.typing.filter { $0.value > state.now }
        feed.ring(&state, &out)
        say(state.composer.tick(at: state.now))
    }

    // MARK: The daemon

    /// There is a connection.
    mutating func connected() {
        out.connected()
        feed.connected(&state, &out)
    }

    /// The connection is lost, and the answers to what was asked with it.
    mutating func disconnected(losing requests: [ChatRequest] = []) {
        for case .edited(let id, let text, _) in requests { state.composer.giveBack(text, as: .edit(id)) }
        let isUnsure = requests.contains { request in
            switch request {
            case .changed, .edited, .moved, .ofCall: true
            default: false
            }
        }
        if isUnsure {
            notify("The connection to the daemon broke, so it isn't known whether this was done", isBad: true)
        }
        feed.disconnected(&state)
        _ = state.composer.stopTyping()
    }

    /// Something has happened.
    mutating func happened(_ event: Event) { feed.happened(event, &state, &out) }

    /// The messages that were drawn have been read, and no others.
    mutating func shown(_ view: ChatViewport.View) { feed.shown(view, &state, &out) }

    /// Asks for what is older, unless that is under way.
    mutating func loadOlder() { feed.loadOlder(state, &out) }

    mutating func answered(_ request: ChatRequest, _ outcome: Result<JSONValue, RPCError>) {
        switch outcome {
        case .success(let result): succeeded(request, result)
        case .failure(let error): failed(request, error)
        }
    }

    private mutating func succeeded(_ request: ChatRequest, _ result: JSONValue) {
        switch request {
        case .subscribed:
            feed.succeeded(request, result, &state, &out)
            for pending in state.pending { send(pending) }
        case .newest, .older, .unread, .conversation, .contacts, .group, .transfers, .quote, .chats, .calls:
            feed.succeeded(request, result, &state, &out)
        case .named: openNamed(result)
        case .turned: if let chat = try? Conversation(json: result) { turn(to: chat) }
        case .opened(let key):
            if let id = result["id"]?.string { feed.follow(to: id, &state, &out) }
            // It may have been sent meanwhile, if there was a new connection.
            if let pending = state.pending.first(where: { $0.key == key }), !state.isDeleted { send(pending) }
        case .sent(let key, let asOf):
            state.pending.removeAll { $0.key == key }
            guard let message = try? Message(json: result) else { return }
            feed.follow(to: message.conversation, &state, &out)
            if message.conversation == state.model.conversation { state.model.apply(message, asOf: asOf) }
        case .changed(_, let done, let asOf):
            if let message = try? Message(json: result) { state.model.apply(message, asOf: asOf) }
            if let done { notify(done) }
        case .edited(_, _, let asOf):
            if let message = try? Message(json: result) { state.model.apply(message, asOf: asOf) }
        case .why(let message, let excerpt):
            state.panel = .story(result, of: message, excerpt, now: state.wallTime)
        case .search: state.panel = .findings(result, state.people, now: state.wallTime)
        case .moved: state.update(transfer: result)
        // What becomes of a call is told by its events.
        case .markedRead, .typing, .ofCall: break
        }
    }

    private mutating func failed(_ request: ChatRequest, _ error: RPCError) {
        let hint = HintWords.chatText(of: error)
        let clause = Words.excerpt(error.message)
        let remedy = hint.isEmpty ? "" : " · " + Words.excerpt(hint)
        let (text, sentence) = (clause + remedy, Sentence.of(clause) + remedy)
        switch request {
        case .subscribed, .newest, .older, .unread, .conversation, .contacts, .group, .transfers, .quote, .chats,
            .calls:
            feed.failed(request, error, sentence, &state, &out)
        // These are courtesies: a daemon that does not have them yet is no worse to talk through.
        case .typing: if error.code == RPCError.methodNotFoundCode { out.miss("typing.set") }
        case .markedRead:
            // A daemon that can't be told where the seen part begins would mark more than was seen.
            if [RPCError.methodNotFoundCode, RPCError.invalidParamsCode].contains(error.code) {
                out.miss("conversation.markRead")
            }
        case .sent(let key, _), .opened(let key):
            let pending = state.pending.first { $0.key == key }
            state.pending.removeAll { $0.key == key }
            state.composer.giveBack(pending?.text, as: pending?.replyTo.map { .reply(to: $0) } ?? .message)
            notify("Not sent: \(text)", isBad: true)
        case .changed(let what, _, _): notify("\(what): \(text)", isBad: true)
        case .edited(let id, let new, _):
            state.composer.giveBack(new, as: .edit(id))
            notify("Not edited: \(text)", isBad: true)
        case .why, .search, .moved, .named, .turned, .ofCall: notify(sentence, isBad: true)
        }
    }

    private mutating func notify(_ text: String, isBad: Bool = false, onlyFor key: Keystroke? = nil) {
        out.notify(&state, text, isBad: isBad, onlyFor: key)
    }

    // MARK: Keys

    /// The person has pressed a key.
    mutating func pressed(_ key: Keystroke) {
        if let only = state.notice?.onlyFor, only != key { state.notice = nil }
        switch key {
        case .enter: enter()
        case .escape: escape()
        case .tab:
            let friends = state.people.contacts.values.filter { $0.relation == .friend }.map {
                Words.name($0.shownName)
            }
            let chats =
                state.chats.ordered.map { $0.kind == .notes ? NameSign.notes : Words.title(of: $0) } + friends
            let commands = ChatCommands(state: state, surroundings: surroundings)
            let completions = state.composer.complete(
                names: state.names, chats: chats, files: commands.fileNames, paths: surroundings.paths)
            // What was listed for an earlier word is over.
            if state.notice?.onlyFor == .tab { state.notice = nil }
            if !completions.isEmpty { notify(completions.joined(separator: "  "), onlyFor: .tab) }
        case .pageUp: state.page(up: true)
        case .pageDown: state.page(up: false)
        case .previous: choose(previous: true)
        case .next: choose(previous: false)
        case .up where isChoosing: choose(previous: true)
        case .down where isChoosing: choose(previous: false)
        case .previousChat: goToNeighbour(isAbove: true)
        case .nextChat: goToNeighbour(isAbove: false)
        case .control("c"): interrupt()
        case .control("d") where state.composer.isEmpty: leave(by: key, "Ctrl-D")
        case .control("z"): out.effect(.suspend)
        case .control("l"): out.effect(.repaint)
        default:
            switch state.composer.handle(key) {
            case .changed: say(state.composer.edited(at: state.now))
            case .moved: break
            // At the ends of the text and of what was written before there is nothing to say.
            case .ignored: break
            case .full: notify("That is too long for a message. Send it as a file: /file", isBad: true)
            }
        }
    }

    // MARK: Other chats, and places in this one

    /// Whether Up and Down move through a list of messages.
    private var isChoosing: Bool { state.composer.isEmpty && state.panel?.messages.isEmpty == false }

    private mutating func choose(previous: Bool) {
        if state.panel?.messages.isEmpty == false {
            state.choose(previous: previous)
        } else if state.select(previous: previous) {
            loadOlder()
        }
    }

    private mutating func goToNeighbour(isAbove: Bool) {
        guard let chat = state.chats.neighbour(of: state.model.conversation, isAbove: isAbove) else {
            return notify("There is no other chat")
        }
        turn(to: chat)
    }

    /// A name means a person or a group: asks for the chat with them.
    private mutating func openNamed(_ result: JSONValue) {
        guard let named = try? Named(json: result) else { return }
        if let id = named.conversation {
            return out.call(state, "conversation.get", ["id": .string(id)], .turned)
        }
        let field = named.kind == .group ? "group" : "contact"
        out.call(state, "conversation.open", JSONObject([(field, .string(named.id))]), .turned)
    }

    private mutating func turn(to chat: Conversation) {
        // What is being sent belongs to the chat where it was written.
        guard state.pending.isEmpty else { return notify("A message is still being sent: try again", isBad: true) }
        stopTyping()
        state.chats.update(chat)
        feed.turn(to: chat, &state, &out)
        state.notice = nil
    }

    private mutating func interrupt() {
        if state.composer.isEmpty { return leave(by: .control("c"), "Ctrl-C") }
        // Words go by the second key only.
        guard state.notice?.onlyFor == .control("c") else {
            return notify("Press Ctrl-C again to throw away what you wrote", onlyFor: .control("c"))
        }
        state.composer.giveUp()
        stopTyping()
        notify("Thrown away; the Up key brings it back, and Ctrl-C leaves")
    }

    /// Ends the chat. Where a text was begun in another one, the key has to be pressed twice.
    private mutating func leave(by key: Keystroke, _ name: String) {
        if let title = state.drafted.first, state.notice?.onlyFor != key {
            let whom = TextWrap.shown(title)
            return notify("You have started a message to \(whom). Press \(name) again to leave anyway", onlyFor: key)
        }
        out.effect(.quit)
    }

    /// Closes what lies on top.
    private mutating func escape() {
        if state.panel != nil {
            state.panel = nil
        } else if state.composer.leave() {
            // The text being written is a message again.
        } else if state.selection != nil {
            state.selection = nil
        } else {
            state.toNewest()
        }
        state.notice = nil
    }

    private mutating func enter() {
        let text = state.composer.text
        if text.trimmed.isEmpty {
            if let panel = state.panel, let index = panel.selected, panel.messages.indices.contains(index) {
                return feed.go(to: panel.messages[index], &state, &out)
            }
            state.panel = nil
            // Of a paste may be left the end of a line.
            if state.composer.purpose == .message { state.composer.turn(to: "") }
            return stopTyping()
        }
        // An earlier notice is over, unless the same is wrong again.
        state.notice = nil
        switch SlashCommand.read(text) {
        case .message(let text): submit(text)
        case .unknown(let word):
            let meant = SlashCommand.meant(by: word)
            let question = meant.isEmpty ? "" : " Did you mean \(meant.joined(separator: ", "))?"
            notify(
                "There is no command \(TextWrap.shown(word)).\(question) To send a text that begins with a slash, type //",
                isBad: true)
        case .command(let command):
            stopTyping()
            // A command with a text of the user's stays there to be mended, and one that waits for the daemon to be tried again;
            // the others are within reach of the Up key.
            let waits = command.name.needsDaemon && !state.isConnected
            if run(command) || !(command.name.hasText || waits) { state.composer.finish() }
        }
    }

    /// - Returns: whether the command could be begun, and its text may go.
    private mutating func run(_ command: SlashCommand) -> Bool {
        let action: ChatAction
        do {
            action = try ChatCommands(state: state, surroundings: surroundings).action(for: command)
        } catch {
            notify(error.text, isBad: true)
            return false
        }
        switch action {
        case .quit: out.effect(.quit)
        case .show(let panel): state.panel = panel
        case .toggleShortIDs: state.showsShortIDs.toggle()
        case .answer(let call):
            do {
                try surroundings.answer(call.id)
                notify("Opening the browser to answer \(state.name(of: call))")
            } catch {
                notify(TextWrap.shown(Sentence.of((error as? Failure)?.message ?? "\(error)")), isBad: true)
                return false
            }
        case .calls(let calls): for call in calls { out.call(state, call.method, call.params, call.request) }
        case .send(let text, let id): send(text, replyTo: id)
        case .sendFiles(let files, let isOfAnyType):
            let messages = FilePortions.of(files)
            for files in messages { send("", files: files, isOfAnyType: isOfAnyType) }
            if messages.count > 1 { notify(FilePortions.words(messages.count)) }
        case .reply(let id): state.composer.reply(to: id)
        case .edit(let message):
            // The old text takes the line over: it is not to be cleared.
            state.composer.edit(message)
            state.selection = nil
            return false
        }
        if command.name.isAboutMessage { state.selection = nil }
        return true
    }

    // MARK: Sending

    private mutating func submit(_ written: String) {
        if case .edit = state.composer.purpose, !state.isConnected {
            return notify("The daemon isn't running. Try again when it is back.", isBad: true)
        }
        let purpose = state.composer.submit()
        stopTyping()
        // The ends of lines around a text that was pasted are no part of it.
        var lines = written.drop(while: \.isNewline)
        while lines.last?.isWhitespace == true { lines.removeLast() }
        let text = String(lines)
        switch purpose {
        case .message: send(text)
        case .reply(let id): send(text, replyTo: id)
        case .edit(let id):
            let call = ChatCall.edit(id, to: text, asOf: state.model.lastSeq)
            out.call(state, call.method, call.params, call.request)
        }
    }

    private mutating func send(
        _ text: String, replyTo: String? = nil, files: [SentFile] = [], isOfAnyType: Bool = false
    ) {
        let pending = ChatState.Pending(
            key: surroundings.key(), text: text, replyTo: replyTo, files: files, isOfAnyType: isOfAnyType,
            since: state.now)
        state.pending.append(pending)
        state.unreadMark = nil
        state.selection = nil
        state.panel = nil
        state.toNewest()
        send(pending)
    }

    private mutating func send(_ pending: ChatState.Pending) {
        if state.isDeleted, let group = state.group {
            return out.call(state, "conversation.open", ["group": .string(group)], .opened(key: pending.key))
        }
        var params = JSONObject()
        if state.isDeleted, let contact = state.contact {
            params["to"] = .string(contact)
        } else {
            params["conversation"] = .string(state.model.conversation)
        }
        params["key"] = .string(pending.key)
        if !pending.text.isEmpty { params["text"] = .string(pending.text) }
        FilePortions.add(pending.files, to: &params)
        if pending.isOfAnyType { params["anyType"] = true }
        if let id = pending.replyTo { params["replyTo"] = .string(id) }
        out.call(state, "message.send", params, .sent(key: pending.key, asOf: state.model.lastSeq))
    }

    // MARK: Typing

    /// The text is sent or given up.
    mutating func stopTyping() { say(state.composer.stopTyping()) }

    private mutating func say(_ typing: Bool?) {
        guard let typing, !state.isNotes else { return }
        out.call(
            state, "typing.set", ["conversation": .string(state.model.conversation), "typing": .bool(typing)], .typing)
    }
}
