import Basics
import ControlProtocol
import Vocabulary

/// An event as a line for people.
enum EventSentence {
    /// Nil for what says nothing that another event doesn't say too, or changes too often to print.
    ///
    /// - Parameter memory: the messages as they were shown before; an event brings a message whole, and only its
    ///   earlier state tells what has happened.
    static func text(
        _ event: Event, _ people: People, _ memory: inout MessageMemory, _ context: Context
    ) -> String? {
        guard let sentence = sentence(event, people, &memory, context.console) else { return nil }
        return context.console.styled(Humane.format(event.at, "%H:%M:%S"), .dim) + "  " + sentence
    }

    /// The same for events that are not about messages.
    static func text(_ event: Event, _ people: People, _ context: Context) -> String? {
        var memory = MessageMemory()
        return text(event, people, &memory, context)
    }

    /// Whether it is about a message or a transfer: then its conversation says where.
    static func isOfConversation(_ event: Event) -> Bool {
        [.messageAdded, .messageChanged, .messageRemoved, .transferChanged].contains { event.isOf($0) }
    }

    private static func sentence(
        _ event: Event, _ people: People, _ memory: inout MessageMemory, _ console: Console
    ) -> String? {
        let data = event.data
        switch EventType(rawValue: event.type) {
        case .messageAdded:
            guard let message = try? Message(json: data) else { return nil }
            _ = memory.replace(message)
            return MessageSentence(people: people, console: console).added(message)
        case .messageChanged:
            guard let message = try? Message(json: data) else { return nil }
            let before = memory.replace(message)
            return MessageSentence(people: people, console: console).changed(message, from: before, at: event.at)
        case .messageRemoved:
            let before = data["id"]?.string.flatMap { memory.remove($0) }
            return "a message was deleted on this computer" + (before.map { ": \(MessageSentence.short($0))" } ?? "")
        case .contactChanged:
            // Only the account is left to tell of a contact that was deleted.
            if event.change == .delete {
                return data["id"]?.string.map { bold(people.name($0), console) + " is not a contact any more" }
            }
            return (try? Contact(json: data)).map { contact($0, console) }
        case .diskChanged:
            return (try? DiskState(json: data)).map {
                StatusCommand.text($0, console).map { "the disk with your data is \($0)" }
                    ?? "the disk with your data has room again"
            }
        case .presenceChanged:
            return (try? Contact(json: data)).map { bold($0.shownName, console) + " is \($0.presence.rawValue)" }
        case .transferChanged: return (try? Transfer(json: data)).map { transfer($0, people, console) }
        case .peerAppeared:
            return (try? Peer(json: data)).map {
                bold($0.displayName, console) + " is here, at \(ForeignText.escaped($0.address))"
            }
        case .peerVanished: return (try? Peer(json: data)).map { bold($0.displayName, console) + " has left" }
        case .accountChanged: return "your account has changed"
        case .groupChanged: return (try? Group(json: data)).flatMap { group($0, event.change, people, console) }
        case .settingsChanged:
            return (try? Setting(json: data)).map {
                "\(ForeignText.escaped($0.key)) is \(SettingWords.text(of: $0)) now"
            }
        case .typingChanged:
            return (try? Typing(json: data)).flatMap { $0.typing ? "\(people.name($0.account)) is typing" : nil }
        case .gap: return console.styled("some events are missing: there were too many, or they are too old", .yellow)
        case .addressBookMatched:
            return (try? AddressBookEntry(json: data)).map { entry in
                bold(entry.name, console)
                    + (entry.onKibo
                        ? " from your address book is on Kibo" : " from your address book is no longer seen on Kibo")
            }
        case .addressBookChanged: return "your address book has changed"
        case .callChanged:
            return (try? Call(json: data)).flatMap { call in
                memory.isNews(call) ? CallWords.sentence(call, people) : nil
            }
        case .guestChanged:
            guard let waiting = data["waiting"]?.integer, memory.isNews(waiting: waiting) else { return nil }
            let offers = Humane.count(waiting, "offer waits", "offers wait")
            return "\(offers) from devices with LocalSend – kibo localsend"
        case .conversationChanged, .transferProgress, .totalsChanged, .courierChanged, .guestProgress: return nil
        case nil: return ForeignText.escaped(event.type)
        }
    }

    private static func bold(_ name: String, _ console: Console) -> String {
        console.styled(Words.name(name), .bold)
    }

    private static func contact(_ contact: Contact, _ console: Console) -> String {
        let name = bold(contact.shownName, console)
        let note = contact.note.isEmpty ? "" : ": " + Words.excerpt(contact.note)
        if contact.trust == .changed {
            return console.styled(Words.changedKey(contact)[0], .red) + " kibo contacts"
        }
        if let reason = contact.reason {
            return "\(name) has refused your request: "
                + (contact.detail.map { Words.excerpt($0) } ?? Words.reason(reason))
        }
        switch contact.relation {
        case .incoming: return "\(name) asks to be your friend\(note)"
        case .requested: return "you asked \(name) to be your friend"
        case .friend:
            let status = contact.statusText.isEmpty ? "" : ": " + Words.line(contact.statusText)
            return "\(name) is your friend, \(contact.presence.rawValue)\(status)"
        case .blocked: return "\(name) is blocked"
        case .none: return "\(name) is not your friend"
        }
    }

    /// Changes in a group are said in its conversation; only its arrival is not.
    private static func group(_ group: Group, _ change: ChangeKind, _ people: People, _ console: Console) -> String? {
        guard change == .insert else { return nil }
        let name = bold(group.name, console)
        guard let account = group.addedBy else { return "the group \(name) was made" }
        return "\(people.name(account)) added you to the group \(name)"
    }

    private static func transfer(_ transfer: Transfer, _ people: People, _ console: Console) -> String {
        let name = Words.name(transfer.name)
        let way = transfer.direction == .incoming ? "from" : "to"
        let state = Words.cell(transfer).text
        let advice =
            transfer.direction == .incoming && transfer.state == .offered
            ? " – kibo get \(transfer.heldBack == nil ? "" : "--any-type ")\(transfer.id)" : ""
        let place = transfer.state == .done ? transfer.path.map { " " + ForeignText.escaped($0) } ?? "" : ""
        let size = Humane.size(transfer.size)
        return "\(name) (\(size)) \(way) \(people.other(of: transfer)): \(state)\(place)\(advice)"
    }
}
