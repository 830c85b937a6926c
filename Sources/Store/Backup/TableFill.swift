import Basics
import CSQLite
import Glibc
import Threads
import Vocabulary

/// Makes a database from the rows that a ``TableWalk`` has given out, by the steps of a repair: rows into an empty database of
/// their version, then the migrations, then order among what hangs together.
///
/// Nothing that it is given is trusted: names are looked up in the schema, and the schema checks the rows. It belongs to
/// one thread.
public final class TableFill {
    private let connection: Connection
    private let path: String
    private let clocks: any Clocks
    private let layouts: [String: TableLayout]
    private var table: Filling?
    private var report = RepairReport()

    /// The table whose rows come.
    private struct Filling {
        let name: String
        let columns: Int
        let statement: Statement
        /// The column with a row's name in `meta`, whose counters of the search index are not taken over.
        let metaName: Int?
    }

    /// Begins with an empty file.
    /// - Parameters:
    ///   - path: where the database grows. Nothing may be there.
    ///   - schema: the version that the rows are of.
    /// - Throws: ``StoreError/newer(found:supported:)``, ``StoreError/full``, and what else opening throws.
    public init(path: String, schema: Int, clocks: any Clocks) throws(StoreError) {
        guard schema <= Migrations.all.count else { throw .newer(found: schema, supported: Migrations.all.count) }
        guard schema > 0 else { throw .corrupt(detail: "there is no schema \(schema)") }
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let number = errno
            if DiskRoom.isLacking(number, at: path) { throw .full }
            throw .cannotOpen(path: path, reason: String(cString: strerror(number)))
        }
        Glibc.close(file)
        let connection = try Connection(path: path, purpose: .writer)
        // Nothing has to survive a crash before all is there.
        try connection.execute(
            """
            PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -65536
            """)
        try Migrations.run(on: connection, path: path, upTo: schema)
        self.connection = connection
        self.path = path
        self.clocks = clocks
        layouts = try TableWalk.tables(of: connection).reduce(into: [:]) { $0[$1.name] = $1 }
    }

    deinit { connection.close() }

    /// The rows that follow belong to this table.
    /// - Throws: ``StoreError/corrupt(detail:)`` for a name that the schema doesn't have, or columns that are not the
    ///   table's.
    public func begin(_ name: String, columns: [String]) throws(StoreError) {
        try endTable()
        guard let layout = layouts[name], report.tables.allSatisfy({ $0.name != name }) else {
            throw .corrupt(detail: "there is no table of this name, or it comes twice")
        }
        // The names that go into the statement are those of the schema.
        let shared = columns.compactMap { column in layout.columns.first { $0 == column } }
        guard shared.count == columns.count, Set(shared) == Set(layout.columns), shared.count == layout.columns.count
        else {
            throw .corrupt(detail: "the columns of \(layout.name) are others")
        }
        let text =
            switch layout.name {
            case "sqlite_sequence":
                // Each table with such numbers has a row already.
                "UPDATE sqlite_sequence SET seq = max(seq, ?\(Self.place("seq", shared))) WHERE name = ?\(Self.place("name", shared))"
            default:
                """
                INSERT \(layout.name == "meta" ? "OR REPLACE " : "")INTO \(layout.name) (\(shared.joined(separator: ", ")))
                VALUES (\(shared.map { _ in "?" }.joined(separator: ", ")))
                """
            }
        if layout.name == "sqlite_sequence" { try prepareSequences() }
        try connection.execute("BEGIN")
        report[layout.name] = RepairReport.Table(name: layout.name)
        table = Filling(
            name: layout.name, columns: shared.count, statement: try Statement(connection, SQL(text)),
            metaName: layout.name == "meta" ? shared.firstIndex(of: "name") : nil)
    }

    private static func place(_ column: String, _ columns: [String]) -> Int {
        (columns.firstIndex(of: column) ?? 0) + 1
    }

    /// SQLite makes these rows with the first number, but a table may be empty whose numbers were used.
    private func prepareSequences() throws(StoreError) {
        try connection.execute(
            """
            INSERT INTO sqlite_sequence (name, seq)
            SELECT name, 0 FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'
                AND name NOT IN (SELECT name FROM sqlite_sequence)
            """)
    }

    /// Puts rows into the table: CBOR arrays of cells, one after another.
    /// - Throws: ``StoreError/constraint(detail:)`` for rows that the schema doesn't take, ``StoreError/corrupt(detail:)``
    ///   for rows of another form, ``StoreError/full``.
    public func add(_ rows: [UInt8]) throws(StoreError) {
        guard let table else { throw .corrupt(detail: "rows without a table") }
        let result = rows.withUnsafeBytes { bytes -> Result<Int, StoreError> in
            do throws(StoreError) { return .success(try add(bytes, to: table)) } catch { return .failure(error) }
        }
        report[table.name].saved += try result.get()
    }

    private func add(_ bytes: UnsafeRawBufferPointer, to table: Filling) throws(StoreError) -> Int {
        var cursor = CBORCursor(bytes)
        var count = 0
        while !cursor.isAtEnd {
            guard (try? cursor.next()) == .array(table.columns) else { throw .corrupt(detail: "no row") }
            var isComputed = false
            for column in 0..<table.columns {
                guard let item = try? cursor.next() else { throw .corrupt(detail: "no cell") }
                if column == table.metaName, case .text(let range) = item {
                    isComputed = DatabaseRepair.isComputed(metaName: String(decoding: bytes[range], as: UTF8.self))
                }
                let code = Self.bind(item, of: bytes, to: table.statement.handle, at: Int32(column + 1))
                if code != SQLITE_OK { throw connection.error(code) }
            }
            count += 1
            if !isComputed { _ = try table.statement.step() }
            table.statement.clear()
        }
        return count
    }

    /// The bytes stay where they are until the row is in.
    private static func bind(
        _ item: CBORCursor.Item, of bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: Int32
    ) -> Int32 {
        switch item {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(let range):
            let text = UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: CChar.self)
            guard let start = text.baseAddress, !text.isEmpty else {
                return sqlite3_bind_text(statement, index, "", 0, nil)
            }
            return sqlite3_bind_text64(
                statement, index, start, UInt64(text.count), nil, UInt8(truncatingIfNeeded: SQLITE_UTF8))
        case .bytes(let range):
            let blob = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let start = blob.baseAddress, !blob.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return sqlite3_bind_blob64(statement, index, start, UInt64(blob.count), nil)
        case .array: return SQLITE_MISMATCH
        }
    }

    /// Ends the table whose rows came last.
    func endTable() throws(StoreError) {
        guard table != nil else { return }
        table = nil
        try connection.execute("COMMIT")
    }

    /// Brings the database up to date and puts it in order. It is whole and closed then, but perhaps not on the disk yet.
    /// - Parameters:
    ///   - tables: how many rows each table should have. If some are missing, what hangs on them is put in order as after
    ///     a repair.
    ///   - lastEvent: the last event that clients may have seen, and its time in milliseconds.
    ///   - mend: see ``Store/repair(directory:clocks:mend:)``.
    /// - Returns: what is there and what is missing.
    /// - Throws: ``StoreError/corrupt(detail:)`` if the rows contradict each other, what `mend` throws.
    public func finish(
        _ tables: [(name: String, rows: Int)], lastEvent: (number: Int64, at: Int64),
        mend: @escaping @Sendable (WriteTransaction, inout RepairReport) throws -> Void = { _, _ in }
    ) throws -> RepairReport {
        try endTable()
        for table in tables {
            let lost = table.rows - report[table.name].saved
            if lost > 0 { report[table.name].lost = lost }
        }
        try Migrations.run(on: connection, path: path)
        let mends = RepairMends(connection: connection)
        try connection.execute("BEGIN")
        if !report.isWhole { try mends.agree(&report) }
        try mends.goOn(report, behind: (lastEvent.number, lastEvent.at), now: clocks.wallTime, isCopy: true)
        try connection.execute("COMMIT")
        report = try connection.mend(report, clocks: clocks, mend)
        try connection.execute("BEGIN")
        try mends.agree(&report)
        try connection.execute("COMMIT")
        try mends.check()
        connection.close()
        return report
    }
}
