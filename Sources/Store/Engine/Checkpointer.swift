import CSQLite
import Threads
import Vocabulary

/// Copies the write-ahead log into the database on a thread and a connection of its own, while the writer goes on.
/// Without it the commit that fills the log's thousandth page would wait for thousands of pages and two fsyncs.
final class Checkpointer: Sendable {
    private let queue = JobQueue<Request>()
    private let log = Lock(LogState())

    private enum Request: Sendable {
        /// Copy what can be copied without waiting for other connections.
        case copy
        /// Copy everything and empty the log, so that no deleted content stays in it.
        case empty(@Sendable (Bool) -> Void)
    }

    private struct LogState {
        /// Pages in the log after the last commit.
        var pages = 0
        /// A request was made and is not done.
        var isAsked = false
        /// Reads of everything that go on.
        var walks = 0
    }

    /// Makes no checkpoints while somebody reads everything, and catches up when nobody does any more.
    func hold(_ isHeld: Bool) {
        let isFree = log.withLock { state in
            state.walks += isHeld ? 1 : -1
            return state.walks == 0
        }
        if isFree { queue.put(.copy) }
    }

    /// C gets an unretained pointer. That is safe because the writer holds the checkpointer for longer than the
    /// connection that it watches lives.
    func watch(_ connection: Connection) {
        sqlite3_wal_hook(
            connection.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().notePages(Int(pages))
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        self.writer.withLock { $0 = WriterHandle(connection: connection.handle) }
    }

    private let writer = Lock<WriterHandle?>(nil)

    /// The writing thread owns it; the lock only carries it there.
    private struct WriterHandle: @unchecked Sendable {
        let connection: OpaquePointer
    }

    private func notePages(_ pages: Int) { log.withLock { $0.pages = pages } }

    /// Called on the writing thread, outside a transaction and after the callers got their results.
    func afterCommit() {
        let (pages, isHeld) = log.withLock { ($0.pages, $0.walks > 0) }
        if isHeld { return }
        if pages >= StoreLimits.forcedCheckpointPages {
            // Under constant load the writer goes on, and the log is never copied to its end. So the writer stops and
            // copies the little that is left, and the next commit starts the log again.
            if let handle = writer.withLock({ $0?.connection }) { copy(handle) }
            log.withLock { $0.pages = 0 }
        } else if pages >= StoreLimits.checkpointPages {
            let isNew = log.withLock { state in
                defer { state.isAsked = true }
                return !state.isAsked
            }
            if isNew { queue.put(.copy) }
        }
    }

    /// The loop of the checkpointer's thread, which closes its connection in the end.
    func run(_ connection: Connection) {
        while let requests = queue.waitAndDrain() {
            // Most pages are copied beside the writer; only the rest holds it up.
            copy(connection.handle)
            for case .empty(let done) in requests {
                // SQLite would hold the writer's lock while it waits for readers, and writers would wait with it. So it
                // doesn't wait at all, and the caller tries again.
                sqlite3_busy_timeout(connection.handle, 0)
                let code = sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
                sqlite3_busy_timeout(connection.handle, StoreLimits.busyTimeout)
                done(code == SQLITE_OK)
            }
            log.withLock { $0.isAsked = false }
        }
        connection.close()
    }

    /// Empties the log soon, if no other connection reads or writes just then.
    func emptyLog(_ completion: @escaping @Sendable (Bool) -> Void) {
        if !queue.put(.empty(completion)) { completion(true) }
    }

    func close() { queue.close() }

    /// PASSIVE doesn't wait. The next call copies what this one could not, so its result doesn't matter.
    private func copy(_ handle: OpaquePointer) {
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
