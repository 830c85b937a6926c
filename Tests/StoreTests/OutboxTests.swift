import Basics
import Store
import Testing

@Suite("Outbox")
struct OutboxTests {
    /// A message to the friend, in the outbox.
    static func send(_ number: UInt64, in store: Store, body: [UInt8] = [1, 2, 3]) async throws {
        try await store.write { transaction in
            let row = Sample.message(number)
            try transaction.insertOutgoing(row, to: [Sample.friend])
            try transaction.appendOutbox(for: Sample.friend, id: row.id, kind: 48, body: body, message: row.id)
        }
    }

    @Test("An item keeps its place, its body and its message until it is acknowledged; then its message is delivered")
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

        let left = try await fixture.store.write { try $0.acknowledge([Sample.id(2)], by: Sample.friend) }
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
}
