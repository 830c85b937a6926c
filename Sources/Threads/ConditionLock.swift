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
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
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

    /// Like ``wait(for:)``, but each time `body` also says when it wants to look again at the latest if no ``wake()``
    /// comes.
    public func wait<R, E: Error>(
        for body: (inout sending State) throws(E) -> sending Look<R>
    ) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch try body(&state) {
            case .found(let result): return result
            case .again(after: nil): pthread_cond_wait(changed, mutex)
            case .again(after: let pause?):
                var end = timespec()
                clock_gettime(CLOCK_MONOTONIC, &end)
                let (seconds, attoseconds) = max(pause, .zero).components
                end.tv_sec += Int(seconds)
                end.tv_nsec += Int(attoseconds / 1_000_000_000)
                if end.tv_nsec >= 1_000_000_000 {
                    end.tv_sec += 1
                    end.tv_nsec -= 1_000_000_000
                }
                pthread_cond_timedwait(changed, mutex, &end)
            }
        }
    }

    /// What `body` has found in the value.
    public enum Look<R> {
        case found(R)
        /// It has found nothing. The lock calls it again at the next ``wake()``, or after this time if that is earlier.
        case again(after: Duration?)
    }

    /// Lets the waiting threads look again. Costs next to nothing while none waits.
    public func wake() { pthread_cond_broadcast(changed) }
}
