import Basics

/// A timer that was scheduled. Dropping it changes nothing.
@ReactorActor public final class TimerToken {
    /// When the timer runs.
    public let deadline: Instant
    fileprivate let sequence: UInt64
    fileprivate var body: (@ReactorActor () -> Void)?
    /// Its place in the heap; nil when it has left the heap.
    fileprivate var index: Int?
    private weak var heap: TimerHeap?

    fileprivate init(deadline: Instant, sequence: UInt64, body: @escaping @ReactorActor () -> Void, heap: TimerHeap) {
        self.deadline = deadline
        self.sequence = sequence
        self.body = body
        self.heap = heap
    }

    /// Whether the timer has yet to run.
    public var isPending: Bool { index != nil }

    /// Stops the timer from running. Has no effect once it has run.
    public func cancel() { heap?.remove(self) }

    fileprivate func isBefore(_ other: TimerToken) -> Bool {
        deadline == other.deadline ? sequence < other.sequence : deadline < other.deadline
    }
}

/// Timers by deadline, and by age where deadlines are equal. It is a binary heap in which each token knows its place,
/// so that cancelling costs as little as scheduling and leaves nothing behind.
@ReactorActor final class TimerHeap {
    private var heap: [TimerToken] = []
    private var nextSequence: UInt64 = 0

    nonisolated init() {}

    /// The first deadline.
    var earliest: Instant? { heap.first?.deadline }

    /// The number of pending timers.
    var count: Int { heap.count }

    func insert(deadline: Instant, _ body: @escaping @ReactorActor () -> Void) -> TimerToken {
        let token = TimerToken(deadline: deadline, sequence: nextSequence, body: body, heap: self)
        nextSequence &+= 1
        heap.append(token)
        place(token, at: heap.count - 1)
        siftUp(heap.count - 1)
        return token
    }

    func remove(_ token: TimerToken) {
        guard let index = token.index else { return }
        token.index = nil
        token.body = nil
        let last = heap.removeLast()
        guard index < heap.count else { return }
        place(last, at: index)
        siftUp(index)
        if let now = last.index { siftDown(now) }
    }

    /// Runs all due timers. What their bodies schedule waits for the next turn, even if it is due already.
    func runDue(_ now: Instant) {
        let limit = nextSequence
        while let first = heap.first, first.deadline <= now, first.sequence < limit, let body = first.body {
            remove(first)
            body()
        }
    }

    private func place(_ token: TimerToken, at index: Int) {
        heap[index] = token
        token.index = index
    }

    private func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isBefore(heap[parent]) else { return }
            exchange(index, parent)
            index = parent
        }
    }

    private func siftDown(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < heap.count && heap[child].isBefore(heap[smallest]) {
                smallest = child
            }
            if smallest == index { return }
            exchange(index, smallest)
            index = smallest
        }
    }

    private func exchange(_ one: Int, _ other: Int) {
        let moved = heap[one]
        place(heap[other], at: one)
        place(moved, at: other)
    }
}
