import Threads

/// Synchronises the disk and commits chunks beside the stream, which goes on meanwhile.
///
/// One batch at a time: while the disk is busy the next one only grows. What a batch holds was written before its
/// synchronisation began, so a chunk in the journal is a chunk on disk.
final class CheckpointThread: @unchecked Sendable {  // Owner: the monitor guards every field but the constants.
    /// What one checkpoint commits.
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

    /// - Parameter descriptor: stays open until ``stop()`` has returned.
    init(files: any FileLayer, descriptor: CInt, scope: SyncScope, journal: any TransferJournal) {
        self.files = files
        self.descriptor = descriptor
        self.scope = scope
        self.journal = journal
    }

    /// Hands a batch over. False if the last one is still under way: keep it and come again.
    /// - Parameter new: asked for the batch only if it will be taken.
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

    /// Waits for what is under way and ends the thread. Throws what went wrong in it, once stopped.
    func stop() throws(TransferFailure) {
        state.withLock { $0.isStopping = true }
        state.wake()
        thread.withLock { $0 }?.join()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Synchronises and commits on the caller's own thread; only after ``stop()``.
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

    /// The batch to commit now; sleeps until there is one. Nil when the thread is to end.
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
    /// Only after what it names was synchronised: the chunks, and the absence of files that are left out.
    func commit(to journal: any TransferJournal) throws {
        if !leftOut.isEmpty { try journal.leftOut(leftOut) }
        try journal.checkpoint(runs, bytesDone: bytesDone, filesDone: filesDone)
    }
}
