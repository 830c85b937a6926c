import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Outbox")
struct OutboxTests {
    /// Sends a message to the friend through the outbox.
    static func send(_ number: UInt64, in store: Store, body: [UInt8] = [1, 2, 3]) async throws {
        try await store.commit { transaction in
            let row = Sample.message(number)
            try transaction.insertOutgoing(row, to: [Sample.friend])
            try transaction.appendOutbox(for: Sample.friend, id: row.id, kind: 48, body: body, message: row.id)
        }
    }

    @Test("An item keeps its place, body and message until it is acknowledged; then its message is delivered")
    func lifeOfAnItem() async throws {
        let fixture = try await Fixture()
        for number: UInt64 in 1...3 { try await Self.send(number, in: fixture.store) }
        let waiting = try await fixture.store.read {
            try $0.outbox(for: Sample.friend, limit: 10, maximumBytes: 1000)
        }
        #expect(waiting.map(\.id) == [1, 2, 3].map(Sample.id))
        #expect(waiting.map(\.seq) == waiting.map(\.seq).sorted())
        #expect(waiting.first?.body == [1, 2, 3])
        #expect(waiting.first?.message == Sample.id(1))

        let left = try await fixture.store.commit { try $0.acknowledge([Sample.id(2)], by: Sample.friend) }
        #expect(left == [OutboxReceipt(id: Sample.id(2), kind: 48, isMessage: true)])
        let (rest, message, recipients) = try await fixture.store.read {
            (
                try $0.outbox(for: Sample.friend, limit: 10, maximumBytes: 1000).map(\.id),
                try $0.message(Sample.id(2)), try $0.recipients(of: Sample.id(2))
            )
        }
        #expect(rest == [Sample.id(1), Sample.id(3)])
        #expect(message?.state == .delivered)
        #expect(recipients.map(\.state) == [.delivered])
        fixture.store.close()
    }

    @Test("A state never goes back, whatever the order of receipts; acknowledging twice does nothing")
    func forwardOnly() async throws {
        let fixture = try await Fixture()
        try await Self.send(1, in: fixture.store)
        let id = Sample.id(1)
        let states = try await fixture.store.commit { transaction in
            var states: [MessageState?] = []
            try transaction.markSent([id], to: Sample.friend)
            states.append(try transaction.message(id)?.state)
            try transaction.acknowledge([id], by: Sample.friend)
            states.append(try transaction.message(id)?.state)
            try transaction.advance([id], at: Sample.friend, to: .read)
            try transaction.markSent([id], to: Sample.friend)
            try transaction.advance([id], at: Sample.friend, to: .delivered)
            let again = try transaction.acknowledge([id], by: Sample.friend)
            #expect(again.isEmpty)
            #expect(try transaction.refuse([id], by: Sample.friend, reason: .invalid).isEmpty)
            states.append(try transaction.message(id)?.state)
            return states
        }
        #expect(states == [.sent, .delivered, .read])
        fixture.store.close()
    }

    @Test("Attempts are counted, and only the recipient can acknowledge")
    func attempts() async throws {
        let fixture = try await Fixture()
        try await Self.send(1, in: fixture.store)
        try await fixture.store.commit { transaction in
            try transaction.markSent([Sample.id(1)], to: Sample.friend)
            try transaction.markSent([Sample.id(1)], to: Sample.friend)
            #expect(try transaction.acknowledge([Sample.id(1)], by: Sample.other).isEmpty)
        }
        let row = try await fixture.store.read {
            try $0.outbox(for: Sample.friend, limit: 1, maximumBytes: 1000).first
        }
        #expect(row?.attempts == 2)
        #expect(row?.lastAttempt == fixture.clocks.wallTime)
        fixture.store.close()
    }

    @Test("A refused message has failed for good, with the reason")
    func refusal() async throws {
        let fixture = try await Fixture()
        try await Self.send(1, in: fixture.store)
        try await fixture.store.commit { transaction in
            try transaction.refuse([Sample.id(1)], by: Sample.friend, reason: .notFriends, detail: "who are you")
            try transaction.advance([Sample.id(1)], at: Sample.friend, to: .delivered)
        }
        let (message, recipients) = try await fixture.store.read {
            (try $0.message(Sample.id(1)), try $0.recipients(of: Sample.id(1)))
        }
        #expect(message?.state == .failed)
        #expect(message?.failureReason == .notFriends)
        #expect(message?.detail == "who are you")
        #expect(recipients.map(\.reason) == [.notFriends])
        fixture.store.close()
    }

    @Test("With several recipients a message is as far as the last one that has not failed")
    func severalRecipients() async throws {
        let fixture = try await Fixture()
        let id = Sample.id(1)
        let states = try await fixture.store.commit { transaction in
            try transaction.insertOutgoing(Sample.message(1), to: [Sample.me, Sample.friend, Sample.other])
            for account in [Sample.me, Sample.friend, Sample.other] {
                try transaction.appendOutbox(for: account, id: id, kind: 48, body: [], message: id)
            }
            var states: [MessageState?] = []
            try transaction.acknowledge([id], by: Sample.me)
            states.append(try transaction.message(id)?.state)
            try transaction.refuse([id], by: Sample.friend, reason: .blocked)
            states.append(try transaction.message(id)?.state)
            try transaction.acknowledge([id], by: Sample.other)
            states.append(try transaction.message(id)?.state)
            return states
        }
        #expect(states == [.queued, .queued, .delivered])
        fixture.store.close()
    }

    @Test("Pages continue after the cursor, end at the limit or the bytes, and always hold one item")
    func pages() async throws {
        let fixture = try await Fixture()
        for number: UInt64 in 1...5 {
            try await Self.send(number, in: fixture.store, body: [UInt8](repeating: 0, count: 100))
        }
        let (byCount, byBytes, tooSmall) = try await fixture.store.read { transaction in
            let first = try transaction.outbox(for: Sample.friend, limit: 2, maximumBytes: 10_000)
            let rest = try transaction.outbox(
                for: Sample.friend, after: first.last?.seq ?? 0, limit: 100, maximumBytes: 10_000)
            return (
                (first + rest).map(\.id),
                try transaction.outbox(for: Sample.friend, limit: 100, maximumBytes: 350).count,
                try transaction.outbox(for: Sample.friend, limit: 100, maximumBytes: 1).count
            )
        }
        #expect(byCount == (1...5).map(Sample.id))
        #expect(byBytes == 3)
        #expect(tooSmall == 1)
        fixture.store.close()
    }

    @Test("The order of sending continues after the outbox was empty, so that a cursor misses nothing")
    func orderAfterEmpty() async throws {
        let fixture = try await Fixture()
        let (first, second) = try await fixture.store.commit { transaction in
            let first = try transaction.appendOutbox(for: Sample.friend, id: Sample.id(1), kind: 17, body: [])
            try transaction.acknowledge([Sample.id(1)], by: Sample.friend)
            return (first, try transaction.appendOutbox(for: Sample.friend, id: Sample.id(2), kind: 17, body: []))
        }
        #expect(second > first)
        fixture.store.close()
    }

    @Test("Accounts with waiting items are listed once each; emptying one fails its messages only")
    func pending() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.store.read { try $0.pendingAccounts() }.isEmpty)
        for number: UInt64 in 1...3 { try await Self.send(number, in: fixture.store) }
        try await fixture.store.commit { transaction in
            try transaction.appendOutbox(for: Sample.other, id: Sample.id(9), kind: 17, body: [9])
            // The same frame may go to two accounts, but not twice to one.
            try transaction.appendOutbox(for: Sample.friend, id: Sample.id(9), kind: 17, body: [9])
        }
        await #expect(throws: StoreError.self) {
            try await fixture.store.commit {
                try $0.appendOutbox(for: Sample.other, id: Sample.id(9), kind: 17, body: [9])
            }
        }
        let (accounts, all, some) = try await fixture.store.read {
            (try $0.pendingAccounts(), try $0.outboxCount(), try $0.hasOutbox(for: Sample.other))
        }
        #expect(Set(accounts) == [Sample.friend, Sample.other])
        #expect(accounts.count == 2)
        #expect(all == 5)
        #expect(some)
        try await fixture.store.commit { try $0.emptyOutbox(for: Sample.friend, reason: .blocked) }
        let (left, state) = try await fixture.store.read {
            (try $0.pendingAccounts(), try $0.message(Sample.id(2))?.state)
        }
        #expect(left == [Sample.other])
        #expect(state == .failed)
        fixture.store.close()
    }

    @Test("What has failed in one conversation can be readdressed to another account, only there")
    func readdress() async throws {
        let fixture = try await Fixture()
        let elsewhere = Sample.id(2_000_000)
        try await Self.send(1, in: fixture.store)
        try await fixture.store.commit { transaction in
            _ = try transaction.openConversation(with: Sample.account(4), newID: elsewhere)
            let row = Sample.message(2, in: elsewhere)
            try transaction.insertOutgoing(row, to: [Sample.friend])
            try transaction.appendOutbox(for: Sample.friend, id: row.id, kind: 48, body: [1], message: row.id)
            try transaction.emptyOutbox(for: Sample.friend, reason: .keyChanged)
            for conversation in [Sample.conversation, Sample.id(3)] {
                try transaction.readdress(
                    in: conversation, failedFor: .keyChanged, from: Sample.friend, to: Sample.other)
            }
        }
        let (here, there) = try await fixture.store.read {
            (try $0.recipients(of: Sample.id(1)), try $0.recipients(of: Sample.id(2)))
        }
        #expect(here.map(\.account) == [Sample.other] && there.map(\.account) == [Sample.friend])
        #expect(try await fixture.store.commit { try $0.requeue(Sample.id(1)) } == [Sample.other])
        fixture.store.close()
    }
}
