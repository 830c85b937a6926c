import Basics
import Testing

@testable import Store

/// What the store removes for its age when clocks are set, hosts are off, and stamps are lost.
@Suite("Age")
struct AgeTests {
    private static let day = Duration.seconds(86_400)

    private func texts(_ store: Store) async throws -> [String] {
        try await store.read { try $0.messages(in: Sample.conversation, limit: 100).messages.map(\.text) }
    }

    private func receive(_ number: UInt64, _ text: String, isRead: Bool = true, in store: Store) async throws {
        try await store.commit { transaction in
            var row = Sample.message(
                number, from: 2, hlc: HybridTime(milliseconds: 1_700_000_000_000).rawValue + number)
            row.text = text
            row.receivedAt = transaction.wallTime
            _ = try transaction.insertIncoming(row)
            if isRead, let row = try transaction.message(row.id) {
                _ = try transaction.markRead(SeenRange(last: row), in: Sample.conversation, limit: 10)
            }
        }
    }

    private func remove(olderThan days: Int, in store: Store) async throws -> Int {
        try await store.commit { try $0.removeMessages(olderThan: Self.day * days, limit: 100) }
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

    @Test("An account that was recovered is recovering for its time by the trusted clock, and then never again")
    func recovering() async throws {
        let fixture = try await Fixture()
        func isRecovering(_ store: Store) async throws -> Bool {
            try await store.commit { try RecoveryRows.isRecovering(for: Self.day * 30, in: $0) }
        }
        #expect(try await !isRecovering(fixture.store))
        try await fixture.store.commit { try RecoveryRows.noteRecovered(in: $0) }
        #expect(try await isRecovering(fixture.store))
        fixture.store.close()
        // A clock that jumps doesn't end it.
        fixture.clocks.advance(Self.day * 400)
        let store = try fixture.reopen()
        try await run(fixture, store, hours: 10)
        #expect(try await isRecovering(store))
        try await run(fixture, store, hours: 24 * 21)
        #expect(try await !isRecovering(store))
        #expect(try await !store.read { try RecoveryRows.wasRecovered(in: $0) })
        store.close()
    }

    @Test("The recovery key and the time when the code was shown are kept")
    func recoveryRows() async throws {
        let fixture = try await Fixture()
        let key = try #require(Key32((0..<32).map { UInt8($0) * 8 }))
        #expect(try await fixture.store.read { try RecoveryRows.key(in: $0) } == nil)
        #expect(try await fixture.store.read { try RecoveryRows.codeShown(in: $0) } == nil)
        try await fixture.store.commit {
            try RecoveryRows.save(key, in: $0)
            try RecoveryRows.noteCodeShown(in: $0)
        }
        fixture.store.close()
        let store = try fixture.reopen()
        #expect(try await store.read { try RecoveryRows.key(in: $0) } == key)
        #expect(try await store.read { try RecoveryRows.codeShown(in: $0) } != nil)
        store.close()
    }

    @Test("Read messages are removed by their age; unread ones stay until they were readable for as long")
    func unread() async throws {
        let fixture = try await Fixture()
        try await receive(1, "read", in: fixture.store)
        try await receive(2, "unread", isRead: false, in: fixture.store)
        fixture.store.close()
        fixture.clocks.advance(Self.day * 30)
        let store = try fixture.reopen()
        try await run(fixture, store, hours: 36)
        #expect(try await remove(olderThan: 14, in: store) == 1)
        #expect(try await texts(store) == ["unread"])
        try await run(fixture, store, hours: 24 * 13)
        #expect(try await remove(olderThan: 14, in: store) == 1)
        store.close()
    }

    @Test("A kept clock goes on after a restart or a crash; a database without one begins with its last event")
    func kept() async throws {
        let fixture = try await Fixture()
        try await receive(1, "a", in: fixture.store)
        try await run(fixture, fixture.store, hours: 48)
        let before = try await fixture.store.commit { $0.stamp }
        let store = try fixture.reopen()
        let after = try await store.commit { $0.stamp }
        #expect(after > before && after < before + 10_000)
        #expect(try await remove(olderThan: 1, in: store) == 1)
        // A repair could not save the clock, nor tell when the messages were stored.
        try await receive(2, "old", in: store)
        try await store.commit { transaction in
            try transaction.connection.execute("DELETE FROM trusted_clock; UPDATE message SET first_seen = NULL")
        }
        let event = try await store.read { try $0.events(since: 0, limit: 1000).last?.at }
        let connection = try Connection(path: fixture.directory.database, purpose: .reader)
        let clock = try ReadTransaction(connection).trustedClock(wall: fixture.clocks.wallTime + Self.day * 100)
        #expect(clock.seen == event?.milliseconds)
        #expect(try await remove(olderThan: 1, in: store) == 0)
        try await run(fixture, store, hours: 25)
        #expect(try await remove(olderThan: 1, in: store) == 1)
        connection.close()
        store.close()
    }

    @Test("A peer's message received under a clock that is twenty days slow is filed after the earlier messages")
    func place() async throws {
        let fixture = try await Fixture()
        let now = fixture.clocks.wallTime
        func row(_ number: UInt64, _ time: WallTime, _ text: String) -> MessageRow {
            var row = Sample.message(number, from: 2, hlc: HybridTime(milliseconds: time.milliseconds).rawValue)
            row.text = text
            return row
        }
        let (first, second) = (row(1, now, "before"), row(2, now + .seconds(60), "fresh"))
        try await fixture.store.commit { _ = try $0.insertIncoming(first) }
        fixture.store.close()
        fixture.clocks.advance(.zero - Self.day * 20)
        let store = try fixture.reopen()
        try await store.commit { _ = try $0.insertIncoming(second) }
        #expect(try await texts(store) == ["before", "fresh"])
        store.close()
    }

    @Test("A sent copy is as old as the end of its last transfer, whatever the wall clock said then")
    func sent() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            for number in 1...3 as ClosedRange<UInt64> {
                var row = Sample.transfer(number)
                (row.direction, row.path) = (.outgoing, "/data/uploads/\(number == 3 ? 2 : number)/a.txt")
                // One ended by a clock that is ten years ahead, and one goes on.
                row.state = number == 3 ? .active : .done
                row.finishedAt = number == 3 ? nil : transaction.wallTime + Self.day * 3650
                try transaction.insert(row)
            }
        }
        func uses(olderThan days: Int, in store: Store) async throws -> [String: Bool?] {
            try await store.commit { transaction in
                try transaction.noteSent(beneath: "/data/uploads/")
                let old = transaction.stamp(before: Self.day * days)
                let found = try transaction.sentPaths(beneath: "/data/uploads/")
                return Dictionary(
                    uniqueKeysWithValues: found.map { ($0.path, $0.isOver ? $0.since.map { $0 <= old } : nil) })
            }
        }
        let (one, two) = ("/data/uploads/1/a.txt", "/data/uploads/2/a.txt")
        #expect(try await uses(olderThan: 1, in: fixture.store) == [one: false, two: nil])
        fixture.store.close()
        // A boot with a clock that is years ahead, and the next one an hour later with the right time.
        fixture.clocks.advance(Self.day * 3650)
        var store = try fixture.reopen()
        try await run(fixture, store, hours: 1)
        store.close()
        fixture.clocks.advance(.zero - Self.day * 3650)
        store = try fixture.reopen()
        #expect(try await uses(olderThan: 30, in: store) == [one: false, two: nil])
        try await run(fixture, store, hours: 24 * 31)
        #expect(try await uses(olderThan: 30, in: store) == [one: true, two: nil])
        // The other ends now: its copy begins to age.
        try await store.commit { transaction in
            guard var row = try transaction.transfer(Sample.id(3)) else { return }
            (row.state, row.finishedAt) = (.done, transaction.wallTime)
            try transaction.update(row)
        }
        #expect(try await uses(olderThan: 30, in: store) == [one: true, two: false])
        try await run(fixture, store, hours: 24 * 31)
        #expect(try await uses(olderThan: 30, in: store) == [one: true, two: true])
        store.close()
    }

    @Test("Traces are removed by the same age")
    func traces() async throws {
        let fixture = try await Fixture()
        try await receive(1, "a", in: fixture.store)
        try await fixture.store.commit { transaction in
            guard let row = try transaction.message(Sample.id(1)) else { return }
            try transaction.remove(row)
        }
        fixture.store.close()
        // The clock is slow by months at the next boot, and is then set right.
        fixture.clocks.advance(.zero - Self.day * 200)
        var store = try fixture.reopen()
        try await receive(2, "b", in: store)
        try await store.commit { transaction in
            guard let row = try transaction.message(Sample.id(2)) else { return }
            try transaction.remove(row)
        }
        store.close()
        fixture.clocks.advance(Self.day * 200)
        store = try fixture.reopen()
        try await run(fixture, store, hours: 24)
        try await store.commit { try $0.expireTraces() }
        for number: UInt64 in [1, 2] {
            #expect(try await store.commit { try $0.isKnown(Sample.id(number), by: Sample.friend) })
        }
        fixture.clocks.advance(Self.day * 91)
        try await store.commit { try $0.expireTraces() }
        for number: UInt64 in [1, 2] {
            #expect(try await store.commit { try !$0.isKnown(Sample.id(number), by: Sample.friend) })
        }
        store.close()
    }
}
