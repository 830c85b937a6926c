import Basics
import Crypto
import PeerProtocol
import Store
import Transfer
import Vocabulary

/// A message that is about to be sent: everything that the store's transaction needs.
package struct Draft: Sendable {
    package let own: AccountID
    package let device: DeviceID
    package let text: String
    package let replyTo: UUIDv7?
    /// The client's idempotency key.
    package let key: String?
    package let now: WallTime
    /// The kind of the message, if it carries no files.
    package var kind = MessageKind.text
    /// What the device with LocalSend calls itself that gave this; kept with a note, and with no other message.
    package var guest: String?
    /// What the device calls itself that a note was given to.
    package var givenTo: String?
    package var target = Audience.Target.conversation(.zero)
    package var sources: [PreparedSource] = []
    /// The means to write in groups; nil while the account is locked.
    package var voice: GroupVoice?
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    package init(own: AccountID, device: DeviceID, text: String, replyTo: UUIDv7?, key: String?, now: WallTime) {
        self.own = own
        self.device = device
        self.text = text
        self.replyTo = replyTo
        self.key = key
        self.now = now
    }

    /// Returns the message that was sent under the same key, whatever has happened to contact and files since.
    package func sent(in transaction: ReadTransaction) throws -> MessageRow? {
        guard let key, let sent = try transaction.message(sentUnder: key) else { return nil }
        return try transaction.message(sent)
    }

    /// Stores message, recipients, transfers and outbox together. If the key was used before, returns the message of the
    /// first time.
    package func commit(in transaction: WriteTransaction) throws -> MessageRow {
        try commitShown(in: transaction).record.row
    }

    /// Does the same as ``commit(in:)``, and returns the message as it is shown.
    /// - Returns: the message, and whether it was sent before under the same key.
    package func commitShown(in transaction: WriteTransaction) throws -> (record: MessageRecord, isKnown: Bool) {
        if let row = try sent(in: transaction) { return (try transaction.record(of: row), true) }
        let audience = try Audience.of(target, in: transaction)
        var random = random
        let conversation: UUIDv7
        let recipients: [AccountID]
        var commands: GroupCommands?
        var state = MessageState.queued
        switch audience {
        case .friend(let contact):
            if let existing = contact.conversation {
                conversation = existing
            } else {
                conversation = UUIDv7(at: now, using: &random)
                _ = try transaction.openConversation(with: contact.account, newID: conversation)
            }
            recipients = [contact.account]
        case .group(let group):
            let own = try GroupCommands(voice, transaction, random: random)
            conversation = try own.conversation(of: group)
            recipients = try own.recipients(of: group)
            commands = own
        case .notes:
            conversation = try transaction.openConversation(with: own, newID: UUIDv7(at: now, using: &random)).id
            recipients = []
            state = .sent
        }
        if let replyTo, try transaction.message(replyTo)?.conversation != conversation {
            throw MessagingError.noMessageHere(replyTo, field: "replyTo")
        }
        let id = UUIDv7(at: now, using: &random)
        var row = MessageRow(
            id: id, conversation: conversation, sender: own, senderDevice: device,
            kind: sources.isEmpty ? kind : .file,
            text: text, sentAt: now, receivedAt: now, hlc: transaction.clock.tick(at: now), state: state,
            replyTo: replyTo)
        if case .notes = audience { (row.guest, row.givenTo) = (guest, givenTo) }
        row = try transaction.insertOutgoing(row, to: recipients)
        let stored = row.id
        for source in sources {
            var transfer = source.row(
                id: UUIDv7(at: now, using: &random), peer: source.list == nil ? recipients.first ?? own : own,
                conversation: conversation, message: stored, at: now)
            if case .notes = audience { transfer.keep(at: now) }
            _ = try transaction.insert(transfer)
            try source.store(of: transfer.id, in: transaction)
        }
        try tell(row, audience, commands, in: transaction)
        if let key { try transaction.remember(key: key, for: stored) }
        guard case .friend(let contact) = audience, sources.isEmpty else {
            return (try transaction.record(of: row), false)
        }
        // Everything that such a message shows was stored here.
        return (MessageRecord(ofNew: row, to: contact.account), false)
    }

    /// Puts a stored message where its recipients get it from: the outbox, or the group's log. A note stays where it is.
    private func tell(
        _ row: MessageRow, _ audience: Audience, _ commands: GroupCommands?, in transaction: WriteTransaction
    ) throws {
        if case .notes = audience { return }
        guard let body = try MessageBody(of: row, in: transaction) else { throw MessagingError.notResendable }
        switch audience {
        case .friend(let contact):
            _ = try transaction.appendOutbox(
                for: contact.account, id: row.wireID, kind: FrameKind.message.rawValue, body: try body.encoded(),
                message: row.id)
        case .group(let group):
            try commands?.say(
                .message, id: row.wireID, try body.encoded(conversation: .group), in: group, about: row.id)
        case .notes: break
        }
    }
}
