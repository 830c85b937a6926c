import Basics
import ControlProtocol
import Messaging
import Network
import PeerProtocol
import Store

/// What happened to one message, and why it is where it is: the answer of `message.why`.
struct MessageStory: Sendable {
    private struct Recipient: Sendable {
        let row: RecipientRow
        let name: String
        let contact: ContactRow?
        /// Whether it is for them as a member of a group.
        let isMate: Bool
        /// What waits in the outbox for this recipient.
        let item: OutboxRow?
        /// Whether it waits, in the outbox or for the first member of its group to be met.
        let isWaiting: Bool

        var isBlocked: Bool { contact?.relation == .blocked }
        /// It was given up here, when the user blocked them.
        var isEndedByBlocking: Bool { row.state == .failed && row.reason == ErrorKind.blocked.rawValue }
    }

    private let row: MessageRow
    /// Who wrote an incoming one.
    private let author: String
    private let recipients: [Recipient]
    /// Edits and reactions that wait to be told.
    private let changesWaiting: Int64
    /// What it carries.
    private let files: [FileStory]

    static func load(_ id: UUIDv7, in transaction: ReadTransaction) throws -> MessageStory {
        let row = try Amendments.message(id, in: transaction)
        let items = try transaction.outbox(carrying: id)
        let group = try transaction.group(ofConversation: row.conversation)
        let isKept = try transaction.isLogDraft(id)
        func name(_ account: AccountID) throws -> String {
            if let contact = try transaction.contact(account) { return ForeignText.escaped(contact.shownName) }
            let member = try group.flatMap { try transaction.member(account, of: $0) }
            return ForeignText.escaped(member?.name ?? Names.placeholder(for: account))
        }
        return MessageStory(
            row: row, author: try name(row.sender),
            recipients: try transaction.recipients(of: id).map { recipient in
                let item = items.first { $0.account == recipient.account }
                return Recipient(
                    row: recipient, name: try name(recipient.account),
                    contact: try transaction.contact(recipient.account), isMate: group != nil,
                    item: item, isWaiting: item != nil || (isKept && recipient.state == .queued))
            }, changesWaiting: try transaction.outboxCount(about: id),
            files: try transaction.transfers(of: id).map {
                FileStory(
                    row: $0, peer: $0.isSharedByUs ? "a member of the group" : try name($0.peer))
            })
    }

    /// Those who don't have it yet.
    var waiting: [AccountID] { recipients.filter(\.isWaiting).map(\.row.account) }

    func json(prospects: [AccountID: Prospect], now: WallTime) -> JSONValue {
        let steps = (steps() + files.flatMap(\.steps)).sorted { $0.at < $1.at }.map { step -> JSONValue in
            ["at": .integer(step.at.milliseconds), "what": .string(step.what)]
        }
        return [
            "steps": .array(steps), "now": .string(([state(prospects, now)] + files.map(\.now)).joined(separator: " ")),
        ]
    }

    // MARK: What happened

    private func steps() -> [(at: WallTime, what: String)] {
        var steps: [(at: WallTime, what: String)] = []
        if row.state == .received {
            steps.append((row.sentAt, "written by \(author), by their clock"))
            steps.append((row.receivedAt, "arrived and stored here"))
        } else {
            steps.append((row.sentAt, "written and stored here"))
        }
        if let editedAt = row.editedAt { steps.append((editedAt, "changed")) }
        for recipient in recipients {
            let name = recipient.name
            if let at = recipient.row.sentAt { steps.append((at, "handed to the connection with \(name)")) }
            if let item = recipient.item, let at = item.lastAttempt, let reason = item.reason {
                let tries = item.attempts == 1 ? "" : ", \(item.attempts) tries so far"
                steps.append((at, "\(name)'s side could not take it: \(Self.words(reason, item.detail))\(tries)"))
            }
            if let at = recipient.row.deliveredAt { steps.append((at, "stored on \(name)'s disk")) }
            if let at = recipient.row.readAt { steps.append((at, "read by \(name)")) }
            if recipient.row.state == .failed {
                let reason = Self.words(recipient.row.reason ?? ErrorKind.internal.rawValue, row.detail)
                // Peers don't tell whom they have blocked: it was here.
                steps.append(
                    (
                        recipient.row.at,
                        recipient.isEndedByBlocking
                            ? "not sent to \(name), because you blocked them" : "\(name)'s side refused it: \(reason)"
                    ))
            }
        }
        return steps
    }

    private static func words(_ reason: String, _ detail: String?) -> String {
        let words = String(reason.map { $0 == "_" ? " " : $0 })
        return words + (detail.map { " (\(ForeignText.escaped($0)))" } ?? "")
    }

    // MARK: How it stands

    private func state(_ prospects: [AccountID: Prospect], _ now: WallTime) -> String {
        let deleted = row.deleted ? "It was deleted for all. " : ""
        if row.state == .received {
            if row.deleted { return "It was deleted by \(author) for all." }
            return (row.unread ? "It is here, and nobody has read it." : "It is here, and was read.")
        }
        let sentences = recipients.map { recipient in
            recipient.isWaiting
                ? waits(recipient, prospects[recipient.row.account], now) : ended(recipient)
        }
        let changes = changesWaiting == 0 ? "" : " A change of it waits to be told."
        return deleted + (sentences.isEmpty ? "It is for nobody." : sentences.joined(separator: " ")) + changes
    }

    private func ended(_ recipient: Recipient) -> String {
        let name = recipient.name
        switch recipient.row.state {
        case .read: return "\(name) has read it."
        case .delivered: return "\(name) has it, and has not said that it was read."
        case .failed where recipient.isBlocked:
            return "It is not sent to \(name), because you have blocked them."
        case .failed where recipient.isEndedByBlocking:
            return "It was not sent to \(name), because you had blocked them. kibo retry sends it again."
        case .failed:
            return
                "It has failed: \(Self.words(recipient.row.reason ?? "internal", row.detail)). kibo retry sends it again."
        case .queued, .sent, .received: return "Nothing more is done about it for \(name)."
        }
    }

    private func waits(_ recipient: Recipient, _ prospect: Prospect?, _ now: WallTime) -> String {
        let name = recipient.name
        if recipient.isBlocked { return "It is not sent to \(name), because you have blocked them." }
        guard recipient.isMate || recipient.contact?.relation == .friend else {
            return "It waits, because you and \(name) are not friends any more."
        }
        if prospect?.isConnected == true {
            guard let reason = recipient.item?.reason else { return "\(name) is connected: it is being handed over." }
            return
                "\(name) is connected but could not take it: \(Self.words(reason, recipient.item?.detail)). It is tried again."
        }
        let seen =
            recipient.contact?.lastSeen.map { "last seen \(Spans.ago($0, now: now))" }
            ?? "never seen on this network so far"
        let what = row.deleted ? "The deletion waits" : "It waits"
        var text = "\(what) for \(name), who is not connected: \(seen)."
        guard let dial = prospect?.dial else {
            return text + " It goes out as soon as \(name) is heard on the network."
        }
        let address = dial.address.map { " at \($0)" } ?? ""
        if let last = dial.last {
            text += " Tried\(address) \(Spans.ago(last.at, now: now)): \(last.text)."
        }
        if dial.isUnderWay {
            text += " Trying\(address) now."
        } else if let next = dial.next {
            text += " Next try \(Spans.until(next, now: now)), or as soon as \(name) is heard."
        } else {
            text += " It goes out as soon as \(name) is heard on the network."
        }
        return text
    }
}
