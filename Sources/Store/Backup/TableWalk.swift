import Basics
import CSQLite

/// What a walk over all tables gives, in order: the beginning, then each table and its rows.
public enum TableStep: Sendable {
    case beginning(TableSummary)
    case table(name: String, columns: [String])
    /// CBOR arrays of cells, one after another, and how many.
    case rows([UInt8], count: Int)
}

/// What is known before the first row.
public struct TableSummary: Sendable {
    /// The number of the schema's version, as ``TableFill`` takes it.
    public let schema: Int
    /// All tables that follow, and how many rows each has.
    public let tables: [(name: String, rows: Int)]
    /// The number of the last event, and its time in milliseconds.
    public let lastEvent: (number: Int64, at: Int64)
    /// The digests of all pictures of people and groups that the rows name.
    public let pictures: [[UInt8]]
    public let account: AccountRow?
}

/// Reads all tables out of one snapshot.
public enum TableWalk {
    /// Tables that are not written, and why not. All others are.
    static let leftOut = [
        "event": "clients read everything again",
        "event_epoch": "the numbers of events go on beyond all that clients have seen",
        "host_setting": "the configuration of the host says it",
        "call_state": "calls that this device takes part in",
        "mail_key": "another device has keys of its own",
        "mail_note": "friends say it again in each session",
        "parcel": "what is kept for others is gone with the device that kept it",
        "parcel_answer": "it goes with the parcels",
        "parcel_out": "what waits is given to couriers again",
        "sealed_file": "it goes with the parcels",
        "sealed_file_in": "another device asks the sender",
        "sealed_file_out": "files that wait are sealed again",
        "transfer_idle": "the use of received files, which are not in a backup",
    ]

    private static let lastEvent = SQL("SELECT seq, at FROM event ORDER BY seq DESC LIMIT 1")
    private static let pictures = SQL(
        """
        SELECT avatar FROM account WHERE avatar IS NOT NULL UNION SELECT avatar FROM contact WHERE avatar IS NOT NULL
        UNION SELECT avatar FROM group_chat WHERE avatar IS NOT NULL
        """)

    /// The tables that are written, as `SELECT` needs them. The last one has the numbers that are never given again.
    static func tables(of connection: Connection) throws(StoreError) -> [TableLayout] {
        let layouts = try TableLayout.all(of: connection).filter { leftOut[$0.name] == nil }
        return layouts + [
            TableLayout(name: "sqlite_sequence", columns: ["name", "seq"], key: ["name"], indexes: [])
        ]
    }

    /// - Parameter bytes: at how many bytes a step with rows ends; it may be longer by one row.
    static func run(
        _ connection: Connection, rowBytes bytes: Int, _ visit: (TableStep) throws -> Void
    ) throws {
        try connection.run(SQL.beginSnapshot)
        defer { _ = try? connection.run(SQL.commit) }
        let tables = try tables(of: connection)
        var counts: [(name: String, rows: Int)] = []
        for table in tables {
            let count = try connection.integer(SQL("SELECT count(*) FROM \(table.name)")) ?? 0
            counts.append((table.name, Int(count)))
        }
        let event = try connection.first(lastEvent) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        try visit(
            .beginning(
                TableSummary(
                    schema: try Migrations.version(of: connection), tables: counts, lastEvent: event,
                    pictures: try connection.rows(pictures) { $0.bytes(0) },
                    account: try ReadTransaction(connection).ownAccount())))
        for table in tables {
            try visit(.table(name: table.name, columns: table.columns))
            try read(table, of: connection, bytes, visit)
        }
    }

    private static func read(
        _ table: TableLayout, of connection: Connection, _ bytes: Int, _ visit: (TableStep) throws -> Void
    ) throws {
        let order = table.key.joined(separator: ", ")
        let statement = try Statement(
            connection, SQL("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name) ORDER BY \(order)"))
        var rows: [UInt8] = []
        rows.reserveCapacity(bytes + 4096)
        var count = 0
        while try statement.step() {
            CBOR.appendHead(4, UInt64(table.columns.count), to: &rows)
            for column in 0..<Int32(table.columns.count) { try append(statement.handle, column, to: &rows) }
            count += 1
            guard rows.count >= bytes else { continue }
            try visit(.rows(rows, count: count))
            rows.removeAll(keepingCapacity: true)
            count = 0
        }
        if !rows.isEmpty { try visit(.rows(rows, count: count)) }
    }

    private static func append(
        _ statement: OpaquePointer, _ column: Int32, to rows: inout [UInt8]
    ) throws(StoreError) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: rows.append(0xF6)
        case SQLITE_INTEGER:
            let number = sqlite3_column_int64(statement, column)
            CBOR.appendHead(number < 0 ? 1 : 0, UInt64(bitPattern: number < 0 ? ~number : number), to: &rows)
        case SQLITE_TEXT:
            // The pointer first, then the length.
            let start = sqlite3_column_text(statement, column)
            append(3, UnsafeRawPointer(start), sqlite3_column_bytes(statement, column), to: &rows)
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(statement, column)
            append(2, start, sqlite3_column_bytes(statement, column), to: &rows)
        default: throw .corrupt(detail: "a value of a type that no table has")
        }
    }

    private static func append(_ major: UInt8, _ start: UnsafeRawPointer?, _ count: Int32, to rows: inout [UInt8]) {
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
        CBOR.appendHead(major, UInt64(bytes.count), to: &rows)
        rows.append(contentsOf: bytes)
    }
}

extension Store {
    /// Reads all tables out of one snapshot, on a connection of its own: readers and writers go on. The log is not emptied
    /// meanwhile. This blocks, so call it on a thread that may block.
    /// - Parameters:
    ///   - rowBytes: at how many bytes a step with rows ends; it may be longer by one row.
    ///   - visit: called with each step. What it throws ends the walk.
    public func walk(rowBytes: Int, _ visit: (TableStep) throws -> Void) throws {
        let connection = try beginWalk()
        defer {
            connection.close()
            endWalk()
        }
        try TableWalk.run(connection, rowBytes: rowBytes, visit)
    }
}
