import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Event log")
struct EventTests {
    /// Makes one event per change of a contact.
    private func rename(_ names: [String], in store: Store) async throws {
        for name in names {
            try await store.commit {
                try $0.save(ContactRow(account: Sample.friend, displayName: name, createdAt: $0.wallTime))
            }
        }
    }

    @Test("Events are numbered without gaps, come in pages, and the numbers continue after a restart")
    func pages() async throws {
        let fixture = try await Fixture(conversation: false)
        try await rename(["a", "b", "c", "d", "e"], in: fixture.store)
        let store = try fixture.reopen()
        try await rename(["f"], in: store)
        let (first, rest, oldest, latest) = try await store.read {
            (
                try $0.events(since: 0, limit: 2), try $0.events(since: 2, limit: 100), try $0.oldestEvent(),
                try $0.latestEvent()
            )
        }
        let all = first + rest
        #expect(first.count == 2)
        #expect(all.map(\.seq) == Array(1...6))
        #expect(all.allSatisfy { $0.object == .contact(Sample.friend) && $0.parent == nil })
        #expect(all.map(\.change) == [.insert, .update, .update, .update, .update, .update])
        #expect(oldest == 1)
        #expect(latest == 6)
        store.close()
    }

    @Test("Old events are removed, but never the newest, because it holds the last number")
    func pruning() async throws {
        let fixture = try await Fixture(conversation: false)
        try await rename(["a", "b"], in: fixture.store)
        fixture.clocks.advance(.seconds(29 * 24 * 3600))
        try await rename(["c"], in: fixture.store)
        fixture.clocks.advance(.seconds(2 * 24 * 3600))
        #expect(try await fixture.store.commit { try $0.pruneEvents() } == 2)
        #expect(try await fixture.store.read { try $0.events(since: 0, limit: 10) }.map(\.seq) == [3])
        fixture.clocks.advance(StoreLimits.eventAge)
        #expect(try await fixture.store.commit { try $0.pruneEvents() } == 0)
        let store = try fixture.reopen()
        try await rename(["d"], in: store)
        #expect(try await store.read { try $0.latestEvent() } == 4)
        store.close()
    }

    @Test("Beyond the kept number the oldest events go, a bounded number at a time")
    func pruningByCount() async throws {
        let fixture = try await Fixture(conversation: false)
        let newest = StoreLimits.eventsKept + 700
        let removed = try await fixture.store.commit { transaction in
            let time = transaction.wallTime
            try transaction.insert(
                (Array(1...900) + [newest]).map {
                    EventRecord(seq: $0, at: time, object: .account, change: .update)
                })
            return [try transaction.pruneEvents(), try transaction.pruneEvents(), try transaction.pruneEvents()]
        }
        #expect(removed == [StoreLimits.eventsPerPrune, 700 - StoreLimits.eventsPerPrune, 0])
        #expect(try await fixture.store.read { try $0.oldestEvent() } == 701)
        fixture.store.close()
    }

    @Test("The log keeps what of a message changed, if that is known")
    func aspects() async throws {
        let fixture = try await Fixture(conversation: false)
        let message = StoredObject.message(Sample.id(7))
        let events = [MessageAspects([MessageAspects(.text), MessageAspects(.unread)]), []].enumerated().map {
            EventRecord(
                seq: Int64($0) + 100, at: WallTime(milliseconds: 1), object: message, change: .update, aspects: $1)
        }
        try await fixture.store.commit { try $0.insert(events) }
        let store = try fixture.reopen()
        #expect(try await store.read { try $0.events(since: 99, limit: 10) } == events)
        store.close()
    }

    @Test("A consumer's place never goes back and is remembered")
    func consumers() async throws {
        let fixture = try await Fixture(conversation: false)
        #expect(try await fixture.store.read { try $0.consumer("watch") } == nil)
        for seq: Int64 in [5, 3, 8, 0] {
            try await fixture.store.commit { try $0.acknowledge(consumer: "watch", upTo: seq) }
        }
        let store = try fixture.reopen()
        #expect(try await store.read { try $0.consumer("watch")?.acknowledged } == 8)
        #expect(try await store.read { try $0.consumers() }.map(\.name) == ["watch"])
        store.close()
    }
}
