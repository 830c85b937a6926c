import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import Store
import Transfer

/// A message that is about to be sent: everything that the store's transaction needs.
struct Draft: Sendable {
    enum Target: Sendable, Hashable {
        case conversation(UUIDv7)
        case contact(AccountID)
    }

    let own: AccountID
    let device: DeviceID
    let text: String
    let replyTo: UUIDv7?
    /// The client's idempotency key.
    let key: String?
    let now: WallTime
    var target = Target.conversation(.zero)
    var sources: [PreparedSource] = []
    /// Makes the identifiers; simulations have their own.
    var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    init(own: AccountID, device: DeviceID, text: String, replyTo: UUIDv7?, key: String?, now: WallTime) {
        self.own = own
        self.device = device
        self.text = text
        self.replyTo = replyTo
        self.key = key
        self.now = now
    }

    /// The friend at the other end.
    static func contact(of target: Target, in transaction: ReadTransaction) throws -> ContactRow {
        let account: AccountID
        switch target {
        case .contact(let id): account = id
        case .conversation(let id):
            guard let conversation = try transaction.conversation(id) else { throw Handlers.noConversation(id) }
            guard let contact = conversation.contact else {
                throw ControlError(.unsupported, "this version can't send to groups yet")
            }
            account = contact
        }
        guard let contact = try transaction.contact(account) else {
            throw ControlError(
                .notFound, "\(account) is not among the contacts", hint: "kibo add asks somebody to be friends.")
        }
        guard contact.relation == .friend else { throw Handlers.notFriends(contact) }
        if contact.trust == .changed {
            throw ControlError(
                .keyChanged,
                "somebody else answers by the name of \(ForeignText.escaped(contact.displayName)): nothing is sent until you have looked",
                hint:
                    "Ask them, by another way, whether they have a new device. If so: kibo trust; if not: kibo verify, and kibo "
                    + "block whoever it is.")
        }
        return contact
    }

    /// What was sent under the same key, whatever has become of contact and files since.
    func sent(in transaction: ReadTransaction) throws -> MessageRow? {
        guard let key, let sent = try transaction.message(sentUnder: key) else { return nil }
        return try transaction.message(sent)
    }

    /// Message, recipient, transfers and outbox in one go. The same key again gives the message of the first time.
    func commit(in transaction: WriteTransaction) throws -> MessageRow {
        if let row = try sent(in: transaction) { return row }
        let contact = try Self.contact(of: target, in: transaction)
        var random = random
        let conversation: UUIDv7
        if let known = contact.conversation {
            conversation = known
        } else {
            conversation = UUIDv7(at: now, using: &random)
            _ = try transaction.openConversation(with: contact.account, newID: conversation)
        }
        if let replyTo, try transaction.message(replyTo)?.conversation != conversation {
            throw ControlError(.notFound, "there is no message \(replyTo) in this conversation", field: "replyTo")
        }
        let id = UUIDv7(at: now, using: &random)
        var row = MessageRow(
            id: id, conversation: conversation, sender: own, senderDevice: device,
            kind: sources.isEmpty ? .text : .file,
            text: text, sentAt: now, receivedAt: now, hlc: transaction.clock.tick(at: now), state: .queued,
            replyTo: replyTo)
        row = try transaction.insertOutgoing(row, to: [contact.account])
        var attachments: [AttachmentBody] = []
        for source in sources {
            let transfer = source.row(
                id: UUIDv7(at: now, using: &random), peer: contact.account, conversation: conversation, message: id,
                at: now)
            _ = try transaction.insert(transfer)
            try transaction.replacePages(of: transfer.id, with: source.pages)
            try transaction.appendProblems(TransferRecords.problems(of: source.scanned), to: transfer.id)
            if let preview = source.show?.preview { try transaction.setAsset(transfer.id, preview) }
            attachments.append(source.attachment(transfer: transfer.id))
        }
        let body = MessageBody(
            kind: attachments.isEmpty ? .text : .file, text: text, time: row.hlc, sentAt: now, replyTo: replyTo,
            attachments: attachments)
        _ = try transaction.appendOutbox(
            for: contact.account, id: id, kind: FrameKind.message.rawValue, body: try body.encoded(), message: id)
        if let key { try transaction.remember(key: key, for: id) }
        return row
    }
}
