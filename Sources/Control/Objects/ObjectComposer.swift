import Account
import Basics
import ControlProtocol
import Messaging
import Store
import Vocabulary

/// Makes the objects of the control interface from rows and records of the database, for replies and for events alike.
///
/// The store's threads use it. What the database doesn't know, such as who is online, comes from the ``ContactIndex``.
package struct ObjectComposer: Sendable {
    let contacts: ContactIndex
    let accountState: AccountState
    /// Where an avatar lies, by its digest.
    let avatarPath: @Sendable ([UInt8]) -> String
    /// The entry of the address book that an account's profile fits.
    let entry: @Sendable (AccountID) -> AddressBookEntry.Reference?
    /// Knows which members are on the network.
    let groups: GroupIndex

    package init(
        contacts: ContactIndex, accountState: AccountState = AccountState(), groups: GroupIndex = GroupIndex(),
        avatarPath: @escaping @Sendable ([UInt8]) -> String = { _ in "" },
        entry: @escaping @Sendable (AccountID) -> AddressBookEntry.Reference? = { _ in nil }
    ) {
        self.contacts = contacts
        self.accountState = accountState
        self.entry = entry
        self.groups = groups
        self.avatarPath = avatarPath
    }

    // MARK: Events

    /// Looks up what an event is about.
    /// - Returns: nil for an object that is gone: the event of its deletion follows.
    private func compose(
        _ record: EventRecord, names: inout SenderNames, in transaction: ReadTransaction
    ) throws -> ComposedEvent? {
        guard let json = try data(of: record, names: &names, in: transaction) else { return nil }
        let type = EventType(record)
        return ComposedEvent(
            seq: record.seq, at: record.at, type: type, change: record.change, aspects: record.aspects,
            data: EventData(json, of: type))
    }

    /// Looks up events until they have ``ControlLimits/composedBytes``: at least one. The rest is for the next time, because a
    /// message can be hundreds of kilobytes of JSON.
    /// - Returns: the wanted events whose objects exist, and the number of the last event that was looked at; nil if there was none.
    func compose(
        _ records: [EventRecord], in transaction: ReadTransaction, where isWanted: (EventType) -> Bool
    ) throws -> (events: [ComposedEvent], last: Int64?) {
        var events: [ComposedEvent] = []
        var names = SenderNames()
        var last: Int64?
        var bytes = 0
        for record in records where bytes < ControlLimits.composedBytes {
            last = record.seq
            guard isWanted(EventType(record)), let event = try compose(record, names: &names, in: transaction) else {
                continue
            }
            bytes += event.data.full.count
            events.append(event)
        }
        return (events, last)
    }

    private func data(
        of record: EventRecord, names: inout SenderNames, in transaction: ReadTransaction
    ) throws -> JSONValue? {
        let isDelete = record.change == .delete
        switch record.object {
        case .account: return try transaction.ownAccount().map { account($0).json }
        case .contact(let id):
            if isDelete { return ["id": .string(id.description)] }
            return try transaction.contact(id).map { contact($0).json }
        case .conversation(let id):
            if isDelete { return ["id": .string(id.description)] }
            return try conversation(id, in: transaction)?.json
        case .message(let id):
            if isDelete {
                return [
                    "id": .string(id.description), "conversation": .optional(record.parent?.description),
                ]
            }
            guard let record = try transaction.messageRecord(id) else { return nil }
            return try message(record, order: try transaction.messageOrder(), names: &names, in: transaction).json
        case .transfer(let id): return try transaction.transfer(id).map { transfer($0).json }
        case .setting(let key):
            // This version doesn't know the objects of a later one.
            guard let spec = try? SettingsCatalogue.setting(key) else { return nil }
            return try transaction.setting(spec).json
        case .group(let id):
            if isDelete { return ["id": .string(id.description)] }
            // A group that is still arriving can't be shown yet.
            guard let row = try transaction.group(id), row.state != .arriving else { return nil }
            return try group(row, in: transaction).json
        }
    }

    // MARK: Objects

    func account(_ row: AccountRow) -> Account {
        let state = accountState.current
        return Account(
            id: row.account.description, displayName: row.displayName, statusText: row.statusText,
            email: EmailAddress.checked(row.email), phone: row.phone, avatar: row.avatar.map(avatarPath),
            picture: row.avatar.map { Hex.encode($0) }, locked: state.isLocked,
            hasPassphrase: state.hasPassphrase, remembered: state.isRemembered,
            device: Account.Device(id: row.device.description, name: row.deviceName),
            createdAt: row.createdAt.milliseconds,
            presence: state.isLocked ? .offline : row.isAway || contacts.isIdle ? .away : .online)
    }

    /// A contact as clients see it.
    package func contact(_ row: ContactRow) -> Contact {
        Contact(
            id: row.account.description, displayName: row.displayName, alias: row.alias, statusText: row.statusText,
            // The address may have come when the rule was another.
            email: EmailAddress.checked(row.email), phone: row.phone, relation: row.relation, trust: row.trust,
            // Only friends tell each other whether they are online.
            presence: row.relation == .friend ? contacts.presence(row.account) : .offline,
            lastSeen: row.lastSeen?.milliseconds, conversation: row.conversation?.description, note: row.note,
            autoDownload: row.autoDownload, avatar: row.avatar.map(avatarPath),
            picture: row.avatar.map { Hex.encode($0) }, entry: entry(row.account), reason: row.history.refusal,
            detail: row.history.refusalDetail,
            changedTo: row.trust == .changed ? row.namesake?.description : nil,
            changedAt: row.trust == .changed ? row.changedAt?.milliseconds : nil,
            requestSource: row.relation == .incoming ? row.requestSource : nil,
            knowsUs: row.relation == .incoming && row.history.theirRequest == nil)
    }

    private func holder(_ holder: Holder, in transaction: ReadTransaction) throws -> Message.Holder {
        Message.Holder(
            id: holder.courier.description,
            name: try transaction.contact(holder.courier)?.shownName ?? Names.placeholder(for: holder.courier),
            until: holder.until.milliseconds)
    }

    private func conversation(
        _ record: ConversationRecord, in transaction: ReadTransaction
    ) throws -> Conversation {
        let (row, order) = (record.row, try transaction.messageOrder())
        let firstUnread = row.unread > 0 ? try transaction.firstUnread(in: row.id) : nil
        return Conversation(
            id: row.id.description, kind: row.group == nil ? row.kind : .group,
            title: row.kind == .notes ? Names.notes : record.title,
            contact: row.contact?.description, group: row.group?.description, unread: row.unread,
            firstUnread: firstUnread?.description,
            missedCalls: row.unread > 0 ? try transaction.missedCalls(in: row.id) : 0,
            lastMessage: try record.lastMessage.map { try message($0, order: order, in: transaction) },
            pinned: row.pinned,
            archived: row.archived, muted: row.muted, mutedUntil: row.mutedUntil?.milliseconds,
            mentions: row.mentions, mentionsMuted: row.mentionsMuted, pins: row.pins,
            updatedAt: row.updatedAt.milliseconds)
    }

    /// - Parameter order: that of the positions.
    package func message(
        _ record: MessageRecord, order: MessageOrder, in transaction: ReadTransaction
    ) throws -> Message {
        var names = SenderNames()
        return try message(record, order: order, names: &names, in: transaction)
    }

    /// Does the same for one of several messages.
    func message(
        _ record: MessageRecord, order: MessageOrder, names: inout SenderNames, in transaction: ReadTransaction
    ) throws -> Message {
        message(
            record, order: order, senderName: try names.name(of: record.row, in: transaction),
            holders: try record.recipients.map { try $0.holder.map { try holder($0, in: transaction) } })
    }

    /// A message that this account has stored just now, so that no courier holds it yet. It needs no transaction.
    /// - Parameter senderName: what the account is called.
    func newMessage(_ record: MessageRecord, order: MessageOrder, senderName: String) -> Message {
        message(record, order: order, senderName: senderName, holders: record.recipients.map { _ in nil })
    }

    /// - Parameter holders: the courier that holds it for each recipient.
    private func message(
        _ record: MessageRecord, order: MessageOrder, senderName: String, holders: [Message.Holder?]
    ) -> Message {
        let row = record.row
        var message = Message(
            id: row.id.description, conversation: row.conversation.description, sender: row.sender.description,
            senderName: senderName, kind: row.kind, text: row.text, sentAt: row.sentAt.milliseconds,
            receivedAt: row.state == .received ? row.receivedAt.milliseconds : nil,
            position: row.position(in: order).description, state: row.state,
            recipients: zip(record.recipients, holders).map {
                Message.Recipient(
                    id: $0.account.description, state: $0.state, at: $0.at.milliseconds,
                    reason: $0.reason, detail: row.detail, heldBy: $1)
            },
            replyTo: row.replyTo?.description, editedAt: row.editedAt?.milliseconds, deleted: row.deleted,
            reactions: record.reactions.map { Message.Reaction(account: $0.account.description, emoji: $0.emoji) },
            attachments: record.attachments.map(attachment), unread: row.unread, arrival: row.arrival,
            late: row.isLate,
            line: row.kind == .system ? SystemMessage(stored: row.detail).map(Message.Line.init) : nil,
            call: row.call.map { Message.Call($0, of: row.wireID) }, guest: row.guest,
            givenTo: row.givenTo)
        message.mentionsYou = record.isMention
        message.sentence = message.ownSentence
        return message
    }

    func attachment(_ record: AttachmentRecord) -> Attachment {
        let canceller = TransferSide.canceller(record.state, reason: record.reason, detail: record.detail)
        return Attachment(
            transfer: record.transfer.description, name: record.name, size: record.size,
            kind: record.kind, mediaType: record.mediaType, state: record.state,
            path: record.removedAt == nil ? record.path : nil, savedAs: record.nameHere,
            preview: record.preview.map { Base64.encode($0) }, cancelledBy: canceller, reason: record.reason,
            detail: canceller == nil ? record.detail : nil, skipped: record.skipped, removed: record.removedAt != nil,
            duration: record.duration, heldBack: record.heldBack,
            unlisted: record.unlisted.isEmpty ? nil : record.unlisted)
    }

    // MARK: Objects of a transaction

    /// A conversation as it is in this transaction, through the cache; nil if there is none.
    func conversation(_ id: UUIDv7, in transaction: ReadTransaction) throws -> Conversation? {
        guard let record = try transaction.conversationRecord(id) else { return nil }
        return try conversation(record, in: transaction)
    }

    /// A message as it is in this transaction, through the cache; nil if there is none.
    /// - Parameter previews: whether to add the previews of its attachments.
    func message(_ id: UUIDv7, previews: Bool = false, in transaction: ReadTransaction) throws -> Message? {
        guard let record = try transaction.messageRecord(id, previews: previews) else { return nil }
        return try message(record, order: try transaction.messageOrder(), in: transaction)
    }

    /// Makes a conversation from a row that the caller has: one that it has just changed, or one of many that need not
    /// stay in memory.
    func conversation(_ row: ConversationRow, in transaction: ReadTransaction) throws -> Conversation {
        try conversation(try transaction.record(of: row), in: transaction)
    }

    /// Makes a message from a row that the caller has: one that it has just changed, or one of many that need not stay
    /// in memory.
    func message(_ row: MessageRow, in transaction: ReadTransaction) throws -> Message {
        try message(try transaction.record(of: row), order: try transaction.messageOrder(), in: transaction)
    }

    /// - Parameters:
    ///   - rate: bytes a second; 0 while nothing moves.
    ///   - bytesDone: what a running transfer has beyond its last checkpoint.
    package func transfer(
        _ row: TransferRow, rate: Int64 = 0, bytesDone: Int64? = nil, filesDone: Int64? = nil
    ) -> Transfer {
        let done = min(max(bytesDone ?? 0, row.bytesDone), row.size)
        let canceller = TransferSide.canceller(row.state, reason: row.reason, detail: row.detail)
        var transfer = Transfer(
            id: row.id.description, direction: row.direction,
            peer: row.peer.description, conversation: row.conversation?.description, message: row.message?.description,
            name: row.name, size: row.size, bytesDone: done, files: row.files,
            filesDone: max(filesDone ?? 0, row.filesDone), skipped: row.problems, rate: rate,
            secondsLeft: rate > 0 ? (row.size - done) / rate + 1 : nil, state: row.state,
            pausedBy: row.life.pausedBy, cancelledBy: canceller, reason: row.reason,
            detail: canceller == nil ? row.detail : nil,
            changed: row.isOfAnotherSource, path: row.life.removedAt == nil ? row.path : nil,
            savedAs: row.nameHere, createdAt: row.createdAt.milliseconds,
            finishedAt: row.finishedAt?.milliseconds, heldBack: row.life.heldBack,
            unlisted: row.unlisted.isEmpty ? nil : row.unlisted,
            keptBy: row.keepers.isEmpty || row.state.isOver ? nil : row.keepers.map(\.description))
        if row.fileRoot != nil, row.direction == .outgoing, let conversation = row.conversation {
            let members = Int64(groups.members(of: conversation).count)
            (transfer.members, transfer.membersDone) = (members, min(row.holders, members))
        }
        return transfer
    }
}

extension TransferProblem {
    /// As it is shown. A client escapes the peer's words when it prints them.
    init(_ row: TransferProblemRow) {
        let cause = LeftOutCause(words: row.detail)
        self.init(
            path: row.path, reason: row.reason, cause: cause,
            detail: row.detail.isEmpty || cause != nil ? nil : row.detail)
    }
}

extension Message.Call {
    init(_ record: CallRecord, of id: UUIDv7) {
        self.init(
            id: id.description, media: record.media, outcome: record.outcome,
            startedAt: record.startedAt.milliseconds, duration: record.duration)
    }
}

extension ObjectComposer {
    /// A group as it is in this transaction.
    func group(_ row: GroupRow, in transaction: ReadTransaction) throws -> Group {
        let own = try transaction.ownAccount()
        var members: [Group.Member] = []
        var former: [Group.Former] = []
        for member in try transaction.members(of: row.id, former: true) {
            let contact = try transaction.contact(member.account)
            let name =
                member.account == own?.account ? own?.displayName ?? member.name : contact?.shownName ?? member.name
            guard member.isPresent else {
                former.append(Group.Former(id: member.account.description, displayName: name))
                continue
            }
            members.append(
                Group.Member(
                    id: member.account.description, displayName: name, role: member.role,
                    presence: presence(of: member.account, contact, own), joinedAt: member.joinedAt.milliseconds,
                    forked: member.hasForked))
        }
        return Group(
            id: row.id.description, name: row.name, description: row.description,
            avatar: row.shownAvatar.map(avatarPath), picture: row.shownAvatar.map { Hex.encode($0) }, members: members,
            former: former,
            online: Int64(members.filter { $0.presence != .offline }.count), createdAt: row.createdAt.milliseconds,
            epoch: row.entries, conversation: row.conversation?.description, history: row.history,
            state: row.state, role: row.ownRole,
            addedBy: row.addedBy?.description)
    }

    /// Friends tell their presence. The presence of other members is whether their device is on the network.
    private func presence(of account: AccountID, _ contact: ContactRow?, _ own: AccountRow?) -> Presence {
        if let own, account == own.account { return self.account(own).presence }
        if contact?.relation == .friend { return contacts.presence(account) }
        if contact?.relation == .blocked { return .offline }
        return groups.isHere(account) ? .online : .offline
    }
}

extension ObjectComposer {
    /// A peer as clients see it.
    package func peer(_ entry: NearbyDevice) -> Peer {
        Peer(
            account: entry.account?.description ?? "", device: entry.device.description,
            displayName: entry.displayName ?? entry.account.map(Names.placeholder) ?? "",
            address: entry.address?.description ?? "",
            relation: entry.account.map { contacts.relation($0) } ?? .none,
            lastHeard: entry.lastHeard.milliseconds, entry: entry.account.flatMap(self.entry))
    }
}
