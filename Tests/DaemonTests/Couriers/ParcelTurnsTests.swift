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
        _ = turns.replace(slow + [Self.file(200, of: 2), Self.file(201, of: 2)])
        #expect(turns.next(at: now) { _ in true }?.id == slow[0].id)
        let others = [turns.next(at: now) { _ in true }, turns.next(at: now) { _ in true }]
        #expect(others.map { $0?.depositor } == [Self.account(2), nil])
        turns.ended(others[0]!, .over, at: now)
        #expect(turns.next(at: now) { _ in true } == Self.file(201, of: 2))
        #expect(turns.next(at: now) { _ in true } == nil)
    }

    @Test("As many makers as there are turns; the next one has one when another is over")
    func places() {
        var turns = ParcelTurns()
        _ = turns.replace((1...20).map { Self.file(UInt64($0), of: $0) })
        var begun: [SealedFileRow] = []
        while let row = turns.next(at: now, from: { _ in true }) { begun.append(row) }
        #expect(begun.map(\.id.low) == Array(1...UInt64(TransferServiceLimits.parcelFilesFetched)))
        turns.ended(begun[3], .over, at: now)
        #expect(turns.next(at: now) { _ in true }?.id.low == 9)
    }

    @Test(
        "What failed waits, longer each time, also if the list is read anew; who appears has what waits fetched at once"
    )
    func pauses() throws {
        var (turns, now) = (ParcelTurns(), now)
        let rows = [Self.file(1, of: 1), Self.file(2, of: 2)]
        _ = turns.replace(rows)
        var waits: [Duration] = []
        for _ in 0..<12 {
            let row = try #require(turns.next(at: now) { $0 == Self.account(1) })
            turns.ended(row, .later, at: now)
            _ = turns.replace(rows)
            #expect(turns.next(at: now) { $0 == Self.account(1) } == nil)
            let end = try #require(turns.wakeUp(after: now))
            waits.append(end - now)
            now = end
        }
        let bounds = TransferServiceLimits.parcelFilePause
        #expect(waits.first == bounds.first && waits.last == bounds.longest)
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 == min($0 * 2, bounds.longest) })
        turns.ended(try #require(turns.next(at: now) { $0 == Self.account(1) }), .later, at: now)
        turns.appeared(Self.account(2))
        #expect(turns.next(at: now) { $0 == Self.account(1) } == nil)
        turns.appeared(Self.account(1))
        #expect(turns.next(at: now) { $0 == Self.account(1) } != nil)
    }

    @Test(
        "Eight who give nothing have their turns, which end for somebody who waits; who has given nothing waits longest"
    )
    func nothing() throws {
        var turns = ParcelTurns()
        let (places, turn) = (TransferServiceLimits.parcelFilesFetched, TransferServiceLimits.parcelTurn)
        let silent = (1...UInt8(places)).flatMap { maker in
            (0..<50).map { Self.file(UInt64(maker) * 100 + $0, of: maker) }
        }
        _ = turns.replace(silent)
        var begun: [SealedFileRow] = []
        while let row = turns.next(at: now, from: { _ in true }) { begun.append(row) }
        #expect(begun.count == places && turns.overdue(at: now + turn * 10, from: { _ in true }) == nil, "nobody waits")
        let honest = (0..<3).map { Self.file(9000 + $0, of: 99) }
        #expect(turns.replace(silent + honest) == [])
        #expect(turns.next(at: now, from: { _ in true }) == nil)
        #expect(turns.overdue(at: now, from: { _ in true }) == nil)
        #expect(turns.wakeUp(after: now) == now + turn)
        let later = now + turn
        #expect(turns.overdue(at: later, from: { $0 != Self.account(99) }) == nil, "who waits isn't here")
        let over = try #require(turns.overdue(at: later, from: { _ in true }))
        let row = try #require(begun.first { $0.id == over })
        turns.ended(row, .later, at: later)
        // The honest one goes on as long as it has files, although the silent ones have older ones that wait for nothing.
        for file in honest {
            #expect(turns.next(at: later, from: { _ in true }) == file)
            turns.ended(file, .over, at: later)
        }
        #expect(turns.next(at: later, from: { _ in true }) == nil)
        #expect(turns.next(at: later + .seconds(1), from: { _ in true })?.depositor == row.depositor)
    }

    @Test("Many files don't make a maker who gives nothing, or what is no file, come more often")
    func many() throws {
        for end in [ParcelFetch.End.later, .never] {
            var turns = ParcelTurns()
            _ = turns.replace((0..<1000).map { Self.file($0, of: 1) })
            var (now, count) = (now, 0)
            while now < self.now + .seconds(120) {
                if let row = turns.next(at: now, from: { _ in true }) {
                    count += 1
                    turns.ended(row, end, at: now)
                }
                now = try #require(turns.wakeUp(after: now))
            }
            #expect(count == 7, "after 0, 1, 3, 7, 15, 31, 63 seconds")
        }
    }

    @Test("What is dropped while it is being fetched is to be stopped")
    func dropped() {
        var turns = ParcelTurns()
        let rows = [Self.file(1, of: 1), Self.file(2, of: 2)]
        _ = turns.replace(rows)
        while turns.next(at: now, from: { _ in true }) != nil {}
        #expect(turns.replace([rows[1]]) == [rows[0].id])
        // Another file comes under the same id.
        let other = SealedFileRow(
            id: rows[1].id, parcel: rows[1].parcel, depositor: rows[1].depositor, recipient: rows[1].recipient,
            root: [],
            bytes: 0, days: 1)
        #expect(Set(turns.replace([other])) == Set(rows.map(\.id)))
        turns.ended(rows[1], .over, at: now)
        #expect(turns.lacking == [other])
    }
}
