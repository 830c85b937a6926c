import Basics
import Crypto
import PeerProtocol
import Store

/// What a friend says about messages that may or may not be here.
extension IncomingCommitter {
    package func edit(_ body: EditBody, in transaction: WriteTransaction) throws -> CommitOutcome {
        guard try isFriend(in: transaction) else { return refused(.notFriends) }
        let amendment = try transaction.applyEdit(
            of: body.message, by: peer.account, text: body.text, at: body.editedAt, time: body.time)
        return outcome(amendment)
    }

    package func deletion(_ body: DeletionBody, in transaction: WriteTransaction) throws -> CommitOutcome {
        guard try isFriend(in: transaction) else { return refused(.notFriends) }
        let now = transaction.wallTime
        guard let conversation = try conversation(for: body.message, in: transaction) else { return .stored }
        let tombstone = MessageRow(
            id: body.message, conversation: conversation.id, sender: peer.account, senderDevice: peer.device, text: "",
            sentAt: body.sentAt, receivedAt: now, hlc: body.time, state: .received, deleted: true)
        let (amendment, transfers) = try transaction.applyDeletion(tombstone)
        try Tombstones.end(transfers, in: transaction)
        return outcome(amendment)
    }

    package func reaction(_ body: ReactionBody, in transaction: WriteTransaction) throws -> CommitOutcome {
        guard try isFriend(in: transaction) else { return refused(.notFriends) }
        let amendment = try transaction.applyReaction(
            to: MessageName(body.message, in: .between(peer.account)), by: peer.account, emoji: body.emoji,
            removed: body.removed, time: body.time)
        guard let amendment else { return refused(.tooLarge, "too many reactions to one message") }
        return outcome(amendment)
    }

    package func seen(_ body: SeenBody, in transaction: WriteTransaction) throws -> CommitOutcome {
        guard try isFriend(in: transaction) else { return refused(.notFriends) }
        // A recipient who has seen a message has it, even if the receipt that said so was lost.
        try transaction.acknowledge(body.messages, by: peer.account)
        try transaction.advance(body.messages, at: peer.account, to: .read)
        return .stored
    }

    private func isFriend(in transaction: WriteTransaction) throws -> Bool {
        try transaction.contact(peer.account)?.relation == .friend
    }

    private func outcome(_ amendment: Amendment) -> CommitOutcome {
        switch amendment {
        case .changed, .unchanged, .waits: .stored
        case .tooMany: refused(.busy, "too many changes of messages that have not come")
        case .notTheirs: refused(.notAllowed, "that message is somebody else's")
        }
    }
}

/// What happens to the files of a deleted message.
package enum Tombstones {
    /// The name that replaces one that nobody is to know any more.
    private static let name = "(deleted)"

    /// Notes that the part of a transfer is gone. Its name goes too, if its message was deleted for all.
    package static func partRemoved(_ id: UUIDv7, in transaction: WriteTransaction) throws {
        guard var row = try transaction.transfer(id), row.state != .done, let message = row.message,
            try transaction.message(message)?.deleted == true
        else { return }
        row.name = name
        try transaction.update(row)
    }

    /// Ends offers that were not taken, and transfers on their way. Their names were content of the message and go; a
    /// file that has arrived stays where it is, with its name.
    package static func end(_ transfers: [TransferRow], in transaction: WriteTransaction) throws {
        for transfer in transfers {
            guard var row = try transaction.transfer(transfer.id) else { continue }
            if !row.state.isOver {
                row.state = .cancelled
                row.reason = .cancelled
                row.finishedAt = transaction.wallTime
            }
            if row.direction == .outgoing { try transaction.replacePages(of: row.id, with: []) }
            if row.direction == .outgoing || row.state != .done {
                // The part of an incoming transfer is found by its path and name until it is removed.
                if row.direction == .outgoing || !row.life.hasPart { row.name = Self.name }
                if row.direction == .outgoing { row.path = nil }
            }
            try transaction.update(row)
        }
    }
}
