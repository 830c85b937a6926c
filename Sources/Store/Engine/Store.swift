// Store: everything that Kibo remembers, in one SQLite file. `Rows/` holds the values, `Queries/` the methods that read
// and change them, `Search/` the index of words, `SQL/` the schema and its migrations, `Engine/` the threads (group commit,
// reads, checkpoints), and `SQLite/` the thin layer over C. This module touches its file and nothing else: no sockets,
// no JSON, no protocol.

import Basics
import CSQLite
import Glibc
import Threads

/// The database. Writes are jobs on one thread, which commits for all waiting jobs at once; reads are snapshots on
/// another thread.
///
/// ```swift
/// let store = try Store.open(directory: path, clocks: SystemClocks())
/// let row = try await store.commit { try $0.insertOutgoing(message, to: [friend]) }
/// ```
/// When `write` returns, the change survives a crash and a power cut.
public final class Store: Sendable {
    /// The database's name in its directory.
    public static let fileName = "kibo.sqlite"

    private let writes = JobQueue<any WriteJob>()
    private let reads = JobQueue<any ReadJob>()
    private let eventReads = JobQueue<any ReadJob>()
    private let searches = JobQueue<any ReadJob>()
    private let longReads = JobQueue<any ReadJob>()
    private let observers = Lock<[Writer.Observer]>([])
    private let road = Lock<Road>({ $0() })
    private let checkpointer: Checkpointer
    private let path: String
    /// Whether the database was opened on a full disk: then the index of the log is in memory, and other programs can't
    /// open the database.
    public let isAlone: Bool
    private let room = Lock(Room())
    private let cost = Lock(CommitCost())
    /// This run's mark among all runs that wrote to the event log: each opening makes a new one.
    public let logEpoch: UUIDv7
    /// Records that were read before, with which reads begin; nil if there is to be no such memory.
    public let memory: MemoryCache?
    private let threads = Lock(Running())

    private struct Running {
        var others: [ThreadHandle] = []
        var writer: ThreadHandle?
    }

    /// The maker owns the value until its thread starts; from then on that thread alone owns it.
    private struct HandOver<T>: @unchecked Sendable {
        let value: T
    }

    /// Opens the database in `directory`, makes both if they are missing (0700, 0600), and brings it up to date.
    ///
    /// The caller makes sure that one process at a time does this (by a lock on the directory).
    /// - Throws: ``StoreError/cannotOpen(path:reason:)``, ``StoreError/newer(found:supported:)``,
    ///   ``StoreError/foreign(path:)``, ``StoreError/unreleased(path:)``, ``StoreError/corrupt(detail:)``,
    ///   ``StoreError/full``, and other errors of the disk.
    /// - Parameters:
    ///   - memory: bytes for records that were read; 0 for none.
    ///   - upgrading: called for each step by which the database of an older version is brought up to date, and each second
    ///     while that lasts, on this thread.
    public static func open(
        directory: String, clocks: any Clocks, memory: Int = StoreLimits.memoryCacheBytes,
        upgrading: @escaping (StoreUpgrade) -> Void = { _ in }
    ) throws(StoreError) -> Store {
        let path = try DatabaseFile.prepare(directory: directory)
        return try Store(path: path, clocks: clocks, memoryBytes: memory, upgrading)
    }

    private init(
        path: String, clocks: any Clocks, memoryBytes: Int, _ upgrading: @escaping (StoreUpgrade) -> Void
    ) throws(StoreError) {
        var isAlone = false
        let writing: Connection
        do {
            writing = try Self.connect(path, .writer)
        } catch .full {
            isAlone = true
            writing = try Self.connect(path, .writer, isAlone: true)
        }
        self.isAlone = isAlone
        try Migrations.run(on: writing, path: path, progress: upgrading)
        let copying = HandOver(value: try Connection(path: path, purpose: .checkpointer, isAlone: isAlone))
        let assets = AssetTable()
        let version = try ReadTransaction(writing).latestEvent()
        let memory = memoryBytes > 0 ? MemoryCache(limit: memoryBytes, version: version) : nil
        let checkpointer = Checkpointer()
        var random = SystemRandomNumberGenerator()
        self.path = path
        self.memory = memory
        self.checkpointer = checkpointer
        logEpoch = UUIDv7(at: clocks.wallTime, using: &random)
        let writer = HandOver(
            value: try Writer(
                connection: writing, memory: memory, assets: assets, clocks: clocks, observers: observers,
                checkpointer: checkpointer, logEpoch: logEpoch, room: room, cost: cost))
        func makeReader(_ deadline: Deadline? = nil) throws(StoreError) -> HandOver<Reader> {
            let connection = try Connection(path: path, purpose: .reader, isAlone: isAlone)
            return HandOver(
                value: Reader(connection: connection, memory: memory, assets: assets, deadline: deadline))
        }
        let (reader, follower, plodder) = (try makeReader(), try makeReader(), try makeReader())
        let searcher = try makeReader(Deadline(StoreLimits.searchTime, clocks: clocks))
        let (writes, reads, eventReads, searches, longReads) = (writes, reads, eventReads, searches, longReads)
        do {
            try begin("store-copy") { checkpointer.run(copying.value) }
            try begin("store-read") { reader.value.run(reads) }
            try begin("store-events", isPrompt: true) { follower.value.run(eventReads) }
            try begin("store-search") { searcher.value.run(searches) }
            try begin("store-long") { plodder.value.run(longReads) }
            let thread = try PlatformThread.spawn(name: "store-write", isPrompt: true) { writer.value.run(writes) }
            threads.withLock { $0.writer = thread }
        } catch {
            let failure = StoreError.noThread(detail: "\(error)")
            close()
            throw failure
        }
    }

    private func begin(
        _ name: String, isPrompt: Bool = false, _ work: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        let thread = try PlatformThread.spawn(name: name, isPrompt: isPrompt, work)
        threads.withLock { $0.others.append(thread) }
    }

    /// Opens a connection and reads something by it, because only a read opens the log and its index.
    private static func connect(
        _ path: String, _ purpose: Connection.Purpose, isAlone: Bool = false
    ) throws(StoreError) -> Connection {
        let connection = try Connection(path: path, purpose: purpose, isAlone: isAlone)
        do {
            _ = try Migrations.version(of: connection)
        } catch {
            connection.close()
            throw error
        }
        return connection
    }

    // This may run on one of the store's own threads, which can't wait for itself: the threads end by themselves.
    deinit { stop() }

    // MARK: Commits and reads

    // There are four verbs, and no others:
    //
    // - `commit`: a change, once. Its caller waits for it, or is called when it is done, here or on the reactor.
    // - `RetriedCommits.commit`: a change that is tried until it is stored.
    // - `read`: a look at what is committed, by a thread of the store.
    // - `commitAndWait`, `readAndWait`: the same for threads that may block.

    /// Runs `body` in the next group and returns its result after the commit: its changes are durable then. If `body`
    /// throws, its own changes are undone, and the error is thrown here. If the commit fails, its ``StoreError`` is
    /// thrown here.
    ///
    /// This runs on the caller's executor, so that the jobs of one actor are submitted in the order of its calls.
    /// - Parameter mayRunTwice: whether `body` changes nothing but the transaction, so that it may be undone and run
    ///   again. Many such jobs cost less.
    public func commit<T: Sendable>(
        mayRunTwice: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> T
    ) async throws -> T {
        let road = road.withLock { $0 }
        return try await withCheckedThrowingContinuation { continuation in
            commit(mayRunTwice: mayRunTwice, body) { result in road { continuation.resume(with: result) } }
        }
    }

    /// Wakes who waits for a commit: it is given the call that does so.
    public typealias Road = @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void

    /// Has callers that wait for a commit woken by `road`, from now on. Without this they are woken by the store's thread, and
    /// one that was not waiting yet goes on at once, before its thread has done what observers have posted to it.
    public func wakeCallers(by road: @escaping Road) { self.road.withLock { $0 = road } }

    /// The same for callers that don't wait. Jobs run in the order of submission.
    /// - Parameters:
    ///   - isPatient: whether the job may wait ``StoreLimits/patience`` for others with which it is committed.
    ///   - completion: called on the store's thread after the commit, in the order of submission; it must be quick and
    ///     must not wait for the store. After ``close()`` it is called here, at once, with ``StoreError/closed``.
    public func commit<T: Sendable>(
        mayRunTwice: Bool = false, isPatient: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let job = ClosureWriteJob(mayRunTwice: mayRunTwice, body, completion: completion)
        if !writes.put(job, patience: isPatient ? StoreLimits.patience : .zero) { job.finish(StoreError.closed) }
    }

    /// The threads that read, each with a snapshot of its own.
    public enum ReadThread: Sendable {
        /// What clients and the daemon ask.
        case common
        /// What follows the commits: it doesn't wait for another caller's long list.
        case events
        /// What takes milliseconds, and no user waits for it, such as what peers ask about their groups. One caller has few
        /// of these under way, so that others have their turn.
        case long
        /// What people search: no search delays other reads. It ends with ``StoreError/tooLong`` after
        /// ``StoreLimits/searchTime``.
        case search
    }

    /// Runs `body` on a snapshot of what is committed, and returns its result.
    /// - Throws: what `body` throws; ``StoreError/closed`` after ``close()``.
    public func read<T: Sendable>(
        by thread: ReadThread = .common, _ body: @escaping @Sendable (ReadTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            read(by: thread, body) { continuation.resume(with: $0) }
        }
    }

    /// The same for callers that don't wait; `completion` is called on the reading thread, in order.
    public func read<T: Sendable>(
        by thread: ReadThread = .common, _ body: @escaping @Sendable (ReadTransaction) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let queue =
            switch thread {
            case .common: reads
            case .events: eventReads
            case .long: longReads
            case .search: searches
            }
        if !queue.put(ClosureReadJob(body: body, completion: completion)) { completion(.failure(StoreError.closed)) }
    }

    /// `observer` gets the events and the new outbox items of every commit from now on: on the store's thread, after
    /// the commit, before the completions of its jobs, in their order. It must be quick and must not wait for the
    /// store. The transaction shows the state of the commit, and ends with the call.
    public func observeCommits(_ observer: @escaping @Sendable (CommitRecord, ReadTransaction) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    /// Copies the log into the database and empties it, on a thread of its own. Deleted content is overwritten in the
    /// database already, and then it is not in the log either.
    /// - Parameter completion: gets whether this was possible now, on the copying thread; it is false while another
    ///   connection reads or writes.
    public func emptyLog(completion: @escaping @Sendable (Bool) -> Void) { checkpointer.emptyLog(completion) }

    /// A connection for a long read of everything. Until ``endWalk()`` the log grows, because a checkpoint could only copy
    /// what was there before the read, and would look through the log for nothing with each commit.
    func beginWalk() throws(StoreError) -> Connection {
        let connection = try Connection(path: path, purpose: .reader, isAlone: isAlone)
        checkpointer.hold(true)
        return connection
    }

    /// The read is over.
    func endWalk() { checkpointer.hold(false) }

    /// How long a small commit takes on this disk, which is nearly only its sync; zero before the first one.
    public var commitCost: Duration { cost.withLock { $0.value ?? .zero } }

    /// Whether the last write failed because the disk is full.
    public var isFull: Bool { room.withLock { $0.isFull } }

    /// Calls `observer` on the store's thread when the disk turns out to be full, and when something could be written
    /// again.
    public func observeRoom(_ observer: @escaping @Sendable (_ isFull: Bool) -> Void) {
        room.withLock { $0.observer = observer }
    }

    struct Room {
        var isFull = false
        var observer: @Sendable (Bool) -> Void = { _ in }
    }

    /// Bytes on the disk: those of the database and those of its log.
    public var databaseBytes: Int64 {
        var sum: Int64 = 0
        for suffix in ["", "-wal"] {
            var status = stat()
            if stat(path + suffix, &status) == 0 { sum += Int64(status.st_size) }
        }
        return sum
    }

    /// Runs the queued jobs, copies the log into the database and closes it. This blocks, so the store's own threads
    /// must not call it. A second call waits for the same end.
    public func close() {
        checkpointer.close()
        reads.close()
        eventReads.close()
        searches.close()
        longReads.close()
        threads.withLock { $0.others }.forEach { $0.join() }
        // The writer goes last and alone: the connection that closes last copies the log into the database and removes
        // it, but if two connections close at the same time neither of them does.
        writes.close()
        threads.withLock { $0.writer }?.join()
    }

    private func stop() {
        checkpointer.close()
        reads.close()
        eventReads.close()
        searches.close()
        longReads.close()
        writes.close()
    }
}
