import Basics
import ControlProtocol

/// Says in a sentence what has happened to a message.
struct MessageSentence {
    let people: People
    let console: Console

    /// An edit that is younger than this (milliseconds) is what an event is about, if nothing else tells.
    private static let fresh: UInt64 = 60_000

    /// How a message begins, where only a reminder is needed.
    static func short(_ message: Message) -> String { DisplayWidth.truncate(Words.excerpt(message), to: 40) }

    func added(_ message: Message) -> String {
        let answer = message.replyTo == nil ? "" : " (an answer)"
        let text = Words.excerpt(message)
        if message.kind == .system { return text + place(message) }
        if message.sender == people.own {
            // What was given to a device went there, and is noted besides.
            let names = message.givenTo == nil ? names(message) : ""
            let device = GuestWords.device(of: message).map { " " + $0 } ?? ""
            return console.styled("you", .bold, .green) + (names.isEmpty ? "" : " to \(names)")
                + "\(device)\(answer): \(text)"
        }
        return console.styled(people.name(message.sender), .bold, .cyan) + "\(place(message))\(answer): \(text)"
    }

    /// ` in :Hikers`, for a message in a group.
    private func place(_ message: Message) -> String {
        people.group(ofConversation: message.conversation).map { " in \(Words.title(of: $0))" } ?? ""
    }

    /// Nil if nothing has changed that people see.
    func changed(_ message: Message, from before: Message?, at time: Int64) -> String? {
        let sender = people.name(message.sender)
        let wasDeleted = before?.deleted ?? false
        if message.deleted {
            if wasDeleted { return nil }
            let what = before.map { ": " + Self.short($0) } ?? ""
            return "\(sender) deleted a message for all\(what)"
        }
        if let edited = message.editedAt, before.map({ $0.editedAt != edited }) ?? isFresh(edited, at: time) {
            return "\(sender) edited: \(Words.excerpt(message))"
        }
        if let line = reactions(message, before) { return line }
        let held = Words.held(message, now: console.clocks.wallTime)
        let isHeldAnew = held != nil && message.recipients[0].heldBy?.id != before?.recipients.first?.heldBy?.id
        guard !message.isNote, message.sender == people.own, isHeldAnew || before?.state != message.state else {
            return nil
        }
        let names = names(message)
        let reason = message.recipients.compactMap(\.reason).first.map { " (\(Words.reason($0)))" } ?? ""
        let isToMany = message.recipients.count > 1
        let whom = names.isEmpty ? "" : isToMany ? place(message) : held == nil ? " to \(names)" : " for \(names)"
        return "\(Words.progress(message, now: console.clocks.wallTime))\(reason)\(whom): \(Self.short(message))"
    }

    private func isFresh(_ edited: Int64, at time: Int64) -> Bool {
        let (age, overflow) = time.subtractingReportingOverflow(edited)
        return !overflow && age.magnitude < Self.fresh
    }

    private func reactions(_ message: Message, _ before: Message?) -> String? {
        guard let before else {
            if message.reactions.isEmpty || message.sender == people.own { return nil }
            return "\(Words.reactions(message, people)) on: \(Self.short(message))"
        }
        let added = message.reactions.filter { !before.reactions.contains($0) }
        let removed = before.reactions.filter { !message.reactions.contains($0) }
        let words =
            added.map { "\(people.name($0.account)) reacted \(Words.line($0.emoji))" }
            + removed.map { "\(people.name($0.account)) took back \(Words.line($0.emoji))" }
        return words.isEmpty ? nil : words.joined(separator: ", ") + " on: " + Self.short(message)
    }

    private func names(_ message: Message) -> String {
        if let group = people.group(ofConversation: message.conversation) { return Words.title(of: group) }
        if message.isNote { return Words.notes }
        return message.recipients.map { people.name($0.id) }.joined(separator: ", ")
    }
}
