import CSQLite

/// One connection to the database file with its prepared statements. It belongs to one thread at a time.
final class Connection {
    let handle: OpaquePointer
    private let path: String
    private var statements: [ObjectIdentifier: Statement] = [:]

    /// The purpose of a connection.
    enum Purpose {
        case writer, reader, checkpointer

        fileprivate var cacheKiB: Int {
            switch self {
            case .writer: StoreLimits.writerCacheKiB
            case .reader: StoreLimits.readerCacheKiB
            case .checkpointer: StoreLimits.checkpointerCacheKiB
            }
        }
    }

    private static let pageCount = SQL("PRAGMA page_count")
    /// This has to run before the first connection of the process; later the library refuses, which does no harm.
    private static let isConfigured = kibo_sqlite_without_statistics() == SQLITE_OK

    /// - Parameter isAlone: whether the index of the write-ahead log is kept in memory, instead of in a file beside it,
    ///   which can't be made on a full disk. Other programs then find the database locked while this process has it
    ///   open.
    init(path: String, purpose: Purpose, isAlone: Bool = false) throws(StoreError) {
        _ = Self.isConfigured
        self.path = path
        var handle: OpaquePointer?
        // There is no mutex, because each connection has one thread. The file exists already, with its permissions.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, isAlone ? "unix-excl" : nil)
        guard code == SQLITE_OK, let handle else {
            let reason = String(cString: sqlite3_errstr(code))
            let number = handle.map { sqlite3_system_errno($0) } ?? 0
            sqlite3_close_v2(handle)
            if DiskRoom.isLacking(number, at: path) { throw .full }
            throw .cannotOpen(path: path, reason: reason)
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, StoreLimits.busyTimeout)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, StoreLimits.valueBytes)
        do {
            // A new database gives pages back in small steps. One that already has pages keeps its mode, and isn't
            // written to here.
            if purpose == .writer, try integer(Self.pageCount) == 0 {
                try execute("PRAGMA auto_vacuum = INCREMENTAL")
            }
            // FULL: a commit is on the disk when COMMIT returns. secure_delete: deleted content is overwritten. The
            // checkpointer makes checkpoints (and the writer, if that falls far behind).
            try execute(
                """
                PRAGMA cache_size = -\(purpose.cacheKiB);
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = FULL;
                PRAGMA secure_delete = ON;
                PRAGMA foreign_keys = ON;
                PRAGMA temp_store = MEMORY;
                PRAGMA trusted_schema = OFF;
                PRAGMA wal_autocheckpoint = 0;
                PRAGMA journal_size_limit = \(StoreLimits.journalBytes);
                """)
            if purpose == .reader { try execute("PRAGMA query_only = ON") }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private var isClosed = false
    /// Splits texts into words as the index does; made at its first use.
    private var knownTokenizer: Tokenizer?
    /// These are kept alive for SQLite, which has only their addresses.
    private var deadline: Deadline?
    private var upgrade: UpgradeWatch?

    /// Finalises all statements and closes the connection. Safe to call twice.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        statements.removeAll()
        knownTokenizer = nil
        sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters and ignores their rows.
    func execute(_ text: String) throws(StoreError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// The prepared form of `sql`, which is prepared at its first use.
    func statement(_ sql: SQL) throws(StoreError) -> Statement {
        if let statement = statements[ObjectIdentifier(sql)] { return statement }
        let fresh = try Statement(self, sql)
        statements[ObjectIdentifier(sql)] = fresh
        return fresh
    }

    func tokenizer() throws(StoreError) -> Tokenizer {
        if let knownTokenizer { return knownTokenizer }
        let fresh = try Tokenizer(self)
        knownTokenizer = fresh
        return fresh
    }

    /// Makes every further statement end with ``StoreError/tooLong`` once the deadline has passed.
    func obey(_ deadline: Deadline) {
        self.deadline = deadline
        sqlite3_progress_handler(
            handle, StoreLimits.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().hasPassed ? 1 : 0
            }, Unmanaged.passUnretained(deadline).toOpaque())
    }

    /// Calls `watch` again and again while statements run; nil ends that.
    func watch(_ watch: UpgradeWatch?) {
        upgrade = watch
        guard let watch else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle, StoreLimits.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                Unmanaged<UpgradeWatch>.fromOpaque(context).takeUnretainedValue().look()
                return 0
            }, Unmanaged.passUnretained(watch).toOpaque())
    }

    /// Runs a statement to its end.
    /// - Returns: the number of rows that it changed.
    @discardableResult
    func run<each Value: Bindable>(_ sql: SQL, _ values: repeat each Value) throws(StoreError) -> Int {
        let statement = try statement(sql)
        try statement.bind(repeat each values)
        while try statement.step() {}
        statement.clear()
        return Int(sqlite3_changes(handle))
    }

    /// Every row, read by `read`, which must not run the same statement.
    func rows<T, each Value: Bindable>(
        _ sql: SQL, _ values: repeat each Value, read: (StoredRow) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let statement = try statement(sql)
        try statement.bind(repeat each values)
        var values: [T] = []
        do {
            while try statement.step() { values.append(try read(statement.row)) }
        } catch {
            statement.clear()
            throw error
        }
        statement.clear()
        return values
    }

    /// The first row, if there is one.
    func first<T, each Value: Bindable>(
        _ sql: SQL, _ values: repeat each Value, read: (StoredRow) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        let statement = try statement(sql)
        try statement.bind(repeat each values)
        var value: T?
        do {
            if try statement.step() { value = try read(statement.row) }
        } catch {
            statement.clear()
            throw error
        }
        statement.clear()
        return value
    }

    /// The integer in the first column of the first row; nil without a row or for NULL.
    func integer<each Value: Bindable>(_ sql: SQL, _ values: repeat each Value) throws(StoreError) -> Int64? {
        try first(sql, repeat each values) { $0.optionalInteger(0) } ?? nil
    }

    /// The number of the last inserted row.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows that were inserted, changed or deleted by this connection.
    var rowsWritten: Int64 { sqlite3_total_changes64(handle) }

    /// Whether a transaction is open. It isn't after an error (full disk, failed write) that undid it as a whole.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    private var isDiskFull: Bool { DiskRoom.isLacking(sqlite3_system_errno(handle), at: path) }

    /// The error for a result code, with what SQLite says about it.
    func error(_ code: Int32) -> StoreError {
        let detail = String(cString: sqlite3_errmsg(handle))
        return switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_IOERR where isDiskFull, SQLITE_CANTOPEN where isDiskFull: .full
        case SQLITE_IOERR, SQLITE_PROTOCOL: .inputOutput(detail: "\(detail) (\(code))")
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(detail: detail)
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_INTERRUPT: .tooLong
        case SQLITE_CONSTRAINT: .constraint(detail: detail)
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .inputOutput(detail: detail)
        default: .sql(code: code, detail: detail)
        }
    }
}
