// Threads: the one lock type, named threads of our own, and a thread that is a serial executor for blocking work. The
// cooperative pool has only as many threads as the machine has cores, so blocking work runs here instead. This module
// knows pthreads, but no sockets, files or databases.

#if !KIBO_TSAN
    import Synchronization
#endif

/// A value that only one thread at a time can touch. It is the project's only lock besides ``ConditionLock``, which can
/// also wait.
///
/// It is not recursive: taking it again inside `withLock` is a deadlock. Hold it for memory operations only, never for
/// I/O.
public final class Lock<State>: Sendable {
    #if KIBO_TSAN
        // The thread sanitizer does not understand Mutex's futex, so a sanitizer build (-D KIBO_TSAN) uses a pthread
        // mutex.
        private let guarded: ConditionLock<State>

        /// A lock around `state`.
        public init(_ state: consuming sending State) { guarded = ConditionLock(state) }

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
