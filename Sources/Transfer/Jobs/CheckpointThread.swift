import Threads

/// Synchronises the disk and commits chunks while the stream goes on.
///
/// It handles one batch at a time; while the disk is busy the next batch grows. Everything in a batch was written
/// before its synchronisation began, so a chunk in the journal is a chunk on disk.
final class CheckpointThread: @unchecked Sendable {  // Owner: the locks guard what changes, all else is constant.
    /// The data that one checkpoint commits.
    struct Batch: Sendable {
        var runs: [ChunkRun] = []
        var leftOut: [LeftOutFile] = []
        var bytesDone: UInt64 = 0
        var filesDone = 0

        var isEmpty: Bool { runs.isEmpty && leftOut.isEmpty }
    }

    private struct State {
        var batch: Batch?
        var isBusy = false
        var isStopping = false
        var failure: TransferFailure?
    }

    private let files: any FileLayer
    private let descriptor: CInt
    private let scope: SyncScope
    private let journal: any TransferJournal
    private let state = ConditionLock(State())
    private let thread = Lock<ThreadHandle?>(nil)

    /// - Parameter descriptor: must stay open until ``stop()`` has returned.
    init(files: any FileLayer, descriptor: CInt, scope: SyncScope, journal: any TransferJournal) {
        self.files = files
        self.descriptor = descriptor
        self.scope = scope
        self.journal = journal
    }

    /// Hands a batch over. False if the last one is still under way; the caller keeps the batch and tries again later.
    /// - Parameter new: makes the batch; called only if it will be taken.
    func submit(_ new: () -> Batch) throws(TransferFailure) -> Bool {
        let isFree = try state.withLock { (state) throws(TransferFailure) in
            if let failure = state.failure { throw failure }
            return !state.isBusy
        }
        guard isFree else { return false }
        try start()
        let batch = new()
        state.withLock {
            $0.batch = batch
            $0.isBusy = true
        }
        state.wake()
        return true
    }

    /// Waits for the current batch, ends the thread, and then throws the thread's failure if there was one.
    func stop() throws(TransferFailure) {
        state.withLock { $0.isStopping = true }
        state.wake()
        thread.withLock { $0 }?.join()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Synchronises and commits on the caller's thread; allowed only after ``stop()``.
    func commitNow(_ batch: Batch) throws(TransferFailure) { try commit(batch) }

    /// Starts the thread with the first batch.
    private func start() throws(TransferFailure) {
        try thread.withLock { (thread) throws(TransferFailure) in
            guard thread == nil else { return }
            do throws(ThreadError) {
                thread = try PlatformThread.spawn(name: "checkpoints") { [self] in run() }
            } catch { throw error.failure }
        }
    }

    private func run() {
        while let batch = next() {
            var problem: TransferFailure?
            do throws(TransferFailure) { try commit(batch) } catch { problem = error }
            state.withLock {
                $0.isBusy = false
                $0.failure = problem
            }
            if problem != nil { return }
        }
    }

    /// The batch to commit now; sleeps until there is one. Nil when the thread has to end.
    private func next() -> Batch? {
        state.wait { state -> Batch?? in
            guard let batch = state.batch else { return state.isStopping ? .some(nil) : nil }
            state.batch = nil
            return batch
        }
    }

    private func commit(_ batch: Batch) throws(TransferFailure) {
        do { try files.synchronise(descriptor, scope) } catch { throw error.failure }
        do { try batch.commit(to: journal) } catch { throw .journal("\(error)") }
    }
}

extension CheckpointThread.Batch {
    /// Commits what has already been synchronised: the chunks, and which files are left out.
    func commit(to journal: any TransferJournal) throws {
        if !leftOut.isEmpty { try journal.leftOut(leftOut) }
        try journal.checkpoint(runs, bytesDone: bytesDone, filesDone: filesDone)
    }
}
