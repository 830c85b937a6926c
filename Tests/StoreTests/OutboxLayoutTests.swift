import Basics
import TestSupport
import Testing
import Vocabulary

@testable import Store

/// An item of the outbox and its recipient know of each other, in one tree each (docs/decisions/0070).
@Suite("Layout of the outbox")
struct OutboxLayoutTests {
    private static let queued = SQL("SELECT count(*) FROM recipient WHERE queued IS NOT NULL")
    private static let rows = SQL("SELECT count(*) FROM outbox")
    private static let unknown = SQL(
        """
        SELECT count(*) FROM outbox AS o WHERE o.id IS NULL AND NOT EXISTS (
            SELECT 1 FROM recipient AS r WHERE r.message = o.message AND r.account = o.account AND r.queued = o.seq)
        """)

    /// Whether each item that has no id of its own is known to its recipient, and each place that a recipient knows is taken.
    static func agrees(_ transaction: ReadTransaction) throws(StoreError) -> Bool {
        let connection = transaction.connection
        let carried = try connection.integer(SQL("SELECT count(*) FROM outbox WHERE id IS NULL"))
        let (strays, places) = (try connection.integer(unknown), try connection.integer(queued))
        return strays == 0 && places == carried
    }

    @Test("A message that goes takes what carries it along; a recipient that goes does, too")
    func removal() async throws {
        let fixture = try await Fixture()
        for number: UInt64 in 1...3 { try await OutboxTests.send(number, in: fixture.store) }
        try await fixture.store.commit { transaction throws in
            func waiting() throws(StoreError) -> [UUIDv7] {
                try transaction.outbox(for: Sample.friend, limit: 9, maximumBytes: 999).map(\.id)
            }
            let first = try #require(try transaction.message(Sample.id(1)))
            try transaction.remove(first)
            #expect(try waiting() == [2, 3].map(Sample.id))
            try transaction.connection.execute(
                "DELETE FROM recipient WHERE queued = (SELECT min(queued) FROM recipient)")
            #expect(try waiting() == [Sample.id(3)])
            #expect(try Self.agrees(transaction))
            try transaction.emptyOutbox(for: Sample.friend, reason: .notFriends)
            #expect(try transaction.connection.integer(Self.queued) == 0)
            #expect(try transaction.connection.integer(Self.rows) == 0)
        }
        fixture.store.close()
    }

    @Test("A long body stands beside the outbox, comes back whole, and goes with its item")
    func longBodies() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction throws in
            let connection = transaction.connection
            let bodies = SQL("SELECT count(*) FROM outbox_body")
            for (number, length) in [1, StoreLimits.outboxBodyInRow, StoreLimits.outboxBodyInRow + 1, 500 << 10]
                .enumerated()
            {
                try transaction.appendOutbox(
                    for: Sample.friend, id: Sample.id(UInt64(number + 1)), kind: 112,
                    body: [UInt8](repeating: UInt8(number), count: length))
            }
            #expect(try connection.integer(bodies) == 2)
            #expect(
                try connection.integer(SQL("SELECT max(length(body)) FROM outbox"))
                    == Int64(StoreLimits.outboxBodyInRow))
            let rows = try transaction.outbox(for: Sample.friend, limit: 9, maximumBytes: 1 << 20)
            #expect(rows.map(\.body.count) == [1, 768, 769, 500 << 10] && rows[3].body.allSatisfy { $0 == 3 })
            #expect(
                try transaction.outboxItem(Sample.id(3), for: Sample.friend)?.body == [UInt8](repeating: 2, count: 769))
            try transaction.acknowledge([Sample.id(3)], by: Sample.friend)
            #expect(try connection.integer(bodies) == 1)
            try transaction.emptyOutbox(for: Sample.friend, reason: .notFriends)
            #expect(try connection.integer(bodies) == 0 && connection.integer(Self.rows) == 0)
        }
        fixture.store.close()
    }

    @Test("The same item can't wait twice for an account, whether its id is its own or its message's")
    func twice() async throws {
        let fixture = try await Fixture()
        try await OutboxTests.send(1, in: fixture.store)
        try await fixture.store.commit { transaction throws in
            func append(_ id: UInt64, message: UUIDv7? = nil) throws {
                try transaction.appendOutbox(
                    for: Sample.friend, id: Sample.id(id), kind: 49, body: [], message: message)
            }
            #expect(throws: StoreError.self) { try append(1, message: Sample.id(1)) }
            try append(2)
            #expect(throws: StoreError.self) { try append(2) }
            #expect(try transaction.outboxCount() == 2)
            // Once it has left, it may come again: the user sends a failed message anew.
            try transaction.refuse([Sample.id(1)], by: Sample.friend, reason: .blocked)
            _ = try transaction.requeue(Sample.id(1))
            try append(1, message: Sample.id(1))
            #expect(try transaction.outboxItem(Sample.id(1), for: Sample.friend)?.kind == 49)
            #expect(try Self.agrees(transaction))
        }
        fixture.store.close()
    }

    @Test("A message to one who is no recipient of it waits under its own id")
    func noRecipient() async throws {
        let fixture = try await Fixture()
        try await OutboxTests.send(1, in: fixture.store)
        try await fixture.store.commit { transaction throws in
            let id = Sample.id(1)
            try transaction.appendOutbox(for: Sample.other, id: id, kind: 48, body: [9], message: id)
            #expect(try transaction.outboxItem(id, for: Sample.other)?.message == id)
            #expect(try transaction.outbox(carrying: id).count == 2)
            try transaction.replaceOutboxBody(of: id, with: [7])
            #expect(try transaction.outbox(carrying: id).map(\.body) == [[7], [7]])
            #expect(try transaction.acknowledge([id], by: Sample.other).count == 1)
            try transaction.appendOutbox(for: Sample.other, id: id, kind: 48, body: [9], message: id)
            try transaction.remove(try #require(try transaction.message(id)))
            #expect(try transaction.outboxCount() == 0)
        }
        fixture.store.close()
    }
}
