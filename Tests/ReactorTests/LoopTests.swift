import Basics
import CLinux
import Glibc
import Testing
import Threads

@testable import Reactor

extension ReactorTests {
    @Suite struct Executor {
        @Test("Posts from several threads all arrive, in the order of each thread")
        func postsKeepOrder() async throws {
            let seen = Lock<[[Int]]>([[], [], []])
            let threads = try (0..<3).map { source in
                try PlatformThread.spawn(name: "post-\(source)") {
                    for number in 0..<2_000 {
                        Reactor.shared.post { seen.withLock { $0[source].append(number) } }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(await until { seen.withLock { $0.allSatisfy { $0.count == 2_000 } } })
            #expect(seen.withLock { $0 } == Array(repeating: Array(0..<2_000), count: 3))
        }

        @Test("Posts and the actor's jobs share one queue")
        @ReactorActor func postsAndJobsAreOneLine() async {
            var order: [Int] = []
            let note = { @ReactorActor (number: Int) in order.append(number) }
            Reactor.shared.post { note(1) }
            let task = Reactor.shared.task { note(2) }
            Reactor.shared.post { note(3) }
            await task.value
            #expect(await until { order.count == 3 })
            #expect(order == [1, 2, 3])
        }

        @Test("assumeIsolated works on the thread, from code without actors")
        @ReactorActor func assumesIsolation() {
            func plain() -> Bool { ReactorActor.assumeIsolated { Reactor.shared.now.nanoseconds > 0 } }
            #expect(plain())
            #expect(ReactorActor.shared.assumeIsolated { _ in Reactor.shared.isCurrentThread })
            ReactorActor.preconditionIsolated()
            #expect(Reactor.shared.isIsolatingCurrentContext() == true)
        }

        @Test("Off the thread assumeIsolated traps instead of racing")
        func trapsElsewhere() async {
            #expect(Reactor.shared.isIsolatingCurrentContext() == false)
            await #expect(processExitsWith: .failure) {
                ReactorActor.assumeIsolated {}
            }
        }

        @Test("afterThisTurn runs once, after the turn's other work; what it adds runs in the next turn")
        @ReactorActor func runsAfterTheTurn() async {
            var order: [String] = []
            Reactor.shared.afterThisTurn {
                order.append("end")
                Reactor.shared.afterThisTurn { order.append("next end") }
            }
            Reactor.shared.post { order.append("post") }
            #expect(await until { order.count == 3 })
            #expect(order == ["post", "end", "next end"])
        }

        @Test("A sleeping reactor wakes for a post well before its longest wait")
        func wakesForPost() async {
            await pause(.milliseconds(20))
            let start = SystemClocks().now
            await withCheckedContinuation { continuation in Reactor.shared.post { continuation.resume() } }
            #expect(SystemClocks().now - start < .seconds(2))
        }
    }

    @Suite struct Timers {
        @Test("Timers run in the order of their deadlines, equal ones by age, none too early")
        @ReactorActor func runsInOrder() async {
            let start = SystemClocks().now
            var order: [Int] = []
            var early = 0
            for (number, delay) in [30, 10, 20, 10, 0].enumerated() {
                let deadline = start + .milliseconds(delay)
                Reactor.shared.schedule(at: deadline) {
                    order.append(number)
                    if SystemClocks().now < deadline { early += 1 }
                }
            }
            #expect(await until { order.count == 5 })
            #expect(order == [4, 1, 3, 2, 0])
            #expect(early == 0)
        }

        @Test("A cancelled timer never runs, not even when a timer of the same turn cancels it")
        @ReactorActor func cancels() async {
            let deadline = SystemClocks().now + .milliseconds(5)
            var ran: [Int] = []
            var second: TimerToken?
            Reactor.shared.schedule(at: deadline) {
                ran.append(1)
                second?.cancel()
            }
            second = Reactor.shared.schedule(at: deadline) { ran.append(2) }
            let third = Reactor.shared.schedule(at: deadline) { ran.append(3) }
            let fourth = Reactor.shared.schedule(at: deadline) { ran.append(4) }
            third.cancel()
            third.cancel()
            #expect(await until { ran.contains(4) })
            #expect(ran == [1, 4])
            #expect(!fourth.isPending)
            fourth.cancel()
        }

        @Test("The heap behaves like a sorted list under random insertions and cancellations", arguments: 1...40)
        @ReactorActor func heapMatchesModel(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            let heap = TimerHeap()
            var ran: [Int] = []
            var model: [(deadline: UInt64, number: Int, token: TimerToken)] = []
            for number in 0..<200 {
                if Int.random(in: 0..<3, using: &generator) == 0,
                    let index = model.indices.randomElement(using: &generator)
                {
                    model.remove(at: index).token.cancel()
                } else {
                    let deadline = UInt64.random(in: 0..<50, using: &generator)
                    let token = heap.insert(deadline: Instant(nanoseconds: deadline)) { ran.append(number) }
                    model.append((deadline, number, token))
                }
            }
            #expect(heap.count == model.count)
            #expect(heap.earliest?.nanoseconds == model.map(\.deadline).min())
            heap.runDue(Instant(nanoseconds: 24))
            heap.runDue(Instant(nanoseconds: 100))
            #expect(ran == model.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }.map(\.number))
            #expect(heap.count == 0)
        }

        @Test("A timer that schedules another due one does not keep the turn from ending")
        @ReactorActor func doesNotLoop() {
            let heap = TimerHeap()
            var runs = 0
            func again() {
                runs += 1
                _ = heap.insert(deadline: Instant(nanoseconds: 0)) { again() }
            }
            _ = heap.insert(deadline: Instant(nanoseconds: 0)) { again() }
            heap.runDue(Instant(nanoseconds: 1))
            #expect(runs == 1)
            heap.runDue(Instant(nanoseconds: 1))
            #expect(runs == 2)
        }
    }

    @Suite struct Table {
        private final class Source: EventSource { func ready(_ events: Readiness) {} }

        @Test("An event of a descriptor's former owner reaches no source, even if the number is in use again")
        @ReactorActor func dropsStaleTags() throws {
            let epoll = epoll_create1(0)
            let (ours, theirs) = try pair()
            defer { for fd in [epoll, ours, theirs] { close(fd) } }
            var table = EventTable(epoll: epoll)
            let first = Source()
            let second = Source()
            try table.add(ours, first, .input)
            let old = table.tag(ours)
            #expect(table.source(of: old) === first)
            table.remove(ours)
            #expect(table.source(of: old) == nil)
            try table.add(ours, second, .input)
            #expect(table.source(of: old) == nil)
            #expect(table.source(of: table.tag(ours)) === second)
            #expect(table.count == 1)
            #expect(table.source(of: EventTable.wakeUpTag) == nil)
        }
    }

    @Suite struct Queue {
        @Test("Bytes come out in the order in which they went in, whatever the sizes and the steps", arguments: 1...12)
        func matchesModel(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            var queue = OutputQueue()
            var model: [UInt8] = []
            for step in 0..<120 {
                if Bool.random(using: &generator) {
                    let size = [0, 1, 40, 4_096, 4_097, 9_000].randomElement(using: &generator) ?? 0
                    let bytes = pattern(size, seed: UInt64(step) &+ seed)
                    queue.append(bytes)
                    model += bytes
                }
                #expect(queue.count == model.count)
                let offered = queue.withPieces { pieces, bytes, _ in
                    #expect(pieces.count <= ReactorLimits.piecesPerWrite)
                    #expect(pieces.map { Int($0.iov_len) }.reduce(0, +) == bytes)
                    return pieces.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
                }
                #expect(offered.elementsEqual(model.prefix(offered.count)))
                #expect(offered.isEmpty == model.isEmpty)
                let taken = Int.random(in: 0...offered.count, using: &generator)
                queue.drop(taken)
                model.removeFirst(taken)
            }
        }
    }
}
