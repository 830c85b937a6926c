/// A thread of our own that is a serial executor: for actors whose work blocks, and through `run` for single blocking calls
/// (file scans, name look-ups). Jobs and calls run one at a time, in the order in which they came.
///
/// It lives until `stop()`, even if no reference to it is left.
public final class WorkerThread: SerialExecutor {
    private enum Work: Sendable {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private let name: String
    private let queue = JobQueue<Work>()
    private let handle = Lock<ThreadHandle?>(nil)

    /// Starts the thread.
    /// - Parameter name: seen in `top -H`; the kernel keeps the first 15 bytes.
    /// - Throws: `ThreadError.notStarted` when the system has no thread to give.
    public init(name: String) throws(ThreadError) {
        self.name = name
        let started = try PlatformThread.spawn(name: name) { [self] in work() }
        handle.withLock { $0 = started }
    }

    /// Runs blocking work on the thread and returns its result.
    /// - Throws: what `body` throws; `ThreadError.stopped` if the worker was stopped before.
    public func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let accepted = queue.put(.call { continuation.resume(with: Result(catching: body)) })
            if !accepted { continuation.resume(throwing: ThreadError.stopped) }
        }
    }

    /// Adds blocking work to the end of the queue. If the caller needs to know when it has been done, the work itself
    /// must report that.
    /// - Returns: false if the worker was stopped before; then it is not done.
    @discardableResult
    public func submit(_ body: @escaping @Sendable () -> Void) -> Bool { queue.put(.call(body)) }

    /// Takes no further work, finishes what waits, and ends the thread; returns when it has ended, or at once when called on
    /// the thread itself. An actor that lives on this worker must not be used afterwards.
    public func stop() {
        queue.close()
        if isCurrentThread { return }
        handle.withLock { $0 }?.join()
    }

    /// Whether the caller runs on this worker's thread.
    public var isCurrentThread: Bool { ThreadOwnership.currentThreadBelongs(to: self) }

    // MARK: SerialExecutor

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        // Dropping a job would leave its task hanging for ever, which is harder to find than a crash.
        guard queue.put(.job(unowned)) else { fatalError("work for the stopped worker thread \(name)") }
    }

    public func checkIsolated() {
        precondition(isCurrentThread, "not on the worker thread \(name)")
    }

    public func isIsolatingCurrentContext() -> Bool? { isCurrentThread }

    private func work() {
        ThreadOwnership.claimCurrentThread(for: self)
        let executor = asUnownedSerialExecutor()
        while let batch = queue.waitAndDrain() {
            for work in batch {
                switch work {
                case .job(let job): job.runSynchronously(on: executor)
                case .call(let body): body()
                }
            }
        }
    }
}
