import Basics
import Store
import TestSupport
import Testing
import Vocabulary

@testable import Daemon
@testable import TransferService

/// Tests pauses of both sides in every order, and the rate that users see.
struct TransferPauseTests {
    private func row(_ state: TransferState) throws -> TransferRow {
        var random = SeededGenerator(seed: 1)
        let peer = try #require(AccountID(bytes: [UInt8](repeating: 1, count: 32)))
        return TransferRow(
            id: UUIDv7(at: WallTime(milliseconds: 1), using: &random), direction: .incoming, peer: peer, name: "a",
            size: 1,
            state: state, createdAt: WallTime(milliseconds: 1))
    }

    @Test("A transfer goes on when neither side pauses it, whichever resumed it last")
    func both() throws {
        for last in [TransferPause.us, .peer] {
            let other: TransferPause = last == .us ? .peer : .us
            var row = try row(.active)
            let done1x = row.pause(by: .us)
            #expect(done1x && row.state == .paused)
            let done3 = row.pause(by: .peer)
            let done4 = row.pause(by: .us)
            #expect(done3 && !done4)
            let done4x = row.resume(by: other)
            #expect(done4x && row.state == .paused)
            let done5x = row.resume(by: other)
            #expect(!done5x)
            row.queue()
            #expect(row.state == .paused, "the transfer was accepted again, but is still paused")
            let done6x = row.resume(by: last)
            #expect(done6x && row.state == .queued)
        }
    }

    @Test("An offer that its sender pauses stays an offer, and is paused once it is accepted")
    func offer() throws {
        var row = try row(.offered)
        let done7x = row.pause(by: .peer)
        #expect(done7x && row.state == .offered)
        row.queue()
        #expect(row.state == .paused)
        let done8x = row.resume(by: .peer)
        #expect(done8x && row.state == .queued)
    }

    @Test(
        "A finished transfer can't be paused; one without room is paused by neither side and goes on when queued again"
    )
    func others() throws {
        for state in [TransferState.done, .declined, .cancelled, .failed] {
            var row = try row(state)
            let done9x = row.pause(by: .us)
            #expect(!done9x && row.state == state)
        }
        var row = try row(.paused)
        row.reason = .noSpace
        let done10x = row.resume(by: .us)
        #expect(!done10x && row.state == .paused)
        row.queue()
        #expect(row.state == .queued && row.reason == nil)
    }

    @Test("The rate is that of the last seconds and falls to zero when no bytes move")
    func rate() {
        var gauge = RateGauge()
        var now = Instant(nanoseconds: 1_000_000_000)
        #expect(gauge.rate(now: now) == 0)
        // Bytes from before the connection don't count for the rate.
        var bytes: UInt64 = 1 << 40
        gauge.note(bytes, now: now)
        #expect(gauge.rate(now: now) == 0)
        for _ in 0..<100 {
            now = now + .milliseconds(200)
            bytes += 20 << 20
            gauge.note(bytes, now: now)
        }
        #expect(gauge.rate(now: now) == 100 << 20)
        var last = gauge.rate(now: now)
        for _ in 0..<6 {
            now = now + .seconds(1)
            let rate = gauge.rate(now: now)
            #expect(rate < last || rate == 0)
            last = rate
        }
        #expect(last == 0)
        // A transfer that begins anew has fewer bytes, but no negative rate.
        gauge.note(0, now: now)
        now = now + .seconds(1)
        gauge.note(1_000_000, now: now)
        #expect(gauge.rate(now: now) == 1_000_000)
    }
}
