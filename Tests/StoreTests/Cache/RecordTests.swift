import Basics
import Testing
import Threads
import Vocabulary

@testable import Store

/// A store with several accounts, and random changes of everything that a record shows.
private struct Village: Sendable {
    let fixture: Fixture
    static let friends: [UInt8] = [2, 3, 4]
    static let messages: UInt64 = 30

    init() async throws {
        fixture = try await Fixture(conversation: false)
        try await fixture.store.commit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "d", displayName: "Me",
                    createdAt: transaction.wallTime))
            for friend in Self.friends { try transaction.save(Self.contact(friend, "Friend \(friend)")) }
        }
    }

    static func contact(_ number: UInt8, _ name: String) -> ContactRow {
        ContactRow(
            account: Sample.account(number), displayName: name, relation: .friend,
            createdAt: WallTime(milliseconds: 0))
    }

    static func conversation(_ friend: UInt8) -> UUIDv7 { Sample.id(2_000_000 + UInt64(friend)) }

    static func change(_ number: Int, _ seed: UInt64, _ transaction: WriteTransaction) throws {
        var random = SeededGenerator(seed: seed)
        let friend = friends[Int.random(in: 0..<friends.count, using: &random)]
        let id = UInt64.random(in: 0..<messages, using: &random)
        let message = try transaction.message(Sample.id(id))
        let time = HybridTime(rawValue: UInt64(number) << 16 | 1_700_000_000_000 << 16)
        let conversation = try transaction.openConversation(
            with: Sample.account(friend), newID: UUIDv7(high: 0x018B_CFE5_6801_7000, low: 0x8000_0000_0000_0000 | seed))
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4:
            var row = Sample.message(id, from: 1, text: "text \(number)", in: conversation.id)
            row.kind = id % 3 == 0 ? .file : .text
            guard message == nil else { return }
            try transaction.insertOutgoing(row, to: [Sample.account(friend)])
            if row.kind == .file {
                var transfer = Sample.transfer(1000 + UInt64(number), peer: Sample.account(friend), message: row.id)
                transfer.kind = .image
                _ = try transaction.insert(transfer)
                try transaction.setAsset(transfer.id, [UInt8(truncatingIfNeeded: number), 2, 3])
            }
        case 4..<8:
            let row = Sample.message(id, from: friend, text: "from \(number)", in: conversation.id)
            _ = try transaction.insertIncoming(row)
            if let message = try transaction.message(row.id) {
                try Mentions.note(number % 2 == 0, of: message, in: transaction)
            }
        case 8:
            guard let message else { return }
            _ = try transaction.applyEdit(
                of: message.id, by: message.sender, text: "edit \(number)", at: transaction.wallTime, time: time)
        case 9: if let message { _ = try transaction.scrub(message) }
        case 10: if let message { try transaction.remove(message) }
        case 11, 12:
            _ = try transaction.applyReaction(
                to: MessageName(Sample.id(id), in: .between(Sample.account(friend))), by: Sample.account(friend),
                emoji: ["👍", "📌"][number % 2],
                removed: number % 3 == 0, time: time)
        case 13:
            let state: MessageState = [.sent, .delivered, .read][number % 3]
            try transaction.advance([Sample.id(id)], at: Sample.account(friend), to: state)
        case 14:
            if let message, message.conversation == conversation.id {
                _ = try transaction.markRead(SeenRange(last: message), in: conversation.id, limit: 512)
            }
        case 15:
            var row = conversation
            row.pinned.toggle()
            row.muted = number % 2 == 0
            row.mentionsMuted = number % 3 == 0
            try transaction.update(row)
        case 16:
            if number % 5 == 0 {
                try transaction.removeContact(Sample.account(friend))
            } else {
                try transaction.save(contact(friend, "Name \(number)"))
            }
        case 17:
            for transfer in try transaction.transfers(of: Sample.id(id)) {
                var row = transfer
                row.state = row.state == .offered ? .active : .done
                row.path = "/tmp/\(number)"
                try transaction.update(row)
            }
        case 18:
            if number % 4 == 0 {
                _ = try transaction.remove(conversation: conversation.id)
            } else {
                _ = try transaction.removeDoomed(limit: 3)
            }
        default:
            try transaction.setSetting("messages.order", to: number % 2 == 0 ? "\"arrival\"" : nil)
            try transaction.messageOrderChanged()
        }
    }

    /// Compares everything, read with and without the memory.
    static func compare(_ transaction: ReadTransaction, _ seed: UInt64) throws -> [String] {
        var random = SeededGenerator(seed: seed)
        let plain = ReadTransaction(transaction.connection)
        var differences: [String] = []
        for _ in 0..<10 {
            let id = Sample.id(UInt64.random(in: 0..<messages, using: &random))
            let (one, two) = (try transaction.messageRecord(id), try plain.messageRecord(id))
            if one != two { differences.append("\(one as Any) is not \(two as Any)") }
        }
        for archived in [false, true] {
            for listed in try transaction.conversationPositions(limit: 100, archived: archived) {
                let id = listed.position.id
                let one = try transaction.conversationRecord(id)
                let two = try plain.conversation(id).map { try plain.record(of: $0) }
                if one != two { differences.append("\(one as Any) is not \(two as Any)") }
                if one?.row.position != listed { differences.append("\(id) stands elsewhere") }
                let start = MessagePosition(key: UInt64.random(in: 0...40, using: &random), id: .zero)
                for after in [nil, start] {
                    let page = try transaction.messageRecords(in: id, after: after, limit: 20)
                    let rows = try plain.messages(in: id, after: after, limit: 20)
                    if page.records != (try rows.messages.map { try plain.record(of: $0) }) {
                        differences.append("another page")
                    }
                    if page.hasMore != rows.hasMore { differences.append("more or less than the page") }
                }
            }
        }
        return differences
    }
}

@Suite("Records")
struct RecordTests {
    @Test(
        "While everything changes, readers on two threads get the database's state through the memory",
        arguments: 0..<6 as Range<UInt64>)
    func interleavings(seed: UInt64) async throws {
        let village = try await Village()
        let store = village.fixture.store
        let found = Lock<[String]>([])
        let report: @Sendable (Result<[String], any Error>) -> Void = { result in
            switch result {
            case .success(let differences): found.withLock { $0 += differences }
            case .failure(let error): found.withLock { $0.append("\(error)") }
            }
        }
        // How often the cache is hit depends on how threads are scheduled, so the changes go on until it has been hit often
        // enough.
        var number = 0
        while try number < 1500 || (number < 6_000 && #require(store.memory).counts.hits <= 1000) {
            let own = seed << 32 | UInt64(number)
            let change = number
            store.commit {
                try Village.change(change, own, $0)
            } completion: { result in
                // The id may be taken by a message of a conversation that is being removed.
                if case .failure(let error) = result, case .constraint? = error as? StoreError { return }
                if case .failure(let error) = result { found.withLock { $0.append("\(error)") } }
            }
            store.read({ try Village.compare($0, own) }, completion: report)
            store.read(by: .events, { try Village.compare($0, own ^ 1) }, completion: report)
            // Now and then this waits for the store, so that commits are small and the memory is of use.
            if number % 3 == 0 { _ = try await store.read { try $0.latestEvent() } }
            number += 1
        }
        store.close()
        let differences = found.withLock { $0 }
        #expect(differences.isEmpty, "\(differences.first ?? "")")
        #expect(try #require(store.memory).counts.hits > 1000)
    }

    @Test("A reader after the answer to a write never sees the state before it")
    func ownWrites() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { _ = try $0.insertIncoming(Sample.message(1, from: 2)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...800 {
                    let text = "edit \(number)"
                    try await store.commit { transaction in
                        _ = try transaction.applyEdit(
                            of: Sample.id(1), by: Sample.friend, text: text, at: transaction.wallTime,
                            time: transaction.clock.tick(at: transaction.wallTime))
                    }
                    let seen = try await store.read { try $0.messageRecord(Sample.id(1))?.row.text }
                    #expect(seen == text)
                    let shown = try await store.read { try $0.conversationRecord(Sample.conversation)?.lastMessage }
                    #expect(shown?.row.text == text)
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<800 {
                        _ = try await store.read { try $0.messageRecord(Sample.id(1)) }
                        await withCheckedContinuation { continuation in
                            store.read(by: .events, { try $0.messageRecord(Sample.id(1)) }) { _ in continuation.resume()
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try #require(store.memory).counts.hits > 500)
    }

    @Test("The data of a failed job is in no cache")
    func undone() async throws {
        struct Never: Error {}
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { _ = try $0.insertIncoming(Sample.message(1, from: 2, text: "before")) }
        await #expect(throws: Never.self) {
            try await store.commit { transaction in
                _ = try transaction.applyEdit(
                    of: Sample.id(1), by: Sample.friend, text: "never", at: transaction.wallTime,
                    time: transaction.clock.tick(at: transaction.wallTime))
                #expect(try transaction.messageRecord(Sample.id(1))?.row.text == "never")
                throw Never()
            }
        }
        #expect(try await store.read { try $0.messageRecord(Sample.id(1))?.row.text } == "before")
    }
}
