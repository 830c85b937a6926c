import Glibc

/// A queue between threads: any number of threads put, one reader takes everything at once and sleeps while it is
/// empty.
public final class JobQueue<Element: Sendable>: @unchecked Sendable {
    // The thread that holds the mutex owns the three fields below; they are touched only under it.
    private var waiting: [Element] = []
    private var isClosed = false
    private var readerSleeps = false
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// An empty, open queue.
    public init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(filled, nil)
    }

    deinit {
        pthread_cond_destroy(filled)
        pthread_mutex_destroy(mutex)
        filled.deallocate()
        mutex.deallocate()
    }

    /// Appends `element` and wakes the reader if it sleeps.
    /// - Returns: false, and nothing was appended, once the queue is closed.
    @discardableResult
    public func put(_ element: Element) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isClosed { return false }
        waiting.append(element)
        if readerSleeps { pthread_cond_signal(filled) }
        return true
    }

    /// Everything that waits, in the order in which it was put. Sleeps until there is something. For one reader thread.
    /// - Returns: nil once the queue is closed and empty.
    public func takeAll() -> [Element]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        readerSleeps = true
        while waiting.isEmpty && !isClosed { pthread_cond_wait(filled, mutex) }
        readerSleeps = false
        return takeWaiting()
    }

    /// Everything that waits, or nothing. Never sleeps.
    public func takeWhatWaits() -> [Element] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return takeWaiting() ?? []
    }

    /// Refuses further elements; those that wait can still be taken. May be called more than once.
    public func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        pthread_cond_broadcast(filled)
    }

    private func takeWaiting() -> [Element]? {
        if waiting.isEmpty { return isClosed ? nil : [] }
        var taken: [Element] = []
        swap(&taken, &waiting)
        return taken
    }
}
