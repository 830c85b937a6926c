import Basics

/// Events in the order of their times; events of the same time in the order in which they were inserted.
struct EventQueue<Event> {
    private var heap: [(at: Instant, order: Int, event: Event)] = []
    private var order = 0

    mutating func insert(_ event: Event, at moment: Instant) {
        order += 1
        heap.append((moment, order, event))
        var child = heap.count - 1
        while child > 0, comesFirst(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The first event, unless it is later than `end`.
    mutating func popFirst(through end: Instant) -> (Instant, Event)? {
        guard let first = heap.first, first.at <= end else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            // This runs millions of times, so it makes no collections.
            var least = 2 * parent + 1
            guard least < heap.count else { break }
            if least + 1 < heap.count, comesFirst(least + 1, least) { least += 1 }
            guard comesFirst(least, parent) else { break }
            heap.swapAt(least, parent)
            parent = least
        }
        return (first.at, first.event)
    }

    private func comesFirst(_ left: Int, _ right: Int) -> Bool {
        (heap[left].at, heap[left].order) < (heap[right].at, heap[right].order)
    }
}
