import Basics

/// What will happen when, in one thread: the time stands still while something happens and jumps to the next.
final class Timeline: @unchecked Sendable {
    private struct Entry {
        let at: Instant
        let number: UInt64
        let action: () throws -> Void

        static func < (left: Entry, right: Entry) -> Bool {
            left.at == right.at ? left.number < right.number : left.at < right.at
        }
    }

    // Owned by the one thread that runs the simulation.
    private var heap: [Entry] = []
    private var count: UInt64 = 0
    private(set) var now = Instant(nanoseconds: 1_000_000_000_000)

    /// What is set for the same moment happens in the order of setting.
    func schedule(at time: Instant, _ action: @escaping () throws -> Void) {
        count += 1
        heap.append(Entry(at: max(time, now), number: count, action: action))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Does everything up to a moment.
    func run(until end: Instant) throws {
        while let first = heap.first, first.at <= end {
            removeFirst()
            now = first.at
            try first.action()
        }
        now = max(now, end)
    }

    /// Nothing more happens.
    func end() { heap = [] }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}

/// One peer's clocks: its wall clock is wrong by `skew`.
final class SkewedClocks: Clocks, @unchecked Sendable {
    // Owned by the one thread that runs the simulation.
    private let timeline: Timeline
    var skew: Duration

    init(_ timeline: Timeline, skew: Duration) { (self.timeline, self.skew) = (timeline, skew) }

    var now: Instant { timeline.now }
    var wallTime: WallTime {
        WallTime(milliseconds: 1_735_689_600_000 + Int64(timeline.now.nanoseconds / 1_000_000)) + skew
    }
}

/// One source of chance, however many hold it.
final class SharedRandom: RandomNumberGenerator, @unchecked Sendable {
    // Owned by the one thread that runs the simulation.
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func next() -> UInt64 { generator.next() }

    func int(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(next() % UInt64(range.count)) }
    func chance(_ percent: Int) -> Bool { int(0...99) < percent }
    func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(int(range)) }
    func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[int(0...list.count - 1)] }
}
