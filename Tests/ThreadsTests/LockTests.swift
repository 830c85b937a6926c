import Testing
import Threads

@Suite struct LockTests {
    @Test("Four threads that count under the lock lose no step")
    func countsExactly() throws {
        let total = Lock(0)
        let threads = try (0..<4).map { number in
            try PlatformThread.spawn(name: "counter-\(number)") {
                for _ in 0..<5_000 { total.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(total.withLock { $0 } == 20_000)
    }

    @Test("An error thrown under the lock keeps its type, and the lock is free again")
    func releasesAfterThrow() {
        struct Refused: Error {}
        let lock = Lock([1])
        #expect(throws: Refused.self) {
            try lock.withLock { (value: inout [Int]) throws(Refused) -> Void in
                value.append(2)
                throw Refused()
            }
        }
        #expect(lock.withLock { $0 } == [1, 2])
    }
}

@Suite struct JobQueueTests {
    @Test("Elements of several threads arrive once each, in the order of each thread")
    func keepsOrder() throws {
        let queue = JobQueue<(source: Int, number: Int)>()
        let threads = try (0..<3).map { source in
            try PlatformThread.spawn(name: "source-\(source)") {
                for number in 0..<1_000 { queue.put((source, number)) }
            }
        }
        var next = [0, 0, 0]
        while next.reduce(0, +) < 3_000, let batch = queue.waitAndDrain() {
            for item in batch {
                #expect(item.number == next[item.source])
                next[item.source] = item.number + 1
            }
        }
        for thread in threads { thread.join() }
        #expect(next == [1_000, 1_000, 1_000])
        #expect(queue.drain().isEmpty)
    }

    @Test("A closed queue refuses elements, gives the waiting ones, then ends; a sleeping reader wakes up for that")
    func closes() throws {
        let queue = JobQueue<Int>()
        #expect(queue.put(1))
        queue.close()
        #expect(!queue.put(2))
        #expect(queue.waitAndDrain() == [1])
        #expect(queue.waitAndDrain() == nil)

        let other = JobQueue<Int>()
        let ended = Lock(false)
        let reader = try PlatformThread.spawn(name: "reader") {
            while other.waitAndDrain() != nil {}
            ended.withLock { $0 = true }
        }
        other.put(1)
        other.close()
        reader.join()
        #expect(ended.withLock { $0 })
    }
}
