import Testing
import Threads

@Suite("Patience in a queue between threads")
struct PatienceTests {
    @Test("What waits for company is taken with it, in the order of putting")
    func company() {
        let queue = JobQueue<Int>()
        queue.put(1, patience: .seconds(3600))
        queue.put(2, patience: .seconds(3600))
        queue.put(3)
        #expect(queue.waitAndDrain() == [1, 2, 3])
        queue.put(4, patience: .seconds(3600))
        #expect(queue.drain() == [4])
    }

    @Test("Without company it is taken when its time is over, and the time of the most impatient counts")
    func patience() {
        let queue = JobQueue<Int>()
        queue.put(1, patience: .milliseconds(1))
        #expect(queue.waitAndDrain() == [1])
        queue.put(2, patience: .seconds(3600))
        queue.put(3, patience: .milliseconds(1))
        #expect(queue.waitAndDrain() == [2, 3])
        // The queue has forgotten the times of what it gave away.
        queue.put(4)
        #expect(queue.waitAndDrain() == [4])
    }

    @Test("A reader that sleeps for something patient is woken by something that is not")
    func woken() throws {
        let queue = JobQueue<Int>()
        let taken = JobQueue<[Int]>()
        let reader = try PlatformThread.spawn(name: "reader") {
            while let elements = queue.waitAndDrain() { taken.put(elements) }
        }
        queue.put(1, patience: .seconds(3600))
        queue.put(2)
        #expect((taken.waitAndDrain() ?? []).flatMap(\.self) == [1, 2])
        // So does the end: what waits is taken before it.
        queue.put(3, patience: .seconds(3600))
        queue.close()
        reader.join()
        #expect(taken.drain() == [[3]])
        #expect(queue.waitAndDrain() == nil)
        #expect(!queue.put(4, patience: .seconds(1)))
    }
}
