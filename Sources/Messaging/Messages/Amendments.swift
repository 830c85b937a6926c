import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Edits, deletes and reacts to messages for this account. Each change is one transaction with the frames that tell the
/// others.
package struct Amendments {
    package let own: AccountID
    package let transaction: WriteTransaction
    /// The means to write in groups; nil while the account is locked.
    package var voice: GroupVoice?
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    package init(
        own: AccountID, transaction: WriteTransaction, voice: GroupVoice? = nil,
        random: any RandomNumberGenerator & Sendable = SodiumGenerator()
    ) {
        self.own = own
        self.transaction = transaction
        self.voice = voice
        self.random = random
    }

    /// Returns the message with this id.
    /// - Throws: the refusal that says how to find a message.
    package static func message(_ id: UUIDv7, in transaction: ReadTransaction) throws -> MessageRow {
        guard let row = try transaction.message(id) else { throw MessagingError.noMessage(id) }
        return row
    }

    // MARK: Own messages

    package func edit(_ id: UUIDv7, text: String) throws -> MessageRow {
        let row = try ownMessage(id, to: .edit)
        guard row.kind.allows(text) else { throw MessagingError.emptyText(id) }
        guard text != row.text else { return row }
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        let now = transaction.wallTime
        let time = transaction.clock.tick(at: now, after: row.editTime)
        _ = try transaction.applyEdit(of: row.wireID, by: own, text: text, at: now, time: time)
        let edited = try Self.message(id, in: transaction)
        let body = EditBody(message: row.wireID, text: text, time: time, editedAt: now)
        guard case .friend(let contact) = audience else {
            try say(.edit, try body.encoded(), to: audience, about: id)
            return edited
        }
        // A message that has not left yet leaves in its new form, and older edits need not leave at all.
        if let body = try MessageBody(of: edited, in: transaction) {
            try transaction.replaceOutboxBody(of: id, with: try body.encoded())
        }
        try transaction.dropOutbox(about: id, kind: FrameKind.edit.rawValue)
        // A recipient that the message failed to reach gets it in its new form, if ever.
        let state = try transaction.recipients(of: id).first { $0.account == contact.account }?.state
        guard state != .failed else { return edited }
        try append(.edit, try body.encoded(), to: contact.account, about: id)
        return edited
    }

    /// Deletes a message here and for all its recipients.
    /// - Returns: the tombstone.
    package func deleteForAll(_ id: UUIDv7) throws -> MessageRow {
        if try transaction.message(id) == nil, let removed = try transaction.removedMessage(id) {
            return try deleteForOthers(id, removed)
        }
        let row = try ownMessage(id, to: .deleteForAll)
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        // Only this account has a note, so no mark is left of it.
        if case .notes = audience { return try deleteForMe(id) }
        // A message that is deleted already is deleted again: the other side may have refused the deletion, or
        // have lost it.
        guard try !row.deleted || transaction.outbox(carrying: id).isEmpty else { return row }
        let recipients = try transaction.recipients(of: id)
        let wasGiven = try !transaction.isLogDraft(id)
        if !row.deleted { try Tombstones.end(try transaction.scrub(row), in: transaction) }
        guard case .friend(let contact) = audience else {
            // The deletion is said once, as an entry of the log: members hand it on to each other.
            let body = DeletionBody(message: row.wireID, time: row.hlc, sentAt: row.sentAt)
            if !row.deleted, wasGiven { try say(.deletion, try body.encoded(), to: audience, about: nil) }
            return try Self.message(id, in: transaction)
        }
        // A recipient who never got the message needs no tombstone.
        if let recipient = recipients.first(where: { $0.account == contact.account }), recipient.state != .failed {
            try transaction.dropOutbox(row.wireID, for: contact.account)
            let body = DeletionBody(message: row.wireID, time: row.hlc, sentAt: row.sentAt)
            // The frame carries the message: the message counts as having come as far as its deletion, if it hasn't
            // come further itself.
            try append(.deletion, try body.encoded(), to: contact.account, carrying: id)
        }
        return try Self.message(id, in: transaction)
    }

    /// Deletes for all others a message that is gone from this disk already.
    private func deleteForOthers(_ id: UUIDv7, _ removed: RemovedMessage) throws -> MessageRow {
        guard let device = try transaction.ownAccount()?.device else { throw MessagingError.noMessage(id) }
        let audience = try Audience.of(.conversation(removed.conversation), in: transaction)
        let body = DeletionBody(message: removed.wireID, time: removed.hlc, sentAt: removed.sentAt)
        switch audience {
        case .friend(let contact): try append(.deletion, try body.encoded(), to: contact.account)
        case .group: try say(.deletion, try body.encoded(), to: audience, about: nil)
        case .notes: break
        }
        return MessageRow(
            id: id, conversation: removed.conversation, sender: own, senderDevice: device, text: "",
            sentAt: removed.sentAt, receivedAt: removed.sentAt, hlc: removed.hlc, state: .sent, deleted: true)
    }

    /// Deletes a message from this disk only.
    /// - Returns: the message as the client sees it.
    package func deleteForMe(_ id: UUIDv7) throws -> MessageRow {
        var row = try Self.message(id, in: transaction)
        let isNote = try transaction.conversation(row.conversation)?.kind == .notes
        let transfers = try transaction.remove(row)
        // A file that was not offered yet never will be, and nothing else names the files of a note.
        if row.state == .queued || isNote { try Tombstones.end(transfers, in: transaction) }
        row.deleted = true
        row.text = ""
        return row
    }

    /// Puts a message that has failed into the outbox again.
    package func retry(_ id: UUIDv7) throws -> MessageRow {
        let row = try ownMessage(id, to: .retry)
        guard row.state == .failed else {
            guard row.state == .queued else {
                throw MessagingError.underWay(id)
            }
            return row
        }
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        guard case .friend(let contact) = audience else { return try sayAgain(row, to: audience) }
        guard let body = try MessageBody(of: row, in: transaction) else {
            throw MessagingError.notResendable
        }
        for account in try transaction.requeue(id) where account == contact.account {
            _ = try transaction.appendOutbox(
                for: account, id: row.wireID, kind: FrameKind.message.rawValue, body: try body.encoded(), message: id)
            if let editedAt = row.editedAt, let time = row.editTime {
                let edit = EditBody(message: row.wireID, text: row.text, time: time, editedAt: editedAt)
                try append(.edit, try edit.encoded(), to: account, about: id)
            }
        }
        return try Self.message(id, in: transaction)
    }

    private func ownMessage(_ id: UUIDv7, to deed: MessagingError.Deed) throws -> MessageRow {
        let row = try Self.message(id, in: transaction)
        guard row.kind != .system else {
            throw MessagingError.systemLine
        }
        guard row.sender == own else {
            throw MessagingError.notAuthor(of: deed, id)
        }
        guard !row.deleted || deed == .deleteForAll else {
            throw MessagingError.deleted
        }
        return row
    }

    // MARK: Messages of any author

    package func react(_ id: UUIDv7, emoji: String, removed: Bool) throws -> MessageRow {
        let row = try Self.message(id, in: transaction)
        guard ReactionBody.isEmoji(emoji) else {
            throw MessagingError.notEmoji
        }
        guard !row.deleted else { throw MessagingError.deleted }
        guard row.kind != .system else {
            throw MessagingError.noReactionToSystemLine
        }
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        let isThere = try transaction.reactions(to: id).contains { $0.account == own && $0.emoji == emoji }
        guard isThere == removed else { return row }
        let last = try transaction.reactionTime(to: id, by: own, emoji: emoji)
        let time = transaction.clock.tick(at: transaction.wallTime, after: last)
        guard try transaction.applyReaction(to: row, by: own, emoji: emoji, removed: removed, time: time) != nil else {
            throw MessagingError.tooManyReactions
        }
        var body = ReactionBody(message: row.wireID, emoji: emoji, time: time, removed: removed)
        switch audience {
        case .friend(let contact): try append(.reaction, try body.encoded(), to: contact.account, about: id)
        case .group:
            body.author = row.sender
            try say(.reaction, try body.encoded(), to: audience, about: id)
        case .notes: break
        }
        return try Self.message(id, in: transaction)
    }

    /// Marks the next messages of a range as read.
    /// - Parameters:
    ///   - first: messages before it stay unread; nil for the beginning.
    ///   - arrival: messages that arrived later stay unread.
    ///   - tells: whether the authors learn of it.
    /// - Returns: the conversation as it is then, and whether there is more to mark.
    package func markRead(
        _ conversation: UUIDv7, from first: UUIDv7? = nil, upTo last: UUIDv7, arrival: Int64?,
        tells: Bool
    ) throws -> (ConversationRow, hasMore: Bool) {
        guard let row = try transaction.conversation(conversation) else {
            throw MessagingError.noConversation(conversation)
        }
        func message(_ id: UUIDv7, _ field: String) throws -> MessageRow {
            let message = try Self.message(id, in: transaction)
            guard message.conversation == conversation else {
                throw MessagingError.noMessageHere(id, field: field)
            }
            return message
        }
        let range = SeenRange(
            last: try message(last, "upTo"), first: try first.map { try message($0, "from") }, arrival: arrival)
        let read = try transaction.markRead(range, in: conversation, limit: PeerLimits.receiptIDs)
        // Reading a group counts as taking part in it.
        if let group = row.group { try transaction.confirm(group: group) }
        // Kibo's own lines are nobody's words.
        if tells { try tellSeen(read.filter { $0.kind != .system }, in: row) }
        return (try transaction.conversation(conversation) ?? row, read.count == PeerLimits.receiptIDs)
    }

    /// Counts the last message that others wrote as unread again, so that the conversation stands out.
    /// - Returns: the conversation as it is then.
    package func markUnread(_ conversation: UUIDv7) throws -> ConversationRow {
        guard let row = try transaction.conversation(conversation) else {
            throw MessagingError.noConversation(conversation)
        }
        guard try UnreadMark.put(on: conversation, in: transaction) else { throw MessagingError.nothingReceived }
        return try transaction.conversation(conversation) ?? row
    }

    /// Tells the authors of messages, and nobody else, that these were read.
    private func tellSeen(_ read: [ReadMessage], in conversation: ConversationRow) throws {
        if let account = conversation.contact {
            guard try transaction.contact(account)?.relation == .friend else { return }
            let seen = read.filter { $0.sender == account }.map(\.wireID)
            if !seen.isEmpty { try append(.seen, try SeenBody(messages: seen).encoded(), to: account) }
        } else if let voice, let group = try conversation.group.flatMap({ try transaction.group($0) }) {
            try GroupCommands(voice, transaction, random: random).tellSeen(read, in: group)
        }
    }

    // MARK: Groups

    /// Tells all members of a group something about a message, as an entry of the group's log. For other audiences it does nothing.
    private func say(_ kind: LogKind, _ content: [UInt8], to audience: Audience, about: UUIDv7?) throws {
        guard case .group(let group) = audience else { return }
        var random = random
        let id = UUIDv7(at: transaction.wallTime, using: &random)
        try GroupCommands(voice, transaction, random: random).say(kind, id: id, content, in: group, about: about)
    }

    private func sayAgain(_ row: MessageRow, to audience: Audience) throws -> MessageRow {
        guard case .group(let group) = audience else { return row }
        let commands = try GroupCommands(voice, transaction, random: random)
        try commands.sayAgain(row, in: group)
        return try Self.message(row.id, in: transaction)
    }

    private func append(
        _ kind: FrameKind, _ body: [UInt8], to account: AccountID, carrying message: UUIDv7? = nil,
        about: UUIDv7? = nil
    ) throws {
        var random = random
        _ = try transaction.appendOutbox(
            for: account, id: UUIDv7(at: transaction.wallTime, using: &random), kind: kind.rawValue, body: body,
            message: message, about: about)
    }
}
