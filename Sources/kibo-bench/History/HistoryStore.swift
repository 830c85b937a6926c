import Basics
import Crypto
import Store
import Threads

/// Writes a long history into the database of a daemon that does not run. Only this file of the benchmarks uses `Store`
/// for it.
struct HistoryStore {
    /// The counts of what was written, for the report.
    struct Written {
        var messages = 0
        var files = 0
        /// The number of messages that contain the commonest word.
        var withCommonest = 0
        var withRarest = 0
        var bytes: Int64 = 0
    }

    /// A friend with a conversation.
    private struct Person: Sendable {
        let account: AccountID
        let device: DeviceID
        let conversation: UUIDv7
    }

    /// Messages in one commit: enough that the cost of a commit no longer matters, few enough that the store's log
    /// stays small.
    private static let group = 10_000

    /// Conversations that are marked as read in one commit.
    private static let conversationsRead = 50

    private let store: Store
    /// The results of jobs.
    private let ends = JobQueue<Result<Void, any Error>>()

    /// - Parameter directory: the data of a daemon that has made its account.
    static func fill(directory: String, plan: HistoryPlan) throws -> Written {
        let store = try Store.open(directory: directory, clocks: SystemClocks())
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
        for first in stride(from: 0, to: people.count, by: Self.conversationsRead) {
            let some = people.indices[first...].prefix(Self.conversationsRead).map { (people[$0], plan.unread($0)) }
            submit { try Self.markRead(some, in: $0) }
            try waitForEnd()
        }
        try indexAll()
        written.bytes = store.databaseBytes
        return written
    }

    private func submit(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) {
        let ends = ends
        store.commit(
            { transaction in
                // No client gets these events, but as many are kept as a daemon would keep. The store itself drops old
                // ones at a daemon's pace.
                while try transaction.pruneEvents() > 0 {}
                try body(transaction)
            }, completion: { _ = ends.put($0) })
    }

    /// Indexes everything, as the daemon does in its pauses.
    private func indexAll() throws {
        while true {
            let count = Lock(0)
            submit { transaction in
                let done = try transaction.indexMessages(limit: Self.group)
                count.withLock { $0 = done }
            }
            try waitForEnd()
            if count.withLock({ $0 }) == 0 { return }
        }
    }

    private func waitForEnd() throws {
        for end in ends.waitAndDrain() ?? [] { try end.get() }
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

    /// Marks everything as read except for the last few messages.
    private static func markRead(_ people: [(Person, unread: Int)], in transaction: WriteTransaction) throws {
        for (person, unread) in people {
            let page = try transaction.messages(in: person.conversation, limit: unread + 1)
            guard let last = page.messages.first else { continue }
            _ = try transaction.markRead(SeenRange(last: last), in: person.conversation, limit: .max)
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
