import Basics
import Store
import TestSupport
import Testing
import Vocabulary

@testable import Daemon
@testable import TransferService

/// Tests which transfer is next: order, fairness between peers, slots for small transfers, pauses and retries.
struct TransferQueueTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private var random = SeededGenerator(seed: 7)

    private mutating func item(
        _ peer: UInt8, small: Bool = false, _ direction: TransferDirection = .incoming, at time: Instant? = nil
    ) throws -> TransferQueue.Item {
        TransferQueue.Item(
            id: UUIDv7(at: WallTime(milliseconds: 1), using: &random),
            peer: try #require(AccountID(bytes: [UInt8](repeating: peer, count: 32))), direction: direction,
            isSmall: small, at: time ?? start)
    }

    @Test(
        "Transfers run in the order of acceptance; an absent peer's is passed over; one that comes again keeps its rank"
    )
    mutating func order() throws {
        let (first, second, third) = (try item(1), try item(2), try item(2))
        var queue = TransferQueue()
        for item in [first, second, third] { queue.put(item) }
        #expect(queue.next(now: start) { $0.peer == second.peer }?.id == second.id)
        queue.put(first)
        #expect(queue.next(now: start) { _ in true }?.id == first.id)
        #expect(queue.next(now: start) { _ in false } == nil)
        #expect(queue.waits(third.id) && !queue.waits(first.id))
        queue.remove(third.id)
        #expect(queue.next(now: start) { _ in true } == nil)
        // A running transfer is not queued a second time.
        queue.put(first)
        #expect(!queue.waits(first.id))
    }

    @Test("Peers get slots in rotation, however many files one of them has")
    mutating func rotation() throws {
        var queue = TransferQueue()
        for _ in 0..<20 { queue.put(try item(1)) }
        let other = try item(2)
        queue.put(other)
        #expect(queue.next(now: start) { _ in true }?.peer != other.peer)
        #expect(queue.next(now: start) { _ in true }?.id == other.id)
    }

    @Test("Large transfers leave one slot of each peer, and some of all slots, to small ones")
    mutating func small() throws {
        var queue = TransferQueue()
        for peer in 1...8 as ClosedRange<UInt8> {
            for _ in 0..<4 { queue.put(try item(peer)) }
        }
        while queue.next(now: start, isHere: { _ in true }) != nil {}
        #expect(queue.running.count == TransferServiceLimits.largeTransfers)
        let quick = try item(1, small: true)
        queue.put(quick)
        #expect(queue.next(now: start) { _ in true }?.id == quick.id)
        // Outgoing transfers have slots of their own.
        let out = try item(1, .outgoing)
        queue.put(out)
        #expect(queue.next(now: start) { _ in true }?.id == out.id)
    }

    @Test("A pause grows with each failed attempt, begins anew after progress, and ends when the peer appears")
    mutating func pauses() throws {
        var queue = TransferQueue()
        var now = start
        queue.put(try item(1))
        var pauses: [Duration] = []
        for _ in 0..<10 {
            let item = try #require(queue.next(now: now) { _ in true })
            queue.again(item, madeProgress: false, now: now)
            let next = try #require(queue.nextAttempt(after: now) { _ in true })
            #expect(queue.next(now: now) { _ in true } == nil)
            pauses.append(next - now)
            now = next
        }
        #expect(pauses.first == TransferServiceLimits.transferRetry.first)
        #expect(pauses.last == TransferServiceLimits.transferRetry.longest)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        var item = try #require(queue.next(now: now) { _ in true })
        queue.again(item, madeProgress: true, now: now)
        #expect(queue.nextAttempt(after: now) { _ in true } == now + TransferServiceLimits.transferRetry.first)
        #expect(queue.nextAttempt(after: now) { _ in false } == nil)
        queue.hurry(item.peer, now: now)
        item = try #require(queue.next(now: now) { _ in true })
        #expect(item.pause == TransferServiceLimits.transferRetry.first)
    }

    @Test("A full disk is examined every half a minute, or at once on request; other transfers go on meanwhile")
    mutating func outOfSpace() throws {
        var queue = TransferQueue()
        let full = try item(1)
        queue.put(full)
        let taken = try #require(queue.next(now: start) { _ in true })
        queue.again(taken, madeProgress: true, isOutOfSpace: true, now: start)
        #expect(queue.nextAttempt(after: start) { _ in true } == start + .seconds(30))
        let other = try item(1)
        queue.put(other)
        #expect(queue.next(now: start) { _ in true }?.id == other.id)
        queue.put(full)
        #expect(queue.next(now: start) { _ in true }?.id == full.id)
    }

    @Test("A sender gives the receiver time to dial, also when the peer comes back")
    mutating func calls() throws {
        var queue = TransferQueue()
        let out = try item(1, .outgoing, at: start + TransferServiceLimits.transferCall)
        queue.put(out)
        queue.hurry(out.peer, now: start)
        #expect(queue.next(now: start) { _ in true } == nil)
        let later = start + TransferServiceLimits.transferCall
        let taken = try #require(queue.next(now: later) { _ in true })
        queue.again(taken, madeProgress: true, now: later)
        #expect(queue.nextAttempt(after: later) { _ in true } == later + TransferServiceLimits.transferCall)
    }

    @Test("A repeated transfer keeps its rank before those that were accepted after it")
    mutating func retries() throws {
        var queue = TransferQueue()
        let (first, second) = (try item(1), try item(1))
        queue.put(first)
        queue.put(second)
        let taken = try #require(queue.next(now: start) { _ in true })
        queue.again(taken, madeProgress: true, now: start)
        #expect(queue.waiting.map(\.id) == [first.id, second.id])
    }

    @Test(
        "In any order of events the slots are never exceeded, nothing is lost, and every peer gets a slot",
        arguments: 1...(Thorough.isWanted ? 40 : 10))
    mutating func anything(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        var queue = TransferQueue()
        var now = start
        var open: [UUIDv7: TransferQueue.Item] = [:]
        var done = 0
        for step in 0..<3_000 {
            switch Int.random(in: 0..<5, using: &dice) {
            case 0 where step < 1_000:
                let new = try item(
                    UInt8.random(in: 1...5, using: &dice), small: Bool.random(using: &dice),
                    Bool.random(using: &dice) ? .incoming : .outgoing, at: now)
                open[new.id] = new
                queue.put(new)
            case 1:
                guard let item = queue.running.values.min(by: { $0.id < $1.id }) else { break }
                if Bool.random(using: &dice) {
                    queue.ended(item.id)
                    open[item.id] = nil
                    done += 1
                } else {
                    queue.again(
                        item, madeProgress: Bool.random(using: &dice), isOutOfSpace: Bool.random(using: &dice), now: now
                    )
                }
            case 2: now = now + .milliseconds(Int64.random(in: 0...4_000, using: &dice))
            case 3:
                guard let item = queue.waiting.randomElement(using: &dice) else { break }
                queue.hurry(item.peer, now: now)
            default: _ = queue.next(now: now) { _ in true }
            }
            #expect(queue.waiting.count + queue.running.count == open.count)
            #expect(Set(queue.waiting.map(\.id)).union(queue.running.keys) == Set(open.keys))
            for direction in TransferDirection.allCases {
                let running = queue.running.values.filter { $0.direction == direction }
                #expect(running.count <= TransferServiceLimits.activeTransfers)
                #expect(running.count { !$0.isSmall } <= TransferServiceLimits.largeTransfers)
                for (_, items) in Dictionary(grouping: running, by: \.peer) {
                    #expect(items.count <= TransferServiceLimits.activeTransfersPerPeer)
                    #expect(items.count { !$0.isSmall } <= TransferServiceLimits.largeTransfersPerPeer)
                }
            }
        }
        // Once all peers are there and nothing fails, all transfers come to their end.
        for _ in 0..<10_000 where !open.isEmpty {
            now = now + .seconds(31)
            while queue.next(now: now, isHere: { _ in true }) != nil {}
            for item in queue.running.values {
                queue.ended(item.id)
                open[item.id] = nil
            }
        }
        #expect(open.isEmpty && done > 0)
    }
}
