import Basics
import ControlProtocol

extension ChatController {
    /// Something has happened.
    mutating func happened(_ event: Event) {
        let outcome = state.model.apply(event)
        switch outcome {
        case .added(let id): added(id)
        case .changed, .removed: break
        case .nothing: other(event)
        }
    }

    private mutating func added(_ id: String) {
        guard let message = state.model.message(id) else { return }
        askQuotes([message])
        if message.sender == state.people.own {
            // The answer with the same message is on its way.
            if let index = state.pending.firstIndex(where: { !$0.isHere && $0.text == message.text }) {
                state.pending[index].isHere = true
            }
            return
        }
        state.typing[message.sender] = nil
        place(message)
        if !state.isMuted { ring() }
    }

    /// What comes in where nobody looks is announced: below, or above by a sender whose clock is slow.
    private mutating func place(_ message: Message) {
        guard state.model.isLoaded else { return }
        let view = screen.viewport.view()
        let top = view.first.flatMap { state.model.index(of: $0.id) } ?? 0
        guard let index = state.model.index(of: message.id) else {
            // Older than all that is loaded.
            if message.unread { state.hasNewAbove = true }
            return
        }
        if index < top {
            if message.unread { state.hasNewAbove = true }
        } else if state.anchor != nil, !view.ids.contains(message.id) {
            state.newBelow += 1
        }
    }

    private mutating func other(_ event: Event) {
        let data = event.data
        switch event.type {
        case EventType.gap.rawValue:
            state.model.forget(lastSeq: max(state.model.lastSeq, data["to"]?.integer ?? 0))
            reload()
        case EventType.contactChanged.rawValue, EventType.presenceChanged.rawValue:
            if let contact = try? Contact(json: data) {
                state.people.update(contact)
                if contact.id == state.contact, let new = contact.conversation { follow(to: new) }
            }
        case EventType.conversationChanged.rawValue:
            if event.change != .delete, let new = data["id"]?.string, isOurs(data) { follow(to: new) }
            guard data["id"]?.string == state.model.conversation else { return }
            if event.change == .delete { vanished() }
            if let conversation = try? Conversation(json: data) {
                state.isMuted = conversation.muted
                if state.group != nil { state.title = conversation.title }
                state.unreadOlder = min(state.unreadOlder, conversation.unread)
            }
        case EventType.groupChanged.rawValue: if let group = try? Group(json: data) { state.people.update(group) }
        case EventType.transferChanged.rawValue, EventType.transferProgress.rawValue: take(transfer: data)
        case EventType.typingChanged.rawValue: typing(data)
        // All positions are new then.
        case EventType.settingsChanged.rawValue: if data["key"]?.string == "messages.order" { reload() }
        default: break
        }
    }

    // MARK: A conversation that is deleted

    /// Whether a conversation is the one with our contact, or our group's.
    private func isOurs(_ conversation: JSONValue) -> Bool {
        if let contact = state.contact { return conversation["contact"]?.string == contact }
        return state.group != nil && conversation["group"]?.string == state.group
    }

    /// The conversation is gone, with all that was in it.
    mutating func vanished() {
        if state.isDeleted { return }
        let text = state.canBeginAnew ? ". What you write begins a new one." : ""
        notify("This conversation was deleted\(text)", isBad: true)
        state.isDeleted = true
        begin(state.model.conversation)
    }

    /// There is a conversation with the same contact or group; it takes the place of the one that is gone.
    mutating func follow(to conversation: String) {
        guard state.isDeleted, conversation != state.model.conversation else { return }
        state.isDeleted = false
        begin(conversation)
        reload()
    }

    /// Nothing of what was here before is kept but what is being written or sent.
    private mutating func begin(_ conversation: String) {
        if case .edit = state.composing { state.editor.finish() }
        state.composing = .message
        state.model = ChatModel(conversation: conversation, lastSeq: state.model.lastSeq)
        state.selection = nil
        state.panel = nil
        state.unreadMark = nil
        state.unreadOlder = 0
        state.hasNewAbove = false
        state.marked = []
        state.quotes = [:]
        state.transfers = [:]
        state.typing = [:]
        toNewest()
        effects.append(.repaint)
    }

    private mutating func typing(_ data: JSONValue) {
        guard data["conversation"]?.string == state.model.conversation, let account = data["account"]?.string,
            account != state.people.own
        else { return }
        state.typing[account] = data["typing"]?.bool == true ? now + Self.typing : nil
    }
}
