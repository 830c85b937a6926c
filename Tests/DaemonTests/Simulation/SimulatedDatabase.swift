import Basics
import CSQLite
import Testing
import Threads

@testable import Store

/// The real store on one thread. Its database in memory survives restarts, and its writer doesn't.
final class SimulatedDatabase {
    private let connection: Connection
    private let clocks: any Clocks
    private var writer: Writer?
    private var waiting: [any WriteJob] = []
    /// Gets what a commit made durable, at once.
    var observer: (CommitRecord) -> Void = { _ in }
    /// What the last commit changed for those who hold it in memory.
    private(set) var changed = ChangedRows()

    init(clocks: any Clocks) throws {
        self.clocks = clocks
        connection = try Connection(path: ":memory:", purpose: .writer)
        try Migrations.run(on: connection, path: ":memory:")
    }

    /// The memory in front of the tables; each run begins with an empty one.
    private var memory: MemoryCache?

    /// Begins another run of the daemon on the same database.
    func start() throws {
        let box = Box(database: self)
        let version = try ReadTransaction(connection).latestEvent()
        let memory = MemoryCache(limit: 1 << 20, version: version)
        self.memory = memory
        writer = try Writer(
            connection: connection, memory: memory, clocks: clocks,
            observers: Lock<[Writer.Observer]>([
                { record, _ in
                    box.database?.changed = record.rows
                    box.database?.observer(record)
                }
            ]),
            checkpointer: Checkpointer(), logEpoch: .zero)
    }

    /// Kills the daemon: changes that were not committed are lost.
    func stop() {
        writer = nil
        waiting = []
    }

    /// All that is committed, as a copy of the file would have it.
    func copy() throws -> [UInt8] {
        var size: sqlite3_int64 = 0
        let bytes = try #require(sqlite3_serialize(connection.handle, "main", &size, 0))
        defer { sqlite3_free(bytes) }
        return [UInt8](UnsafeBufferPointer(start: bytes, count: Int(size)))
    }

    /// Begins another run with the data of an old copy.
    func start(from copy: [UInt8]) throws {
        stop()
        let size = sqlite3_int64(copy.count)
        let bytes = try #require(sqlite3_malloc64(sqlite3_uint64(copy.count))).assumingMemoryBound(to: UInt8.self)
        bytes.update(from: copy, count: copy.count)
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        try #require(sqlite3_deserialize(connection.handle, "main", bytes, size, size, flags) == SQLITE_OK)
        try start()
    }

    /// Fills the disk: a change that needs another page fails, as it does on a real one.
    func setFull(_ isFull: Bool) throws {
        try connection.execute("PRAGMA max_page_count = \(isFull ? 1 : 1_000_000_000)")
    }

    var hasJobs: Bool { !waiting.isEmpty }

    /// - Parameter done: called after the commit, or with the reason why there was none.
    func submit<Value>(
        _ body: @escaping (WriteTransaction) throws -> Value, done: @escaping (Result<Value, any Error>) -> Void
    ) {
        waiting.append(SimulatedJob(body, done))
    }

    /// Runs the next jobs in one commit.
    func runGroup(_ count: Int) {
        let group = Array(waiting.prefix(count))
        waiting.removeFirst(group.count)
        changed = ChangedRows()
        writer?.runNow(group)
    }

    /// Reads the committed state.
    func read<Value>(_ body: (ReadTransaction) throws -> Value) rethrows -> Value {
        try body(ReadTransaction(connection, memory: memory))
    }

    private final class Box: @unchecked Sendable {
        // Everything happens on the simulation's one thread.
        weak var database: SimulatedDatabase?
        init(database: SimulatedDatabase) { self.database = database }
    }
}

/// The simulation's one thread owns it.
private final class SimulatedJob<Value>: WriteJob, @unchecked Sendable {
    private let body: (WriteTransaction) throws -> Value
    private let done: (Result<Value, any Error>) -> Void
    private var value: Value?

    init(_ body: @escaping (WriteTransaction) throws -> Value, _ done: @escaping (Result<Value, any Error>) -> Void) {
        (self.body, self.done) = (body, done)
    }

    func run(_ transaction: WriteTransaction) throws { value = try body(transaction) }

    func finish(_ failure: (any Error)?) {
        if let failure {
            done(.failure(failure))
        } else if let value {
            done(.success(value))
        }
    }
}

private let contentTables: [(table: String, columns: [String])] = [
    ("message", ["text", "reason", "detail"]), ("outbox", ["body", "detail"]), ("early_edit", ["text"]),
    ("reaction", ["emoji"]), ("early_reaction", ["emoji"]), ("event", ["object", "parent"]), ("setting", ["value"]),
    ("send_key", ["name"]),
    ("conversation", ["title"]), ("transfer", ["name", "detail", "path", "part_path"]), ("transfer_page", ["entries"]),
]
private let containing = SQL(
    contentTables.map { table, columns in
        "SELECT '\(table)' FROM \(table) WHERE "
            + columns.map { "instr(CAST(\($0) AS BLOB), ?1) > 0" }.joined(separator: " OR ")
    }.joined(separator: " UNION "))
private let byOwn = SQL("SELECT id FROM message WHERE state <> 5 ORDER BY number")
private let byPeers = SQL("SELECT id FROM message WHERE state = 5 ORDER BY number")
private let failed = SQL("SELECT id FROM message WHERE state = 4 AND deleted = 0 ORDER BY number")
private let stray = SQL(
    """
    SELECT message FROM early_edit UNION SELECT message FROM early_reaction
    UNION SELECT message FROM reaction WHERE NOT EXISTS (SELECT 1 FROM message WHERE id = reaction.message)
    """)
private let doomedCount = SQL("SELECT count(*) FROM conversation WHERE archived = 2")
private let lastBySent = SQL(
    "SELECT id FROM message WHERE conversation = ? ORDER BY hlc DESC, id DESC LIMIT 1")
private let lastByArrival = SQL("SELECT id FROM message WHERE conversation = ? ORDER BY number DESC LIMIT 1")
private let unreadRows = SQL("SELECT count(*) FROM message WHERE conversation = ? AND unread = 1")

/// Queries that the daemon itself doesn't need.
extension ReadTransaction {
    /// Returns the tables that hold a text somewhere.
    func tables(holding text: String) throws -> [String] {
        try connection.rows(containing, Array(text.utf8)) { $0.text(0) }
    }

    /// Returns messages of our own, or of peers, in the order of arrival.
    func messageIDs(own: Bool) throws -> [UUIDv7] {
        try connection.rows(own ? byOwn : byPeers) { row throws(StoreError) in try row.identifier(0) }
    }

    /// Returns messages of our own that can be sent again.
    func failedIDs() throws -> [UUIDv7] {
        try connection.rows(failed) { row throws(StoreError) in try row.identifier(0) }
    }

    /// Returns messages that are not here and for which edits or reactions wait.
    func strays() throws -> [UUIDv7] {
        try connection.rows(stray) { row throws(StoreError) in try row.identifier(0) }
    }

    /// Whether the housekeeper has conversations to remove.
    func hasRemains() throws -> Bool { try connection.integer(doomedCount) ?? 0 > 0 }

    /// Returns what the conversation's row should say: its last message and how many are unread.
    func truth(of conversation: UUIDv7) throws -> (last: UUIDv7?, unread: Int64) {
        guard let number = try conversationNumber(conversation) else { return (nil, 0) }
        let last = try connection.first(try messageOrder() == .sent ? lastBySent : lastByArrival, number) {
            row throws(StoreError) in try row.identifier(0)
        }
        return (last, try connection.integer(unreadRows, number) ?? 0)
    }
}
