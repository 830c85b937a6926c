import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Outbox of groups")
struct GroupOutboxTests {
    private static let bodies = SQL("SELECT count(*) FROM outbox_body")

    /// Sends a message of ours to the accounts 2 and 3 through the outbox.
    private func send(_ number: UInt64, in transaction: WriteTransaction) throws {
        let row = Sample.message(number, in: GroupSample.conversation)
        try transaction.insertOutgoing(row, to: [Sample.friend, Sample.other])
        try transaction.appendOutbox(
            for: [Sample.friend, Sample.other], in: GroupSample.id, id: row.id, kind: 69, body: [1, 2, 3],
            message: row.id)
    }

    private func bodies(_ fixture: Fixture) async throws -> Int64? {
        try await fixture.store.read { try $0.connection.integer(Self.bodies) }
    }

    @Test("Of a message that was deleted for all and then removed here, only the deletion is still sent")
    func removedTombstone() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            try send(1, in: transaction)
            _ = try transaction.scrub(try #require(try transaction.message(Sample.id(1))))
            try transaction.appendOutbox(
                for: [Sample.friend, Sample.other], in: GroupSample.id, id: Sample.id(2), kind: 69, body: [4],
                message: Sample.id(1))
            try transaction.remove(try #require(try transaction.message(Sample.id(1))))
            for account in [Sample.friend, Sample.other] {
                #expect(try transaction.outbox(for: account, limit: 9, maximumBytes: 999).map(\.id) == [Sample.id(2)])
                #expect(try transaction.acknowledge([Sample.id(2)], by: account).count == 1)
            }
            #expect(try transaction.connection.integer(Self.bodies) == 0)
        }
        fixture.store.close()
    }

    @Test("All recipients get one stored body; it goes with the last item, whatever way that goes")
    func sharedBody() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            try send(1, in: transaction)
            #expect(transaction.appended.map(\.body) == [[1, 2, 3], [1, 2, 3]])
            #expect(transaction.appended.map(\.group) == [GroupSample.id, GroupSample.id])
        }
        #expect(try await bodies(fixture) == 1)
        try await fixture.store.read { transaction throws in
            for account in [Sample.friend, Sample.other] {
                let row = try #require(try transaction.outbox(for: account, limit: 9, maximumBytes: 1000).first)
                #expect(row.body == [1, 2, 3])
                #expect(row.group == GroupSample.id)
                #expect(row.message == Sample.id(1))
                #expect(try transaction.outboxItem(Sample.id(1), for: account)?.body == [1, 2, 3])
                #expect(try transaction.outboxItem(Sample.id(1), for: account)?.group == GroupSample.id)
                #expect(try transaction.outboxCount(for: account, in: GroupSample.id) == 1)
            }
            #expect(try transaction.outbox(carrying: Sample.id(1)).map(\.body) == [[1, 2, 3], [1, 2, 3]])
        }
        try await fixture.store.commit { try $0.replaceOutboxBody(of: Sample.id(1), with: [4]) }
        let other = try await fixture.store.read { try $0.outboxItem(Sample.id(1), for: Sample.other)?.body }
        #expect(other == [4])
        // One recipient acknowledges it, the other refuses it.
        try await fixture.store.commit { _ = try $0.acknowledge([Sample.id(1)], by: Sample.friend) }
        #expect(try await bodies(fixture) == 1)
        try await fixture.store.commit { _ = try $0.refuse([Sample.id(1)], by: Sample.other, reason: .blocked) }
        #expect(try await bodies(fixture) == 0)
        // When a message goes, the items that carry it go too.
        try await fixture.store.commit { transaction throws in
            try send(2, in: transaction)
            if let row = try transaction.message(Sample.id(2)) { try transaction.remove(row) }
        }
        #expect(try await bodies(fixture) == 0)
        #expect(try await fixture.store.read { try $0.outboxCount() } == 0)
        fixture.store.close()
    }

    @Test("A message is as far as its last recipient; a recipient at whom it fails holds nothing back")
    func progress() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            func state() throws -> MessageState? { try transaction.message(Sample.id(1))?.state }
            try send(1, in: transaction)
            try transaction.acknowledge([Sample.id(1)], by: Sample.friend)
            #expect(try state() == .queued)
            try transaction.refuse([Sample.id(1)], by: Sample.other, reason: .notAllowed)
            #expect(try state() == .delivered)
            let recipients = try transaction.recipients(of: Sample.id(1))
            #expect(recipients.map(\.state) == [.delivered, .failed])
            #expect(recipients.last?.reason == .notAllowed)
            try transaction.advance([Sample.id(1)], at: Sample.friend, to: .read)
            #expect(try state() == .read)
            // If it fails at all recipients it has failed.
            try send(2, in: transaction)
            try transaction.emptyOutbox(ofGroup: GroupSample.id, reason: .notAllowed)
            #expect(try transaction.message(Sample.id(2))?.state == .failed)
            // In a group of one there is no recipient to wait for.
            let alone = try transaction.insertOutgoing(Sample.message(3, in: GroupSample.conversation), to: [])
            #expect(alone.state == .delivered)
        }
        fixture.store.close()
    }

    @Test("A former member gets all but the group's items; a former friend gets only what belongs to groups")
    func emptying() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            try send(1, in: transaction)
            try transaction.insertOutgoing(Sample.message(2), to: [Sample.friend])
            try transaction.appendOutbox(
                for: Sample.friend, id: Sample.id(2), kind: 48, body: [], message: Sample.id(2))
            try transaction.emptyOutbox(ofGroup: GroupSample.id, for: Sample.friend, reason: .notAllowed)
            #expect(transaction.appended.map(\.account) == [Sample.other, Sample.friend])
        }
        try await fixture.store.commit { transaction throws in
            func waiting(_ account: AccountID) throws -> [UUIDv7] {
                try transaction.outbox(for: account, limit: 9, maximumBytes: 1000).map(\.id)
            }
            #expect(try waiting(Sample.friend) == [Sample.id(2)])
            #expect(try waiting(Sample.other) == [Sample.id(1)])
            #expect(try transaction.recipients(of: Sample.id(1)).map(\.state) == [.failed, .queued])
            try send(3, in: transaction)
            try transaction.emptyOutbox(for: Sample.friend, keepingGroups: true, reason: .notFriends)
            #expect(try waiting(Sample.friend) == [Sample.id(3)])
            #expect(try transaction.message(Sample.id(2))?.state == .failed)
            try transaction.emptyOutbox(for: Sample.friend, reason: .blocked)
            #expect(try waiting(Sample.friend).isEmpty)
            #expect(try waiting(Sample.other) == [Sample.id(1), Sample.id(3)])
        }
        fixture.store.close()
    }

    @Test("Deleting one conversation drops its waiting items, but not those of others with the same people")
    func removal() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            try send(1, in: transaction)
            try transaction.appendOutbox(
                for: [Sample.friend], in: GroupSample.id, id: Sample.id(50), kind: 68, body: [5])
            #expect(try transaction.remove(conversation: Sample.conversation))
            #expect(try transaction.outbox(for: Sample.friend, limit: 9, maximumBytes: 999).count == 2)
            #expect(try transaction.remove(conversation: GroupSample.conversation))
            // The membership entries are sent all the same.
            #expect(try transaction.outbox(for: Sample.friend, limit: 9, maximumBytes: 99).map(\.id) == [Sample.id(50)])
            #expect(try !transaction.hasOutbox(for: Sample.other))
            try transaction.forget(group: GroupSample.id)
            #expect(try transaction.outboxCount() == 0)
        }
        #expect(try await bodies(fixture) == 0)
        fixture.store.close()
    }
}
