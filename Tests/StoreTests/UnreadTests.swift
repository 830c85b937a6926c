import Basics
import Testing
import Vocabulary

@testable import Store

/// What counts as unread, apart from what has just come.
@Suite("Unread again")
struct UnreadTests {
    private func unread(_ store: Store) async throws -> (messages: [UInt64], count: Int64, total: Int64) {
        try await store.read { transaction in
            let messages = try transaction.messages(in: Sample.conversation, limit: 100).messages
            return (
                messages.filter(\.unread).map { $0.id.low & 0xFFFF },
                try #require(try transaction.conversation(Sample.conversation)).unread,
                try transaction.unreadTotals().loud
            )
        }
    }

    private func read(_ number: UInt64, _ store: Store) async throws -> [UUIDv7] {
        try await store.commit { transaction in
            let row = try #require(try transaction.message(Sample.id(number)))
            return try transaction.markRead(SeenRange(last: row), in: Sample.conversation, limit: 10).map(\.id)
        }
    }

    @Test("The last message that others wrote is unread again, however often that is asked for, until it is read")
    func again() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { transaction in
            for number in UInt64(1)...3 { _ = try transaction.insertIncoming(Sample.message(number, from: 2)) }
            _ = try transaction.insertOutgoing(Sample.message(4), to: [Sample.friend])
        }
        #expect(try await read(4, store).count == 3)
        for _ in 1...2 { #expect(try await store.commit { try UnreadMark.put(on: Sample.conversation, in: $0) }) }
        #expect(try await unread(store) == ([3], 1, 1))
        let first = try await store.read { try $0.firstUnread(in: Sample.conversation) }
        #expect(first?.id == Sample.id(3))
        #expect(try await read(4, store) == [Sample.id(3)])
        #expect(try await unread(store) == ([], 0, 0))
        store.close()
    }

    @Test("Where something is unread already, nothing more becomes so")
    func already() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { transaction in
            _ = try transaction.insertIncoming(Sample.message(1, from: 2))
        }
        _ = try await read(1, store)
        try await store.commit { transaction in
            _ = try transaction.insertIncoming(Sample.message(2, from: 2))
            #expect(try UnreadMark.put(on: Sample.conversation, in: transaction))
        }
        #expect(try await unread(store) == ([2], 1, 1))
        store.close()
    }

    @Test("Own messages, calls and what was deleted are never unread again")
    func never() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { transaction in
            _ = try transaction.insertOutgoing(Sample.message(1), to: [Sample.friend])
            #expect(try !UnreadMark.put(on: Sample.conversation, in: transaction))
            _ = try transaction.insertIncoming(Sample.message(2, from: 2))
            _ = try transaction.insertIncoming(Sample.message(3, from: 2))
            try transaction.connection.run(
                SQL("UPDATE message SET kind = ?, unread = 0 WHERE id = ?"), MessageKind.call, Sample.id(2))
            try transaction.connection.run(SQL("UPDATE message SET deleted = 1, unread = 0 WHERE id = ?"), Sample.id(3))
            #expect(try !UnreadMark.put(on: Sample.conversation, in: transaction))
        }
        store.close()
    }
}
