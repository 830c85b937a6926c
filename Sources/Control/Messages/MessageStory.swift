import Basics
import ControlProtocol
import Messaging
import Store
import Vocabulary

/// What happened to one message, and why it is in its state: the answer of `message.why`.
struct MessageStory: Sendable {
    private struct Recipient: Sendable {
        let row: RecipientRow
        let name: String
        let contact: ContactRow?
        /// Whether it is for them as a member of a group.
        let isMate: Bool
        /// What waits in the outbox for this recipient.
        let item: OutboxRow?
        /// Whether the message still waits for them, in the outbox or for the first member of its group to be met.
        let isWaiting: Bool
        /// The name of the courier that has brought it, if that is known.
        let bringer: String?
        /// What couriers have to do with it while it waits; nil if they have nothing.
        let couriers: CourierStory?

        var isBlocked: Bool { contact?.relation == .blocked }
        /// Whether sending was given up here because the user blocked them.
        var isEndedByBlocking: Bool { row.state == .failed && row.reason == .blocked }
    }

    private let row: MessageRow
    /// Whether it is a note to oneself.
    private let isNote: Bool
    /// The name of an incoming message's author.
    private let author: String
    private let recipients: [Recipient]
    /// Edits and reactions that wait to be sent.
    private let changesWaiting: Int64
    /// The files that it carries.
    private let files: [FileStory]

    static func load(_ id: UUIDv7, in transaction: ReadTransaction) throws -> MessageStory {
        let row = try Amendments.message(id, in: transaction)
        let items = try transaction.outbox(carrying: id)
        let group = try transaction.group(ofConversation: row.conversation)
        let isKept = try transaction.isLogDraft(id)
        let isNote = try transaction.conversation(row.conversation)?.kind == .notes
        func name(_ account: AccountID) throws -> String {
            if let contact = try transaction.contact(account) { return contact.shownName }
            let member = try group.flatMap { try transaction.member(account, of: $0) }
            return member?.name ?? Names.placeholder(for: account)
        }
        return MessageStory(
            row: row, isNote: isNote, author: try name(row.sender),
            recipients: try transaction.recipients(of: id).map { recipient in
                let item = items.first { $0.account == recipient.account }
                let called = try name(recipient.account)
                return Recipient(
                    row: recipient, name: called,
                    contact: try transaction.contact(recipient.account), isMate: group != nil,
                    item: item, isWaiting: item != nil || (isKept && recipient.state == .queued),
                    bringer: try recipient.courier.map(name),
                    couriers: try item.flatMap { try CourierStory.load($0, for: called, in: transaction) })
            }, changesWaiting: try transaction.outboxCount(about: id),
            files: try transaction.transfers(of: id).map {
                FileStory(row: $0, isNote: isNote, peer: isNote || $0.isSharedByUs ? nil : try name($0.peer))
            })
    }

    /// The accounts whose being here matters: the recipients that don't have it yet, and those who may keep it for them.
    var concerned: [AccountID] {
        recipients.filter(\.isWaiting).flatMap { [$0.row.account] + ($0.couriers?.candidates ?? []) }
    }

    func json(prospects: [AccountID: DeliveryOutlook]) -> JSONValue {
        let steps = (steps() + files.flatMap(\.steps)).sorted { $0.at < $1.at }.map { step -> JSONValue in
            var object = step.what.json.object ?? [:]
            object["at"] = .integer(step.at.milliseconds)
            return .object(object)
        }
        return [
            "steps": .array(steps), "now": .array((states(prospects) + files.map(\.now)).map(\.json)),
        ]
    }

    private static func name(_ name: String) -> JSONObject { ["name": .string(name)] }

    private static func about(_ name: String, _ reason: Reason?, _ detail: String?) -> JSONObject {
        var about = Self.name(name)
        if let reason { about["reason"] = .string(reason.contract) }
        if let detail { about["detail"] = .string(detail) }
        return about
    }

    // MARK: What happened

    private func steps() -> [(at: WallTime, what: Remark<StoryStep>)] {
        var steps: [(at: WallTime, what: Remark<StoryStep>)] = []
        if row.state == .received {
            steps.append((row.sentAt, Remark(.written, Self.name(author))))
            steps.append((row.receivedAt, Remark(.arrived)))
        } else {
            steps.append((row.sentAt, Remark(.writtenHere)))
        }
        if let editedAt = row.editedAt { steps.append((editedAt, Remark(.changed))) }
        for recipient in recipients {
            let name = Self.name(recipient.name)
            if let at = recipient.row.sentAt { steps.append((at, Remark(.handedOver, name))) }
            if let item = recipient.item, let at = item.lastAttempt, let reason = item.reason {
                var about = Self.about(recipient.name, reason, item.detail)
                about["attempts"] = .integer(item.attempts)
                steps.append((at, Remark(.notTaken, about)))
            }
            steps += recipient.couriers?.steps ?? []
            if let at = recipient.row.deliveredAt {
                if recipient.row.sentAt == nil {
                    var about = name
                    if let bringer = recipient.bringer { about["courier"] = .string(bringer) }
                    steps.append((at, Remark(.brought, about)))
                }
                steps.append((at, Remark(.stored, name)))
            }
            if let at = recipient.row.readAt { steps.append((at, Remark(.read, name))) }
            if recipient.row.state == .failed {
                // Peers don't tell which accounts they have blocked, so the user blocked this one.
                let reason = recipient.row.reason ?? .internal
                let what: Remark<StoryStep> =
                    recipient.isEndedByBlocking
                    ? Remark(.notSentBlocked, name)
                    : Remark(.refused, Self.about(recipient.name, reason, row.detail))
                steps.append((recipient.row.at, what))
            }
        }
        return steps
    }

    // MARK: How it stands

    private func states(_ prospects: [AccountID: DeliveryOutlook]) -> [Remark<StoryState>] {
        if row.state == .received {
            if row.deleted { return [Remark(.deletedByAuthor, Self.name(author))] }
            return [Remark(row.unread ? .unread : .readHere)]
        }
        var states: [Remark<StoryState>] = row.deleted ? [Remark(.deletedForAll)] : []
        if recipients.isEmpty { states.append(Remark(isNote ? .kept : .forNobody)) }
        for recipient in recipients {
            states += recipient.isWaiting ? waits(recipient, prospects) : [ended(recipient)]
        }
        if changesWaiting > 0 { states.append(Remark(.changeWaits)) }
        return states
    }

    private func ended(_ recipient: Recipient) -> Remark<StoryState> {
        let name = Self.name(recipient.name)
        switch recipient.row.state {
        case .read: return Remark(.readBy, name)
        case .delivered: return Remark(.delivered, name)
        case .failed where recipient.isBlocked: return Remark(.isBlocked, name)
        case .failed where recipient.isEndedByBlocking: return Remark(.wasBlocked, name)
        case .failed:
            let reason = recipient.row.reason ?? .internal
            return Remark(.failed, Self.about(recipient.name, reason, row.detail))
        case .queued, .sent, .received: return Remark(.nothingMore, name)
        }
    }

    private func waits(
        _ recipient: Recipient, _ prospects: [AccountID: DeliveryOutlook]
    ) -> [Remark<StoryState>] {
        let prospect = prospects[recipient.row.account]
        let name = Self.name(recipient.name)
        if recipient.isBlocked { return [Remark(.isBlocked, name)] }
        guard recipient.isMate || recipient.contact?.relation == .friend else { return [Remark(.noFriend, name)] }
        if prospect?.isConnected == true {
            guard let reason = recipient.item?.reason else { return [Remark(.handingOver, name)] }
            return [Remark(.notTaken, Self.about(recipient.name, reason, recipient.item?.detail))]
        }
        var waiting = name
        waiting["deletion"] = .bool(row.deleted)
        if let seen = recipient.contact?.lastSeen { waiting["at"] = .integer(seen.milliseconds) }
        var states: [Remark<StoryState>] = [Remark(.waits, waiting)]
        states +=
            recipient.couriers?.states(isGivenUp: prospect?.isWithoutCouriers == true) {
                prospects[$0]?.isConnected == true
            } ?? []
        guard let dial = prospect?.dial else { return states + [Remark(.goesWhenHeard, name)] }
        let address: JSONObject = dial.address.map { ["address": .string("\($0)")] } ?? [:]
        if let last = dial.last {
            var tried = last.dial.parameters
            tried["address"] = address["address"]
            tried["at"] = .integer(last.at.milliseconds)
            states.append(Remark(.tried, tried))
        }
        if dial.isUnderWay { return states + [Remark(.trying, address)] }
        guard let next = dial.next else { return states + [Remark(.goesWhenHeard, name)] }
        var coming = name
        coming["at"] = .integer(next.milliseconds)
        return states + [Remark(.nextTry, coming)]
    }
}
