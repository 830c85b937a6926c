import Basics
import Testing

@testable import Notifications

/// Goal: each event reaches the hook command once it works, in order; a command that fails costs a bounded number of runs,
/// and a flood a bounded number of entries and bytes.
@Suite("The queue of the hook command")
struct HookQueueTests {
    private static func moment(_ seconds: Double) -> Instant { Instant(nanoseconds: UInt64(seconds * 1e9)) }

    @Test("One runs at a time, in the order in which they came")
    func order() throws {
        let queue = Queue()
        for byte: UInt8 in 1...3 { queue.machine.put([byte]) }
        for byte: UInt8 in 1...3 {
            #expect(try #require(queue.next(now: Self.moment(0))).input == [byte])
            #expect(queue.next(now: Self.moment(100)) == nil, "another one runs")
            #expect(queue.machine.nextDeadline == nil)
            #expect(queue.ended(nil, now: Self.moment(0)) == .done)
        }
        #expect(queue.machine.count == 0 && queue.next(now: Self.moment(0)) == nil)
    }

    @Test("A run that fails is tried again after growing pauses, before all others, and then given up")
    func retries() throws {
        let queue = Queue()
        queue.machine.put([1])
        queue.machine.put([2])
        var now = 0.0
        for (attempt, pause) in [(1, 1.0), (2, 5.0)] {
            let job = try #require(queue.next(now: Self.moment(now)))
            #expect(job.input == [1] && job.attempts == attempt)
            #expect(queue.ended("it is broken", now: Self.moment(now)) == .failed)
            #expect(queue.machine.problem == "it is broken" && queue.machine.failures == UInt64(attempt))
            #expect(queue.next(now: Self.moment(now + pause - 0.001)) == nil)
            #expect(queue.machine.nextDeadline == Self.moment(now + pause))
            now += pause
        }
        #expect(try #require(queue.next(now: Self.moment(now))).attempts == 3)
        #expect(queue.ended("it is broken", now: Self.moment(now)) == .givenUp)
        // The next one has its turn at once, and its success ends the trouble.
        #expect(try #require(queue.next(now: Self.moment(now))).input == [2])
        #expect(queue.ended(nil, now: Self.moment(now)) == .done)
        #expect(queue.machine.problem == nil && queue.machine.failures == 0)
    }

    @Test("A flood leaves out the oldest and counts them, by number and by bytes")
    func flood() throws {
        let queue = Queue()
        for number in 0..<1000 { queue.machine.put([UInt8(number & 0xFF), UInt8(number >> 8)]) }
        #expect(queue.machine.count == NotificationLimits.hookQueue)
        #expect(queue.machine.leftOut == 1000 - UInt64(NotificationLimits.hookQueue))
        let first = 1000 - NotificationLimits.hookQueue
        #expect(
            try #require(queue.next(now: Self.moment(0))).input == [UInt8(first & 0xFF), UInt8(first >> 8)])
        _ = queue.ended("no", now: Self.moment(0))
        queue.machine.forget()
        #expect(queue.machine.count == 0 && queue.machine.problem == nil && queue.machine.nextDeadline == nil)
        let mebibyte = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<10 { queue.machine.put(mebibyte) }
        #expect(queue.machine.count == NotificationLimits.hookBytes >> 20)
        // One that is larger than all that may wait is left out itself.
        queue.machine.put([UInt8](repeating: 0, count: NotificationLimits.hookBytes + 1))
        #expect(queue.machine.count == 0)
    }

    @Test("Another command gets nothing of what waited for the former one; the run that was under way still ends")
    func forget() throws {
        let queue = Queue()
        for byte: UInt8 in 1...3 { queue.machine.put([byte]) }
        _ = try #require(queue.next(now: Self.moment(0)))
        queue.machine.forget()
        #expect(queue.machine.isRunning && queue.machine.count == 1)
        #expect(queue.ended(nil, now: Self.moment(1)) == .done)
        #expect(queue.machine.count == 0)
    }
}

/// The queue behind a reference: the macros of tests change no values.
private final class Queue {
    var machine = HookQueue()

    func next(now: Instant) -> HookQueue.Job? { machine.next(now: now) }
    func ended(_ problem: String?, now: Instant) -> HookQueue.Outcome { machine.ended(problem, now: now) }
}
