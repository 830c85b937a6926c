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
