import Basics
import Store
import Testing

@testable import TransferService

@Suite("Whose file for a parcel a courier fetches next")
struct ParcelTurnsTests {
    private static func file(_ number: UInt64, of maker: UInt8) -> SealedFileRow {
        SealedFileRow(
            id: UUIDv7(high: 1, low: number), parcel: UUIDv7(high: 2, low: number), depositor: account(maker),
            recipient: account(200), root: [], bytes: 1, days: 1)
    }

    private static func account(_ number: UInt8) -> AccountID { AccountID(bytes: Array(repeating: number, count: 32))! }

    private let now = Instant(nanoseconds: 0)

    @Test("One maker who gives slowly has one turn, however many files it has left, and keeps nobody else's back")
    func slow() {
        var turns = ParcelTurns()
        let slow = (0..<100).map { Self.file($0, of: 1) }
        turns.replace(slow + [Self.file(200, of: 2), Self.file(201, of: 2)])
        #expect(turns.next(at: now) { _ in true }?.id == slow[0].id)
        let others = [turns.next(at: now) { _ in true }, turns.next(at: now) { _ in true }]
        #expect(others.map { $0?.depositor } == [Self.account(2), nil])
        turns.ended(others[0]!, isLater: false, at: now)
        #expect(turns.next(at: now) { _ in true } == Self.file(201, of: 2))
        #expect(turns.next(at: now) { _ in true } == nil)
    }

    @Test("As many makers as there are turns; the next one has one when another is over")
    func places() {
        var turns = ParcelTurns()
        turns.replace((1...20).map { Self.file(UInt64($0), of: $0) })
        var begun: [SealedFileRow] = []
        while let row = turns.next(at: now, from: { _ in true }) { begun.append(row) }
        #expect(begun.map(\.id.low) == Array(1...UInt64(TransferServiceLimits.parcelFilesFetched)))
        turns.ended(begun[3], isLater: false, at: now)
        #expect(turns.next(at: now) { _ in true }?.id.low == 9)
    }

    @Test(
        "What failed waits, longer each time, also if the list is read anew; who appears has what waits fetched at once"
    )
    func pauses() throws {
        var (turns, now) = (ParcelTurns(), now)
        let rows = [Self.file(1, of: 1), Self.file(2, of: 2)]
        turns.replace(rows)
        var waits: [Duration] = []
        for _ in 0..<12 {
            let row = try #require(turns.next(at: now) { $0 == Self.account(1) })
            turns.ended(row, isLater: true, at: now)
            turns.replace(rows)
            #expect(turns.next(at: now) { $0 == Self.account(1) } == nil)
            let end = try #require(turns.wakeUp(after: now))
            waits.append(end - now)
            now = end
        }
        let bounds = TransferServiceLimits.parcelFilePause
        #expect(waits.first == bounds.first && waits.last == bounds.longest)
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 == min($0 * 2, bounds.longest) })
        turns.ended(try #require(turns.next(at: now) { $0 == Self.account(1) }), isLater: true, at: now)
        turns.appeared(Self.account(2))
        #expect(turns.next(at: now) { $0 == Self.account(1) } == nil)
        turns.appeared(Self.account(1))
        #expect(turns.next(at: now) { $0 == Self.account(1) } != nil)
    }
}
