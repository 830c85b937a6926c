import Glibc

/// A value that only one thread at a time can touch, and for whose changes threads can sleep: a lock with a condition
/// variable.
///
/// Like ``Lock`` it is not recursive. Where no thread waits for a change, ``Lock`` is smaller and faster.
public final class ConditionLock<State>: @unchecked Sendable {  // Owner: the mutex; `state` is touched only under it.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    /// A lock around `state`.
    public init(_ state: consuming sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread can, and returns or throws what it does.
    public func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` at once and after each ``wake()``, until it returns something. It sleeps in between, and others can
    /// take the lock then.
    public func wait<R, E: Error>(for body: (inout sending State) throws(E) -> sending R?) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try body(&state) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Lets the waiting threads look again. Costs next to nothing while none waits.
    public func wake() { pthread_cond_broadcast(changed) }
}
