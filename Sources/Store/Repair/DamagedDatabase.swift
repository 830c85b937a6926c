import Basics
import CSQLite
import Glibc

/// Reads a damaged database by whatever works. It never writes to the file or its write-ahead log.
final class DamagedDatabase {
    private let handle: OpaquePointer
    /// The index of the log, if it was not there before.
    private let index: String?

    /// How far a read came.
    enum End {
        /// To the last row, or to where the caller stopped.
        case complete
        /// To a page that can't be read.
        case damaged
    }

    /// - Throws: ``StoreError/cannotOpen(path:reason:)``, and ``StoreError/corrupt(detail:)`` if not even the first page can be
    ///   read, without which SQLite finds nothing.
    /// - Parameter goesOn: whether to go on although parts of the schema can't be read.
    init(path: String, goesOn: Bool = true) throws(StoreError) {
        var opened: OpaquePointer?
        var status = stat()
        // Without a log nothing is needed beside the file; with one, SQLite makes an index of it.
        let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
        index = hasLog && access(path + "-shm", F_OK) != 0 ? path + "-shm" : nil
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let code = sqlite3_open_v2(Self.address(of: path) + (hasLog ? "" : "?immutable=1"), &opened, flags, "unix-excl")
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw .cannotOpen(path: path, reason: String(cString: sqlite3_errstr(code)))
        }
        handle = opened
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, StoreLimits.busyTimeout)
        sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, StoreLimits.valueBytes)
        // With a writable schema SQLite takes as much of the schema as it can read.
        let settings = """
            PRAGMA writable_schema = \(goesOn ? "ON" : "OFF"); PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;
            """
        sqlite3_exec(opened, settings, nil, nil, nil)
    }

    deinit {
        sqlite3_close_v2(handle)
        if let index { unlink(index) }
    }

    /// The path as SQLite takes it with parameters.
    private static func address(of path: String) -> String {
        var text = "file:"
        for byte in path.utf8 {
            let isPlain =
                byte < 0x80 && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "%")
            text += isPlain ? String(Unicode.Scalar(byte)) : "%" + Hex.encode([byte])
        }
        return text
    }

    /// Whether nothing is damaged: SQLite's whole examination, which also compares indexes with tables.
    static func isSound(path: String) -> Bool {
        guard let database = try? DamagedDatabase(path: path, goesOn: false) else { return false }
        var lines: [Cell] = []
        let checks = ["PRAGMA integrity_check(1)", "PRAGMA foreign_key_check"]
        for check in checks {
            let end = try? database.scan(check, []) { row in
                lines += row.prefix(1)
                return lines.count < 2
            }
            if end != .complete { return false }
        }
        return lines == [.text(Array("ok".utf8))]
    }

    /// The number of the last migration that the file has taken, if it is ours.
    func version(path: String) throws(StoreError) -> Int {
        func number(_ name: String) throws(StoreError) -> Int64 {
            var version: Int64?
            _ = try scan("PRAGMA \(name)", []) { row in
                if case .integer(let number)? = row.first { version = number }
                return false
            }
            guard let version else { throw .corrupt(detail: "its first page can't be read") }
            return version
        }
        let version = try number("user_version")
        try Migrations.check(owner: try number("application_id"), path: path)
        guard version > 0 else { throw .foreign(path: path) }
        return Int(clamping: version)
    }

    /// Reads rows until `row` returns false, the rows end, or a page can't be read.
    /// - Parameter row: gets the columns of each row.
    /// - Throws: what `row` throws, and errors that are no damage.
    func scan(
        _ text: String, _ values: [Cell], _ row: ([Cell]) throws(StoreError) -> Bool
    ) throws(StoreError) -> End {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, text, -1, &prepared, nil)
        guard code == SQLITE_OK, let statement = prepared else {
            // A table whose part of the schema is lost is unknown.
            return try end(code)
        }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() {
            let code = value.bind(to: statement, at: Int32(index + 1))
            if code != SQLITE_OK { return try end(code) }
        }
        let count = sqlite3_column_count(statement)
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: if try !row((0..<count).map { Cell(statement, $0) }) { return .complete }
            case SQLITE_DONE: return .complete
            case let code: return try end(code)
            }
        }
    }

    private func end(_ code: Int32) throws(StoreError) -> End {
        switch code & 0xFF {
        // No row of ours has so long a value: its length is damaged.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR, SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_MISMATCH: return .damaged
        case SQLITE_BUSY, SQLITE_LOCKED: throw .busy
        default: throw .sql(code: code, detail: String(cString: sqlite3_errmsg(handle)))
        }
    }
}
