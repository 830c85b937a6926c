import Glibc

/// Writes to the part beside the stream: while the disk takes one block the cipher opens the next. A fixed number of
/// blocks goes round, so that a slow disk slows the sender and takes no memory.
///
/// From ``start()`` to ``stop()`` the part belongs to this thread, but for moments behind ``settle()``.
final class PartWriter: @unchecked Sendable {  // Owner: the monitor guards every field but the store.
    /// What is written and not yet given to a checkpoint.
    struct Written: Sendable {
        var runs: [ChunkRun] = []
        /// Totals.
        var bytesDone: UInt64
        var filesDone: Int
    }

    private let store: PartStore
    private let blocks: Int
    private let monitor = Monitor()
    private var thread = pthread_t()
    private var isRunning = false
    private var isStopping = false
    private var isBusy = false
    private var free: [ReceiveBlock] = []
    private var made = 0
    private var queue: [ReceiveBlock] = []
    private var written: Written
    private var failure: TransferFailure?

    /// - Parameters:
    ///   - done: what was there before.
    ///   - blocks: how many go round.
    init(_ store: PartStore, done: Written, blocks: Int = TransferLimits.receiveBlocks) {
        self.store = store
        self.blocks = blocks
        written = done
    }

    /// Begins. The part is this thread's from now on.
    func start() throws(TransferFailure) {
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<PartWriter>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .io(FileError("start a thread", code))
        }
        isRunning = true
    }

    /// An empty block; waits for one if all are under way. Throws what went wrong with those before.
    func block() throws(TransferFailure) -> ReceiveBlock {
        monitor.lock()
        defer { monitor.unlock() }
        while true {
            if let failure { throw failure }
            if let block = free.popLast() { return block }
            if made < blocks {
                made += 1
                return ReceiveBlock()
            }
            monitor.wait()
        }
    }

    /// A block that is not needed after all.
    func giveBack(_ block: ReceiveBlock) {
        monitor.lock()
        defer { monitor.unlock() }
        block.clear()
        free.append(block)
        monitor.wake()
    }

    /// Hands a block over.
    func submit(_ block: ReceiveBlock) throws(TransferFailure) {
        monitor.lock()
        defer { monitor.unlock() }
        if let failure { throw failure }
        queue.append(block)
        if !isBusy { monitor.wake() }
    }

    /// Waits until everything that was handed over is written. Until the next ``submit(_:)`` the caller may use the part.
    func settle() throws(TransferFailure) {
        monitor.lock()
        defer { monitor.unlock() }
        while isBusy || !queue.isEmpty, failure == nil { monitor.wait() }
        if let failure { throw failure }
    }

    /// What went wrong, if anything has.
    var problem: TransferFailure? {
        monitor.lock()
        defer { monitor.unlock() }
        return failure
    }

    /// What was written since the last call, and the totals.
    func take() -> Written {
        monitor.lock()
        defer { monitor.unlock() }
        let result = written
        written.runs = []
        return result
    }

    /// Finishes what was handed over and ends the thread. Any number of times.
    func stop() {
        monitor.lock()
        isStopping = true
        let join = isRunning
        isRunning = false
        monitor.wake()
        monitor.unlock()
        if join { pthread_join(thread, nil) }
    }

    private func run() {
        monitor.lock()
        while true {
            while queue.isEmpty && !isStopping { monitor.wait() }
            guard !queue.isEmpty else { break }
            let block = queue.removeFirst()
            isBusy = true
            monitor.unlock()
            var runs: [ChunkRun] = []
            var bytes: UInt64 = 0
            var files = 0
            var problem: TransferFailure?
            do throws(FileError) {
                for step in block.steps { try take(step, of: block, &runs, &bytes, &files) }
            } catch { problem = error.failure }
            block.clear()
            monitor.lock()
            isBusy = false
            written.runs.append(joining: runs)
            written.bytesDone += bytes
            written.filesDone += files
            free.append(block)
            failure = problem
            monitor.wake()
            if problem != nil { break }
        }
        monitor.unlock()
    }

    /// What was written counts even if a later step fails.
    private func take(
        _ step: ReceiveBlock.Step, of block: ReceiveBlock, _ runs: inout [ChunkRun], _ bytes: inout UInt64,
        _ files: inout Int
    ) throws(FileError) {
        switch step {
        case .write(let file, let offset, let text, let place, let checksum):
            try store.write(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block.memory)[text]), file: file, at: offset)
            runs.append(place, checksum: checksum)
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
