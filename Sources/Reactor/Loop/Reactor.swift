// Reactor: the one thread that waits for the network. It turns epoll's events into calls of `@ReactorActor` handlers:
// streams, listeners, datagrams, timers, signals, and the jobs of the global actor itself. This module makes and reads
// sockets; it knows no protocol, no policy and no files but those of Unix sockets.
//
// The steps of a turn: wait, due timers, ready sockets, posted work and actor jobs, work put off to the end of the
// turn, one write per stream with queued output, farewells of closed streams.

import Basics
import CLinux
import Glibc
import Threads

/// The reactor thread as a serial executor. There is one for the whole life of the process; any number of daemons share
/// it.
public final class Reactor: SerialExecutor, TaskExecutor {
    /// The process's reactor. Its thread starts with the first use.
    public static let shared = Reactor()

    enum Work: Sendable {
        case job(UnownedJob)
        case call(@Sendable @ReactorActor () -> Void)
    }

    private struct Inbox {
        var waiting: [Work] = []
        /// True from just before epoll_wait until the first post or the waking. Only then is a wake-up worth a system
        /// call, once for a burst, and never from the reactor thread itself.
        var threadSleeps = false
    }

    private let inbox = Lock(Inbox())
    let epoll: CInt
    private let wakeUp: CInt
    /// Ends a long wait by the clock that goes on while the host sleeps, which epoll's own doesn't.
    let alarm: CInt

    private init() {
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        alarm = timerfd_create(CLOCK_BOOTTIME, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        // Nothing works without these descriptors, and nothing has begun yet.
        guard epoll >= 0, wakeUp >= 0, alarm >= 0 else {
            fatalError("no epoll descriptor: \(String(cString: strerror(errno)))")
        }
        // The watches are edge-triggered: each write and each expiry is an edge of its own, so that nothing has to be read.
        var event = epoll_event(
            events: Readiness.input.union(.edgeTriggered).rawValue, data: .init(u64: EventTable.wakeUpTag))
        for own in [wakeUp, alarm] {
            guard epoll_ctl(epoll, EPOLL_CTL_ADD, own, &event) == 0 else { fatalError("epoll refused its own wake-up") }
        }
        do {
            _ = try PlatformThread.spawn(name: "reactor", isPrompt: true) { Reactor.shared.threadMain() }
        } catch {
            fatalError("\(error)")
        }
    }

    private func threadMain() {
        ThreadOwnership.claimCurrentThread(for: self)
        ReactorActor.assumeIsolated { EventLoop.shared.runForever() }
    }

    // MARK: Work from anywhere

    /// Runs `body` on the reactor thread, in one queue with the actor's jobs, in the order of posting. Any thread may
    /// call it.
    public nonisolated func post(_ body: @escaping @Sendable @ReactorActor () -> Void) { put(.call(body)) }

    /// Begins a task of the actor. All tasks must begin here: when a wait for another thread ends, they come straight
    /// back to this thread. Tasks begun elsewhere come back through the concurrency library's own threads. That costs
    /// two more thread switches each time, and keeps a thread alive that wakes up every second.
    @discardableResult
    public nonisolated func task<Value: Sendable>(
        _ body: @escaping @Sendable @ReactorActor () async -> Value
    ) -> Task<Value, Never> {
        Task(executorPreference: self) { await body() }
    }

    private func put(_ work: Work) {
        let mustWake = inbox.withLock { inbox in
            inbox.waiting.append(work)
            defer { inbox.threadSleeps = false }
            return inbox.threadSleeps
        }
        if mustWake { eventfd_write(wakeUp, 1) }
    }

    /// Swaps the waiting work into `batch`, which must be empty and lends its storage.
    func drainInbox(into batch: inout [Work]) {
        var swapped = consume batch
        inbox.withLock { inbox in swap(&inbox.waiting, &swapped) }
        batch = swapped
    }

    /// Announces that the thread is about to sleep.
    /// - Returns: false if there is work, so that the thread must not sleep.
    func mayFallAsleep() -> Bool {
        inbox.withLock { inbox in
            inbox.threadSleeps = inbox.waiting.isEmpty
            return inbox.threadSleeps
        }
    }

    /// Announces that the thread is awake and looks into the inbox before it sleeps again.
    func isAwake() { inbox.withLock { $0.threadSleeps = false } }

    // MARK: On the thread

    /// Whether the caller runs on the reactor thread.
    public nonisolated var isCurrentThread: Bool { ThreadOwnership.currentThreadBelongs(to: self) }

    /// The moment of this turn, read at most once per turn (CLOCK_BOOTTIME).
    @ReactorActor public var now: Instant { EventLoop.shared.now }

    /// Runs `body` once, not before `deadline` and as soon after it as the turn allows. Timers with the same deadline
    /// run in the order in which they were made. The caller needs the token only to cancel.
    @ReactorActor @discardableResult
    public func schedule(at deadline: Instant, _ body: @escaping @ReactorActor () -> Void) -> TimerToken {
        EventLoop.shared.timers.insert(deadline: deadline, body)
    }

    /// Runs `body` once, at the end of the current turn and before the streams' output is written.
    @ReactorActor public func afterThisTurn(_ body: @escaping @ReactorActor () -> Void) {
        EventLoop.shared.endOfTurn.append(body)
    }

    // MARK: SerialExecutor

    public func enqueue(_ job: consuming ExecutorJob) { put(.job(UnownedJob(job))) }

    public func checkIsolated() { precondition(isCurrentThread, "not on the reactor thread") }

    public func isIsolatingCurrentContext() -> Bool? { isCurrentThread }
}
