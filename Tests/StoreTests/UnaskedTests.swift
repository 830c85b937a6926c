import Basics
import Testing

@testable import Store

/// Goal: what came unasked is counted for each account and day; no restart, wrong clock or undone work makes the count
/// forget or grow.
@Suite("What came unasked")
struct UnaskedTests {
    private static let day = Duration.seconds(86_400)

    private func count(_ bytes: Int64, _ kind: UnaskedKind = .words, in store: Store) async throws {
        try await store.commit { $0.countUnasked(bytes, kind, of: Sample.friend) }
    }

    private func counted(_ kind: UnaskedKind = .words, in store: Store) async throws -> Int64 {
        try await store.commit { $0.unasked(kind, of: Sample.friend) }
    }

    /// Lets the store run for some hours, with a look at the clocks every ten minutes.
    private func run(_ fixture: Fixture, _ store: Store, hours: Int) async throws {
        let clocks = fixture.clocks
        try await store.commit { transaction in
            for _ in 0..<(hours * 6) {
                clocks.advance(.seconds(600))
                transaction.trusted.advance(now: clocks.now, wall: clocks.wallTime)
            }
        }
    }

    @Test("Kinds and accounts are counted apart, for 24 hours from the first byte on")
    func day() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await count(5, in: store)
        try await count(7, .files, in: store)
        try await run(fixture, store, hours: 23)
        try await count(6, in: store)
        #expect(try await counted(in: store) == 11)
        #expect(try await counted(.files, in: store) == 7)
        #expect(try await counted(.brought, in: store) == 0)
        #expect(try await store.commit { $0.unasked(.words, of: Sample.other) } == 0)
        try await run(fixture, store, hours: 1)
        #expect(try await counted(in: store) == 0)
        try await count(3, in: store)
        #expect(try await counted(in: store) == 3)
        store.close()
    }

    @Test("A count outlives a restart; a crash loses no more than a bounded part of it")
    func restart() async throws {
        let fixture = try await Fixture()
        try await count(5, in: fixture.store)
        var store = try fixture.reopen()
        #expect(try await counted(in: store) == 5)
        // Each commit changes something else, too, as a message does.
        for number in 1...8 as ClosedRange<UInt64> {
            try await store.commit { transaction in
                _ = try transaction.insertIncoming(Sample.message(number, from: 2))
                transaction.countUnasked(400 << 10, .words, of: Sample.friend)
            }
        }
        let connection = try Connection(path: fixture.directory.database, purpose: .reader)
        let crashed = try ReadTransaction(connection).unaskedTally()
        let kept = crashed.bytes(UnaskedTally.Key(account: Sample.friend, kind: .words), ended: 0)
        #expect(kept >= 8 * 400 << 10 - 2 * (StoreLimits.unaskedUnkept + 400 << 10), "\(kept)")
        connection.close()
        store.close()
        store = try Store.open(directory: fixture.directory.path, clocks: fixture.clocks)
        #expect(try await counted(in: store) == 5 + 8 * 400 << 10)
        store.close()
    }

    @Test("What is undone is not counted")
    func undone() async throws {
        let fixture = try await Fixture()
        struct Failure: Error {}
        for mayRunTwice in [false, true] {
            await #expect(throws: Failure.self) {
                try await fixture.store.commit(mayRunTwice: mayRunTwice) { transaction in
                    _ = try transaction.insertIncoming(Sample.message(1, from: 2))
                    transaction.countUnasked(9, .words, of: Sample.friend)
                    throw Failure()
                }
            }
        }
        // The same in a group, where the others stay.
        let gate = Gate()
        fixture.store.commit({ _ in gate.wait() }, completion: { _ in })
        for number in 1...4 as ClosedRange<UInt64> {
            fixture.store.commit(mayRunTwice: true) { transaction in
                _ = try transaction.insertIncoming(Sample.message(number, from: 2))
                transaction.countUnasked(10, .words, of: Sample.friend)
                if number == 3 { throw Failure() }
            } completion: { _ in
            }
        }
        gate.open()
        #expect(try await counted(in: fixture.store) == 30)
        fixture.store.close()
    }

    @Test("A clock that is set neither ends the day early nor keeps it from ending", arguments: [3650, -3650])
    func clock(days: Int) async throws {
        let fixture = try await Fixture()
        try await count(5, in: fixture.store)
        fixture.store.close()
        fixture.clocks.advance(Self.day * days)
        let store = try fixture.reopen()
        #expect(try await counted(in: store) == 5)
        try await run(fixture, store, hours: 24)
        #expect(try await counted(in: store) == 0)
        store.close()
    }

    @Test("Of one account 256 edits and 4,096 reactions wait for their messages, and no more")
    func early() async throws {
        let fixture = try await Fixture()
        let counts = try await fixture.store.commit { transaction in
            let (now, time) = (transaction.wallTime, HybridTime(milliseconds: 1_700_000_000_000))
            var (edits, reactions) = (0, 0)
            for number in 1...300 as ClosedRange<UInt64> {
                let found = try transaction.applyEdit(
                    of: Sample.id(number), by: Sample.friend, text: "b", at: now, time: time)
                if found == .waits { edits += 1 }
            }
            for number in 1...4200 as ClosedRange<UInt64> {
                let found = try transaction.applyReaction(
                    to: MessageName(Sample.id(number), in: .between(Sample.friend)), by: Sample.friend, emoji: "👍",
                    removed: false, time: time)
                if found == .waits { reactions += 1 }
            }
            return (edits, reactions)
        }
        #expect(counts.0 == 256 && counts.1 == 4096)
        fixture.store.close()
    }

    @Test("The counts have a bound: days that are over go first, then what matters least")
    func bound() {
        func key(_ number: Int) -> UnaskedTally.Key {
            let bytes =
                [UInt8](repeating: UInt8(number >> 8), count: 16) + [UInt8](repeating: UInt8(number & 0xFF), count: 16)
            return UnaskedTally.Key(account: AccountID(bytes: bytes) ?? Sample.me, kind: .words)
        }
        var tally = UnaskedTally()
        tally.add(1 << 30, to: key(1), at: 100, ended: 0)
        for number in 2..<10_000 { tally.add(10 + Int64(number), to: key(number), at: 100, ended: 0) }
        #expect(tally.counts.count == StoreLimits.unaskedCounts)
        #expect(tally.bytes(key(1), ended: 0) == 1 << 30 && tally.bytes(key(2), ended: 0) == 0)
        tally.add(1, to: key(10_000), at: 200, ended: 150)
        #expect(tally.counts.count == 1)
        tally.add(.max, to: key(10_000), at: 200, ended: 150)
        #expect(tally.bytes(key(10_000), ended: 150) == .max)
    }
}
