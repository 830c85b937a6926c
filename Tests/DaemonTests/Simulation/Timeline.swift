import Basics

/// Runs planned actions in one thread: the time stands still during an action and then jumps to the next one.
final class Timeline: @unchecked Sendable {
    private struct Entry {
        let at: Instant
        let number: UInt64
        let action: () throws -> Void

        static func < (left: Entry, right: Entry) -> Bool {
            left.at == right.at ? left.number < right.number : left.at < right.at
        }
    }

    // The one thread that runs the simulation owns these.
    private var heap: [Entry] = []
    private var count: UInt64 = 0
    private(set) var now = Instant(nanoseconds: 1_000_000_000_000)

    /// Plans an action. Actions for the same moment run in the order of planning.
    func schedule(at time: Instant, _ action: @escaping () throws -> Void) {
        count += 1
        heap.append(Entry(at: max(time, now), number: count, action: action))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Runs all actions up to a moment.
    func run(until end: Instant) throws {
        while let first = heap.first, first.at <= end {
            removeFirst()
            now = first.at
            try first.action()
        }
        now = max(now, end)
    }

    /// Drops all further actions.
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
    // The one thread that runs the simulation owns these.
    private let timeline: Timeline
    var skew: Duration

    init(_ timeline: Timeline, skew: Duration) { (self.timeline, self.skew) = (timeline, skew) }

    var now: Instant { timeline.now }
    var wallTime: WallTime {
        WallTime(milliseconds: 1_735_689_600_000 + Int64(timeline.now.nanoseconds / 1_000_000)) + skew
    }
}

/// One source of randomness that any number of owners share.
final class SharedRandom: RandomNumberGenerator, @unchecked Sendable {
    // The one thread that runs the simulation owns it.
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func next() -> UInt64 { generator.next() }

    func int(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(next() % UInt64(range.count)) }
    func chance(_ percent: Int) -> Bool { int(0...99) < percent }
    func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(int(range)) }
    func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[int(0...list.count - 1)] }
}
