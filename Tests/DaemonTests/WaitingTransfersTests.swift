import Basics
import Testing

@testable import Daemon

/// Which incoming transfer is fetched next, and when to look again.
struct WaitingTransfersTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private var random = SystemRandomNumberGenerator()

    private mutating func id() -> UUIDv7 { UUIDv7(at: WallTime(milliseconds: 1), using: &random) }

    private func account(_ byte: UInt8) throws -> AccountID {
        try #require(AccountID(bytes: [UInt8](repeating: byte, count: 32)))
    }

    @Test("The order is that of acceptance; who is away or has no room is passed over and keeps the place")
    mutating func order() throws {
        let (anna, ben) = (try account(1), try account(2))
        let (first, second, third) = (id(), id(), id())
        var waiting = WaitingTransfers()
        waiting.put(first, of: anna, at: start)
        waiting.put(second, of: ben, at: start)
        waiting.put(third, of: ben, at: start)
        #expect(waiting.takeDue(now: start) { $0 == ben }?.id == second)
        // Asked for again, it keeps its place.
        waiting.put(first, of: anna, at: start)
        #expect(waiting.takeDue(now: start) { _ in true }?.id == first)
        #expect(waiting.takeDue(now: start) { _ in false } == nil)
        #expect(waiting.contains(third) && !waiting.contains(first))
        waiting.remove(third)
        #expect(waiting.takeDue(now: start) { _ in true } == nil)
    }

    @Test("A pause is kept until its time or until the peer appears, which makes the next one short again")
    mutating func pauses() throws {
        let (anna, ben) = (try account(1), try account(2))
        let transfer = id()
        var waiting = WaitingTransfers()
        let later = start + .seconds(8)
        waiting.put(transfer, of: anna, at: later, pause: .seconds(16))
        #expect(waiting.takeDue(now: start) { _ in true } == nil)
        #expect(waiting.nextAttempt(after: start) { $0 == anna } == later)
        // Who is away is waited for, not looked for.
        #expect(waiting.nextAttempt(after: start) { $0 == ben } == nil)
        waiting.hurry(ben, now: start)
        #expect(waiting.takeDue(now: start) { _ in true } == nil)
        waiting.hurry(anna, now: start)
        let item = try #require(waiting.takeDue(now: start) { _ in true })
        #expect(item.id == transfer && item.pause == DaemonLimits.transferRetry.first)
    }
}
