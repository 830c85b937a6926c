import Threads

/// Writes to the part while the stream goes on: the cipher opens the next block while the disk takes one. A fixed
/// number of blocks circulates, so that a slow disk slows the sender and takes no memory.
///
/// From ``start()`` to ``stop()`` the part belongs to this thread, except after ``settle()``.
final class PartWriter: @unchecked Sendable {  // Owner of the store: the thread, else the caller.
    /// What is written and not yet handed to a checkpoint.
    struct Written: Sendable {
        var runs: [ChunkRun] = []
        /// The totals.
        var bytesDone: UInt64
        var filesDone: Int
    }

    private struct State {
        var isStopping = false
        var isBusy = false
        var free: [ReceiveBlock] = []
        var made = 0
        var queue: [ReceiveBlock] = []
        var written: Written
        var failure: TransferFailure?
    }

    private let store: PartStore
    private let blocks: Int
    private let state: ConditionLock<State>
    private let thread = Lock<ThreadHandle?>(nil)

    /// - Parameters:
    ///   - done: the progress before this job.
    ///   - blocks: the number of blocks in circulation.
    init(_ store: PartStore, done: Written, blocks: Int = TransferLimits.receiveBlocks) {
        self.store = store
        self.blocks = blocks
        state = ConditionLock(State(written: done))
    }

    /// Starts the thread, to which the part belongs from now on.
    func start() throws(TransferFailure) {
        do throws(ThreadError) {
            let started = try PlatformThread.spawn(name: "part-writer") { [self] in run() }
            thread.withLock { $0 = started }
        } catch { throw error.failure }
    }

    /// An empty block; waits for one if all are in use. Throws the failure of an earlier block.
    func block() throws(TransferFailure) -> ReceiveBlock {
        try state.wait { (state) throws(TransferFailure) in
            if let failure = state.failure { throw failure }
            if let block = state.free.popLast() { return block }
            guard state.made < blocks else { return nil }
            state.made += 1
            return ReceiveBlock()
        }
    }

    /// Takes back a block that was not needed.
    func giveBack(_ block: ReceiveBlock) {
        block.clear()
        state.withLock { $0.free.append(block) }
        state.wake()
    }

    /// Hands a block over.
    func submit(_ block: ReceiveBlock) throws(TransferFailure) {
        try state.withLock { (state) throws(TransferFailure) in
            if let failure = state.failure { throw failure }
            state.queue.append(block)
        }
        state.wake()
    }

    /// Waits until everything handed over is written. The caller may use the part until the next ``submit(_:)``.
    func settle() throws(TransferFailure) {
        try state.wait { (state) throws(TransferFailure) -> Void? in
            if let failure = state.failure { throw failure }
            return state.isBusy || !state.queue.isEmpty ? nil : ()
        }
    }

    /// The writing thread's failure, if there was one.
    var problem: TransferFailure? { state.withLock { $0.failure } }

    /// Returns what was written since the last call, and the totals.
    func drain() -> Written {
        state.withLock {
            let result = $0.written
            $0.written.runs = []
            return result
        }
    }

    /// Writes what was handed over and ends the thread. May be called any number of times.
    func stop() {
        state.withLock { $0.isStopping = true }
        state.wake()
        thread.withLock { $0 }?.join()
    }

    private func run() {
        while let block = next() {
            var runs: [ChunkRun] = []
            var bytes: UInt64 = 0
            var files = 0
            var problem: TransferFailure?
            do throws(FileError) {
                for step in block.steps { try note(step, of: block, &runs, &bytes, &files) }
            } catch { problem = error.failure }
            block.clear()
            state.withLock {
                $0.isBusy = false
                $0.written.runs.append(joining: runs)
                $0.written.bytesDone += bytes
                $0.written.filesDone += files
                $0.free.append(block)
                $0.failure = problem
            }
            state.wake()
            if problem != nil { return }
        }
    }

    /// The block to write now; sleeps until there is one. Nil when the thread has to end.
    private func next() -> ReceiveBlock? {
        state.wait { state -> ReceiveBlock?? in
            guard !state.queue.isEmpty else { return state.isStopping ? .some(nil) : nil }
            state.isBusy = true
            return state.queue.removeFirst()
        }
    }

    /// Notes a step that was written. It counts even if a later step fails.
    private func note(
        _ step: ReceiveBlock.Step, of block: ReceiveBlock, _ runs: inout [ChunkRun], _ bytes: inout UInt64,
        _ files: inout Int
    ) throws(FileError) {
        switch step {
        case .write(let file, let offset, let text, let index, let checksum):
            try store.write(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block.memory)[text]), file: file, at: offset)
            runs.append(index, checksum: checksum)
            bytes += UInt64(text.count)
        case .punch(let file, let offset, let length, let chunks):
            try store.punch(file: file, offset: offset, length: length)
            runs.append(chunks)
            bytes += length
        case .complete(let file):
            try store.complete(file: file)
            files += 1
        case .drop(let file):
            try store.drop(file: file)
        }
    }
}
