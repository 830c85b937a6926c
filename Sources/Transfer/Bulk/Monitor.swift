import Glibc

/// A lock and a condition. Every field that it guards is used only between ``lock()`` and ``unlock()``.
final class Monitor: @unchecked Sendable {  // Owner: itself; both are made for being used by many threads.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
    /// Lets go of the lock until somebody has called ``wake()``, or for no reason.
    func wait() { pthread_cond_wait(condition, mutex) }
    func wake() { pthread_cond_broadcast(condition) }
}
