import Glibc
import Testing
import Threads

@Suite struct WorkerThreadTests {
    /// An actor that lives on a worker.
    private actor Resident {
        let worker: WorkerThread
        private(set) var seen: [Int] = []
        init(_ worker: WorkerThread) { self.worker = worker }
        nonisolated var unownedExecutor: UnownedSerialExecutor { worker.asUnownedSerialExecutor() }
        func note(_ number: Int) -> Bool {
            seen.append(number)
            return worker.isCurrentThread
        }
    }

    @Test("An actor's methods run on its worker's thread, and assumeIsolated accepts that")
    func hostsAnActor() async throws {
        let worker = try WorkerThread(name: "resident")
        let resident = Resident(worker)
        for number in 0..<100 { #expect(await resident.note(number)) }
        let counted = try await worker.run { resident.assumeIsolated { $0.seen.count } }
        #expect(counted == 100)
        #expect(!worker.isCurrentThread)
        worker.stop()
    }

    @Test("run returns results and errors, one call at a time and in order")
    func runsCalls() async throws {
        struct Broken: Error, Equatable { let number: Int }
        let worker = try WorkerThread(name: "calls")
        let order = Lock<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await worker.run {
                        let count = order.withLock { $0.count }
                        usleep(200)
                        order.withLock { $0.append(count) }
                    }
                }
            }
            try await group.waitForAll()
        }
        // If two calls had overlapped, a count would have been seen twice.
        #expect(order.withLock { $0 } == Array(0..<20))
        await #expect(throws: Broken(number: 7)) { try await worker.run { throw Broken(number: 7) } }
        worker.stop()
    }

    @Test("A stopped worker finishes the waiting work and refuses new work with a typed error")
    func stops() async throws {
        let worker = try WorkerThread(name: "a name that is far longer than fifteen bytes, with ümläuts")
        let done = Lock(false)
        try await worker.run { done.withLock { $0 = true } }
        worker.stop()
        worker.stop()
        #expect(done.withLock { $0 })
        await #expect(throws: ThreadError.stopped) { try await worker.run {} }
    }

    @Test("join returns after the thread's body, for any number of callers")
    func joins() throws {
        let finished = Lock(0)
        let thread = try PlatformThread.spawn(name: "slow") {
            usleep(20_000)
            finished.withLock { $0 += 1 }
        }
        let second = try PlatformThread.spawn(name: "waiter") {
            thread.join()
            finished.withLock { $0 += 10 }
        }
        thread.join()
        second.join()
        thread.join()
        #expect(finished.withLock { $0 } == 11)
    }

    @Test("Our threads take no asynchronous signals; faults stay deliverable")
    func blocksSignals() throws {
        let mask = Lock((term: Int32(0), segv: Int32(1)))
        let thread = try PlatformThread.spawn(name: "masked") {
            var set = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &set)
            let seen = (term: sigismember(&set, SIGTERM), segv: sigismember(&set, SIGSEGV))
            mask.withLock { $0 = seen }
        }
        thread.join()
        #expect(mask.withLock { $0 } == (term: 1, segv: 0))
    }
}
