import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Vocabulary

@testable import Daemon
@testable import Transfer

/// Random actions of users; what the daemons answer is written into the ledger.
struct Operations {
    let random: SharedRandom
    let ledger: Ledger
    /// Reports an answer that no daemon may give.
    let complain: (String) -> Void

    /// Performs one operation of a peer.
    func perform(_ peer: SimulatedPeer, _ peers: [SimulatedPeer]) {
        guard peer.isUp, let other = random.pick(peers.filter { $0 !== peer }) else { return }
        switch random.int(0...99) {
        case 0..<27: send(peer, other)
        case 27..<31: for _ in 0..<random.int(2...9) { send(peer, other) }
        case 31..<34: sendAgain(peer)
        case 34..<46: edit(peer)
        case 46..<52: deleteForAll(peer)
        case 52..<57: deleteForMe(peer)
        case 57..<72: react(peer)
        case 72..<84: markRead(peer, other)
        case 84..<89: update(peer, other)
        case 89..<91: deleteConversation(peer, other)
        case 91..<93: retry(peer)
        case 93..<95: switchOrder(peer)
        case 95: rename(peer, other)
        case 96..<98: changeTransfer(peer)
        case 98: expire(peer, other)
        default: keepHouse(peer)
        }
    }

    /// Runs a job. Only refusals of kinds that clients know may come back, and a full disk.
    private func run<Value>(
        _ peer: SimulatedPeer, _ what: String, _ body: @escaping (WriteTransaction) throws -> Value,
        done: @escaping (Value) -> Void = { _ in }
    ) {
        peer.submit(body) { result in
            switch result {
            case .success(let value): done(value)
            case .failure(StoreError.full), .failure(is MessagingError), .failure(is Nothing): break
            case .failure(let error): complain("\(what) at \(peer.number): \(error)")
            }
        }
    }

    /// The job finds nothing that it could work with.
    private struct Nothing: Error {}

    private func anyMessage(_ transaction: ReadTransaction, own: Bool? = nil) throws -> UUIDv7 {
        let ids = try transaction.messageIDs(own: own ?? random.chance(50))
        guard let id = random.pick(random.chance(60) ? ids.suffix(6) : ids) else { throw Nothing() }
        return id
    }

    private func amendments(_ peer: SimulatedPeer, _ transaction: WriteTransaction) -> Amendments {
        Amendments(own: peer.account, transaction: transaction, random: random)
    }

    // MARK: Messages

    private func send(_ peer: SimulatedPeer, _ other: SimulatedPeer) {
        let number = ledger.nextNumber()
        let mark = Ledger.mark(number)
        let text = "\(mark) hello"
        let key = random.chance(30) ? "key \(number)" : nil
        let replies = random.chance(20)
        let hasFile = random.chance(15)
        run(peer, "send") { transaction in
            var replyTo: UUIDv7?
            let conversation = try transaction.conversation(with: other.account)
            if replies, let conversation {
                replyTo = random.pick(try transaction.messages(in: conversation.id, limit: 10).messages)?.id
            }
            var draft = Draft(
                own: peer.account, device: peer.person.peer.device, text: text, replyTo: replyTo, key: key,
                now: peer.clocks.wallTime)
            draft.random = random
            if hasFile { draft.sources = [Self.file] }
            draft.target = .contact(other.account)
            if let conversation, random.chance(50) { draft.target = .conversation(conversation.id) }
            return (try draft.commit(in: transaction).id, replyTo)
        } done: { id, replyTo in
            ledger.sent(
                id,
                Ledger.Entry(
                    sender: peer.number, recipient: other.number, mark: mark, key: key, replyTo: replyTo, text: text))
        }
    }

    private static let file = PreparedSource(
        path: "/a.txt",
        scanned: ScannedSource(
            name: "a.txt", kind: .file, size: 5, files: 1,
            source: SourceList(
                file: SourceIdentity(inode: 1, size: 5, modified: 0, changed: 0), mode: 0o644),
            skipped: []))

    /// Sends again under the same key, as a client does that got no answer.
    private func sendAgain(_ peer: SimulatedPeer) {
        let known = ledger.ids.compactMap { id in ledger.entries[id].map { (id, $0) } }
            .filter { $0.1.sender == peer.number && $0.1.key != nil }
        guard let (id, entry) = random.pick(known), let key = entry.key else { return }
        run(peer, "send again") { transaction in
            // A message that was removed since then may be sent once more.
            guard try transaction.message(id) != nil else { throw Nothing() }
            var draft = Draft(
                own: peer.account, device: peer.person.peer.device, text: entry.text, replyTo: entry.replyTo,
                key: key, now: peer.clocks.wallTime)
            draft.random = random
            draft.target = .conversation(.zero)
            return try draft.commit(in: transaction).id
        } done: { second in
            if second != id { complain("the same key sent another message at \(peer.number)") }
        }
    }

    private func edit(_ peer: SimulatedPeer) {
        let version = ledger.nextNumber()
        run(peer, "edit") { transaction in
            let id = try anyMessage(transaction, own: true)
            let mark = try transaction.message(id)?.text.prefix { $0 != " " }
            let text = "\(mark ?? "") version \(version)"
            let row = try amendments(peer, transaction).edit(id, text: text)
            return (row.id, text)
        } done: { id, text in
            ledger.change(id) { ($0.text, $0.isEdited) = (text, true) }
        }
    }

    private func deleteForAll(_ peer: SimulatedPeer) {
        run(peer, "delete for all") { transaction in
            let id = try anyMessage(transaction, own: true)
            return try amendments(peer, transaction).deleteForAll(id).id
        } done: { id in
            ledger.change(id) { $0.isDeleted = true }
        }
    }

    private func deleteForMe(_ peer: SimulatedPeer) {
        run(peer, "delete for me") { transaction in
            let row = try amendments(peer, transaction).deleteForMe(try anyMessage(transaction))
            return (row.id, row.conversation)
        } done: { id, conversation in
            ledger.change(id) { $0.removedBy.insert(peer.number) }
            ledger.emptied.insert(conversation)
        }
    }

    private func react(_ peer: SimulatedPeer) {
        let emoji = random.pick(["👍", "👍🏽", "🎉"]) ?? "👍"
        let removed = random.chance(35)
        run(peer, "react") { transaction in
            try amendments(peer, transaction).react(try anyMessage(transaction), emoji: emoji, removed: removed).id
        } done: { id in
            let reaction = Ledger.reaction(peer.number, emoji)
            ledger.change(id) { if removed { $0.reactions.remove(reaction) } else { $0.reactions.insert(reaction) } }
        }
    }

    /// The user sends failed messages again.
    func retry(_ peer: SimulatedPeer) {
        run(peer, "retry") { transaction in
            guard let id = random.pick(try transaction.failedIDs()) else { throw Nothing() }
            _ = try amendments(peer, transaction).retry(id)
            return try transaction.recipients(of: id).map(\.account)
        } done: { accounts in
            for account in accounts { peer.retry(account) }
        }
    }

    // MARK: Conversations

    private func conversation(_ other: SimulatedPeer, _ transaction: ReadTransaction) throws -> ConversationRow {
        guard let row = try transaction.conversation(with: other.account) else { throw Nothing() }
        return row
    }

    private func markRead(_ peer: SimulatedPeer, _ other: SimulatedPeer) {
        let looksAtAll = random.chance(50)
        run(peer, "mark as read") { transaction in
            let row = try conversation(other, transaction)
            let shown = try transaction.messages(in: row.id, limit: 20).messages
            guard let upTo = random.chance(70) ? shown.last : random.pick(shown) else { throw Nothing() }
            let arrival = looksAtAll ? nil : random.pick(shown)?.arrival
            let before = try transaction.messages(in: row.id, limit: 1000).messages
            _ = try amendments(peer, transaction).markRead(row.id, upTo: upTo.id, arrival: arrival, tells: true)
            let order = try transaction.messageOrder()
            let place = upTo.position(in: order)
            let isRight = try before.allSatisfy { message in
                let isMeant = message.position(in: order) <= place && message.arrival <= arrival ?? .max
                return try transaction.message(message.id)?.unread == (message.unread && !isMeant)
            }
            return isRight
        } done: { isRight in
            if !isRight { complain("peer \(peer.number) marked others as read than were meant") }
        }
    }

    private func update(_ peer: SimulatedPeer, _ other: SimulatedPeer) {
        run(peer, "update") { transaction in
            var row = try conversation(other, transaction)
            row.pinned = random.chance(50)
            row.archived = random.chance(50)
            row.muted = random.chance(50)
            try transaction.update(row)
        }
    }

    private func deleteConversation(_ peer: SimulatedPeer, _ other: SimulatedPeer) {
        run(peer, "delete the conversation") { transaction in
            let row = try conversation(other, transaction)
            let ids = try transaction.messages(in: row.id, limit: 1000).messages.map(\.id)
            guard try transaction.remove(conversation: row.id) else { throw Nothing() }
            return ids
        } done: { ids in
            for id in ids { ledger.change(id) { $0.removedBy.insert(peer.number) } }
        }
    }

    /// Removes messages above an age from this disk.
    private func expire(_ peer: SimulatedPeer, _ other: SimulatedPeer) {
        let age = random.milliseconds(5000...40_000)
        let limit = random.int(1...10)
        run(peer, "expire") { transaction in
            func ids() throws -> Set<UUIDv7> {
                Set(try transaction.messageIDs(own: true) + transaction.messageIDs(own: false))
            }
            let before = try ids()
            _ = try transaction.removeMessages(olderThan: age, limit: limit)
            let conversations = try
                (transaction.conversations(limit: 50) + transaction.conversations(limit: 50, archived: true)).map(\.id)
            return (before.subtracting(try ids()), conversations)
        } done: { gone, conversations in
            for id in gone { ledger.change(id) { $0.removedBy.insert(peer.number) } }
            ledger.emptied.formUnion(conversations)
        }
    }

    private func switchOrder(_ peer: SimulatedPeer) {
        let value = random.pick([nil, "\"arrival\"", "\"sent\""]) ?? nil
        run(peer, "switch the order") { transaction in
            try transaction.setSetting("messages.order", to: value)
            try transaction.messageOrderChanged()
        }
    }

    private func rename(_ peer: SimulatedPeer, _ other: SimulatedPeer) {
        let alias = random.pick(["", "Anna", "Bert"]) ?? ""
        run(peer, "rename") { transaction in
            guard var row = try transaction.contact(other.account) else { throw Nothing() }
            row.alias = alias
            try transaction.save(row)
        }
    }

    /// Lets a transfer go on, or end.
    private func changeTransfer(_ peer: SimulatedPeer) {
        let state = random.pick(TransferState.allCases) ?? .done
        run(peer, "change a transfer") { transaction in
            guard var row = random.pick(try transaction.transfers(limit: 20)), !row.state.isOver else {
                throw Nothing()
            }
            row.state = state
            row.path = state == .done ? "/downloads/a.txt" : row.path
            row.finishedAt = state.isOver ? transaction.wallTime : nil
            try transaction.update(row)
        }
    }

    /// Does a part of the housekeeper's work.
    func keepHouse(_ peer: SimulatedPeer) {
        run(peer, "keep house") { transaction in
            _ = try transaction.removeDoomed(limit: random.int(1...20))
            try transaction.expireTraces()
        }
    }
}
