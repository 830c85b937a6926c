/// A queue between threads: any number of threads put, one reader takes everything at once and sleeps while it is empty.
public final class JobQueue<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var isClosed = false

        /// What waits; nil once the queue is closed and empty.
        mutating func take() -> [Element]? {
            if waiting.isEmpty { return isClosed ? nil : [] }
            var taken: [Element] = []
            swap(&taken, &waiting)
            return taken
        }
    }

    private let state = ConditionLock(State())

    /// An empty, open queue.
    public init() {}

    /// Appends `element` and wakes the reader if it sleeps.
    /// - Returns: false, and nothing was appended, once the queue is closed.
    @discardableResult
    public func put(_ element: Element) -> Bool {
        let isPut = state.withLock {
            if !$0.isClosed { $0.waiting.append(element) }
            return !$0.isClosed
        }
        if isPut { state.wake() }
        return isPut
    }

    /// Everything that waits, in the order in which it was put. Sleeps until there is something. For one reader thread.
    /// - Returns: nil once the queue is closed and empty.
    public func takeAll() -> [Element]? {
        state.wait { $0.waiting.isEmpty && !$0.isClosed ? nil : .some($0.take()) }
    }

    /// Everything that waits, or nothing. Never sleeps.
    public func takeWhatWaits() -> [Element] { state.withLock { $0.take() ?? [] } }

    /// Refuses further elements; those that wait can still be taken. May be called more than once.
    public func close() {
        state.withLock { $0.isClosed = true }
        state.wake()
    }
}
