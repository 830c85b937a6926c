import Basics
import ControlProtocol

/// Messages as lines for people, as `kibo read` prints them.
struct Transcript {
    let console: Console
    let people: People
    /// Messages that others answer, by id.
    var quoted: [String: Message] = [:]
    /// The ids to show; empty for none.
    var ids: [String: String] = [:]

    /// Columns of a quotation: enough to know what is meant.
    private static let quotation = 60
    private static let indent = "        "

    /// The message with everything that belongs to it; newlines included.
    func text(_ message: Message) -> String {
        let isOwn = message.sender == people.own
        let id = ids[message.id].map { console.styled($0, .dim) + " " } ?? ""
        // A line of Kibo itself is no person's words.
        if message.kind == .system {
            return id + console.styled("\(Humane.timeOfDay(message.sentAt)) — \(Words.excerpt(message)) —", .dim) + "\n"
        }
        let head =
            id + console.styled(Humane.timeOfDay(message.sentAt), .dim) + " "
            + console.styled(people.name(message.sender), .bold, isOwn ? .green : .cyan)
        var text = message.deleted ? console.styled("(deleted)", .dim) : indented(message.words)
        if message.editedAt != nil, !message.deleted { text += console.styled(" (edited)", .dim) }
        if message.late, !message.deleted { text += console.styled(" (late)", .yellow) }
        var out = ""
        if let answered = message.replyTo, !message.deleted {
            out += head + ": " + console.styled("> " + quotation(answered), .dim) + "\n"
            if !text.isEmpty || isOwn { out += Self.indent + text + (isOwn ? state(message) : "") + "\n" }
        } else {
            out += head + (text.isEmpty ? "" : ": " + text) + (isOwn ? state(message) : "") + "\n"
        }
        // The file of a note is where it was, as one that came in is where it was put.
        let isElsewhere = isOwn && !message.isNote
        for attachment in message.attachments { out += Self.indent + line(attachment, isElsewhere) + "\n" }
        if !message.reactions.isEmpty { out += Self.indent + Words.reactions(message, people) + "\n" }
        return out
    }

    /// The author of the words that an answer refers to, and how they begin.
    private func quotation(_ id: String) -> String {
        guard let message = quoted[id] else { return "(a message that is not here)" }
        return DisplayWidth.truncate(
            "\(people.name(message.sender)): \(Words.excerpt(message))", to: Self.quotation)
    }

    /// Further lines stand under the first, so that no text can look like another message.
    private func indented(_ text: String) -> String {
        ForeignText.shown(text).split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\n" + Self.indent)
    }

    private func state(_ message: Message) -> String {
        if message.deleted { return "" }
        if message.isNote {
            return GuestWords.device(of: message).map { console.styled("  " + $0, .dim) } ?? ""
        }
        let now = console.clocks.wallTime
        switch message.state {
        case .received: return ""
        case .failed:
            let reasons = message.recipients.compactMap(\.reason).map(Words.reason)
            return console.styled("  failed" + (reasons.first.map { ": \($0)" } ?? ""), .red)
        case .queued where Words.held(message, now: now) == nil:
            return console.styled("  \(Words.progress(message, now: now))", .yellow)
        case .queued, .sent, .delivered, .read:
            return console.styled("  \(Words.progress(message, now: now))", .dim)
        }
    }

    private func line(_ file: Attachment, _ isOwn: Bool) -> String {
        let (name, state) = (AttachmentWords.label(file), AttachmentWords.state(file, isOwn: isOwn))
        switch file.state {
        case .offered where !isOwn && file.heldBack != nil:
            return "\(name) \(state) – take it with: kibo get --any-type \(file.transfer)"
        case .offered where !isOwn: return "\(name) \(state) – take it with: kibo get \(file.transfer)"
        // For a file of one's own, it counts that it has arrived.
        case .done where !file.removed && !isOwn:
            return name + " " + (file.path.map { ForeignText.escaped($0) + AttachmentWords.leftOut(file) } ?? state)
        default: return "\(name) \(state)"
        }
    }
}
