import Glibc

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

    private let files: any FileLayer
    private let descriptor: CInt
    private let scope: SyncScope
    private let journal: any TransferJournal
    private let monitor = Monitor()
    private var thread = pthread_t()
    private var isRunning = false
    private var batch: Batch?
    private var isBusy = false
    private var isStopping = false
    private var failure: TransferFailure?

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
        monitor.lock()
        defer { monitor.unlock() }
        if let failure { throw failure }
        guard !isBusy else { return false }
        if !isRunning { try start() }
        batch = new()
        isBusy = true
        monitor.wake()
        return true
    }

    /// Waits for what is under way and ends the thread. Throws what went wrong in it, once stopped.
    func stop() throws(TransferFailure) {
        monitor.lock()
        isStopping = true
        monitor.wake()
        let join = isRunning
        isRunning = false
        monitor.unlock()
        if join { pthread_join(thread, nil) }
        if let failure { throw failure }
    }

    /// Synchronises and commits on the caller's own thread; only after ``stop()``.
    func commitNow(_ batch: Batch) throws(TransferFailure) { try commit(batch) }

    private func start() throws(TransferFailure) {
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<CheckpointThread>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .io(FileError("start a thread", code))
        }
        isRunning = true
    }

    private func run() {
        monitor.lock()
        while true {
            while batch == nil && !isStopping { monitor.wait() }
            guard let work = batch else { break }
            batch = nil
            monitor.unlock()
            var problem: TransferFailure?
            do throws(TransferFailure) { try commit(work) } catch { problem = error }
            monitor.lock()
            isBusy = false
            if let problem {
                failure = problem
                break
            }
        }
        monitor.unlock()
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
