import Basics
import TestSupport
import Testing

@testable import Store

/// How a database takes the steps that it lacks. The last step is one that only tests have.
@Suite("Upgrades of the database")
struct UpgradeTests {
    static let steps = Migrations.all + [TestMigration.sql]
    private static let (today, next) = (Migrations.all.count, steps.count)

    /// A database of today's version with messages in it; nothing is in it for 0.
    static func database(_ directory: TemporaryDirectory, messages: Int) throws -> Connection {
        let path = try DatabaseFile.prepare(directory: directory.path)
        let connection = try Connection(path: path, purpose: .writer)
        try Migrations.run(on: connection, path: path)
        if messages > 0 { try connection.execute(TestMigration.filling(messages: messages)) }
        return connection
    }

    private static func wholeMessages(_ connection: Connection) throws(StoreError) -> Int64? {
        let version = try Migrations.version(of: connection)
        return try connection.integer(SQL(TestMigration.wholeMessages(isTaken: version == next)))
    }

    @Test("A new database takes all steps and tells of none; an older one takes those that it lacks, and tells of each")
    func told() throws {
        let (old, new) = (try TemporaryDirectory(), try TemporaryDirectory())
        var told: [StoreUpgrade] = []
        let connection = try Self.database(old, messages: 100)
        #expect(try Migrations.version(of: connection) == Self.today)
        for _ in 0..<2 {
            try Migrations.run(Self.steps, on: connection, path: old.database) { told.append($0) }
            #expect(told.map(\.step) == [Self.next] && told.map(\.last) == [Self.next])
            #expect(try Migrations.version(of: connection) == Self.next)
            #expect(try Self.wholeMessages(connection) == 100)
        }
        connection.close()
        // The program itself doesn't know that step.
        #expect(throws: StoreError.newer(found: Self.next, supported: Self.today)) {
            try Store.open(directory: old.path, clocks: ManualClocks())
        }
        #expect(try Store.look(directory: old.path) { _ in true } == nil)
        let path = try DatabaseFile.prepare(directory: new.path)
        let empty = try Connection(path: path, purpose: .writer)
        try Migrations.run(Self.steps, on: empty, path: path) { told.append($0) }
        #expect(told.count == 1)
        #expect(try Migrations.version(of: empty) == Self.next)
        empty.close()
    }

    @Test("A database of the first version takes all steps of today, and keeps what is in it")
    func first() throws {
        let directory = try TemporaryDirectory()
        let path = try DatabaseFile.prepare(directory: directory.path)
        let connection = try Connection(path: path, purpose: .writer)
        try Migrations.run(on: connection, path: path, upTo: 1)
        try connection.execute(TestMigration.filling(messages: 100))
        try Migrations.run(on: connection, path: path)
        #expect(try Migrations.version(of: connection) == Self.today)
        #expect(try Self.wholeMessages(connection) == 100)
        #expect(try connection.integer(SQL("SELECT count(*) FROM conversation WHERE mentions_muted = 0")) ?? 0 > 0)
        connection.close()
    }

    @Test(
        "No message from before the seventh step has a guest; one that is stored after it keeps its own, and so with the eighth"
    )
    func guests() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { _ = try $0.insertIncoming(Sample.message(1, from: 2)) }
        fixture.store.close()
        let connection = try Connection(path: fixture.directory.database, purpose: .writer)
        try connection.execute(
            """
            ALTER TABLE message DROP COLUMN guest; ALTER TABLE message DROP COLUMN given_to; DROP TABLE guest_device;
            PRAGMA user_version = 6
            """)
        connection.close()
        let upgraded = try fixture.reopen()
        try await upgraded.commit { transaction in
            let old = try #require(try transaction.message(Sample.id(1)))
            #expect(old.text == "hello" && old.guest == nil && old.givenTo == nil)
            var row = Sample.message(2)
            (row.guest, row.givenTo) = ("Nice Orange", "Good Pear")
            let stored = try transaction.insertOutgoing(row, to: [])
            #expect(stored.guest == "Nice Orange" && stored.givenTo == "Good Pear")
        }
        upgraded.close()
        let again = try fixture.reopen()
        try await again.commit { transaction in
            let nulls = try transaction.connection.integer(SQL("SELECT count(*) FROM message WHERE guest IS NULL"))
            #expect(nulls == 1)
            let row = try #require(try transaction.message(Sample.id(2)))
            #expect(row.guest == "Nice Orange" && row.givenTo == "Good Pear")
            // A tombstone says nothing of where the message came from.
            _ = try transaction.scrub(row)
            let scrubbed = try #require(try transaction.message(Sample.id(2)))
            #expect(scrubbed.deleted && scrubbed.guest == nil && scrubbed.givenTo == nil)
        }
        again.close()
    }

    @Test("A step that fails midway leaves the version before it")
    func brokenStep() throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.database(directory, messages: 0)
        let steps = Migrations.all + ["CREATE TABLE good (a); CREATE TABLE account (b);"]
        #expect(throws: StoreError.self) { try Migrations.run(steps, on: connection, path: directory.database) }
        #expect(try Migrations.version(of: connection) == Self.today)
        #expect(try connection.integer(SQL("SELECT count(*) FROM sqlite_schema WHERE name = 'good'")) == 0)
        connection.close()
    }

    @Test("On a full disk the older version stays whole, and its upgrade succeeds once there is room")
    func full() throws {
        let directory = try TemporaryDirectory()
        let connection = try Self.database(directory, messages: 500)
        // Each room on the disk is too little, until one is enough.
        let pages = try #require(try connection.integer(SQL("PRAGMA page_count")))
        var failures = 0
        for room in 0...1000 {
            try connection.execute("PRAGMA max_page_count = \(pages + Int64(room) * 5)")
            do {
                try Migrations.run(Self.steps, on: connection, path: directory.database)
                break
            } catch {
                #expect(error == .full)
                failures += 1
                #expect(try Migrations.version(of: connection) == Self.today)
                #expect(try Self.wholeMessages(connection) == 500)
            }
        }
        #expect(failures > 3)
        #expect(try Migrations.version(of: connection) == Self.next)
        #expect(try Self.wholeMessages(connection) == 500)
        connection.close()
    }
}
