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
        if state.anchor != nil, state.model.index(of: id) != nil { state.newBelow += 1 }
        if !state.isMuted { ring() }
    }

    private mutating func other(_ event: Event) {
        let data = event.data
        switch event.type {
        case EventType.gap.rawValue:
            state.model.forget(lastSeq: max(state.model.lastSeq, data["to"]?.integer ?? 0))
            reload()
        case EventType.contactChanged.rawValue, EventType.presenceChanged.rawValue:
            if let contact = try? Contact(json: data) { state.people.update(contact) }
        case EventType.conversationChanged.rawValue:
            guard data["id"]?.string == state.model.conversation else { return }
            if event.change == .delete { notify("This conversation was deleted", isBad: true) }
            if let conversation = try? Conversation(json: data) { state.isMuted = conversation.muted }
        case EventType.transferChanged.rawValue, EventType.transferProgress.rawValue: take(transfer: data)
        case EventType.typingChanged.rawValue: typing(data)
        // All positions are new then.
        case EventType.settingsChanged.rawValue: if data["key"]?.string == "messages.order" { reload() }
        default: break
        }
    }

    private mutating func typing(_ data: JSONValue) {
        guard data["conversation"]?.string == state.model.conversation, let account = data["account"]?.string,
            account != state.people.own
        else { return }
        state.typing[account] = data["typing"]?.bool == true ? now + Self.typing : nil
    }
}
