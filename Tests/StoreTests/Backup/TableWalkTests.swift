import Basics
import Glibc
import Testing
import Threads
import Vocabulary

@testable import Store

/// Goal: every row of every table comes out of a walk and goes into a new database, but for those that are left out on
/// purpose; and what a fill is given can't do harm.
@Suite("Rows out of a database and into another")
struct TableWalkTests {
    private let directory: TemporaryDirectory
    private let clocks = ManualClocks()

    init() throws { directory = try TemporaryDirectory() }

    private var target: String { directory.path + "/kibo.sqlite.restoring" }

    private static let columnsOf = SQL("SELECT name, type, \"notnull\" FROM pragma_table_info(?) ORDER BY cid")

    /// Puts two rows into each table, whatever its columns are. All references name a row that is there.
    private func fillAllTables() throws {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        store.close()
        let connection = try Connection(path: directory.database, purpose: .writer)
        defer { connection.close() }
        try connection.execute("PRAGMA foreign_keys = OFF")
        for table in try TableLayout.all(of: connection) where table.name != "meta" {
            let columns = try connection.rows(Self.columnsOf, table.name) { ($0.text(0), $0.text(1)) }
            for number in 1...2 {
                let values = columns.map { name, type in
                    switch type {
                    case "INTEGER": "\(number)"
                    case "TEXT": "'\(table.name) \(name) \(number) ä'"
                    default: "x'\(String(repeating: "0\(number)", count: name == "id" ? 16 : 32))'"
                    }
                }
                // A table with one row takes one.
                try connection.execute("INSERT OR IGNORE INTO \(table.name) VALUES (\(values.joined(separator: ", ")))")
            }
        }
        try connection.execute("INSERT INTO meta VALUES ('discovery_key', 77)")
        try connection.execute("UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'conversation'")
    }

    private func steps(rowBytes: Int = 100) throws -> [TableStep] {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        var steps: [TableStep] = []
        try store.walk(rowBytes: rowBytes) { steps.append($0) }
        return steps
    }

    private func summary(_ steps: [TableStep]) throws -> TableSummary {
        guard case .beginning(let summary)? = steps.first else {
            throw StoreError.corrupt(detail: "no beginning")
        }
        return summary
    }

    private func fill(_ steps: [TableStep]) throws -> TableFill {
        let fill = try TableFill(path: target, schema: try summary(steps).schema, clocks: clocks)
        for step in steps {
            switch step {
            case .beginning: break
            case .table(let name, let columns): try fill.begin(name, columns: columns)
            case .rows(let rows, _): try fill.add(rows)
            }
        }
        return fill
    }

    private func rows(of table: TableLayout, in path: String) throws -> [[Cell]] {
        let connection = try Connection(path: path, purpose: .reader)
        defer { connection.close() }
        let statement = try Statement(connection, SQL(table.selection(nil)))
        var rows: [[Cell]] = []
        while try statement.step() {
            rows.append((0..<Int32(table.key.count + table.columns.count)).map { Cell(statement.handle, $0) })
        }
        return rows
    }

    @Test("Each table of the schema is in a backup, or stands in the list of those that are not")
    func everyTable() throws {
        try fillAllTables()
        let connection = try Connection(path: directory.database, purpose: .reader)
        defer { connection.close() }
        let all = try TableLayout.all(of: connection).map(\.name)
        #expect(Set(TableWalk.leftOut.keys).isSubset(of: all), "no table of the list is gone")
        let steps = try steps()
        var seen: [String] = []
        var withRows: Set<String> = []
        for step in steps {
            if case .table(let name, _) = step { seen.append(name) }
            if case .rows = step, let last = seen.last { withRows.insert(last) }
        }
        #expect(Set(seen) == Set(all).subtracting(TableWalk.leftOut.keys).union(["sqlite_sequence"]))
        #expect(withRows == Set(seen), "each has a row in this test")
        #expect(try summary(steps).tables.map(\.name) == seen)
    }

    @Test("Rows of all tables are the same in the new database", arguments: [1, 100, 1 << 16])
    func same(rowBytes: Int) throws {
        try fillAllTables()
        let connection = try Connection(path: directory.database, purpose: .reader)
        let layouts = try TableLayout.all(of: connection).filter { TableWalk.leftOut[$0.name] == nil }
        connection.close()
        // The store keeps its clock and its counts when it is closed, after the walk.
        let before = try layouts.map { try rows(of: $0, in: directory.database) }
        let steps = try steps(rowBytes: rowBytes)
        let summary = try summary(steps)
        // The new file is closed before it is read.
        try fill(steps).endTable()
        for (table, before) in zip(layouts, before) where table.name != "meta" {
            #expect(try rows(of: table, in: target) == before, "\(table.name)")
            #expect(summary.tables.first { $0.name == table.name }?.rows == before.count)
        }
        let other = try Connection(path: target, purpose: .reader)
        defer { other.close() }
        #expect(try other.integer(SQL("SELECT value FROM meta WHERE name = 'discovery_key'")) == 77)
        #expect(try other.integer(SQL("SELECT value FROM meta WHERE name = 'search_indexed'")) == 0)
        #expect(try other.integer(SQL("SELECT seq FROM sqlite_sequence WHERE name = 'conversation'")) == 1000)
    }

    @Test("A database goes through a walk and a fill, and everything is there; numbers go on")
    func whole() async throws {
        try await DamageSample.put(in: directory)
        let steps = try steps(rowBytes: 1 << 16)
        let summary = try summary(steps)
        #expect(summary.account?.account == Sample.me)
        let report = try fill(steps).finish(summary.tables, lastEvent: summary.lastEvent)
        #expect(report.isWhole)
        #expect(DamagedDatabase.isSound(path: target))
        #expect(report["message"].saved == DamageSample.messages)
        // The new database in the old one's place.
        for suffix in ["", "-wal", "-shm"] { unlink(directory.database + suffix) }
        rename(target, directory.database)
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        let last = summary.lastEvent.number
        let (texts, lastEvent, people) = try await store.read { transaction in
            let texts = try (1...UInt64(DamageSample.messages)).map { try transaction.message(Sample.id($0))?.text }
            return (texts, try transaction.latestEvent(), try transaction.contacts().count)
        }
        #expect(texts == (0..<DamageSample.messages).map(DamageSample.text))
        #expect(lastEvent >= last + StoreLimits.repairedEvents)
        #expect(people == DamageSample.people.count)
        let indexed = try await store.commit { try $0.indexMessages(limit: 100) }
        #expect(indexed > 0, "the search index begins again")
    }

    @Test("While a walk goes on, commits succeed, and the walk doesn't see them")
    func snapshot() async throws {
        try await DamageSample.put(in: directory)
        let store = try Store.open(directory: directory.path, clocks: clocks)
        defer { store.close() }
        var names = 0
        var rows = 0
        try store.walk(rowBytes: 1 << 16) { step in
            switch step {
            case .table(let name, _):
                names += 1
                let outcome = ConditionLock<Bool?>(nil)
                store.commit({ try $0.setSetting("during.\(name)", to: "x") }) { result in
                    outcome.withLock { $0 = (try? result.get()) != nil }
                    outcome.wake()
                }
                #expect(outcome.wait { $0 }, "a commit during the walk")
            case .rows(let bytes, _):
                rows += String(decoding: bytes, as: UTF8.self).contains("during.") ? 1 : 0
            case .beginning: break
            }
        }
        #expect(names > 20 && rows == 0)
        let setting = try await store.read { try $0.settings().contains { $0.0 == "during.account" } }
        #expect(setting)
    }

    @Test("Missing rows leave a database that agrees with itself, and are counted")
    func cut() async throws {
        try await DamageSample.put(in: directory)
        let steps = try steps(rowBytes: 2000)
        let summary = try summary(steps)
        // Up to the middle of the messages, which come after the conversations.
        var kept: [TableStep] = []
        var inMessages = 0
        for step in steps {
            if case .table("message", _) = step { inMessages = 1 }
            if case .rows = step, inMessages > 0 { inMessages += 1 }
            if inMessages > 20 { break }
            kept.append(step)
        }
        let report = try fill(kept).finish(summary.tables, lastEvent: summary.lastEvent)
        #expect(report["message"].lost > 0 && report["message"].saved > 0)
        #expect(!report.isWhole)
        #expect(DamagedDatabase.isSound(path: target))
    }

    @Test("Names that the schema doesn't have, rows of another form and rows that it refuses are errors")
    func hostile() throws {
        let store = try Store.open(directory: directory.path, clocks: clocks)
        store.close()
        let schema = Migrations.all.count
        func isRefused(_ body: (TableFill) throws -> Void) throws -> Bool {
            unlink(target)
            unlink(target + "-journal")
            let fill = try TableFill(path: target, schema: schema, clocks: clocks)
            do { try body(fill) } catch is StoreError { return true }
            return false
        }
        func row(_ cells: [CBOR]) -> [UInt8] { CBOR.array(cells).encoded() }
        let setting = ["name", "value"]
        #expect(try !isRefused { try $0.begin("setting", columns: setting) })
        #expect(try !isRefused { try $0.begin("setting", columns: setting.reversed()) })
        for name in ["settings", "event", "sqlite_schema", "setting; DROP TABLE message", "search", "search_data", ""] {
            #expect(try isRefused { try $0.begin(name, columns: setting) }, "\(name)")
        }
        for columns in [["name"], ["name", "name"], ["name", "value) --"], ["name", "value", "rowid"], []] {
            #expect(try isRefused { try $0.begin("setting", columns: columns) }, "\(columns)")
        }
        #expect(
            try isRefused {
                try $0.begin("setting", columns: setting)
                try $0.begin("setting", columns: setting)
            })
        #expect(try isRefused { try $0.add(row([.text("a"), .text("b")])) })
        for rows in [
            row([.text("a")]), row([.text("a"), .null]), row([.text("a"), .bytes([1])]), row([.text("a"), .array([])]),
            [0x82, 0x61], row([.text("a"), .text("b")]) + row([.text("a"), .text("c")]),
        ] {
            #expect(
                try isRefused {
                    try $0.begin("setting", columns: setting)
                    try $0.add(rows)
                }, "\(rows)")
        }
        #expect(throws: StoreError.newer(found: schema + 1, supported: schema)) {
            _ = try TableFill(path: target + "2", schema: schema + 1, clocks: clocks)
        }
        #expect(throws: StoreError.self) { _ = try TableFill(path: target, schema: schema, clocks: clocks) }
    }
}
