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
        try await fixture.store.write { transaction throws in
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

    @Test("The same item can't wait twice for an account, whether its id is its own or its message's")
    func twice() async throws {
        let fixture = try await Fixture()
        try await OutboxTests.send(1, in: fixture.store)
        try await fixture.store.write { transaction throws in
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
        try await fixture.store.write { transaction throws in
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

    private func bringBack(_ directory: TemporaryDirectory) throws {
        let connection = try Connection(path: directory.database, purpose: .writer)
        try connection.execute(OlderDatabase.version27)
        connection.close()
    }

    @Test("An older version's outbox keeps its items, their order, bodies and attempts; the upgrade is told of")
    func upgrade() async throws {
        let fixture = try await GroupSample.fixture()
        let (store, friend, other) = (fixture.store, Sample.friend, Sample.other)
        try await store.write { transaction throws in
            for number: UInt64 in 1...4 {
                let row = Sample.message(number)
                try transaction.insertOutgoing(row, to: number == 3 ? [friend, other] : [friend])
                for account in number == 3 ? [friend, other] : [friend] {
                    try transaction.appendOutbox(
                        for: account, id: row.id, kind: 48, body: [UInt8](repeating: UInt8(number), count: 3000),
                        message: row.id)
                }
            }
            // An edit, the deletion of a message that has arrived, and something without a message.
            try transaction.appendOutbox(for: friend, id: Sample.id(50), kind: 49, body: [50], about: Sample.id(2))
            try transaction.acknowledge([Sample.id(4)], by: friend)
            _ = try transaction.scrub(try #require(try transaction.message(Sample.id(4))))
            try transaction.appendOutbox(for: friend, id: Sample.id(51), kind: 50, body: [51], message: Sample.id(4))
            try transaction.appendOutbox(for: other, id: Sample.id(52), kind: 52, body: [52])
            // A message to one who is no recipient of it, and a group's message, whose body both share.
            try transaction.appendOutbox(for: other, id: Sample.id(1), kind: 48, body: [1], message: Sample.id(1))
            let grouped = Sample.message(5, in: GroupSample.conversation)
            try transaction.insertOutgoing(grouped, to: [friend, other])
            try transaction.appendOutbox(
                for: [friend, other], in: GroupSample.id, id: grouped.id, kind: 69, body: [5], message: grouped.id)
            try transaction.postpone([Sample.id(2)], by: friend, reason: .busy, detail: "later")
            try transaction.markSent([Sample.id(1)], to: friend)
        }
        let waiting: @Sendable (ReadTransaction) throws -> [OutboxRow] = { transaction in
            try [friend, other].flatMap { try transaction.outbox(for: $0, limit: 99, maximumBytes: 1 << 20) }
        }
        let before = try await store.read(waiting)
        #expect(before.map(\.id) == [1, 2, 3, 50, 51, 5, 3, 52, 1, 5].map(Sample.id))
        store.close()
        try bringBack(fixture.directory)

        var told: [StoreUpgrade] = []
        let again = try Store.open(directory: fixture.directory.path, clocks: fixture.clocks) { told.append($0) }
        #expect(told.map(\.step) == Array(28...Migrations.all.count))
        #expect(told.allSatisfy { $0.last == Migrations.all.count })
        #expect(try await again.read(waiting) == before)
        try await again.write { transaction throws in
            #expect(try Self.agrees(transaction))
            #expect(try transaction.outboxCount(about: Sample.id(2)) == 1)
            #expect(try transaction.outbox(carrying: Sample.id(3)).count == 2)
            // Numbers go on behind all of them.
            let next = try transaction.appendOutbox(for: friend, id: Sample.id(60), kind: 52, body: [])
            #expect(next > before.map(\.seq).max() ?? .max)
            let left = try transaction.acknowledge([1, 2, 3, 50, 51, 5, 60].map(Sample.id), by: friend)
            #expect(left.count == 7)
            #expect(try transaction.message(Sample.id(1))?.state == .delivered)
            #expect(try transaction.message(Sample.id(3))?.state == .queued)
            #expect(try transaction.message(Sample.id(5))?.state == .queued)
            try transaction.acknowledge([3, 52, 1, 5].map(Sample.id), by: other)
            #expect(try transaction.message(Sample.id(5))?.state == .delivered)
            #expect(try transaction.connection.integer(SQL("SELECT count(*) FROM outbox_body")) == 0)
            #expect(try transaction.message(Sample.id(3))?.state == .delivered)
            #expect(try transaction.outboxCount() == 0)
            #expect(try Self.agrees(transaction))
        }
        again.close()
    }

    @Test("An upgrade that fails anywhere leaves the older version's database, and the next one succeeds")
    func failedUpgrade() async throws {
        let fixture = try await Fixture()
        let (store, directory) = (fixture.store, fixture.directory)
        for number: UInt64 in 1...200 {
            try await OutboxTests.send(number, in: store, body: [UInt8](repeating: 1, count: 500))
        }
        store.close()
        try bringBack(directory)
        // Each room on the disk is too little, until one is enough.
        let connection = try Connection(path: directory.database, purpose: .writer)
        try connection.execute("PRAGMA incremental_vacuum")
        let pages = try #require(try connection.integer(SQL("PRAGMA page_count")))
        var failures = 0
        for room in 0...1000 {
            try connection.execute("PRAGMA max_page_count = \(pages + Int64(room) * 3)")
            do {
                try Migrations.run(on: connection, path: directory.database)
                break
            } catch {
                #expect(error == .full)
                failures += 1
                // Each step is whole or untaken.
                #expect(try 27..<Migrations.all.count ~= Migrations.version(of: connection))
                #expect(try connection.integer(Self.rows) == 200)
            }
        }
        #expect(failures > 3)
        connection.close()
        let again = try Store.open(directory: directory.path, clocks: fixture.clocks)
        try await again.write { transaction throws in
            #expect(try Self.agrees(transaction))
            #expect(try transaction.acknowledge((1...200).map { Sample.id($0) }, by: Sample.friend).count == 200)
        }
        again.close()
    }
}
