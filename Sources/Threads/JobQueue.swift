import Basics

/// A queue between threads: any number of threads put, one reader takes everything at once and sleeps while it is empty.
///
/// An element may be put so that it waits a little for company: alone it is not taken before that time is over. The order
/// stays, and it is taken earlier with anything that doesn't wait.
public final class JobQueue<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        /// When what waits is to be taken at the latest; nil if nothing waits.
        var due: Instant?
        var isClosed = false

        /// What waits; nil once the queue is closed and empty.
        mutating func drain() -> [Element]? {
            if waiting.isEmpty { return isClosed ? nil : [] }
            var taken: [Element] = []
            swap(&taken, &waiting)
            due = nil
            return taken
        }

        /// How long the reader may still sleep; nil without end.
        func pause() -> Duration? { due.map { $0 - SystemClocks().now } }
    }

    private let state = ConditionLock(State())

    /// An empty, open queue.
    public init() {}

    /// Appends `element` and wakes the reader if it sleeps.
    /// - Parameter patience: for how long the element may wait for others with which it is taken.
    /// - Returns: false, and nothing was appended, once the queue is closed.
    @discardableResult
    public func put(_ element: Element, patience: Duration = .zero) -> Bool {
        let due = patience == .zero ? Instant.past : SystemClocks().now + patience
        let (isPut, isEarlier) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.waiting.append(element)
            let isEarlier = state.due.map { due < $0 } ?? true
            if isEarlier { state.due = due }
            return (true, isEarlier)
        }
        // The reader sleeps no longer than until what waits already is due.
        if isEarlier { state.wake() }
        return isPut
    }

    /// Everything that waits, in the order in which it was put. Sleeps until something is due. For one reader thread.
    /// - Returns: nil once the queue is closed and empty.
    public func waitAndDrain() -> [Element]? {
        state.wait { state in
            let pause = state.pause()
            guard state.isClosed || pause.map({ $0 <= .zero }) ?? false else { return .again(after: pause) }
            return .found(state.drain())
        }
    }

    /// Everything that waits, or nothing. Never sleeps.
    public func drain() -> [Element] { state.withLock { $0.drain() ?? [] } }

    /// Refuses further elements; those that wait can still be taken. May be called more than once.
    public func close() {
        state.withLock { $0.isClosed = true }
        state.wake()
    }
}

extension Instant {
    /// Before every moment.
    fileprivate static let past = Instant(nanoseconds: 0)
}
