import Basics
import Testing
import Vocabulary

@testable import Store

/// Goal: the conversation with oneself is known by its contact alone, counts nowhere as unread or undelivered, and neither it nor
/// what it names is removed for its age.
@Suite("Notes to oneself")
struct NotesTests {
    private static let notes = Sample.id(2_000_000)

    /// A store with this account's notes beside the conversation with a friend.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            try transaction.saveOwnAccount(
                AccountRow(
                    account: Sample.me, device: Sample.device(1), deviceName: "host", displayName: "Me",
                    createdAt: transaction.wallTime))
            #expect(try transaction.openConversation(with: Sample.me, newID: Self.notes).kind == .notes)
        }
        return fixture
    }

    private func note(_ number: UInt64, _ text: String = "a note", in store: Store) async throws {
        try await store.commit { transaction in
            var row = Sample.message(number, text: text, in: Self.notes)
            row.state = .sent
            row.receivedAt = transaction.wallTime
            let stored = try transaction.insertOutgoing(row, to: [])
            #expect(stored.state == .sent)
        }
    }

    @Test("What a conversation is follows from its contact, also after a restart, and in no stored column")
    func kind() async throws {
        let fixture = try await fixture()
        try await note(1, in: fixture.store)
        let store = try fixture.reopen()
        try await store.read { transaction in
            #expect(try transaction.conversation(Self.notes)?.kind == .notes)
            #expect(try transaction.conversation(with: Sample.me)?.id == Self.notes)
            #expect(try transaction.conversation(Sample.conversation)?.kind == .direct)
            #expect(try transaction.conversationRecord(Self.notes)?.row.kind == .notes)
            #expect(try transaction.conversations(limit: 9).map(\.kind) == [.notes, .direct])
            let record = try #require(try transaction.messageRecord(Sample.id(1)))
            #expect(record.row.state == .sent && record.recipients.isEmpty && !record.row.unread)
            #expect(try transaction.unreadTotals() == (loud: 0, muted: 0, mentions: 0))
            let stored = try transaction.connection.integer(SQL("SELECT max(kind) FROM conversation"))
            #expect(stored == 0, "an older version reads every row")
        }
        store.close()
    }

    @Test("Notes stay when messages go for their age, and thousands of them hide none that are to go")
    func age() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        let notes = StoreLimits.retentionLook + 200
        try await store.commit { transaction in
            for number in 1...notes {
                var row = Sample.message(UInt64(number), in: Self.notes)
                row.state = .sent
                row.receivedAt = transaction.wallTime
                _ = try transaction.insertOutgoing(row, to: [])
            }
            var row = Sample.message(900_000)
            row.receivedAt = transaction.wallTime
            _ = try transaction.insertOutgoing(row, to: [Sample.friend])
        }
        let clocks = fixture.clocks
        try await store.commit { transaction in
            for _ in 0..<(6 * 24 * 40) {
                clocks.advance(.seconds(600))
                transaction.trusted.advance(now: clocks.now, wall: clocks.wallTime)
            }
        }
        #expect(try await store.commit { try $0.removeMessages(olderThan: .seconds(86_400 * 30), limit: 100) } == 1)
        try await store.read { transaction in
            let (gone, kept) = (try transaction.message(Sample.id(900_000)), try transaction.message(Sample.id(1)))
            #expect(gone == nil && kept != nil)
        }
        // Without the account nobody knows which are notes.
        try await store.commit { try $0.connection.execute("DELETE FROM account") }
        #expect(try await store.commit { try $0.removeMessages(olderThan: .seconds(86_400 * 30), limit: 100) } == 100)
        store.close()
    }

    @Test("A copy that a note names is in use until the note is gone")
    func copies() async throws {
        let fixture = try await fixture()
        let store = fixture.store
        let path = "/data/uploads/1/content/a.bin"
        try await note(1, in: store)
        try await store.commit { transaction in
            for (number, place, peer) in [
                (5 as UInt64, Self.notes, Sample.me), (6, Sample.conversation, Sample.friend),
            ] {
                var row = Sample.transfer(number, peer: peer, message: number == 5 ? Sample.id(1) : nil)
                (row.conversation, row.state, row.path) = (place, .done, number == 5 ? path : "/data/uploads/2/b")
                row.direction = .outgoing
                row.finishedAt = transaction.wallTime
                _ = try transaction.insert(row)
            }
        }
        func uses() async throws -> [String: Bool] {
            try await store.read { transaction in
                let found = try transaction.sentPaths(beneath: "/data/uploads/")
                return Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.isOver) })
            }
        }
        #expect(try await uses() == [path: false, "/data/uploads/2/b": true])
        try await store.commit { transaction in
            guard let row = try transaction.message(Sample.id(1)) else { return }
            try transaction.remove(row)
        }
        #expect(try await uses()[path] == true)
        store.close()
    }

    @Test("A repair makes no contact of oneself, fails no note, and finds out whose a lost conversation was")
    func repair() async throws {
        let fixture = try await fixture()
        try await note(1, "kept", in: fixture.store)
        try await fixture.store.commit { transaction in
            _ = try transaction.insertOutgoing(Sample.message(2, text: "waits"), to: [Sample.friend])
        }
        fixture.store.close()
        let connection = try Connection(path: fixture.directory.database, purpose: .writer)
        defer { connection.close() }
        var report = RepairReport()
        report["contact"].lost = 1
        report["outbox"].lost = 1
        try connection.execute(
            """
            PRAGMA foreign_keys = OFF; CREATE TEMP TABLE part (owner TEXT, number INTEGER, name TEXT, value);
            DELETE FROM outbox; DELETE FROM conversation WHERE contact = (SELECT account FROM account)
            """)
        let mends = RepairMends(connection: connection)
        try mends.rebuild(&report, now: fixture.clocks.wallTime)
        try mends.agree(&report)
        let transaction = ReadTransaction(connection)
        let found = try #require(try transaction.conversation(with: Sample.me))
        #expect(found.kind == .notes)
        #expect(try transaction.contact(Sample.me) == nil && transaction.contact(Sample.friend) != nil)
        #expect(try transaction.message(Sample.id(1))?.state == .sent)
        #expect(try transaction.message(Sample.id(1))?.conversation == found.id)
        #expect(try transaction.message(Sample.id(2))?.state == .failed)
    }
}
