import Basics
import CSQLite
import Glibc
import Threads

extension Store {
    /// Makes a new database from what can be read of the one in `directory`, and puts it in the old one's place. The
    /// damaged files are never written to; they stay beside it under another name.
    ///
    /// The caller makes sure that no daemon uses the directory, and that nobody else repairs it (by a lock on the directory). This
    /// blocks for as long as it takes to read the whole database and to write it. Whatever interrupts it, it can be begun again.
    /// - Parameter mend: puts in order what the store doesn't understand. Runs before the new database counts.
    /// - Returns: what was saved and lost; nil if the database is sound, and nothing was done.
    /// - Throws: ``StoreError/corrupt(detail:)`` if nothing can be read, ``StoreError/full``, what opening and `mend` throw.
    public static func repair(
        directory: String, clocks: any Clocks,
        mend: @escaping @Sendable (WriteTransaction, inout RepairReport) throws -> Void = { _, _ in }
    ) throws -> RepairReport? {
        // A repair that was interrupted after its last decision comes to its end first.
        try RepairedFile.finish(directory)
        RepairedFile.clear(directory)
        try RestoredFile.finish(directory)
        let source = directory + "/" + fileName
        guard access(source, F_OK) == 0 else {
            throw StoreError.cannotOpen(path: source, reason: String(cString: strerror(errno)))
        }
        if DamagedDatabase.isSound(path: source) { return nil }
        do {
            var report = try DatabaseRepair(directory: directory, clocks: clocks).run(mend)
            try RepairedFile.commit(directory)
            report.damagedPath = try RepairedFile.finish(directory) ?? ""
            return report
        } catch {
            RepairedFile.clear(directory)
            throw error
        }
    }
}

/// One repair: from the damaged database, which is only read, into a new one beside it.
final class DatabaseRepair {
    private let damaged: DamagedDatabase
    private let version: Int
    private let path: String
    private let clocks: any Clocks
    private let steps: [String]
    private var report = RepairReport()
    /// The greatest number of an event, and the time of the last one.
    private var lastEvent: (seq: Int64, at: Int64) = (0, 0)

    /// Tables that start empty: the event log, because clients get a gap anyway.
    private static let madeAnew: Set<String> = ["event", "event_epoch"]
    /// Indexes that hold a part of each row of a table, from which lost rows can be put together.
    private static let partIndexes = [
        ("key", "sqlite_autoindex_key_1", ["bytes", "number"]),
        ("conversation", "sqlite_autoindex_conversation_1", ["id", "number"]),
        ("conversation", "sqlite_autoindex_conversation_2", ["contact", "number"]),
        ("conversation", "sqlite_autoindex_conversation_3", ["group_id", "number"]),
        ("contact", "contact_relation", ["relation", "account"]),
    ]

    /// - Parameter steps: those of the schema; tests have their own.
    init(directory: String, clocks: any Clocks, steps: [String] = Migrations.all) throws(StoreError) {
        let source = directory + "/" + Store.fileName
        damaged = try DamagedDatabase(path: source)
        version = try damaged.version(path: source)
        guard version <= steps.count else { throw .newer(found: version, supported: steps.count) }
        path = RepairedFile.growing(directory)
        self.clocks = clocks
        self.steps = steps
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let number = errno
            if DiskRoom.isLacking(number, at: directory) { throw .full }
            throw .cannotOpen(path: path, reason: String(cString: strerror(number)))
        }
        close(file)
    }

    /// - Parameter body: see ``Store/repair(directory:clocks:mend:)``.
    func run(
        _ body: @escaping @Sendable (WriteTransaction, inout RepairReport) throws -> Void
    ) throws -> RepairReport {
        let connection = try Connection(path: path, purpose: .writer)
        defer { connection.close() }
        // Nothing has to survive a crash before the repair is over. A rollback journal holds only pages that were there
        // before, so it stays small, and the database is complete without it.
        try connection.execute(
            """
            PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536
            """)
        try copy(to: connection)
        let mends = RepairMends(connection: connection)
        try connection.execute("BEGIN")
        try mends.rebuild(&report, now: clocks.wallTime)
        try mends.agree(&report)
        try mends.goOn(report, behind: lastEvent, now: clocks.wallTime)
        try connection.execute("COMMIT; DROP TABLE part")
        report = try connection.mend(report, clocks: clocks, body)
        // Remove the rows of everything that `body` has forgotten.
        try connection.execute("BEGIN")
        try mends.agree(&report)
        try connection.execute("COMMIT")
        try mends.check()
        return report
    }

    // MARK: Copying

    /// Copies what can be read into a database of the same version, and then brings that up to date.
    private func copy(to connection: Connection) throws(StoreError) {
        try Migrations.run(steps, on: connection, path: path, upTo: version)
        for table in try TableLayout.all(of: connection) {
            try connection.execute("BEGIN")
            try copy(table, to: connection)
            try connection.execute("COMMIT")
        }
        try connection.execute("BEGIN")
        try copySequences(to: connection)
        try connection.execute("COMMIT")
        try Migrations.run(steps, on: connection, path: path)
        try connection.execute("CREATE TEMP TABLE part (owner TEXT, number INTEGER, name TEXT, value); BEGIN")
        for (table, index, columns) in Self.partIndexes { try readParts(of: table, index, columns, to: connection) }
        try connection.execute("COMMIT")
    }

    private func copy(_ table: TableLayout, to connection: Connection) throws(StoreError) {
        var entry = RepairReport.Table(name: table.name)
        let verb = table.name == "meta" ? "INSERT OR REPLACE" : "INSERT"
        let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
        let insertion = SQL(
            "\(verb) INTO \(table.name) (\(table.columns.joined(separator: ", "))) VALUES (\(marks))")
        let statement = try connection.statement(insertion)
        let isMadeAnew = Self.madeAnew.contains(table.name)
        var (seq, at) = (lastEvent.seq, lastEvent.at)
        var count = 0
        var refused = 0
        var implausible = 0
        var salvage = TableSalvage(table, of: damaged) { (row: [Cell]) throws(StoreError) in
            if isMadeAnew {
                if case .integer(let number)? = row.first, table.name == "event" { seq = max(seq, number) }
                if table.name == "event", row.count > 1, case .integer(let time) = row[1] { at = max(at, time) }
                return
            }
            if table.name == "meta", Self.isComputed(row) { return }
            guard row.allSatisfy(\.isPlausible) else {
                implausible += 1
                return
            }
            for (index, cell) in row.enumerated() {
                let code = cell.bind(to: statement.handle, at: Int32(index + 1))
                if code != SQLITE_OK { throw connection.error(code) }
            }
            let code = sqlite3_step(statement.handle)
            statement.clear()
            switch code & 0xFF {
            case SQLITE_DONE: count += 1
            case SQLITE_CONSTRAINT, SQLITE_MISMATCH: refused += 1
            default: throw connection.error(code)
            }
        }
        let isWhole = try salvage.run()
        lastEvent = (seq, at)
        guard !isMadeAnew else { return }
        entry.saved = count
        entry.leftOut = refused
        entry.lost = implausible
        if !isWhole {
            let rows = try countByIndexes(table)
            entry.lost = max(implausible, rows.count - count - refused)
            entry.mayHaveLostMore = !rows.isCertain
        }
        report[table.name] = entry
    }

    /// Whether a row of `meta` is a counter of the search index or of assets, which are counted again.
    private static func isComputed(_ row: [Cell]) -> Bool {
        guard case .text(let bytes)? = row.first else { return true }
        return isComputed(metaName: String(decoding: bytes, as: UTF8.self))
    }

    static func isComputed(metaName name: String) -> Bool { name.hasPrefix("search_") || name == "asset_bytes" }

    /// How many rows the indexes of a table know.
    private func countByIndexes(_ table: TableLayout) throws(StoreError) -> (count: Int, isCertain: Bool) {
        var best = (count: 0, isCertain: false)
        for index in table.indexes {
            var count = 0
            let end = try damaged.scan("SELECT 1 FROM \(table.name) INDEXED BY \(index)", []) { _ in
                count += 1
                return true
            }
            if count > best.count || (count == best.count && end == .complete) { best = (count, end == .complete) }
        }
        return best
    }

    /// Puts what an index knows about the rows of a table into the table `part`: forward and backward, until a page
    /// can't be read.
    private func readParts(
        of table: String, _ index: String, _ columns: [String], to connection: Connection
    ) throws(StoreError) {
        let insertion = SQL("INSERT INTO part (owner, number, name, value) VALUES (?, ?, ?, ?)")
        let statement = try connection.statement(insertion)
        func note(_ row: [Cell]) throws(StoreError) -> Bool {
            guard case .integer(let number)? = row.last, let value = row.first, value != .null else { return true }
            let cells: [Cell] = [.text(Array(table.utf8)), .integer(number), .text(Array(columns[0].utf8)), value]
            for (index, cell) in cells.enumerated() {
                let code = cell.bind(to: statement.handle, at: Int32(index + 1))
                if code != SQLITE_OK { throw connection.error(code) }
            }
            let code = sqlite3_step(statement.handle)
            statement.clear()
            if code != SQLITE_DONE { throw connection.error(code) }
            return true
        }
        // An index that this version of the schema doesn't have is no damage.
        let query = "SELECT \(columns.joined(separator: ", ")) FROM \(table) INDEXED BY \(index) ORDER BY \(columns[0])"
        if try damaged.scan(query, [], note) == .complete { return }
        _ = try damaged.scan(query + " DESC", [], note)
    }

    /// Numbers of conversations and groups are never used again.
    private func copySequences(to connection: Connection) throws(StoreError) {
        let update = SQL("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?")
        _ = try damaged.scan("SELECT name, seq FROM sqlite_sequence", []) { (row: [Cell]) throws(StoreError) in
            guard row.count == 2, case .text(let name) = row[0], case .integer(let number) = row[1] else { return true }
            try connection.run(update, number, String(decoding: name, as: UTF8.self))
            return true
        }
    }
}
