import Basics
import Glibc
import TestSupport
import Testing
import Vocabulary

@testable import Store

/// Goal: whatever pages are damaged, a repair ends with a sound database in which is everything that stands on other pages,
/// never writes to the damaged files, and can be begun again after any interruption.
@Suite("Repair of a damaged database")
struct RepairTests {
    private let directory: TemporaryDirectory
    private let clocks = ManualClocks()

    init() async throws {
        directory = try TemporaryDirectory()
        try await DamageSample.put(in: directory)
    }

    private func repair() throws -> RepairReport {
        try #require(try Store.repair(directory: directory.path, clocks: clocks))
    }

    private func hit(_ pages: [DamageSample.Page], seed: UInt64 = 1) {
        var random = SeededGenerator(seed: seed)
        DamageSample.hit(pages.map(\.number), in: directory.database, &random)
    }

    /// The texts of all messages by their numbers.
    private func texts() async throws -> [UInt64: String] {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        return try await store.read { transaction in
            var found: [UInt64: String] = [:]
            for number in 1...UInt64(DamageSample.messages) {
                if let row = try transaction.message(Sample.id(number)) { found[number] = row.text }
            }
            return found
        }
    }

    private static let originals = Dictionary(
        uniqueKeysWithValues: (0..<DamageSample.messages).map { (UInt64($0 + 1), DamageSample.text($0)) })

    @Test("A sound database stays as it is, and a missing one can't be repaired")
    func sound() throws {
        let before = DamageSample.bytes(directory.database)
        #expect(try Store.repair(directory: directory.path, clocks: clocks) == nil)
        #expect(DamageSample.bytes(directory.database) == before)
        unlink(directory.database)
        #expect(throws: StoreError.self) { try Store.repair(directory: directory.path, clocks: clocks) }
    }

    @Test(
        "With pages overwritten at random, everything that stands on others is there",
        arguments: 1...10 as ClosedRange<UInt64>)
    func random(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        // Pages without rows or with the ways to other pages are for other tests.
        let pages = try DamageSample.pages(directory).filter {
            $0.kind != "internal" && $0.cells + ($0.kind == "overflow" ? 1 : 0) > 0
        }
        let hits = Array(pages.shuffled(using: &random).prefix(Int.random(in: 1...60, using: &random)))
        hit(hits, seed: seed)
        let damaged = DamageSample.bytes(directory.database)

        let report = try repair()
        #expect(DamagedDatabase.isSound(path: directory.database))
        #expect(DamageSample.bytes(report.damagedPath) == damaged)
        let found = try await texts()
        let lost = hits.filter { $0.owner == "message" }.map { $0.kind == "overflow" ? 1 : $0.cells }.reduce(0, +)
        #expect(found.count >= DamageSample.messages - lost, "seed \(seed): \(hits.map(\.owner)) \(report.tables)")
        #expect(found.allSatisfy { Self.originals[$0.key] == $0.value }, "seed \(seed)")
        #expect(report["message"].saved == found.count)
        for table in ["setting", "key", "conversation", "contact"] where !hits.contains(where: { $0.owner == table }) {
            #expect(report[table].isWhole, "seed \(seed): \(report[table])")
        }
        #expect(report["key"].saved + report["key"].rebuilt >= 4 || hits.contains { $0.owner.hasSuffix("_key_1") })
        #expect(directory.names.allSatisfy { !$0.contains("repair") })
    }

    @Test("A page that leads to others takes those with it, and the report says how many rows that were")
    func interior() async throws {
        let root = try DamageSample.pages(directory).filter { $0.owner == "message" && $0.kind == "internal" }
        #expect(!root.isEmpty)
        hit(root)
        let report = try repair()
        #expect(report["message"].lost == DamageSample.messages - report["message"].saved)
        #expect(!report["message"].mayHaveLostMore)
        #expect(report["setting"].isWhole && report["setting"].saved == DamageSample.settings)
        #expect(report["contact"].isWhole)
        // The marks who has a message that is lost go with it.
        #expect(report["recipient"].leftOut > 0 && report["recipient"].saved <= report["message"].saved)
        #expect(DamagedDatabase.isSound(path: directory.database))
    }

    @Test(
        "Accounts, conversations and friends are put together again from what indexes and messages know of them",
        arguments: [["key"], ["conversation"], ["contact"], ["key", "conversation", "contact"]])
    func rebuilt(tables: [String]) async throws {
        hit(try DamageSample.pages(directory).filter { tables.contains($0.owner) })
        let report = try repair()
        for table in tables { #expect(report[table].rebuilt > 0 && report[table].lost == 0, "\(report[table])") }
        #expect(try await texts() == Self.originals)
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        try await store.read { transaction in
            for person in DamageSample.people {
                let account = Sample.account(person)
                #expect(try transaction.contact(account)?.relation == .friend)
                #expect(try transaction.contact(account)?.trust == .unverified)
                let place = try #require(try transaction.conversation(DamageSample.conversation(person)))
                #expect(place.contact == account && place.kind == .direct && place.lastMessage != nil)
            }
        }
    }

    @Test("A conversation that is in no index any more is known by who wrote in it")
    func conversationByMessages() async throws {
        hit(
            try DamageSample.pages(directory).filter {
                $0.owner == "conversation" || $0.owner.hasPrefix("sqlite_autoindex_conversation")
            })
        let report = try repair()
        #expect(report["conversation"].rebuilt == DamageSample.people.count)
        #expect(try await texts() == Self.originals)
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        #expect(
            try await store.read { transaction in
                try DamageSample.people.allSatisfy { try transaction.contact(Sample.account($0))?.conversation != nil }
            })
    }

    @Test("Numbers go on behind all that were given, and no epoch of before is known any more")
    func numbers() async throws {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        try await store.commit { try $0.setSetting("last", to: "1") }
        let (epoch, event) = (store.logEpoch, try await store.read { try $0.latestEvent() })
        store.close()
        let pages = try DamageSample.pages(directory)
        let last = pages.filter { ["event", "message"].contains($0.owner) && $0.kind == "leaf" }.suffix(3)
        hit(Array(last) + pages.filter { $0.owner == "meta" })
        let report = try repair()
        #expect(!report["meta"].isWhole)
        let again = try Store.open(directory: directory.path, clocks: clocks)
        defer { again.close() }
        try await again.commit { try $0.setSetting("last", to: "2") }
        try await again.read { transaction throws in
            #expect(try transaction.latestEvent() > event + StoreLimits.repairedEvents / 2)
            #expect(try transaction.reach(ofEpoch: epoch) == nil)
            #expect(try transaction.latestMessageNumber() > Int64(DamageSample.messages))
            #expect(try transaction.consumer("client")?.acknowledged ?? 0 > 0)
            // No key goes back to a number that friends have seen.
            #expect(try transaction.discoveryKeyNumber() > 1_000_000)
        }
    }

    @Test("A message that waited to be sent, and of which the frame is lost, says that it failed")
    func outbox() async throws {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        let friend = Sample.account(2)
        for number in 1...2 as ClosedRange<UInt64> {
            try await store.commit { transaction in
                let row = Sample.message(10_000 + number, text: "waits", in: DamageSample.conversation(2))
                try transaction.insertOutgoing(row, to: [friend])
                let body = [UInt8](repeating: 7, count: number == 1 ? 20_000 : 10)
                _ = try transaction.appendOutbox(for: friend, id: row.id, kind: 1, body: body, message: row.id)
            }
        }
        store.close()
        // The long body goes on in pages of its own.
        hit(try DamageSample.pages(directory).filter { $0.owner == "outbox_body" && $0.kind == "overflow" })
        let report = try repair()
        #expect(report["outbox"].saved == 1)
        let again = try Store.open(directory: directory.path, clocks: clocks)
        defer { again.close() }
        try await again.read { transaction throws in
            #expect(try transaction.message(Sample.id(10_001))?.state == .failed)
            #expect(try transaction.message(Sample.id(10_002))?.state == .queued)
        }
    }

    @Test(
        "What waits and who waits for it know of each other after a repair",
        arguments: ["outbox", "recipient", "message"])
    func outboxAgreement(lost: String) async throws {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        let friend = Sample.account(2)
        let count: UInt64 = 300
        for number in 1...count {
            try await store.commit { transaction in
                let row = Sample.message(10_000 + number, text: "waits", in: DamageSample.conversation(2))
                try transaction.insertOutgoing(row, to: [friend])
                _ = try transaction.appendOutbox(
                    for: friend, id: row.id, kind: 48, body: [UInt8](repeating: 7, count: 100), message: row.id)
            }
        }
        store.close()
        hit(Array(try DamageSample.pages(directory).filter { $0.owner == lost && $0.kind == "leaf" }.suffix(2)))
        let report = try repair()
        #expect(!report[lost].isWhole)
        let again = try Store.open(directory: directory.path, clocks: clocks)
        defer { again.close() }
        try await again.commit { transaction throws in
            #expect(try OutboxLayoutTests.agrees(transaction))
            let rows = try transaction.outbox(for: friend, limit: 1000, maximumBytes: 1 << 20)
            #expect(!rows.isEmpty)
            // Each of them can be acknowledged, and nothing else waits for ever.
            #expect(try transaction.acknowledge(rows.map(\.id), by: friend).count == rows.count)
            #expect(try transaction.outboxCount() == 0)
            for number in 1...count {
                guard let row = try transaction.message(Sample.id(10_000 + number)) else { continue }
                #expect(row.state != .queued)
            }
        }
    }

    @Test("Between two damaged pages of what waits for one friend, the rest is found")
    func outboxBetween() async throws {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        let friend = Sample.account(2)
        try await store.commit { transaction in
            for number: UInt64 in 1...2000 {
                _ = try transaction.appendOutbox(
                    for: friend, id: Sample.id(20_000 + number), kind: 49, body: [UInt8](repeating: 7, count: 100))
            }
        }
        store.close()
        let leaves = try DamageSample.pages(directory).filter { $0.owner == "outbox" && $0.kind == "leaf" }
        hit([leaves[leaves.count / 4], leaves[leaves.count * 3 / 4]])
        let report = try repair()
        #expect(report["outbox"].saved > 1850)
    }

    @Test("A database whose first page is gone is left alone, with words that say so")
    func firstPage() throws {
        var random = SeededGenerator(seed: 1)
        DamageSample.hit([1], in: directory.database, &random)
        let before = DamageSample.bytes(directory.database)
        #expect {
            try Store.repair(directory: directory.path, clocks: clocks)
        } throws: {
            if case .corrupt? = $0 as? StoreError { true } else { false }
        }
        #expect(DamageSample.bytes(directory.database) == before)
        #expect(directory.names == ["kibo.sqlite"])
    }

    @Test("What stands in the log of a daemon that was killed is saved, and the log stays with the damaged file")
    func log() async throws {
        let copy = try TemporaryDirectory()
        let store = try Store.open(directory: directory.path, clocks: clocks)
        try await store.commit { try $0.setSetting("in the log", to: "1") }
        for suffix in ["", "-wal"] {
            DamageSample.write(DamageSample.bytes(directory.database + suffix), to: copy.database + suffix)
        }
        store.close()
        let page = try DamageSample.pages(directory).first { $0.owner == "message" && $0.kind == "leaf" }
        var random = SeededGenerator(seed: 1)
        DamageSample.hit([try #require(page).number], in: copy.database, &random)
        let log = DamageSample.bytes(copy.database + "-wal")
        #expect(!log.isEmpty)
        let report = try #require(try Store.repair(directory: copy.path, clocks: clocks))
        #expect(DamageSample.bytes(report.damagedPath + "-wal") == log)
        let again = try Store.open(directory: copy.path, clocks: clocks)
        defer { again.close() }
        #expect(try await again.read { try $0.setting("in the log") } == "1")
    }

    @Test("A database of an older version is repaired and brought up to date")
    func older() async throws {
        let other = try TemporaryDirectory()
        DamageSample.write([], to: other.database)
        let connection = try Connection(path: other.database, purpose: .writer)
        try Migrations.run(on: connection, path: other.database)
        try connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO setting (name, value) SELECT printf('test.%05d', i), printf('%0200d', i) FROM n
            """)
        connection.close()
        let pages = try DamageSample.pages(other).filter { $0.owner == "setting" && $0.kind == "leaf" }
        var random = SeededGenerator(seed: 1)
        DamageSample.hit([pages[pages.count / 2].number], in: other.database, &random)
        let report = try DatabaseRepair(
            directory: other.path, clocks: clocks, steps: Migrations.all + [TestMigration.sql]
        )
        .run { _, _ in }
        #expect(report["setting"].saved >= 5000 - pages[pages.count / 2].cells && report["setting"].mayHaveLostMore)
        let repaired = try Connection(path: RepairedFile.growing(other.path), purpose: .reader)
        #expect(try Migrations.version(of: repaired) == Migrations.all.count + 1)
        let kept = try repaired.integer(SQL("SELECT count(*) FROM setting WHERE name LIKE 'test.%' AND test = 1"))
        #expect(kept == Int64(report["setting"].saved))
        repaired.close()
    }

    @Test(
        "A repair that was interrupted after it counted is carried to its end by whoever opens the data next",
        arguments: 0...2)
    func interrupted(step: Int) async throws {
        hit(try DamageSample.pages(directory).filter { $0.owner == "setting" }.suffix(1))
        let damaged = DamageSample.bytes(directory.database)
        let report = try repair()
        // Goes back to the state in which the process ended.
        let repaired = directory.database + ".repaired"
        rename(directory.database, repaired)
        let aside = report.damagedPath
        if step == 0 { rename(aside, directory.database) }
        if step <= 1 { DamageSample.write([1, 2, 3], to: directory.database + "-wal") }
        let found = try await texts()
        #expect(found == Self.originals)
        #expect(directory.names.filter { $0.contains(".damaged-") }.contains { !$0.hasSuffix("-wal") })
        #expect(DamageSample.bytes(aside) == damaged)
        #expect(!directory.names.contains("kibo.sqlite.repaired"))
        #expect(DamagedDatabase.isSound(path: directory.database))
    }

    @Test("What an interrupted repair left is no obstacle")
    func leftovers() async throws {
        hit(try DamageSample.pages(directory).filter { $0.owner == "setting" }.suffix(1))
        DamageSample.write([1, 2, 3], to: directory.database + ".repairing")
        DamageSample.write([1, 2, 3], to: directory.database + ".repairing-journal")
        _ = try repair()
        #expect(try await texts() == Self.originals)
    }

    @Test("What the caller mends belongs to the repair: if that fails, nothing has changed")
    func mending() async throws {
        hit(try DamageSample.pages(directory).filter { $0.owner == "setting" }.suffix(1))
        let before = DamageSample.bytes(directory.database)
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try Store.repair(directory: directory.path, clocks: clocks) { _, _ in throw Refusal() }
        }
        #expect(DamageSample.bytes(directory.database) == before)
        #expect(directory.names == ["kibo.sqlite"])
        let report = try Store.repair(directory: directory.path, clocks: clocks) { transaction, report in
            try transaction.setSetting("mended", to: "1")
            report.groups.append("Hikers")
        }
        #expect(report?.groups == ["Hikers"])
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        #expect(try await store.read { try $0.setting("mended") } == "1")
    }
}
