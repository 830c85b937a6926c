import CLinux
import Glibc

/// What can go wrong with threads.
public enum ThreadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system made no thread (`errno` of pthread_create, usually EAGAIN: too many threads). The caller may try
    /// again later.
    case notStarted(CInt)
    /// The worker was stopped before it could run this work.
    case stopped

    public var description: String {
        switch self {
        case .notStarted(let code): "no thread could be started: \(String(cString: strerror(code)))"
        case .stopped: "the worker thread has stopped"
        }
    }
}

/// The shortest time slice that the kernel gives, in nanoseconds.
private let promptSlice: UInt64 = 100_000

/// Kibo's own threads, for work that blocks.
public enum PlatformThread {
    /// Starts a thread that runs `body` once.
    ///
    /// The thread takes no asynchronous signals, so that a blocking call in it is not interrupted by one.
    /// - Parameter name: seen in `top -H` and debuggers; the kernel keeps the first 15 bytes.
    /// - Parameter isPrompt: whether the thread does short work for which a user waits. The scheduler is asked to run
    ///   it before threads that compute at length, with short turns in exchange.
    /// - Throws: `ThreadError.notStarted` when the system has no thread to give.
    public static func spawn(
        name: String, isPrompt: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(ThreadError) -> ThreadHandle {
        let start = Unmanaged.passRetained(ThreadStart(name: name, isPrompt: isPrompt, body: body))
        var identifier = pthread_t()
        // A new thread inherits the mask of its maker: block, create and restore, so that no signal falls in between.
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&blocked, fault) }
        pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        let code = pthread_create(
            &identifier, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
                kibo_thread_set_name(start.shortName)
                if start.isPrompt { kibo_thread_be_prompt(promptSlice) }
                start.body()
                return nil
            }, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        guard code == 0 else {
            start.release()
            throw .notStarted(code)
        }
        return ThreadHandle(identifier)
    }
}

/// A started thread. The thread runs on when the handle is dropped.
public final class ThreadHandle: Sendable {
    private struct State {
        let identifier: pthread_t
        var isJoined = false
    }
    private let state: Lock<State>

    init(_ identifier: pthread_t) { state = Lock(State(identifier: identifier)) }

    deinit {
        state.withLock { if !$0.isJoined { pthread_detach($0.identifier) } }
    }

    /// Blocks until the thread has ended. Any number of threads may call it, but never the thread itself.
    public func join() {
        // The lock is held over the wait on purpose, so that a second caller waits for the same end.
        state.withLock {
            if $0.isJoined { return }
            precondition(pthread_equal($0.identifier, pthread_self()) == 0, "a thread cannot join itself")
            pthread_join($0.identifier, nil)
            $0.isJoined = true
        }
    }
}

/// Carries a thread's name and work from its maker to the thread.
private final class ThreadStart: Sendable {
    /// The name, cut on a character boundary to the kernel's 15 bytes.
    let shortName: String
    let isPrompt: Bool
    let body: @Sendable () -> Void

    init(name: String, isPrompt: Bool, body: @escaping @Sendable () -> Void) {
        var short = name
        while short.utf8.count > 15 { short.removeLast() }
        shortName = short
        self.isPrompt = isPrompt
        self.body = body
    }
}
