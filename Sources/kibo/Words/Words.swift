import Basics
import ControlProtocol
import Vocabulary

/// How the contract's words look to people: the text, and the style that goes with it.
enum Words {
    static func cell(_ relation: Relation) -> Table.Cell {
        switch relation {
        case .none: Table.Cell("–", .dim)
        case .requested: Table.Cell("asked", .yellow)
        case .incoming: Table.Cell("asks you", .cyan)
        case .friend: Table.Cell("friend", .green)
        case .blocked: Table.Cell("blocked", .red)
        }
    }

    static func cell(_ contact: Contact, now: WallTime) -> Table.Cell {
        switch contact.presence {
        case .online: Table.Cell("online", .green)
        case .away: Table.Cell("away", .yellow)
        case .offline:
            Table.Cell(contact.lastSeen.map { "seen \(Humane.ago($0, now: now))" } ?? "offline", .dim)
        }
    }

    /// A friend's presence, or what is more urgent to know.
    static func presence(_ contact: Contact, now: WallTime) -> Table.Cell {
        contact.trust == .changed ? Table.Cell("key changed", .red) : cell(contact, now: now)
    }

    /// How a request stands.
    static func request(_ contact: Contact) -> Table.Cell {
        if contact.knowsUs { return Table.Cell("takes you for a friend", .cyan, head: "from before") }
        guard let reason = contact.reason else { return cell(contact.relation) }
        return Table.Cell(
            "refused: " + (contact.detail.map { excerpt($0) } ?? self.reason(reason)), .red, head: "refused")
    }

    /// The remedy for a friend under whose name another key has come.
    /// - Parameter now: for the time since when; without it the line doesn't say that.
    static func changedKey(_ contact: Contact, now: WallTime? = nil) -> [String] {
        let name = name(contact.shownName)
        let other = contact.changedTo.map { " (\(ShortID.account($0)))" } ?? ""
        let since = now.flatMap { now in contact.changedAt.map { " since \(Humane.moment($0, now: now))" } } ?? ""
        // The other one has the same name.
        let word = ShortID.account(contact.id)
        return [
            "Another account\(other) is using the name of \(name)\(since). Nothing is sent to \(name) until you decide:",
            "ask them in another way if they have a new device.",
            "  If so:   kibo trust \(word)",
            "  If not:  kibo verify \(word)"
                + (contact.changedTo.map { ", and kibo block \(ShortID.account($0))" } ?? ""),
        ]
    }

    /// The word in its colour.
    static func presence(_ presence: Presence, _ console: Console) -> String {
        switch presence {
        case .online: console.styled("online", .green)
        case .away: console.styled("away", .yellow)
        case .offline: console.styled("offline", .dim)
        }
    }

    /// How we stand to them, and how sure it is that it is them.
    static func relation(_ contact: Contact) -> Table.Cell {
        let cell = cell(contact.relation)
        switch contact.trust {
        case .unverified: return cell
        case .verified: return Table.Cell("\(cell.text), verified", cell.style, head: cell.text)
        case .changed: return Table.Cell("\(cell.text), key changed", .red, head: cell.text)
        }
    }

    /// - Parameters:
    ///   - peer: the other side's name, where it is known.
    ///   - isPeerOffline: whether the other side can't be reached now, as far as is known.
    ///   - courier: who may have the file meanwhile: it said that it would fetch it.
    static func cell(
        _ transfer: Transfer, peer: String? = nil, isPeerOffline: Bool = false, courier: String? = nil
    ) -> Table.Cell {
        let absence =
            courier.map { ", \($0) may have it" } ?? (isPeerOffline ? ", \(peer ?? "the other side") is offline" : "")
        return switch transfer.state {
        case .offered where transfer.heldBack != nil:
            Table.Cell(heldBack(transfer.unlisted) + absence, .yellow, head: "held back")
        case .offered:
            Table.Cell(
                (transfer.direction == .incoming ? "offered" : "waits for an answer") + absence, .cyan, head: "offered")
        case .queued: Table.Cell("queued" + absence, .yellow, head: "queued")
        case .active: Table.Cell("active" + absence, isPeerOffline ? .yellow : .green, head: "active")
        case .paused: Table.Cell(paused(transfer, peer) + because(transfer), .yellow, head: pausedHead(transfer))
        case .done: done(transfer)
        case .declined: Table.Cell("declined" + because(transfer), .dim, head: "declined")
        case .cancelled: Table.Cell(cancelled(by: transfer.cancelledBy, transfer.detail), .dim, head: "cancelled")
        case .failed: Table.Cell("failed" + because(transfer), .red, head: "failed")
        }
    }

    static func cell(_ transfer: Transfer, _ people: People) -> Table.Cell {
        cell(
            transfer, peer: people.name(transfer.peer), isPeerOffline: people.isOutOfReach(transfer),
            courier: people.courier(of: transfer))
    }

    /// `held back: type zip`
    static func heldBack(_ types: [String]?) -> String {
        "held back: \(ForeignText.escaped(FileType.words(types ?? [])))"
    }

    /// What to do about a file that the other side's list of types has refused; nil for other reasons.
    /// - Parameter unlisted: the types that the offer named; nil if the user has not said that any type goes.
    static func typeHint(_ reason: Reason?, unlisted: [String]?, peer: String) -> String? {
        guard reason == .typeNotAllowed else { return nil }
        return unlisted == nil
            ? "With --any-type, \(peer) is asked to take it anyway."
            : "\(peer) has an older Kibo that doesn't ask; they must allow the type first: kibo settings files.allowedTypes"
    }

    /// A group's file is done for us when one member has it; that is not to look as if all had it.
    private static func done(_ transfer: Transfer) -> Table.Cell {
        var text = "done"
        if transfer.skipped > 0 { text += ", \(transfer.skipped) left out" }
        guard let members = transfer.members, let count = transfer.membersDone, count < members else {
            return Table.Cell(text, .green, head: "done")
        }
        return Table.Cell(text + ", \(count) of \(members) have it", .yellow, head: "done")
    }

    /// The same without a name, which may be long.
    private static func pausedHead(_ transfer: Transfer) -> String {
        switch transfer.pausedBy {
        case nil: "waits"
        case .us: "paused by you"
        case .peer: "paused by them"
        case .both: "paused by both"
        }
    }

    /// Says which side holds it; `waits` where neither does, such as for space on a disk.
    private static func paused(_ transfer: Transfer, _ peer: String?) -> String {
        let other = peer ?? "the other side"
        return switch transfer.pausedBy {
        case nil: "waits"
        case .us: "paused by you"
        case .peer: "paused by \(other)"
        case .both: "paused by you and \(other)"
        }
    }

    /// `cancelled by the other side`, or what more there is to say.
    static func cancelled(by side: TransferSide?, _ detail: String?) -> String {
        "cancelled" + (side == .peer ? " by the other side" : because(nil, detail))
    }

    /// `: no space` for a transfer that has a reason.
    static func because(_ transfer: Transfer) -> String { because(transfer.reason, transfer.detail) }

    /// `: it is too large`. What is said for people says more than the kind of error.
    static func because(_ reason: Reason?, _ detail: String?) -> String {
        if let detail, !detail.isEmpty { return ": " + ForeignText.escaped(detail) }
        return reason.map { ": " + self.reason($0) } ?? ""
    }

    /// The marks of a conversation: `pinned, muted until 18:00`.
    static func marks(_ conversation: Conversation, now: WallTime) -> String {
        let end = conversation.mutedUntil.map { " until " + Humane.moment($0, now: now) } ?? ""
        let marks = [
            (conversation.pinned, "pinned"), (conversation.muted, "muted" + end),
            (!conversation.letsMentionsThrough, "mentions too"), (conversation.archived, "archived"),
        ]
        return marks.filter(\.0).map(\.1).joined(separator: ", ")
    }

    /// Reactions, each sign once: `👍 Anna, you  🎉 Ben`.
    static func reactions(_ message: Message, _ people: People) -> String {
        var signs: [String] = []
        for reaction in message.reactions where !signs.contains(reaction.emoji) { signs.append(reaction.emoji) }
        return signs.map { sign in
            let names = message.reactions.filter { $0.emoji == sign }.map { people.name($0.account) }
            return "\(line(sign)) \(names.joined(separator: ", "))"
        }.joined(separator: "  ")
    }

    /// `held by Carl until 8 May`: the courier who keeps a message for its recipient, who is away; nil if none does.
    static func held(_ message: Message, now: WallTime) -> String? {
        guard message.recipients.count == 1, let holder = message.recipients[0].heldBy else { return nil }
        return "held by \(name(holder.name)) until \(Humane.date(holder.until, now: now))"
    }

    /// How far a message of ours has come: its state, or who keeps it, or of several recipients how many it has come to.
    static func progress(_ message: Message, now: WallTime) -> String {
        if message.isNote { return "kept" }
        if let held = held(message, now: now) { return held }
        let all = message.recipients.count
        guard all > 1 else { return message.state.rawValue }
        let read = message.recipients.lazy.filter { $0.state == .read }.count
        let failed = message.recipients.lazy.filter { $0.state == .failed }.count
        let reached = read + message.recipients.lazy.filter { $0.state == .delivered }.count
        if failed == all { return "failed" }
        if read == all { return "read by all" }
        var words = message.state.rawValue
        if reached == all {
            words = "delivered to all"
        } else if reached > 0 {
            words = "delivered to \(reached) of \(all)"
        }
        if read > 0 { words += ", read by \(read)" }
        return failed > 0 ? words + ", failed for \(failed)" : words
    }

    /// How far a message of ours has come with each of several recipients, a line each; none for a single one.
    static func recipients(_ message: Message, _ people: People, now: WallTime) -> [String] {
        guard message.recipients.count > 1 else { return [] }
        let names = message.recipients.map { people.name($0.id) }
        let width = names.map(DisplayWidth.of).max() ?? 0
        return zip(message.recipients, names).sorted { ($0.1, $0.0.id) < ($1.1, $1.0.id) }.map { recipient, name in
            let gap = String(repeating: " ", count: width - DisplayWidth.of(name))
            let why = recipient.state == .failed ? because(recipient.reason, recipient.detail) : ""
            return "\(name)\(gap)  \(recipient.state.rawValue)\(why), \(Humane.moment(recipient.at, now: now))"
        }
    }

    /// A group in a list: its name after the colon that commands want, so that it can be typed as it stands there.
    static func title(of group: Group) -> String { NameSign.group + name(group.name) }

    /// A conversation in a list.
    static func title(of chat: Conversation) -> String {
        (chat.kind == .group ? NameSign.group : "") + name(chat.title)
    }

    /// The role of a member of a group.
    static func cell(_ role: GroupRole) -> Table.Cell {
        switch role {
        case .owner: Table.Cell("owner", .green)
        case .admin: Table.Cell("admin", .cyan)
        case .member: Table.Cell("member")
        }
    }

    /// How many are in a group, and how many of them are here; or that we are not.
    static func summary(_ group: Group) -> String {
        switch group.state {
        case .member:
            let count = Humane.count(Int64(group.members.count), "member")
            return group.members.count > 1 ? "\(count), \(group.online) here" : "only you"
        case .arriving: return "not fully received yet"
        case .left: return "you have left it"
        case .removed: return "you were removed"
        }
    }

    /// Our own standing in a group.
    static func standing(_ group: Group) -> Table.Cell {
        switch group.state {
        case .member: group.role.map { cell($0) } ?? Table.Cell("member")
        case .arriving: Table.Cell("arriving", .yellow)
        case .left: Table.Cell("left", .dim)
        case .removed: Table.Cell("removed", .dim)
        }
    }

    /// Says how many messages of ours are cancelled when these are deleted here: `1 message to Cleo was not delivered yet and
    /// was cancelled`. Nil if all have arrived.
    /// - Parameter isDone: whether they are deleted already.
    static func unsent(_ messages: [Message], _ people: People, isDone: Bool) -> String? {
        var waiting: [String] = []
        var count: Int64 = 0
        for message in messages where message.sender == people.own && !message.deleted && message.state == .queued {
            count += 1
            for recipient in message.recipients where recipient.state == .queued {
                let name = people.name(recipient.id)
                if !waiting.contains(name) { waiting.append(name) }
            }
        }
        if count == 0 { return nil }
        let who = waiting.count == 1 ? waiting[0] : Humane.count(Int64(waiting.count), "person", "people")
        let was = count == 1 ? "was" : "were"
        return
            "\(Humane.count(count, "message")) to \(who) \(was) not delivered yet and \(isDone ? was : "will be") cancelled"
    }

    /// A reason as words.
    static func reason(_ reason: Reason) -> String {
        switch reason {
        case .notFound: "not found"
        case .ambiguous: "the name is ambiguous"
        case .alreadyExists: "it already exists"
        case .invalid, .sourceChanged: "not valid"
        case .noAccount: "there is no account"
        case .locked: "the account is locked"
        case .wrongPassphrase: "the passphrase is wrong"
        case .notFriends: "you are not friends"
        case .blocked: "blocked"
        case .keyChanged: "the key has changed"
        case .offline: "offline"
        case .tooLarge: "too large"
        case .typeNotAllowed: "this type of file is not taken"
        case .noSpace: "no space on the disk"
        case .notAllowed: "not allowed"
        case .busy: "busy at the moment"
        case .cancelled: "cancelled"
        case .unsupported: "the other Kibo can't do that"
        case .internal: "something went wrong on the other side"
        }
    }

    /// A name from somewhere else, fit for a terminal.
    static func name(_ text: String) -> String { text.isEmpty ? "(no name)" : ForeignText.escapedName(text) }

    /// What somebody has written, on one line, fit for a terminal.
    static func line(_ text: String) -> String {
        ForeignText.shown(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Another text on one line, such as an address: with everything as `\u{…}` that can make it read as another.
    static func excerpt(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ForeignText.escaped(line)
    }

    /// A message in one line: its text, or what it carries.
    static func excerpt(_ message: Message) -> String {
        if message.deleted { return "(deleted)" }
        let files = message.attachments.map { "[\(name($0.name))]" }
        // A line of Kibo itself has names in it.
        let words = message.line == nil ? line(message.words) : excerpt(message.words)
        return (files + [words]).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Message {
    /// Whether it is a note to oneself: it has gone to nobody, and has no further to go.
    var isNote: Bool { state == .sent && recipients.isEmpty }
}
