// Threads: the one lock type, named threads of our own, and a thread that is a serial executor for blocking work. The
// cooperative pool has only as many threads as the machine has cores, so blocking work runs here instead. This module
// knows pthreads, but no sockets, files or databases.

#if KIBO_TSAN
    import Glibc
#else
    import Synchronization
#endif

/// A value that only one thread at a time can touch: Kibo's only lock.
///
/// It is not recursive: taking it again inside `withLock` is a deadlock. Hold it for memory operations only, never for
/// I/O.
public final class Lock<State>: Sendable {
    #if KIBO_TSAN
        // The thread sanitizer does not understand Mutex's futex, so a sanitizer build (-D KIBO_TSAN) uses a pthread
        // mutex.
        private let guarded: GuardedBox<State>

        /// A lock around `state`.
        public init(_ state: consuming sending State) { guarded = GuardedBox(state) }

        /// Runs `body` with the value while no other thread can, and returns or throws what it does.
        public func withLock<R, E: Error>(
            _ body: (inout sending State) throws(E) -> sending R
        ) throws(E) -> sending R {
            try guarded.withLock(body)
        }
    #else
        private let mutex: Mutex<State>

        /// A lock around `state`.
        public init(_ state: consuming sending State) { mutex = Mutex(state) }

        /// Runs `body` with the value while no other thread can, and returns or throws what it does.
        public func withLock<R, E: Error>(
            _ body: (inout sending State) throws(E) -> sending R
        ) throws(E) -> sending R {
            try mutex.withLock(body)
        }
    #endif
}

#if KIBO_TSAN
    /// Owned by the one Lock that made it; the mutex guards `state`.
    private final class GuardedBox<State>: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var state: State

        init(_ state: consuming sending State) {
            self.state = state
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state)
        }
    }
#endif
