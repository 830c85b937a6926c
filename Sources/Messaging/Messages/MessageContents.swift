import Basics
import PeerProtocol
import Store
import Vocabulary

// A message is a row here and a body between peers. This is the only place where one is made from the other.

extension MessageRow {
    /// A message that an account has told, in a frame or in the log of a group.
    init(
        _ body: MessageBody, id: UUIDv7, in conversation: UUIDv7, by sender: AccountID, device: DeviceID,
        at receivedAt: WallTime
    ) {
        // The transaction has to find out which message this one answers.
        self.init(
            id: id, conversation: conversation, sender: sender, senderDevice: device, kind: body.kind, text: body.text,
            sentAt: body.sentAt, receivedAt: receivedAt, hlc: body.time, state: .received, replyTo: body.replyTo)
        call = body.call
    }
}

extension MessageRow {
    /// Finds the message that this one answers; the sender names it by the id that its author gave it.
    mutating func findAnswered(_ body: MessageBody, in place: MessageName.Place, _ transaction: ReadTransaction) throws
    {
        guard let replyTo = body.replyTo else { return }
        switch try MessageName(replyTo, in: place, by: body.replyAuthor).meaning(in: transaction, toldBy: sender) {
        case .here(let answered): self.replyTo = answered.id
        // If somebody else's message has the id here, it is not the one that is meant.
        case .gone, .unknown: if try transaction.message(replyTo) != nil { self.replyTo = nil }
        }
    }
}

extension MessageBody {
    /// A message of ours as the others get it; nil for a message without a frame, such as a tombstone.
    init?(of row: MessageRow, in transaction: ReadTransaction) throws {
        guard !row.deleted, row.kind.wire != nil else { return nil }
        let answered = try row.replyTo.flatMap { try transaction.message($0) }
        let isInGroup = try answered != nil && transaction.conversation(row.conversation)?.group != nil
        let attachments = try row.kind == .file ? transaction.transfers(of: row.id) : []
        self.init(
            kind: row.kind, text: row.text, time: row.hlc, sentAt: row.sentAt,
            replyTo: answered?.wireID ?? row.replyTo, replyAuthor: isInGroup ? answered?.sender : nil,
            attachments: try attachments.map { try AttachmentBody(of: $0, in: transaction) }, call: row.call)
    }
}

extension AttachmentBody {
    fileprivate init(of row: TransferRow, in transaction: ReadTransaction) throws {
        self.init(
            transfer: row.wireID, name: row.name, size: UInt64(clamping: row.size), kind: row.kind,
            mediaType: row.mediaType, fileCount: UInt64(clamping: row.files),
            preview: try transaction.asset(row.id)?.bytes, duration: row.duration.map { UInt64(clamping: $0) },
            leftOut: try TransferRecords.leftOut(of: row, in: transaction), fileRoot: row.fileRoot,
            unlisted: row.unlisted)
    }
}
