import Basics
import Reactor
import Store
import Testing
import Threads

@testable import Daemon
@testable import Transfer
@testable import TransferService

@Suite("A transfer under way") @ReactorActor struct RunningTransferTests {
    private func progress(_ done: UInt64, arriving: UInt64) -> TransferProgress {
        TransferProgress(
            bytesDone: done, arriving: arriving, size: 1 << 30, filesDone: 0, files: 1, bytesPerSecond: 0)
    }

    @Test(
        "An incomplete chunk is a sign of life and counts for the rate, but it is no progress until it is whole"
    )
    func arriving() {
        let transfer = RunningTransfer(
            TransferQueue.Item(
                id: UUIDv7(high: 1, low: 1), peer: AccountID(bytes: [UInt8](repeating: 1, count: 32))!,
                direction: .incoming, isSmall: false, at: Instant(nanoseconds: 0)))
        var now = Instant(nanoseconds: 0)
        transfer.report(progress(1 << 20, arriving: 0), now: now)
        for part in 1...4 as ClosedRange<UInt64> {
            now = now + .seconds(1)
            transfer.report(progress(1 << 20, arriving: part << 16), now: now)
            #expect(transfer.lastSign == now && transfer.hasNews && !transfer.madeProgress)
        }
        #expect(transfer.gauge.rate(now: now) == 1 << 16)
        // This report has no new bytes.
        transfer.report(progress(1 << 20, arriving: 4 << 16), now: now + .seconds(1))
        #expect(transfer.lastSign == now)
        transfer.report(progress(2 << 20, arriving: 0), now: now + .seconds(2))
        #expect(transfer.madeProgress && transfer.lastSign == now + .seconds(2))
        #expect(!transfer.isSilent(now: now + .seconds(4)) && transfer.isSilent(now: now + .seconds(5)))
    }

    @Test(
        "A sender that calls is left waiting while its own bytes come, but not for a courier, which may be slow on purpose"
    )
    func sender() throws {
        let peer = try #require(AccountID(bytes: [UInt8](repeating: 1, count: 32)))
        let transfer = RunningTransfer(id: UUIDv7(high: 1, low: 1), peer: peer)
        let now = Instant(nanoseconds: 0)
        #expect(!transfer.isComing(now: now))
        transfer.phase = .moving
        transfer.report(progress(1 << 20, arriving: 0), now: now)
        #expect(transfer.isComing(now: now) && !transfer.isComing(now: now + .seconds(60)))
        transfer.courier = AccountID(bytes: [UInt8](repeating: 2, count: 32))
        #expect(!transfer.isComing(now: now))
    }

    @Test("A transfer that is over and its work free each other, though each knows the other")
    func freed() {
        final class Work: Sendable {
            let report: @Sendable () -> Void
            init(report: @escaping @Sendable () -> Void) { self.report = report }
        }
        weak var left: RunningTransfer?
        weak var work: Work?
        do {
            let transfer = RunningTransfer(
                id: UUIDv7(high: 1, low: 1), peer: AccountID(bytes: [UInt8](repeating: 1, count: 32))!)
            let job = Work { _ = transfer }
            transfer.isReady { job.report() }
            (left, work) = (transfer, job)
            transfer.letGo()
        }
        #expect(left == nil && work == nil)
    }

    @Test("What is to give way ends as soon as there is something to end, also where that is known only later")
    func givesWay() {
        final class Ends: Sendable { let count = Lock(0) }
        let transfer = RunningTransfer(
            id: UUIDv7(high: 1, low: 1), peer: AccountID(bytes: [UInt8](repeating: 1, count: 32))!)
        let ends = Ends()
        transfer.giveWay()
        transfer.isReady { ends.count.withLock { $0 += 1 } }
        transfer.isReady { ends.count.withLock { $0 += 10 } }
        #expect(ends.count.withLock { $0 } == 11 && transfer.givesWay && !transfer.isCancelled)
    }
}
