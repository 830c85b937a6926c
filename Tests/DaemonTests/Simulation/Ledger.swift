import Basics
import Store
import Testing

@testable import Daemon

/// What clients were told, in the order in which it became durable: it must hold in the end.
final class Ledger {
    struct Entry {
        let sender: Int
        let recipient: Int
        /// A word that is in every version of the text.
        let mark: String
        let key: String?
        let replyTo: UUIDv7?
        var text: String
        var isEdited = false
        var isDeleted = false
        /// Peers that removed the message from their own disk.
        var removedBy: Set<Int> = []
        var reactions: Set<String> = []
    }

    private(set) var entries: [UUIDv7: Entry] = [:]
    /// The ids in the order of sending.
    private(set) var ids: [UUIDv7] = []
    /// Conversations whose messages a peer has removed one by one.
    var emptied: Set<UUIDv7> = []
    private(set) var marks = 0

    func nextNumber() -> Int {
        marks += 1
        return marks
    }

    static func mark(_ number: Int) -> String { "«\(number)»" }

    func sent(_ id: UUIDv7, _ entry: Entry) {
        guard entries[id] == nil else { return }
        entries[id] = entry
        ids.append(id)
    }

    func change(_ id: UUIDv7, _ change: (inout Entry) -> Void) {
        guard var entry = entries[id] else { return }
        change(&entry)
        entries[id] = entry
    }

    static func reaction(_ peer: Int, _ emoji: String) -> String { "\(peer)\(emoji)" }
}

/// What a peer has on its disk once everything is quiet.
struct Picture {
    let peer: SimulatedPeer
    var rows: [UUIDv7: MessageRow] = [:]
    var reactions: [UUIDv7: Set<String>] = [:]
    var attachments: [UUIDv7: [UUIDv7]] = [:]
    /// Messages that are not here and for which something waits.
    var strays: [UUIDv7] = []
    /// The other side of each conversation, and its messages as they are read.
    var conversations: [(id: UUIDv7, other: Int, ids: [UUIDv7])] = []

    init(_ peer: SimulatedPeer, _ peers: [SimulatedPeer], _ problems: inout [String]) throws {
        self.peer = peer
        let numbers = Dictionary(uniqueKeysWithValues: peers.map { ($0.account, $0.number) })
        var found: [String] = []
        try peer.database.read { transaction in
            let listed =
                try transaction.conversations(limit: 50) + transaction.conversations(limit: 50, archived: true)
            for row in listed {
                guard let other = row.contact.flatMap({ numbers[$0] }) else { continue }
                let messages = try Self.pages(of: row.id, size: 7, in: transaction)
                for message in messages {
                    rows[message.id] = message
                    attachments[message.id] = try transaction.transfers(of: message.id).map(\.id)
                    reactions[message.id] = Set(
                        try transaction.reactions(to: message.id).map {
                            Ledger.reaction(numbers[$0.account] ?? -1, $0.emoji)
                        })
                }
                conversations.append((row.id, other, messages.map(\.id)))
                let truth = try transaction.truth(of: row.id)
                if truth.last != row.lastMessage { found.append("\(row.id) doesn't show its last message") }
                if truth.unread != row.unread {
                    found.append("\(row.id) has \(truth.unread) unread and says \(row.unread)")
                }
                let order = try transaction.messageOrder()
                let places = messages.map { $0.position(in: order) }
                if zip(places, places.dropFirst()).contains(where: { $0 >= $1 }) {
                    found.append("\(row.id) is out of order")
                }
                if places.count != Set(places).count { found.append("\(row.id) has a place twice") }
            }
            let waiting = try transaction.outboxCount()
            if waiting > 0 { found.append("\(waiting) items wait in the outbox") }
            strays = try transaction.strays()
        }
        problems += found.map { "peer \(peer.number): \($0)" }
    }

    /// Reads a whole conversation, as a client does that scrolls back through it.
    private static func pages(of id: UUIDv7, size: Int, in transaction: ReadTransaction) throws -> [MessageRow] {
        var all: [MessageRow] = []
        var position: MessagePosition?
        let order = try transaction.messageOrder()
        while true {
            let page = try transaction.messages(in: id, before: position, limit: size)
            all = page.messages + all
            guard page.hasMore, let first = page.messages.first else { return all }
            position = first.position(in: order)
        }
    }
}

extension Ledger {
    /// Returns everything that is not as it should be.
    /// - Parameter sameOrder: all clocks were within the clamp of each other.
    func problems(_ peers: [SimulatedPeer], sameOrder: Bool) throws -> [String] {
        var problems: [String] = []
        let pictures = try peers.map { try Picture($0, peers, &problems) }
        for (number, id) in ids.enumerated() {
            guard let entry = entries[id] else { continue }
            let name = "message \(number) \(entry.mark) of \(entry.sender) to \(entry.recipient)"
            let (mine, theirs) = (pictures[entry.sender].rows[id], pictures[entry.recipient].rows[id])
            // The message was deleted before it was sent again: the other side refused it, and gets no frame about it
            // any more.
            if entry.isDeleted, mine?.state == .failed, theirs == nil { continue }
            problems += check(id, entry, mine, theirs, pictures).map { "\(name): \($0)" }
            for peer in [entry.sender, entry.recipient] where entry.isDeleted || entry.removedBy.contains(peer) {
                let tables = try peers[peer].database.read { try $0.tables(holding: entry.mark) }
                if !tables.isEmpty { problems.append("\(name): its content is in \(tables) of \(peer)") }
            }
        }
        for picture in pictures {
            for id in picture.rows.keys where entries[id] == nil {
                problems.append("peer \(picture.peer.number) has a message that nobody sent")
            }
            for id in picture.strays {
                // A message that its sender removed before it arrived never arrives.
                let entry = entries[id]
                if let entry, entry.recipient == picture.peer.number,
                    entry.isDeleted || entry.removedBy.contains(entry.sender)
                {
                    continue
                }
                problems.append("peer \(picture.peer.number): something waits for \(entry?.mark ?? "nothing")")
            }
            for conversation in picture.conversations {
                if conversation.ids.isEmpty, !emptied.contains(conversation.id) {
                    problems.append("peer \(picture.peer.number) has an empty conversation")
                }
                guard sameOrder, conversation.other > picture.peer.number else { continue }
                let other = pictures[conversation.other].conversations.first { $0.other == picture.peer.number }
                let shared = Set(conversation.ids).intersection(other?.ids ?? [])
                let left = Self.ordered(conversation.ids, picture).filter(shared.contains)
                let right = Self.ordered(other?.ids ?? [], pictures[conversation.other]).filter(shared.contains)
                if left != right {
                    problems.append("\(picture.peer.number) and \(conversation.other) differ in the order")
                }
            }
        }
        return problems
    }

    /// Sorts ids in the order of the clocks, whatever order is set.
    private static func ordered(_ ids: [UUIDv7], _ picture: Picture) -> [UUIDv7] {
        ids.compactMap { picture.rows[$0]?.position(in: .sent) }.sorted().map(\.id)
    }

    private func check(
        _ id: UUIDv7, _ entry: Entry, _ mine: MessageRow?, _ theirs: MessageRow?, _ pictures: [Picture]
    ) -> [String] {
        var problems: [String] = []
        if entry.removedBy.contains(entry.sender) != (mine == nil) {
            problems.append("the sender has it: \(mine != nil)")
        }
        if entry.removedBy.contains(entry.recipient), theirs != nil { problems.append("it came back") }
        // A message that its sender removed from its own disk before it left need not arrive.
        if theirs == nil, entry.removedBy.isEmpty { problems.append("the recipient doesn't have it") }
        if let mine, mine.state != .delivered, mine.state != .read { problems.append("it is \(mine.state)") }
        for row in [mine, theirs].compactMap({ $0 }) where row.deleted != entry.isDeleted {
            problems.append("deleted: \(row.deleted) at \(row.state == .received ? "the recipient" : "the sender")")
        }
        guard let mine, let theirs else { return problems }
        for (who, row) in [("sender", mine), ("recipient", theirs)] where !entry.isDeleted {
            if row.text != entry.text { problems.append("the \(who) shows \(row.text), not \(entry.text)") }
            if (row.editedAt != nil) != entry.isEdited { problems.append("the \(who) shows no edit") }
            if row.replyTo != entry.replyTo { problems.append("the \(who) shows another message answered") }
        }
        for (who, peer) in [("sender", entry.sender), ("recipient", entry.recipient)] {
            let shown = pictures[peer].reactions[id] ?? []
            let expected = entry.isDeleted ? [] : entry.reactions
            if shown != expected {
                problems.append("the \(who) shows the reactions \(shown.sorted()), not \(expected.sorted())")
            }
        }
        if !entry.isDeleted, (mine.state == .read) == theirs.unread {
            problems.append("it is \(mine.state) and unread: \(theirs.unread)")
        }
        if pictures[entry.sender].attachments[id] != pictures[entry.recipient].attachments[id] {
            problems.append("it has other attachments at its recipient")
        }
        if theirs.editedAt != mine.editedAt { problems.append("it was edited at two times") }
        return problems
    }
}
