import Basics
import ControlProtocol

/// Keeps what is shown of the conversation up to date: subscribes, loads pages, takes events and answers in, and tells
/// the daemon which messages were seen.
struct ChatFeed {
    /// Messages of a page: two or three screens.
    static let page: Int64 = 100
    /// How many chats may show news.
    static let chats: Int64 = 200
    /// Messages that are loaded on the way to one that is wanted.
    static let reach = 20_000
    /// How long a person is believed to write without a new sign of it.
    static let typing = Duration.seconds(12)

    /// Counts loads from the newest, so that a page of an earlier load is told from ours.
    private var load = 0
    private var isLoadingOlder = false
    /// Answered messages that were asked for.
    private var asked: Set<String> = []
    private var isFresh = true
    /// The log that the numbers of events are of, as the last subscription said.
    private var epoch: String?

    // MARK: The connection

    /// There is a connection. The subscription comes first: no event from its beginning on is missed.
    mutating func connected(_ state: inout ChatState, _ out: inout ChatOutput) {
        state.isConnected = true
        state.marked = []
        isLoadingOlder = false
        // What comes in this chat and in others is shown here: the daemon's own notifications rest meanwhile.
        var cursor: JSONObject = ["notifies": true]
        if !isFresh { cursor["since"] = .integer(state.model.lastSeq) }
        if !isFresh, let epoch { cursor["epoch"] = .string(epoch) }
        out.call(state, "events.subscribe", cursor, .subscribed)
    }

    /// The connection is lost, and the answers to what was asked with it.
    mutating func disconnected(_ state: inout ChatState) {
        state.isConnected = false
        state.typing = [:]
        state.calls = ChatCalls()
        asked = []
        isLoadingOlder = false
    }

    private mutating func subscribed(_ result: JSONValue, _ state: inout ChatState, _ out: inout ChatOutput) {
        let next = result["next"]?.integer ?? 1
        if isFresh || next - 1 < state.model.lastSeq {
            // A daemon whose log is shorter than what we have seen is another one than before.
            state.model.forget(lastSeq: next - 1)
            reload(state, &out)
        } else if !state.model.isLoaded {
            reload(state, &out)
        }
        isFresh = false
        epoch = result["epoch"]?.string
        out.call(state, "contact.list", [:], .contacts)
        out.call(state, "conversation.list", ["limit": .integer(Self.chats)], .chats)
        out.call(state, "call.list", [:], .calls)
        askDetails(state, &out)
    }

    /// Asks for what belongs to this chat.
    private func askDetails(_ state: ChatState, _ out: inout ChatOutput) {
        if let group = state.group { out.call(state, "group.get", ["id": .string(group)], .group) }
        let id = state.model.conversation
        out.call(state, "conversation.get", ["id": .string(id)], .conversation(id))
        out.call(state, "transfer.list", ["limit": 100], .transfers)
    }

    /// Turns to another chat.
    mutating func turn(to chat: Conversation, _ state: inout ChatState, _ out: inout ChatOutput) {
        guard chat.id != state.model.conversation else { return }
        state.turn(to: chat)
        asked = []
        out.effect(.repaint)
        reload(state, &out)
        askDetails(state, &out)
    }

    /// Goes to a message, and loads what is older until it is there.
    mutating func go(to id: String, _ state: inout ChatState, _ out: inout ChatOutput) {
        if state.model.index(of: id) != nil { return state.go(to: id) }
        state.panel = nil
        guard state.model.hasOlder, state.model.count < Self.reach else {
            state.wanted = nil
            return out.notify(
                &state, "That message is too far back to show here: kibo read CHAT --before WHEN", isBad: true)
        }
        state.wanted = id
        loadOlder(state, &out)
    }

    private mutating func reload(_ state: ChatState, _ out: inout ChatOutput) {
        load += 1
        isLoadingOlder = false
        let conversation = JSONValue.string(state.model.conversation)
        out.call(
            state, "message.list", ["conversation": conversation, "limit": .integer(Self.page)],
            .newest(asOf: state.model.lastSeq, load: load))
        out.call(state, "conversation.get", ["id": conversation], .unread(load: load))
    }

    /// Asks for what is older, unless that is under way.
    mutating func loadOlder(_ state: ChatState, _ out: inout ChatOutput) {
        guard state.model.isLoaded, !isLoadingOlder, let start = state.model.start else { return }
        isLoadingOlder = state.isConnected
        out.call(
            state, "message.list",
            [
                "conversation": .string(state.model.conversation), "before": .string(start),
                "limit": .integer(state.wanted == nil ? Self.page : Pages.size),
            ], .older(asOf: state.model.lastSeq, load: load))
    }

    // MARK: Answers

    /// Takes the answer to a question of the feed.
    mutating func succeeded(
        _ request: ChatRequest, _ result: JSONValue, _ state: inout ChatState, _ out: inout ChatOutput
    ) {
        switch request {
        case .subscribed: subscribed(result, &state, &out)
        // Pages that were asked for before the conversation was deleted are of no use any more.
        case .newest where state.isDeleted, .older where state.isDeleted: break
        case .newest(let asOf, let load) where load == self.load:
            state.model.applyNewest(messages(result), hasMore: result["hasMore"]?.bool == true, asOf: asOf)
            if state.unreadMark == nil { state.unreadMark = state.model.messages.first(where: \.unread)?.id }
            askQuotes(state.model.messages, state, &out)
        case .older(let asOf, let load) where load == self.load:
            isLoadingOlder = false
            let before = state.model.unread.count
            state.model.applyOlder(messages(result), hasMore: result["hasMore"]?.bool == true, asOf: asOf)
            state.unreadOlder = max(0, state.unreadOlder - Int64(state.model.unread.count - before))
            askQuotes(state.model.messages, state, &out)
            if let wanted = state.wanted { go(to: wanted, &state, &out) }
        case .unread(let load) where load == self.load:
            let total = (try? Conversation(json: result))?.unread ?? 0
            state.unreadOlder = max(0, total - Int64(state.model.unread.count))
        case .conversation(let id) where id == state.model.conversation:
            if let conversation = try? Conversation(json: result) { state.isMuted = conversation.muted }
        case .chats:
            let chats = (result["conversations"]?.array ?? []).compactMap { try? Conversation(json: $0) }
            state.chats.replace(with: chats)
        case .calls:
            state.calls.replace(with: (result["calls"]?.array ?? []).compactMap { try? Call(json: $0) })
            ring(&state, &out)
        case .contacts:
            for json in result["contacts"]?.array ?? [] {
                if let contact = try? Contact(json: json) { state.people.update(contact) }
            }
        case .group: if let group = try? Group(json: result) { state.people.update(group) }
        case .transfers: for json in result["transfers"]?.array ?? [] { state.update(transfer: json) }
        case .quote(let id): state.quotes[id] = try? Message(json: result)
        default: break
        }
    }

    /// Takes the failure of a question of the feed.
    /// - Parameter text: the error in words.
    mutating func failed(
        _ request: ChatRequest, _ error: RPCError, _ text: String, _ state: inout ChatState, _ out: inout ChatOutput
    ) {
        switch request {
        case .conversation(let id) where error.kind == .notFound && id == state.model.conversation:
            vanished(&state, &out)
        case .newest(_, let load) where error.kind == .notFound && load == self.load: vanished(&state, &out)
        case .older:
            isLoadingOlder = false
            state.wanted = nil
            out.notify(&state, text, isBad: true)
        case .newest: out.notify(&state, text, isBad: true)
        case .subscribed:
            out.notify(&state, text, isBad: state.isConnected)
            out.effect(.disconnect)
        default: break
        }
    }

    private func messages(_ result: JSONValue) -> [Message] {
        (result["messages"]?.array ?? []).compactMap { try? Message(json: $0) }
    }

    /// Answers show what they answer, also if that is too old to be loaded.
    private mutating func askQuotes(_ messages: [Message], _ state: ChatState, _ out: inout ChatOutput) {
        for message in messages {
            guard let id = message.replyTo, state.message(id) == nil, asked.insert(id).inserted else { continue }
            out.call(state, "message.get", ["id": .string(id)], .quote(id))
        }
    }

    // MARK: Events

    /// Something has happened.
    mutating func happened(_ event: Event, _ state: inout ChatState, _ out: inout ChatOutput) {
        switch state.model.apply(event) {
        case .added(let id): added(id, &state, &out)
        case .changed, .removed: break
        case .nothing: other(event, &state, &out)
        }
    }

    private mutating func added(_ id: String, _ state: inout ChatState, _ out: inout ChatOutput) {
        guard let message = state.model.message(id) else { return }
        askQuotes([message], state, &out)
        if message.sender == state.people.own {
            // The answer with the same message is on its way.
            if let index = state.pending.firstIndex(where: { !$0.isHere && $0.text == message.text }) {
                state.pending[index].isHere = true
            }
            return
        }
        state.typing[message.sender] = nil
        state.place(message)
        if !state.isMuted { out.ring(at: state.now) }
    }

    private mutating func other(_ event: Event, _ state: inout ChatState, _ out: inout ChatOutput) {
        let data = event.data
        switch event.type {
        case EventType.gap.rawValue:
            state.model.forget(lastSeq: max(state.model.lastSeq, data["to"]?.integer ?? 0))
            reload(state, &out)
        case EventType.contactChanged.rawValue, EventType.presenceChanged.rawValue:
            if let contact = try? Contact(json: data) {
                state.people.update(contact)
                if contact.id == state.contact, let new = contact.conversation { follow(to: new, &state, &out) }
            }
        case EventType.messageAdded.rawValue: elsewhere(data, &state, &out)
        case EventType.conversationChanged.rawValue:
            if let id = data["id"]?.string, event.change == .delete { state.chats.remove(id) }
            if let chat = try? Conversation(json: data), event.change != .delete { state.chats.update(chat) }
            if event.change != .delete, let new = data["id"]?.string, state.isOurs(data) {
                follow(to: new, &state, &out)
            }
            guard data["id"]?.string == state.model.conversation else { return }
            if event.change == .delete { vanished(&state, &out) }
            if let conversation = try? Conversation(json: data) {
                state.isMuted = conversation.muted
                if state.group != nil { state.title = conversation.title }
                state.unreadOlder = min(state.unreadOlder, conversation.unread)
            }
        case EventType.groupChanged.rawValue: if let group = try? Group(json: data) { state.people.update(group) }
        case EventType.transferChanged.rawValue, EventType.transferProgress.rawValue: state.update(transfer: data)
        case EventType.typingChanged.rawValue: typing(data, &state)
        case EventType.callChanged.rawValue: if let call = try? Call(json: data) { called(call, &state, &out) }
        // All positions are new then.
        case EventType.settingsChanged.rawValue: if data["key"]?.string == "messages.order" { reload(state, &out) }
        default: break
        }
    }

    /// A message has come in another chat.
    private func elsewhere(_ data: JSONValue, _ state: inout ChatState, _ out: inout ChatOutput) {
        guard let message = try? Message(json: data), message.conversation != state.model.conversation,
            message.sender != state.people.own, message.kind != .system, message.unread
        else { return }
        let chat = state.chats[message.conversation]
        if let chat, chat.muted, !message.mentionsYou || !chat.letsMentionsThrough { return }
        let sender = state.people.name(message.sender)
        let place = chat.flatMap { $0.group == nil ? nil : " in \(TextWrap.shown(Words.name($0.title)))" } ?? ""
        let text = DisplayWidth.truncate(TextWrap.shown(Words.excerpt(message)), to: Self.excerpt)
        state.notify("\(sender)\(place): \(text)")
        out.ring(at: state.now)
    }

    // MARK: Calls

    private func called(_ call: Call, _ state: inout ChatState, _ out: inout ChatOutput) {
        let before = state.calls.update(call)
        // The end of a call is told to those who knew of it.
        if call.state == .ended, before != nil, let sentence = CallWords.sentence(call, state.people) {
            out.notify(&state, sentence.capitalizedFirst)
        }
        ring(&state, &out)
    }

    /// Sounds the bell for what rings, again and again.
    func ring(_ state: inout ChatState, _ out: inout ChatOutput) {
        let (chats, now) = (state, state.now)
        if state.calls.rings(at: now, isMuted: chats.keepsStill) { out.ring(at: now) }
    }

    // MARK: Elsewhere

    /// Columns of what was said elsewhere.
    private static let excerpt = 40

    private func typing(_ data: JSONValue, _ state: inout ChatState) {
        guard data["conversation"]?.string == state.model.conversation, let account = data["account"]?.string,
            account != state.people.own
        else { return }
        state.typing[account] = data["typing"]?.bool == true ? state.now + Self.typing : nil
    }

    // MARK: A conversation that is deleted

    /// The conversation is gone, with all that was in it.
    private func vanished(_ state: inout ChatState, _ out: inout ChatOutput) {
        if state.isDeleted { return }
        let text = state.canBeginAnew ? ". What you write starts a new one." : ""
        out.notify(&state, "This conversation was deleted\(text)", isBad: true)
        state.isDeleted = true
        state.begin(state.model.conversation)
        out.effect(.repaint)
    }

    /// There is a conversation with the same contact or group; it takes the place of the one that is gone.
    mutating func follow(to conversation: String, _ state: inout ChatState, _ out: inout ChatOutput) {
        guard state.isDeleted, conversation != state.model.conversation else { return }
        state.isDeleted = false
        state.begin(conversation)
        out.effect(.repaint)
        reload(state, &out)
    }

    // MARK: What was seen

    /// The messages that were drawn have been read, and no others.
    mutating func shown(_ view: ChatViewport.View, _ state: inout ChatState, _ out: inout ChatOutput) {
        if view.isAtTop { loadOlder(state, &out) }
        if view.first != nil, state.hasNewAbove, state.screen.viewport.unreadAbove(view) == 0 {
            state.hasNewAbove = false
        }
        guard state.isConnected, let first = view.first, let last = view.last else { return }
        let news = state.model.unread.intersection(view.ids).subtracting(state.marked)
        if news.isEmpty { return }
        state.marked.formUnion(news)
        var params: JSONObject = [
            "id": .string(state.model.conversation), "from": .string(first.id), "upTo": .string(last.id),
        ]
        if view.arrival > 0 { params["arrival"] = .integer(view.arrival) }
        out.call(state, "conversation.markRead", params, .markedRead)
    }
}
