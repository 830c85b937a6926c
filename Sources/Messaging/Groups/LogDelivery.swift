import Basics
import PeerProtocol
import Store
import Vocabulary

/// Shows in a group's conversation what the log delivers, inside a store transaction.
struct LogDelivery {
    let scope: GroupScope
    let transaction: WriteTransaction
    let choices: TransactionSettings
    let destination: Destination
    let random: any RandomNumberGenerator & Sendable
    /// Whether a member whose entries are shown here had left before.
    private var lateness: [AccountID: Bool] = [:]

    init(
        scope: GroupScope, transaction: WriteTransaction, choices: TransactionSettings, destination: Destination,
        random: any RandomNumberGenerator & Sendable
    ) {
        self.scope = scope
        self.transaction = transaction
        self.choices = choices
        self.destination = destination
        self.random = random
    }

    // MARK: Entries

    mutating func deliver(_ entries: [LogEntry], _ graph: GroupGraph, _ row: GroupRow) throws {
        var row = row
        for entry in entries {
            guard let author = graph.author(of: entry) else { continue }
            // Content that breaks the rules is the author's fault: the entry keeps its position, and nothing is shown.
            guard let content = try? entry.body() else { continue }
            if row.conversation == nil { row = try reopen(row, for: content) ?? row }
            guard let conversation = row.conversation else { continue }
            let writer = Author(account: author, device: entry.device, isLate: isLate(author, graph))
            switch content {
            case .message(let body): try message(body, entry, by: writer, in: conversation, row)
            case .edit(let body):
                let change = try transaction.applyEdit(
                    of: body.message, by: author, text: body.text, at: body.editedAt, time: body.time)
                if change == .changed, let message = try transaction.message(body.message, by: author) {
                    try MentionText.note(message, in: row.id, own: scope.own, transaction)
                }
            case .deletion(let body): try deletion(body, by: writer, in: conversation, row)
            case .call(let body): try call(body, entry, by: writer, in: conversation)
            case .reaction(let body):
                _ = try transaction.applyReaction(
                    to: MessageName(body.message, in: .group(row.id), by: body.author), by: author, emoji: body.emoji,
                    removed: body.removed, time: body.time)
            }
        }
    }

    /// Stores a call that began in the group.
    private func call(
        _ body: CallEntryBody, _ entry: LogEntry, by author: Author, in conversation: UUIDv7
    ) throws {
        var message = MessageRow(
            id: entry.id, conversation: conversation, sender: author.account, senderDevice: author.device, kind: .call,
            text: "", sentAt: entry.at, receivedAt: transaction.wallTime, hlc: entry.time, state: .received)
        message.call = CallRecord(media: body.media, outcome: .answered, startedAt: entry.at)
        message.isLate = author.isLate
        guard author.account != scope.own else { return try ours(message) }
        _ = try transaction.insertIncoming(message)
    }

    private struct Author {
        let account: AccountID
        let device: DeviceID
        let isLate: Bool
    }

    /// Whether the author left after we came. Then nobody knows when an entry that comes from it now was written.
    private mutating func isLate(_ author: AccountID, _ graph: GroupGraph) -> Bool {
        if let isLate = lateness[author] { return isLate }
        var isLate = false
        if let departure = graph.lastDeparture(of: author), let own = graph.state.members[scope.own] {
            isLate = !graph.follows(own.since, departure.hash)
        }
        lateness[author] = isLate
        return isLate
    }

    /// Opens a conversation that was deleted here again, for the next message.
    private func reopen(_ row: GroupRow, for content: LogContent) throws -> GroupRow? {
        switch content {
        case .message, .call: break
        case .edit, .deletion, .reaction: return nil
        }
        var random = random
        _ = try transaction.openConversation(of: row.id, newID: UUIDv7(at: transaction.wallTime, using: &random))
        return try transaction.group(row.id)
    }

    private mutating func message(
        _ body: MessageBody, _ entry: LogEntry, by author: Author, in conversation: UUIDv7, _ row: GroupRow
    ) throws {
        var message = MessageRow(
            body, id: entry.id, in: conversation, by: author.account, device: author.device, at: transaction.wallTime)
        message.isLate = author.isLate
        try message.findAnswered(body, in: .group(row.id), transaction)
        guard author.account != scope.own else { return try ours(message) }
        guard case .inserted = try transaction.receive(&message) else { return }
        try MentionText.note(message, in: row.id, own: scope.own, transaction)
        guard !body.attachments.isEmpty else { return }
        try files(body.attachments, of: message, in: row)
    }

    /// Stores a message of our own that this disk has lost and other members have kept.
    private func ours(_ message: MessageRow) throws {
        guard try !transaction.isKnown(message.id, by: scope.own) else { return }
        try transaction.insertOutgoing(message, to: [])
    }

    /// Offers the files of a group's message to this account, which takes them by its own rules.
    private mutating func files(_ attachments: [AttachmentBody], of message: MessageRow, in row: GroupRow) throws {
        let outcome = OfferReceiver(
            author: message.sender, contact: try transaction.contact(message.sender), isGroup: true,
            conversation: message.conversation, message: message.id, policy: try choices.files(transaction),
            destination: destination)
        try outcome.receive(attachments, in: transaction)
    }

    private mutating func deletion(
        _ body: DeletionBody, by author: Author, in conversation: UUIDv7, _ row: GroupRow
    ) throws {
        // Only its author can delete a message for all, and the message's own entry is in the log before this one.
        let theirs = try transaction.log.logEntries(id: body.message, of: row.id).contains { known in
            try known.kind == Int64(LogKind.message.rawValue)
                && transaction.account(of: known.device, in: row.id) == author.account
        }
        guard theirs else { return }
        let tombstone = MessageRow(
            id: body.message, conversation: conversation, sender: author.account, senderDevice: author.device,
            text: "", sentAt: body.sentAt, receivedAt: transaction.wallTime, hlc: body.time, state: .received,
            deleted: true)
        let (_, ended) = try transaction.applyDeletion(tombstone)
        try Tombstones.end(ended, in: transaction)
    }

    // MARK: Forks

    /// Tells the user that a member has signed two entries for one place.
    func tellOfFork(_ fork: LogFork, _ graph: GroupGraph, _ row: GroupRow) throws {
        // The message that came with the fork may have brought the conversation back.
        guard let conversation = try transaction.conversation(of: row.id)?.id,
            let entry = try transaction.log.logEntry(fork.second, of: row.id)
        else { return }
        let forked = try LogEntry(trusting: entry.header, signature: entry.signature, content: nil)
        guard let author = graph.author(of: forked) else { return }
        let name = try transaction.contact(author)?.shownName ?? transaction.member(author, of: row.id)?.name
        let line = GroupNews(own: scope.own) { _ in name ?? Names.placeholder(for: author) }.forked(by: author)
        var random = random
        let row = MessageRow(
            id: UUIDv7(at: transaction.wallTime, using: &random), conversation: conversation, sender: author,
            senderDevice: entry.device, kind: .system, text: line.searchText, sentAt: forked.at,
            receivedAt: transaction.wallTime, hlc: forked.time, state: .received, detail: line.stored)
        _ = try transaction.insertSystem(row)
    }
}
