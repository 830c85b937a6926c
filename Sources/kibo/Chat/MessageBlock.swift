import Basics
import ControlProtocol

/// One message as lines of the screen, with what stands above it: a new day, the beginning of the unread ones.
struct MessageBlock {
    let state: ChatState
    let width: Int
    let now: WallTime
    /// The newest of ours that was delivered, and read: only there, those states are worth a word.
    private let delivered: String?
    private let read: String?
    private let nameWidth: Int
    private let indent: Int

    /// Columns of text below which the name gets a line of its own.
    private static let narrowest = 24
    private static let longestName = 14

    init(_ state: ChatState, width: Int, now: WallTime) {
        self.state = state
        self.width = width
        self.now = now
        var names = ["you"]
        names += Self.others(state)
        nameWidth = min(Self.longestName, names.map(DisplayWidth.of).max() ?? 3)
        let indent = 6 + nameWidth + 2
        self.indent = width - indent >= Self.narrowest ? indent : 2
        var (delivered, read): (String?, String?)
        // Looking back further than this for a word in grey is not worth it.
        for index in stride(from: state.model.count - 1, through: max(0, state.model.count - 500), by: -1) {
            guard let message = state.model[index], message.sender == state.people.own, !message.deleted else {
                continue
            }
            if message.state == .delivered, delivered == nil, read == nil { delivered = message.id }
            if message.state == .read { read = message.id }
            if read != nil { break }
        }
        (self.delivered, self.read) = (delivered, read)
    }

    /// The names of those that may write here.
    private static func others(_ state: ChatState) -> [String] {
        if let contact = state.contact { return [state.people.name(contact)] }
        if let group = state.group.flatMap({ state.people.groups[$0] }) {
            return group.members.map { state.people.name($0.id) }
        }
        return state.people.contacts.values.map { $0.shownName }
    }

    /// The lines of the message at a place.
    func lines(_ message: Message, after previous: Message?) -> [StyledLine] {
        var out: [StyledLine] = []
        let day = Humane.day(message.sentAt, now: now)
        if previous.map({ Humane.day($0.sentAt, now: now) != day }) ?? true { out.append(rule(day, .dim)) }
        if message.id == state.unreadMark { out.append(rule("unread", .notice)) }
        if message.kind == .system { return out + announcement(message) }
        return out + content(message)
    }

    /// The lines of a message that the daemon does not have yet.
    func lines(_ pending: ChatState.Pending) -> [StyledLine] {
        let files = pending.files.map { "[\(Words.name($0.shown))]" }
        let text = (files + [pending.text]).filter { !$0.isEmpty }.joined(separator: "\n")
        var body = TextWrap.lines(text, width: width - indent).map { StyledLine($0, .dim) }
        body.append(StyledLine("not sent yet", .notice))
        return join(head("     ", "you", .own, isSelected: false), body)
    }

    /// A text in the middle of a line.
    func rule(_ text: String, _ ink: StyledLine.Ink) -> StyledLine {
        let text = DisplayWidth.truncate("— \(text) —", to: width)
        return StyledLine(String(repeating: " ", count: (width - DisplayWidth.of(text)) / 2) + text, ink)
    }

    /// A line of Kibo itself, in the middle: it is no person's words.
    private func announcement(_ message: Message) -> [StyledLine] {
        TextWrap.lines(Words.excerpt(message), width: max(1, width - 4)).map { text in
            let gap = String(repeating: " ", count: max(0, (width - DisplayWidth.of(text)) / 2))
            return StyledLine(gap + text, message.id == state.selection ? .bar : .dim)
        }
    }

    private func content(_ message: Message) -> [StyledLine] {
        let isOwn = message.sender == state.people.own
        let head = head(
            Humane.timeOfDay(message.sentAt), state.people.name(message.sender), isOwn ? .own : .other,
            isSelected: message.id == state.selection)
        var body: [StyledLine] = []
        let room = width - indent
        if message.deleted {
            body = [StyledLine("(deleted)", .dim)]
        } else {
            if let id = message.replyTo { body.append(StyledLine("> " + quotation(id), .dim).cropped(to: room)) }
            if !message.words.isEmpty { body += TextWrap.lines(message.words, width: room).map { StyledLine($0) } }
            // The file of a note is where it was, as one that came in is where it was put.
            body += message.attachments.map { attachment($0, isOwn && !message.isNote).cropped(to: room) }
        }
        if body.isEmpty { body = [StyledLine()] }
        for note in notes(message, isOwn) {
            if let last = body.last, last.width + 2 + note.width <= room {
                body[body.count - 1].append("  ")
                body[body.count - 1].append(note)
            } else {
                body.append(note.cropped(to: room))
            }
        }
        if !message.reactions.isEmpty, !message.deleted {
            body += TextWrap.lines(Words.reactions(message, state.people), width: room).map { StyledLine($0) }
        }
        return join(head, body)
    }

    private func head(_ time: String, _ name: String, _ ink: StyledLine.Ink, isSelected: Bool) -> StyledLine {
        let name = DisplayWidth.truncate(name, to: nameWidth)
        var line = StyledLine(time, isSelected ? .bar : .dim)
        line.append(isSelected ? "»" : " ", isSelected ? .bar : .plain)
        line.append(name, isSelected ? .bar : ink)
        return line
    }

    /// The name in a column of its own, or above the text where there is no space for that.
    private func join(_ head: StyledLine, _ body: [StyledLine]) -> [StyledLine] {
        var out: [StyledLine] = indent == 2 ? [head.cropped(to: width)] : []
        for (index, line) in body.enumerated() {
            var full = index == 0 && indent > 2 ? head.padded(to: indent) : StyledLine("").padded(to: indent)
            full.append(line)
            out.append(full)
        }
        return out
    }

    /// The author of the words that an answer refers to, and how they begin.
    private func quotation(_ id: String) -> String {
        guard let message = state.message(id) else { return "(a message that is not here)" }
        return "\(state.people.name(message.sender)): \(TextWrap.shown(Words.excerpt(message)))"
    }

    /// The notes about a message behind its text.
    private func notes(_ message: Message, _ isOwn: Bool) -> [StyledLine] {
        var out: [StyledLine] = []
        if message.editedAt != nil, !message.deleted { out.append(StyledLine("(edited)", .dim)) }
        if message.late, !message.deleted { out.append(StyledLine("(late)", .dim)) }
        if let device = GuestWords.device(of: message), !message.deleted {
            out.append(StyledLine(TextWrap.drawn(device), .dim))
        }
        if isOwn, !message.deleted { out += progress(message) }
        if state.showsShortIDs { out.append(StyledLine("#" + state.shortID(message.id), .dim)) }
        return out
    }

    private func progress(_ message: Message) -> [StyledLine] {
        if message.isNote { return [] }
        switch message.state {
        case .received: return []
        case .queued where Words.held(message, now: now) == nil:
            return [StyledLine(Words.progress(message, now: now), .notice)]
        case .queued, .sent: return [StyledLine(Words.progress(message, now: now), .dim)]
        case .delivered: return message.id == delivered ? [StyledLine(Words.progress(message, now: now), .dim)] : []
        case .read: return message.id == read ? [StyledLine(Words.progress(message, now: now), .dim)] : []
        case .failed:
            let reason = message.recipients.compactMap(\.reason).first.map { ": " + Words.reason($0) } ?? ""
            return [StyledLine("failed\(reason)", .bad)]
        }
    }

    private func attachment(_ file: Attachment, _ isOwn: Bool) -> StyledLine {
        var line = StyledLine(TextWrap.shown(AttachmentWords.label(file)))
        let transfer = state.transfers[file.transfer]
        let peer = transfer.map { state.people.name($0.peer) }
        switch transfer?.state ?? file.state {
        case .done where file.removed: line.append("  " + AttachmentWords.state(file, isOwn: isOwn), .dim)
        case .offered where !isOwn && file.heldBack != nil:
            line.append("  \(AttachmentWords.state(file, isOwn: false)) – /get --any-type takes it", .notice)
        case .offered where !isOwn: line.append("  offered – /get takes it", .notice)
        case .offered: line.append("  waits for an answer", .dim)
        case .active:
            let (done, size) = (transfer?.bytesDone ?? 0, max(1, file.size))
            var text = "  \(Int(Double(done) / Double(size) * 100)) %"
            if let rate = transfer?.rate, rate > 0 { text += ", \(Humane.size(rate))/s" }
            if let left = transfer?.secondsLeft { text += ", \(Humane.clock(seconds: left))" }
            line.append(text, .notice)
        case .done:
            let path = isOwn ? nil : (transfer?.path ?? file.path).map { ForeignText.escaped($0) }
            line.append("  \(path ?? "done")", .dim)
        case .failed:
            line.append(
                "  " + (transfer.map { Words.cell($0).text } ?? AttachmentWords.state(file, isOwn: isOwn)), .bad)
        case .queued, .paused, .declined, .cancelled:
            line.append(
                "  " + (transfer.map { Words.cell($0, peer: peer).text } ?? AttachmentWords.state(file, isOwn: isOwn)),
                .dim)
        }
        return line
    }
}
