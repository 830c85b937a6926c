import Basics
import Crypto
import Store
import Threads

/// Writes a long history into the database of a daemon that does not run. All that the benchmarks know of `Store` is here.
struct HistoryStore {
    /// What was written, for the report.
    struct Written {
        var messages = 0
        var files = 0
        /// Messages in which the commonest word stands.
        var withCommonest = 0
        var withRarest = 0
        var bytes: Int64 = 0
    }

    /// Nobody hears of what is written here.
    private struct Silence: EventComposer {
        func compose(_ change: ObjectChange, in transaction: ReadTransaction) throws -> (type: String, data: [UInt8])? {
            nil
        }
    }

    /// A friend with a conversation.
    private struct Person: Sendable {
        let account: AccountID
        let device: DeviceID
        let conversation: UUIDv7
    }

    /// Messages in one commit: what one costs no longer matters, and the store's log stays small.
    private static let group = 10_000

    private let store: Store
    /// The ends of jobs.
    private let ends = JobQueue<Result<Void, any Error>>()

    /// - Parameter directory: the daemon's data; it must have made its account.
    static func fill(directory: String, plan: HistoryPlan) throws -> Written {
        let store = try Store.open(directory: directory, composer: Silence(), clocks: SystemClocks())
        defer { store.close() }
        return try HistoryStore(store: store).write(plan)
    }

    private func write(_ plan: HistoryPlan) throws -> Written {
        var plan = plan
        var random = SeededGenerator(seed: 4)
        let people = makePeople(plan.conversations)
        var written = Written()
        var group = plan.next(Self.group)
        submit { try Self.store(people, in: $0) }
        while !group.isEmpty {
            try waitForEnd()
            let (current, seed) = (group, random.next())
            submit { try Self.insert(current, by: people, seed: seed, in: $0) }
            // The next group is made while the store writes this one.
            count(current, plan.vocabulary, in: &written)
            group = plan.next(Self.group)
        }
        try waitForEnd()
        let unread = people.indices.map { plan.unread($0) }
        submit { try Self.markRead(people, unread: unread, in: $0) }
        try waitForEnd()
        written.bytes = store.databaseBytes
        return written
    }

    private func submit(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) {
        let ends = ends
        store.submit(body) { _ = ends.put($0) }
    }

    private func waitForEnd() throws {
        for end in ends.takeAll() ?? [] { try end.get() }
    }

    private func makePeople(_ count: Int) -> [Person] {
        var random = SeededGenerator(seed: 5)
        let now = SystemClocks().wallTime
        return (0..<count).map { _ in
            Person(
                account: AccountID(SigningKey().publicKey), device: DeviceID(SigningKey().publicKey),
                conversation: UUIDv7(at: now, using: &random))
        }
    }

    private static func store(_ people: [Person], in transaction: WriteTransaction) throws {
        let now = transaction.wallTime
        for (number, person) in people.enumerated() {
            try transaction.save(
                ContactRow(
                    account: person.account, device: person.device, displayName: HistoryBench.name(number),
                    relation: .friend, lastSeen: now, createdAt: now))
            try transaction.save(DeviceRow(device: person.device, account: person.account, lastSeen: now))
            _ = try transaction.openConversation(with: person.account, newID: person.conversation)
        }
    }

    private static func insert(
        _ drafts: [HistoryPlan.Draft], by people: [Person], seed: UInt64, in transaction: WriteTransaction
    ) throws {
        guard let own = try transaction.ownAccount() else { throw BenchFailure(description: "there is no account") }
        var random = SeededGenerator(seed: seed)
        for draft in drafts {
            let person = people[draft.conversation]
            let row = MessageRow(
                id: UUIDv7(at: draft.at, using: &random), conversation: person.conversation,
                sender: draft.isOwn ? own.account : person.account,
                senderDevice: draft.isOwn ? own.device : person.device, kind: draft.file == nil ? .text : .file,
                text: draft.text, sentAt: draft.at, receivedAt: draft.at,
                hlc: HybridTime(milliseconds: draft.at.milliseconds), state: draft.isOwn ? .read : .received)
            if draft.isOwn {
                try transaction.insertOutgoing(row, to: [person.account])
            } else {
                _ = try transaction.insertIncoming(row)
            }
            guard let file = draft.file else { continue }
            try transaction.insert(
                TransferRow(
                    id: UUIDv7(at: draft.at, using: &random), direction: draft.isOwn ? .outgoing : .incoming,
                    peer: person.account, conversation: person.conversation, message: row.id, name: file,
                    size: 100_000, bytesDone: 100_000, filesDone: 1, state: .done, kind: .document,
                    mediaType: "application/pdf", createdAt: draft.at, finishedAt: draft.at))
        }
    }

    /// All but the last few that came in were read.
    private static func markRead(_ people: [Person], unread: [Int], in transaction: WriteTransaction) throws {
        for (person, count) in zip(people, unread) {
            guard var row = try transaction.conversation(person.conversation) else { continue }
            row.unread = Int64(count)
            try transaction.update(row)
        }
    }

    private func count(_ drafts: [HistoryPlan.Draft], _ vocabulary: ZipfText, in written: inout Written) {
        let (commonest, rarest) = (vocabulary.commonest, vocabulary.rarest)
        for draft in drafts {
            written.messages += 1
            if draft.file != nil { written.files += 1 }
            let words = draft.text.utf8.split(separator: UInt8(ascii: " "))
            if words.contains(where: { $0.elementsEqual(commonest.utf8) }) { written.withCommonest += 1 }
            if words.contains(where: { $0.elementsEqual(rarest.utf8) }) { written.withRarest += 1 }
        }
    }
}
