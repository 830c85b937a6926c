import Basics
import ControlProtocol

/// What happens in `kibo chat`: keys, events, answers and time go in, effects come out. No I/O, no clock.
struct ChatController {
    /// What it needs to know of the world and can't hold itself.
    struct Surroundings {
        /// The path from the root, of something that is there.
        var path: (String) throws -> String
        var home: String?
        /// A name for a message that nobody else makes.
        var key: () -> String
    }

    /// Messages of a page: two or three screens.
    static let page: Int64 = 100
    /// How long a notice stands.
    static let notice = Duration.seconds(6)
    /// How long somebody is believed to write without a new sign of it.
    static let typing = Duration.seconds(12)

    /// Sounds come no faster.
    static let quiet = Duration.seconds(2)

    var state: ChatState
    let surroundings: Surroundings
    var size: ChatScreen.Size
    var effects: [ChatEffect] = []
    var now = Instant(nanoseconds: 0)
    var wallTime = WallTime(milliseconds: 0)

    private var typingNotice = TypingNotice()
    /// Counts loads from the newest, so that a page of an earlier load is told from ours.
    private var load = 0
    private var isLoadingOlder = false
    private var asked: Set<String> = []
    /// Methods that this daemon does not have.
    private var missing: Set<String> = []
    private var isFresh = true
    /// The log that the numbers of events are of, as the last subscription said.
    private var epoch: String?
    private var lastBell: Instant?

    init(_ state: ChatState, size: ChatScreen.Size, surroundings: Surroundings) {
        self.state = state
        self.size = size
        self.surroundings = surroundings
    }

    // MARK: What is to be done

    /// What has gathered.
    mutating func takeEffects() -> [ChatEffect] {
        defer { effects = [] }
        return effects
    }

    /// When ``tick()`` wants to be called at the latest; nil for any time.
    var deadline: Instant? {
        let pending = state.pending.map { $0.since + .milliseconds(500) }.filter { $0 > now }
        return ([typingNotice.deadline, state.notice?.until].compactMap { $0 } + state.typing.values + pending).min()
    }

    mutating func tick() {
        if let notice = state.notice, now >= notice.until { state.notice = nil }
        state.typing = state.typing.filter { $0.value > now }
        say(typingNotice.tick(at: now))
    }

    mutating func call(_ method: String, _ params: JSONObject, _ request: ChatRequest) {
        if state.isConnected, !missing.contains(method) { effects.append(.call(method, params, request)) }
    }

    mutating func notify(_ text: String, isBad: Bool = false) {
        state.notice = ChatState.Notice(text: text, isBad: isBad, until: now + Self.notice)
        if isBad { ring() }
    }

    /// A sound, but not one for each of many.
    mutating func ring() {
        if let lastBell, now - lastBell < Self.quiet { return }
        lastBell = now
        effects.append(.bell)
    }

    var screen: ChatScreen { ChatScreen(state: state, size: size, now: now, wallTime: wallTime) }

    // MARK: The connection

    /// There is a connection. The subscription comes first: what happens from its beginning on is not missed.
    mutating func connected() {
        state.isConnected = true
        state.marked = []
        missing = []
        isLoadingOlder = false
        var place: JSONObject = isFresh ? [:] : ["since": .integer(state.model.lastSeq)]
        if !isFresh, let epoch { place["epoch"] = .string(epoch) }
        call("events.subscribe", place, .subscribed)
    }

    /// The connection is lost, and the answers to what was asked with it.
    mutating func disconnected(losing requests: [ChatRequest] = []) {
        state.isConnected = false
        for case .edited(let id, let text, _) in requests { giveBack(text, as: .edit(id)) }
        let isUnsure = requests.contains { request in
            switch request {
            case .changed, .edited, .moved: true
            default: false
            }
        }
        if isUnsure { notify("The daemon went away before it could say that it was done", isBad: true) }
        state.typing = [:]
        _ = typingNotice.stop()
        asked = []
        isLoadingOlder = false
    }

    private mutating func subscribed(_ result: JSONValue) {
        let next = result["next"]?.integer ?? 1
        if isFresh || next - 1 < state.model.lastSeq {
            // A daemon whose log is shorter than what we have seen is another one than before.
            state.model.forget(lastSeq: next - 1)
            reload()
        } else if !state.model.isLoaded {
            reload()
        }
        isFresh = false
        epoch = result["epoch"]?.string
        call("contact.list", [:], .contacts)
        if let group = state.group { call("group.get", ["id": .string(group)], .group) }
        call("conversation.get", ["id": .string(state.model.conversation)], .conversation)
        call("transfer.list", ["limit": 100], .transfers)
        for pending in state.pending { send(pending) }
    }

    mutating func reload() {
        load += 1
        isLoadingOlder = false
        call(
            "message.list", ["conversation": .string(state.model.conversation), "limit": .integer(Self.page)],
            .newest(asOf: state.model.lastSeq, load: load))
        call("conversation.get", ["id": .string(state.model.conversation)], .unread(load: load))
    }

    /// Asks for what is older, unless that is under way.
    mutating func loadOlder() {
        guard state.model.isLoaded, !isLoadingOlder, let start = state.model.start else { return }
        isLoadingOlder = state.isConnected
        call(
            "message.list",
            [
                "conversation": .string(state.model.conversation), "before": .string(start),
                "limit": .integer(Self.page),
            ], .older(asOf: state.model.lastSeq, load: load))
    }

    mutating func send(_ pending: ChatState.Pending) {
        var params = JSONObject()
        if state.isDeleted, let group = state.group {
            return call("conversation.open", ["group": .string(group)], .opened(key: pending.key))
        }
        if state.isDeleted, let contact = state.contact {
            params["to"] = .string(contact)
        } else {
            params["conversation"] = .string(state.model.conversation)
        }
        params["key"] = .string(pending.key)
        if !pending.text.isEmpty { params["text"] = .string(pending.text) }
        if !pending.files.isEmpty { params["files"] = .strings(pending.files) }
        if let id = pending.replyTo { params["replyTo"] = .string(id) }
        call("message.send", params, .sent(key: pending.key, asOf: state.model.lastSeq))
    }

    // MARK: Answers

    mutating func answered(_ request: ChatRequest, _ outcome: Result<JSONValue, RPCError>) {
        switch outcome {
        case .success(let result): succeeded(request, result)
        case .failure(let error): failed(request, error)
        }
    }

    private mutating func succeeded(_ request: ChatRequest, _ result: JSONValue) {
        switch request {
        case .subscribed: subscribed(result)
        // What was asked for before it was deleted is of no use any more.
        case .newest where state.isDeleted, .older where state.isDeleted: break
        case .newest(let asOf, let load) where load == self.load:
            state.model.applyNewest(messages(result), hasMore: result["hasMore"]?.bool == true, asOf: asOf)
            if state.unreadMark == nil { state.unreadMark = state.model.messages.first(where: \.unread)?.id }
            askQuotes(state.model.messages)
        case .older(let asOf, let load) where load == self.load:
            isLoadingOlder = false
            let before = state.model.unread.count
            state.model.applyOlder(messages(result), hasMore: result["hasMore"]?.bool == true, asOf: asOf)
            state.unreadOlder = max(0, state.unreadOlder - Int64(state.model.unread.count - before))
            askQuotes(state.model.messages)
        case .unread(let load) where load == self.load:
            let total = (try? Conversation(json: result))?.unread ?? 0
            state.unreadOlder = max(0, total - Int64(state.model.unread.count))
        case .newest, .older, .unread: break
        case .conversation:
            if let conversation = try? Conversation(json: result) { state.isMuted = conversation.muted }
        case .contacts:
            for json in result["contacts"]?.array ?? [] {
                if let contact = try? Contact(json: json) { state.people.update(contact) }
            }
        case .group: if let group = try? Group(json: result) { state.people.update(group) }
        case .opened(let key):
            if let id = result["id"]?.string { follow(to: id) }
            // It may have been sent meanwhile, if there was a new connection.
            if let pending = state.pending.first(where: { $0.key == key }), !state.isDeleted { send(pending) }
        case .transfers: for json in result["transfers"]?.array ?? [] { take(transfer: json) }
        case .sent(let key, let asOf):
            state.pending.removeAll { $0.key == key }
            guard let message = try? Message(json: result) else { return }
            follow(to: message.conversation)
            if message.conversation == state.model.conversation { state.model.apply(message, asOf: asOf) }
        case .changed(_, let done, let asOf):
            if let message = try? Message(json: result) { state.model.apply(message, asOf: asOf) }
            if let done { notify(done) }
        case .edited(_, _, let asOf):
            if let message = try? Message(json: result) { state.model.apply(message, asOf: asOf) }
        case .why(let message, let excerpt): showStory(result, of: message, excerpt)
        case .search: showFindings(result)
        case .quote(let id): state.quotes[id] = try? Message(json: result)
        case .moved: take(transfer: result)
        case .markedRead, .typing: break
        }
    }

    private mutating func failed(_ request: ChatRequest, _ error: RPCError) {
        let hint = HintWords.text(of: error)
        let text = Words.excerpt(error.message) + (hint.isEmpty ? "" : " · " + Words.excerpt(hint))
        switch request {
        case .conversation where error.kind == .notFound, .newest where error.kind == .notFound: vanished()
        // These are courtesies: a daemon that does not have them yet is no worse to talk through.
        case .typing: if error.code == RPCError.methodNotFoundCode { missing.insert("typing.set") }
        case .markedRead:
            // One that can't be told where the seen part begins would mark more than was seen.
            if [RPCError.methodNotFoundCode, RPCError.invalidParamsCode].contains(error.code) {
                missing.insert("conversation.markRead")
            }
        case .unread, .quote, .contacts, .conversation, .group, .transfers: break
        case .sent(let key, _), .opened(let key):
            let pending = state.pending.first { $0.key == key }
            state.pending.removeAll { $0.key == key }
            giveBack(pending?.text, as: pending?.replyTo.map { .reply(to: $0) } ?? .message)
            notify("Not sent: \(text)", isBad: true)
        case .changed(let what, _, _): notify("\(what): \(text)", isBad: true)
        case .edited(let id, let new, _):
            giveBack(new, as: .edit(id))
            notify("Not edited: \(text)", isBad: true)
        case .older:
            isLoadingOlder = false
            notify(text, isBad: true)
        case .subscribed:
            notify(text, isBad: state.isConnected)
            effects.append(.disconnect)
        case .newest, .why, .search, .moved: notify(text, isBad: true)
        }
    }

    /// What could not be sent goes back to where it was written, unless something else is there by now.
    private mutating func giveBack(_ text: String?, as composing: ChatState.Composing) {
        guard state.editor.isEmpty, let text else { return }
        state.editor.replace(with: text)
        state.composing = composing
    }

    private func messages(_ result: JSONValue) -> [Message] {
        (result["messages"]?.array ?? []).compactMap { try? Message(json: $0) }
    }

    /// Answers show what they answer, also if that is too old to be loaded.
    mutating func askQuotes(_ messages: [Message]) {
        for message in messages {
            guard let id = message.replyTo, state.message(id) == nil, asked.insert(id).inserted else { continue }
            call("message.get", ["id": .string(id)], .quote(id))
        }
    }

    // MARK: Reading and writing, as the others see it

    /// What was drawn has been read, and nothing else.
    mutating func shown(_ view: ChatViewport.View) {
        if view.isAtTop { loadOlder() }
        if view.first != nil, state.hasNewAbove, screen.viewport.unreadAbove(view) == 0 { state.hasNewAbove = false }
        guard state.isConnected, let first = view.first, let last = view.last else { return }
        let news = state.model.unread.intersection(view.ids).subtracting(state.marked)
        if news.isEmpty { return }
        state.marked.formUnion(news)
        var params: JSONObject = [
            "id": .string(state.model.conversation), "from": .string(first.id), "upTo": .string(last.id),
        ]
        if view.arrival > 0 { params["arrival"] = .integer(view.arrival) }
        call("conversation.markRead", params, .markedRead)
    }

    /// The text was changed.
    mutating func edited() {
        var isComposing = !state.editor.isEmpty && !state.editor.text.hasPrefix("/")
        if case .edit = state.composing { isComposing = false }
        say(typingNotice.edited(isComposing: isComposing, at: now))
    }

    /// The text is sent or given up.
    mutating func stopTyping() { say(typingNotice.stop()) }

    private mutating func say(_ typing: Bool?) {
        guard let typing else { return }
        call("typing.set", ["conversation": .string(state.model.conversation), "typing": .bool(typing)], .typing)
    }

    mutating func take(transfer json: JSONValue) {
        guard let transfer = try? Transfer(json: json), transfer.conversation == state.model.conversation else {
            return
        }
        state.transfers[transfer.id] = transfer
    }
}
