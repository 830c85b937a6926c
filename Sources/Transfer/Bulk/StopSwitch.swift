// Bulk: records and messages over a connected socket that somebody else made, with blocking calls on the transfer's
// thread.
import Glibc

/// Stops a transfer from another thread: remembers it and shuts the socket down, which ends every blocking call on it.
final class StopSwitch: @unchecked Sendable {  // Owner: the mutex; every field is used only under it.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var stopped = false
    private var descriptor: CInt = -1

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    var isStopped: Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return stopped
    }

    /// From any thread, any number of times.
    func stop() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        stopped = true
        if descriptor >= 0 { shutdown(descriptor, CInt(SHUT_RDWR)) }
    }

    /// Guards a socket; shuts it down at once if stopped already.
    func guardSocket(_ socket: CInt) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        descriptor = socket
        if stopped { shutdown(socket, CInt(SHUT_RDWR)) }
    }

    /// Asks something about the socket, while it is guarded.
    func ask<Answer>(_ question: (CInt) -> Answer) -> Answer? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return descriptor >= 0 ? question(descriptor) : nil
    }

    /// Before the socket is closed: its number may mean another one afterwards.
    func release() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        descriptor = -1
    }
}
