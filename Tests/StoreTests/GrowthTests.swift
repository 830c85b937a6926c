import Basics
import Glibc
import Testing
import Vocabulary

@testable import Store

/// The size of a year's database, table by table, and that it shrinks again. `KIBO_FIGURES=1` prints the figures.
@Suite("Growth")
struct GrowthTests {
    private static let members = 64
    private static let group = Sample.id(2_000_000)
    private static let text = String(repeating: "word ", count: 12)

    /// Writes a hundredth part of a year with 100,000 messages and 10,000 files between two accounts.
    private func fillTalk(_ store: Store) async throws {
        for batch in 0..<10 {
            try await store.commit { transaction in
                for number in (batch * 100)..<(batch * 100 + 100) {
                    let id = UInt64(number + 1)
                    if number % 2 == 0 {
                        _ = try transaction.insertIncoming(Sample.message(id, from: 2, text: Self.text))
                    } else {
                        try transaction.insertOutgoing(Sample.message(id, text: Self.text), to: [Sample.friend])
                        try transaction.remember(key: Sample.id(id).description, for: Sample.id(id))
                        try transaction.advance([Sample.id(id)], at: Sample.friend, to: .read)
                    }
                    if number % 10 == 0 {
                        var row = Sample.transfer(UInt64(5_000_000 + number), message: Sample.id(id))
                        row.name = "photograph-\(number).jpg"
                        row.path = "/downloads/of/somebody/Kibo/photograph-\(number).jpg"
                        row.mediaType = "image/jpeg"
                        row.state = .done
                        row.finishedAt = transaction.wallTime
                        try transaction.insert(row)
                    }
                }
            }
        }
    }

    /// Writes own messages in a group of many members.
    private func fillGroup(_ store: Store, _ count: Int) async throws {
        let people = (0..<Self.members).map { Sample.account(UInt8($0 + 10)) }
        try await store.commit { transaction in
            for number in 0..<count {
                let id = UInt64(100_000 + number)
                try transaction.insertOutgoing(Sample.message(id, text: Self.text), to: people)
                // One message has not reached its last recipient.
                for person in number == 3 ? people.dropLast() : people[...] {
                    try transaction.advance([Sample.id(id)], at: person, to: .delivered)
                }
            }
        }
    }

    /// The bytes of each table with its indexes.
    private func sizes(_ store: Store) async throws -> [String: Int64] {
        try await store.read { transaction in
            let rows = try transaction.connection.rows(
                SQL(
                    """
                    SELECT s.tbl_name, sum(d.pgsize) FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name
                    GROUP BY s.tbl_name
                    """)
            ) { ($0.text(0), $0.integer(1)) }
            return Dictionary(rows) { $1 }
        }
    }

    @Test("A year of 100,000 messages and 10,000 files takes less than 100 MiB, and each table keeps its bound")
    func year() async throws {
        let fixture = try await Fixture()
        try await fillTalk(fixture.store)
        let sizes = try await sizes(fixture.store)
        if getenv("KIBO_FIGURES") != nil {
            for (table, bytes) in sizes.sorted(by: { $0.value > $1.value }) where bytes > 4096 {
                print("growth: \(table) \(bytes / 1000) bytes a message, \(bytes * 100 / (1 << 20)) MiB a year")
            }
        }
        #expect(sizes.values.reduce(0, +) * 100 < 100 << 20)
        for (table, most): (String, Int64) in [
            ("message", 350), ("recipient", 40), ("send_key", 80), ("transfer", 60), ("event", 300),
        ] {
            #expect(sizes[table] ?? 0 < most * 1000, "\(table): \(sizes[table] ?? 0)")
        }
        fixture.store.close()
    }

    @Test("A group's message stores its text twice: as it is read, and signed, so that it can be passed on")
    func log() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction in
            for number in 0..<1000 {
                let id = Sample.id(UInt64(number + 1))
                var row = Sample.message(UInt64(number + 1), from: 2, text: Self.text)
                row.conversation = GroupSample.conversation
                _ = try transaction.insertIncoming(row)
                // The sizes follow PROTOCOL-GROUPS.md, with two references; the content is the text and its frame.
                let bytes = (0..<32).map { UInt8(truncatingIfNeeded: ((number + 1) &* 40_503) &>> ($0 % 12)) }
                let hash = try #require(EntryHash(bytes))
                let entry = LogEntryRow(
                    device: Sample.device(2), sequence: UInt64(number + 1), hash: hash, id: id, kind: 1, about: id,
                    state: .delivered, time: row.hlc, header: [UInt8](repeating: 1, count: 210),
                    signature: [UInt8](repeating: 2, count: 64),
                    content: [UInt8](repeating: 3, count: Self.text.utf8.count + 50))
                try transaction.logChanges.insert(entry, in: GroupSample.id)
            }
        }
        let sizes = try await sizes(fixture.store)
        if getenv("KIBO_FIGURES") != nil {
            for table in ["message", "log_entry"] {
                print("growth: group \(table) \((sizes[table] ?? 0) / 1000) bytes")
            }
        }
        #expect(sizes["log_entry"] ?? 0 > 100_000 && sizes["log_entry"] ?? 0 < 900_000)
        fixture.store.close()
    }

    @Test("Old messages that have reached a whole group keep no recipients and no keys; a round is bounded")
    func thinning() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await fillTalk(store)
        try await fillGroup(store, 250)
        #expect(try await store.commit { try !$0.thinOldMessages() }, "no message is old yet")
        let before = try await sizes(store)["recipient"] ?? 0
        try await store.commit { $0.trusted.advance(now: fixture.clocks.now, wall: fixture.clocks.wallTime) }
        fixture.clocks.advance(.seconds(91 * 24 * 3600))
        var rounds = 0
        while try await store.commit({ try $0.thinOldMessages() }) { rounds += 1 }
        #expect(rounds == 1250 / Int(StoreLimits.thinnedAtOnce))
        let left = try await store.read { try $0.recipients(of: Sample.id(100_003)) }
        #expect(left.count == Self.members)
        #expect(try await store.read { try $0.recipients(of: Sample.id(100_004)) }.isEmpty)
        #expect(try await store.read { try $0.recipients(of: Sample.id(2)) }.map(\.state) == [.read])
        #expect(try await store.read { try $0.message(sentUnder: Sample.id(2).description) } == nil)
        let after = try await sizes(store)["recipient"] ?? 0
        if getenv("KIBO_FIGURES") != nil {
            print("growth: recipient \(before / 250) bytes an own message to \(Self.members), then \(after / 250)")
        }
        #expect(after * 5 < before)
        // A late receipt changes nothing and harms nothing.
        try await store.commit { try $0.advance([Sample.id(100_004)], at: Sample.account(12), to: .read) }
        #expect(try await store.read { try $0.message(Sample.id(100_004))?.state } == .delivered)
        store.close()
    }

    @Test("The file gives deleted space back, a bounded piece at a time")
    func shrinking() async throws {
        let directory = try TemporaryDirectory()
        let clocks = ManualClocks()
        let store = try Store.open(directory: directory.path, clocks: clocks)
        #expect(try await store.read { try $0.connection.integer(SQL("PRAGMA auto_vacuum")) } == 2)
        let long = String(repeating: "x", count: 16 << 10)
        try await store.commit { for number in 0..<1000 { try $0.setSetting("a\(number)", to: long) } }
        let full = try await store.read { try $0.connection.integer(SQL("PRAGMA page_count")) ?? 0 }
        try await store.commit { for number in 0..<1000 { try $0.setSetting("a\(number)", to: nil) } }
        var rounds: Int64 = 0
        while try await store.commit({ try $0.giveBackPages() }) { rounds += 1 }
        let left = try await store.read { try $0.connection.integer(SQL("PRAGMA page_count")) ?? 0 }
        #expect(full > 4000 && left < StoreLimits.freePagesKept + 300, "\(full) \(left)")
        #expect(rounds >= (full - left) / Int64(StoreLimits.pagesGivenBack))
        store.close()
        var status = stat()
        #expect(stat(directory.database, &status) == 0 && Int64(status.st_size) == left * 4096)
    }
}
