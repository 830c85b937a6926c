import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Writes the records of calls, inside a store transaction.
package enum CallRecords {
    /// Stores the record of a call between two people, which is its caller's message, and puts it into the outbox if
    /// this side began the call. A record that is already here stays as it is.
    ///
    /// - Returns: whether it was stored. An account that is no longer a friend has no conversation for it.
    @discardableResult
    package static func write(_ note: CallNote, in transaction: WriteTransaction) throws -> Bool {
        guard let contact = try transaction.contact(note.account), contact.relation == .friend,
            try !transaction.isKnown(note.call, by: note.caller.account)
        else { return false }
        let conversation = try conversation(with: note.account, in: transaction)
        var row = MessageRow(
            id: note.call, conversation: conversation, sender: note.caller.account, senderDevice: note.caller.device,
            kind: .call, text: "", sentAt: note.record.startedAt, receivedAt: transaction.wallTime, hlc: note.time,
            state: note.isOutgoing ? .queued : .received)
        row.call = note.record
        guard note.isOutgoing else { return try transaction.insertIncoming(row) == .inserted }
        row = try transaction.insertOutgoing(row, to: [note.account])
        guard let body = try MessageBody(of: row, in: transaction) else { return false }
        _ = try transaction.appendOutbox(
            for: note.account, id: row.wireID, kind: FrameKind.message.rawValue, body: try body.encoded(),
            message: row.id)
        return true
    }

    /// Tells a group that this device has begun a call there, and shows it here.
    package static func announce(
        _ note: GroupCallNote, by own: CallParty, voice: GroupVoice?, in transaction: WriteTransaction
    ) throws {
        guard let group = try transaction.group(root: note.root.bytes), group.state == .member,
            try !transaction.isKnown(note.call, by: own.account)
        else { return }
        let commands = try GroupCommands(voice, transaction)
        var row = MessageRow(
            id: note.call, conversation: try commands.conversation(of: group), sender: own.account,
            senderDevice: own.device, kind: .call, text: "", sentAt: note.record.startedAt,
            receivedAt: transaction.wallTime, hlc: transaction.clock.tick(at: transaction.wallTime), state: .queued)
        row.call = note.record
        row = try transaction.insertOutgoing(row, to: try commands.recipients(of: group))
        let body = CallEntryBody(call: note.call, media: note.record.media)
        try commands.say(.call, id: note.call, try body.encoded(), in: group, about: row.id)
    }

    /// Stores what a group's call was for this account. If the call's entry has not come yet but a member has let it
    /// ring here, the message is made from what that member said.
    package static func write(_ note: GroupCallNote, in transaction: WriteTransaction) throws {
        guard let group = try transaction.group(root: note.root.bytes),
            try !transaction.setCall(note.call, in: group.id, by: note.starter?.account, note.record)
        else { return }
        guard let starter = note.starter, group.state == .member else { return }
        var random = SodiumGenerator()
        let conversation =
            try group.conversation
            ?? transaction.openConversation(
                of: group.id, newID: UUIDv7(at: transaction.wallTime, using: &random)
            ).id
        var row = MessageRow(
            id: note.call, conversation: conversation, sender: starter.account, senderDevice: starter.device,
            kind: .call, text: "", sentAt: note.record.startedAt, receivedAt: transaction.wallTime, hlc: note.time,
            state: .received)
        row.call = note.record
        _ = try transaction.insertIncoming(row)
    }

    /// Returns the conversation with an account, which is made if there is none.
    package static func conversation(with account: AccountID, in transaction: WriteTransaction) throws -> UUIDv7 {
        if let open = try transaction.conversation(with: account) { return open.id }
        var random = SodiumGenerator()
        return try transaction.openConversation(
            with: account, newID: UUIDv7(at: transaction.wallTime, using: &random)
        ).id
    }
}
