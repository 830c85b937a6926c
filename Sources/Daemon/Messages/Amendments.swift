import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// What this account does to messages that are there: each in one transaction with the frames that tell the others.
struct Amendments {
    let own: AccountID
    let transaction: WriteTransaction
    /// What it takes to speak in groups.
    var voice: GroupVoice?
    /// Makes the identifiers; simulations have their own.
    var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    /// The message, or the refusal that says how to find one.
    static func message(_ id: UUIDv7, in transaction: ReadTransaction) throws -> MessageRow {
        guard let row = try transaction.message(id) else { throw noMessage(id) }
        return row
    }

    static func noMessage(_ id: UUIDv7) -> ControlError {
        ControlError(
            .notFound, "there is no message \(id)", hint: "kibo read CHAT --ids shows messages with their ids.")
    }

    // MARK: Own messages

    func edit(_ id: UUIDv7, text: String) throws -> MessageRow {
        let row = try ownMessage(id, verb: "change it")
        guard row.kind == .file || !text.isEmpty else {
            throw ControlError(
                .invalid, "a message can't become empty", hint: "To take it back: kibo delete.", field: "text")
        }
        guard text != row.text else { return row }
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        let now = transaction.wallTime
        let time = transaction.clock.tick(at: now, after: row.editTime)
        _ = try transaction.applyEdit(of: id, by: own, text: text, at: now, time: time)
        let edited = try Self.message(id, in: transaction)
        let body = EditBody(message: id, text: text, time: time, editedAt: now)
        guard case .friend(let contact) = audience else {
            try say(.edit, try body.encoded(), to: audience, about: id)
            return edited
        }
        // What has not left yet leaves as it is now, and older edits need not leave at all.
        if let body = try MessageBodies.body(of: edited, in: transaction) {
            try transaction.replaceOutboxBody(of: id, with: try body.encoded())
        }
        try transaction.dropOutbox(about: id, kind: FrameKind.edit.rawValue)
        // Whom the message has failed at gets it as it is now, if ever.
        let state = try transaction.recipients(of: id).first { $0.account == contact.account }?.state
        guard state != .failed else { return edited }
        try append(.edit, try body.encoded(), to: contact.account, about: id)
        return edited
    }

    /// - Returns: the tombstone, and the transfers that ended with the message.
    func deleteForAll(_ id: UUIDv7) throws -> (MessageRow, [TransferRow]) {
        let row = try ownMessage(id, verb: "delete it for all")
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        // Once more for one that is deleted already: the other side may have refused to hear of it, or have lost it.
        guard try !row.deleted || transaction.outbox(carrying: id).isEmpty else { return (row, []) }
        let recipients = try transaction.recipients(of: id)
        let wasGiven = try !transaction.isLogDraft(id)
        let ended = row.deleted ? [] : try Tombstones.end(try transaction.scrub(row), in: transaction)
        guard case .friend(let contact) = audience else {
            // Said once, as an entry of the log: members hand it on to each other.
            let body = DeletionBody(message: id, time: row.hlc, sentAt: row.sentAt)
            if !row.deleted, wasGiven { try say(.deletion, try body.encoded(), to: audience, about: nil) }
            return (try Self.message(id, in: transaction), ended)
        }
        // Whoever never got the message needs no tombstone of it.
        if let recipient = recipients.first(where: { $0.account == contact.account }), recipient.state != .failed {
            try transaction.dropOutbox(id, for: contact.account)
            let body = DeletionBody(message: id, time: row.hlc, sentAt: row.sentAt)
            // The message has come as far as its deletion, if it hasn't come further itself.
            try append(.deletion, try body.encoded(), to: contact.account, carrying: id)
        }
        return (try Self.message(id, in: transaction), ended)
    }

    /// From this disk only.
    /// - Returns: the message as it is told to the client, and the transfers that ended with it.
    func deleteForMe(_ id: UUIDv7) throws -> (MessageRow, [TransferRow]) {
        var row = try Self.message(id, in: transaction)
        let transfers = try transaction.remove(row)
        // What nobody has been offered yet never will be.
        let ended = row.state == .queued ? try Tombstones.end(transfers, in: transaction) : []
        row.deleted = true
        row.text = ""
        return (row, ended)
    }

    /// A message that has failed waits in the outbox again.
    func retry(_ id: UUIDv7) throws -> MessageRow {
        let row = try ownMessage(id, verb: "send it again")
        guard row.state == .failed else {
            guard row.state == .queued else {
                throw ControlError(
                    .invalid, "this message is on its way or has arrived", hint: "kibo why tells where it is.")
            }
            return row
        }
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        guard case .friend(let contact) = audience else { return try sayAgain(row, to: audience) }
        guard let body = try MessageBodies.body(of: row, in: transaction) else {
            throw ControlError(.invalid, "this message can't be sent again", hint: "Send a new one.")
        }
        for account in try transaction.requeue(id) where account == contact.account {
            _ = try transaction.appendOutbox(
                for: account, id: id, kind: FrameKind.message.rawValue, body: try body.encoded(), message: id)
            if let editedAt = row.editedAt, let time = row.editTime {
                let edit = EditBody(message: id, text: row.text, time: time, editedAt: editedAt)
                try append(.edit, try edit.encoded(), to: account, about: id)
            }
        }
        return try Self.message(id, in: transaction)
    }

    private func ownMessage(_ id: UUIDv7, verb: String) throws -> MessageRow {
        let row = try Self.message(id, in: transaction)
        guard row.kind != .system else {
            throw ControlError(.notAllowed, "this line tells of a change of the group: it can't be changed itself")
        }
        guard row.sender == own else {
            throw ControlError(
                .notAllowed, "only who wrote a message can \(verb)",
                hint: verb.hasPrefix("delete")
                    ? "For yourself alone: kibo delete --for me." : "You can answer it or react to it.")
        }
        guard !row.deleted || verb == "delete it for all" else {
            throw ControlError(.invalid, "this message was deleted", field: "id")
        }
        return row
    }

    // MARK: Anybody's messages

    func react(_ id: UUIDv7, emoji: String, removed: Bool) throws -> MessageRow {
        let row = try Self.message(id, in: transaction)
        guard ReactionBody.isEmoji(emoji) else {
            throw ControlError(.invalid, "a reaction is one sign, such as 👍", field: "emoji")
        }
        guard !row.deleted else { throw ControlError(.invalid, "this message was deleted", field: "id") }
        guard row.kind != .system else {
            throw ControlError(.invalid, "there is nobody behind this line to react to", field: "id")
        }
        let audience = try Audience.of(.conversation(row.conversation), in: transaction)
        let isThere = try transaction.reactions(to: id).contains { $0.account == own && $0.emoji == emoji }
        guard isThere == removed else { return row }
        let last = try transaction.reactionTime(to: id, by: own, emoji: emoji)
        let time = transaction.clock.tick(at: transaction.wallTime, after: last)
        guard try transaction.applyReaction(to: id, by: own, emoji: emoji, removed: removed, time: time) != nil else {
            throw ControlError(.tooLarge, "there are too many reactions of yours to this message", field: "emoji")
        }
        let body = ReactionBody(message: id, emoji: emoji, time: time, removed: removed)
        switch audience {
        case .friend(let contact): try append(.reaction, try body.encoded(), to: contact.account, about: id)
        case .group: try say(.reaction, try body.encoded(), to: audience, about: id)
        }
        return try Self.message(id, in: transaction)
    }

    /// Marks the next messages of a range as read.
    /// - Parameters:
    ///   - first: what stands before stays unread; nil: from the beginning.
    ///   - arrival: what arrived later stays unread.
    /// - Returns: the conversation as it is then, and whether there is more to mark.
    func markRead(
        _ conversation: UUIDv7, from first: UUIDv7? = nil, upTo last: UUIDv7, arrival: Int64?
    ) throws -> (ConversationRow, hasMore: Bool) {
        guard let row = try transaction.conversation(conversation) else { throw Handlers.noConversation(conversation) }
        func message(_ id: UUIDv7, _ field: String) throws -> MessageRow {
            let message = try Self.message(id, in: transaction)
            guard message.conversation == conversation else {
                throw ControlError(.notFound, "there is no message \(id) in this conversation", field: field)
            }
            return message
        }
        let range = SeenRange(
            last: try message(last, "upTo"), first: try first.map { try message($0, "from") }, arrival: arrival)
        let read = try transaction.markRead(range, in: conversation, limit: PeerLimits.receiptIDs)
        if try transaction.setting(SettingsCatalogue.readReceipts) { try tellSeen(read, in: row) }
        return (try transaction.conversation(conversation) ?? row, read.count == PeerLimits.receiptIDs)
    }

    /// Only who wrote a message learns that it was read.
    private func tellSeen(_ read: [(id: UUIDv7, sender: AccountID)], in conversation: ConversationRow) throws {
        if let account = conversation.contact {
            guard try transaction.contact(account)?.relation == .friend else { return }
            let seen = read.filter { $0.sender == account }.map(\.id)
            if !seen.isEmpty { try append(.seen, try SeenBody(messages: seen).encoded(), to: account) }
        } else if let voice, let group = try conversation.group.flatMap({ try transaction.group($0) }) {
            try GroupCommands(voice, transaction, random: random).tellSeen(read, in: group)
        }
    }

    // MARK: Groups

    /// Says something about a message to all members, as an entry of the group's log.
    private func say(_ kind: LogKind, _ content: [UInt8], to audience: Audience, about: UUIDv7?) throws {
        guard case .group(let group) = audience else { return }
        var random = random
        let id = UUIDv7(at: transaction.wallTime, using: &random)
        try GroupCommands(voice, transaction, random: random).say(kind, id: id, content, in: group, about: about)
    }

    private func sayAgain(_ row: MessageRow, to audience: Audience) throws -> MessageRow {
        guard case .group(let group) = audience else { return row }
        let commands = try GroupCommands(voice, transaction, random: random)
        try commands.sayAgain(row.id, in: group)
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

/// Messages as frames, made from what the database has.
enum MessageBodies {
    /// Nil for a message that has no frame: a tombstone.
    static func body(of row: MessageRow, in transaction: ReadTransaction) throws -> MessageBody? {
        guard !row.deleted, row.kind == .text || row.kind == .file else { return nil }
        let attachments = try transaction.transfers(of: row.id).map { transfer in
            AttachmentBody(
                transfer: transfer.id, name: transfer.name, size: UInt64(clamping: transfer.size),
                kind: transfer.kind,
                mediaType: transfer.mediaType, fileCount: UInt64(clamping: transfer.files),
                preview: try transaction.asset(transfer.id)?.bytes,
                duration: transfer.duration.map { UInt64(clamping: $0) },
                leftOut: TransferRecords.leftOut(
                    try transaction.problems(of: transfer.id).filter { $0.position < 0 }))
        }
        return MessageBody(
            kind: attachments.isEmpty ? .text : .file, text: row.text, time: row.hlc, sentAt: row.sentAt,
            replyTo: row.replyTo, attachments: attachments)
    }
}
