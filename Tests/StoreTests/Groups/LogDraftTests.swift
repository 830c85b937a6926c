import Basics
import Testing

@testable import Store

/// What was written in a group before another member was met waits in its order, and goes with its message, its
/// conversation and its group. How we left a group is remembered longer than the group.
@Suite("Entries that wait for their place in a group's chain")
struct LogDraftTests {
    private func draft(_ number: UInt64, kind: Int64 = 1, about: UInt64? = nil) -> LogDraftRow {
        LogDraftRow(
            id: Sample.id(number), kind: kind, about: about.map { Sample.id($0) },
            time: HybridTime(milliseconds: Int64(number)), at: WallTime(milliseconds: Int64(number)), content: [1])
    }

    private func send(_ number: UInt64, in transaction: WriteTransaction) throws {
        try transaction.insertOutgoing(
            Sample.message(number, in: GroupSample.conversation), to: [Sample.friend, Sample.other])
        try transaction.add(draft(number, about: number), in: GroupSample.id)
    }

    private func waiting(_ transaction: ReadTransaction) throws -> [UUIDv7] {
        try transaction.logDrafts(of: GroupSample.id, limit: 9).map(\.id)
    }

    @Test("Drafts are in the order of writing; they go with their message, except for the report of a deletion")
    func order() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            for number: UInt64 in [3, 1, 2] { try send(number, in: transaction) }
            try transaction.add(draft(7, kind: 2, about: 1), in: GroupSample.id)
            try transaction.add(draft(8, kind: 3), in: GroupSample.id)
            #expect(try waiting(transaction) == [3, 1, 2, 7, 8].map(Sample.id))
            #expect(try transaction.logDrafts(of: GroupSample.id, limit: 2).count == 2)
            #expect(try transaction.isLogDraft(Sample.id(1)) && !transaction.isLogDraft(Sample.id(7)))
            _ = try transaction.scrub(try #require(try transaction.message(Sample.id(1))))
            #expect(try waiting(transaction) == [3, 2, 8].map(Sample.id))
            try transaction.remove(try #require(try transaction.message(Sample.id(2))))
            #expect(try waiting(transaction) == [3, 8].map(Sample.id))
            try transaction.remove(try transaction.logDrafts(of: GroupSample.id, limit: 1)[0])
            #expect(try waiting(transaction) == [Sample.id(8)])
            // No other member has the message yet, so age doesn't remove it.
            try send(4, in: transaction)
            _ = try transaction.removeMessages(olderThan: .zero, limit: 99)
            #expect(try waiting(transaction) == [8, 4].map(Sample.id))
            #expect(try transaction.remove(conversation: GroupSample.conversation))
            #expect(try waiting(transaction) == [Sample.id(8)])
            #expect(try transaction.forget(group: GroupSample.id))
            #expect(try waiting(transaction).isEmpty)
        }
        fixture.store.close()
    }

    @Test("Drafts that lose their place fail, for former members or for all")
    func failure() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            try send(1, in: transaction)
            try send(2, in: transaction)
            try transaction.fail(Sample.id(1), besides: [Sample.friend], reason: .notAllowed, detail: "gone")
            let states = try transaction.recipients(of: Sample.id(1)).map { ($0.account, $0.state) }
            #expect(states.filter { $0.1 == .failed }.map(\.0) == [Sample.other])
            try transaction.failLogDrafts(of: GroupSample.id, reason: .notAllowed, detail: "gone")
            #expect(try !transaction.hasLogDrafts(of: GroupSample.id))
            for number: UInt64 in 1...2 {
                #expect(try transaction.recipients(of: Sample.id(number)).allSatisfy { $0.state == .failed })
            }
        }
        fixture.store.close()
    }

    @Test("How we left a group is remembered without the group, the latest for each, up to a limit")
    func departures() async throws {
        let fixture = try await GroupSample.fixture()
        try await fixture.store.commit { transaction throws in
            #expect(try transaction.departureEntry(from: GroupSample.root) == nil)
            try transaction.setDeparture(from: GroupSample.root, by: [1])
            try transaction.setDeparture(from: GroupSample.root, by: [2])
            #expect(try transaction.forget(group: GroupSample.id))
            #expect(try transaction.departureEntry(from: GroupSample.root) == [2])
            for number in 0..<StoreLimits.departures {
                let bytes = withUnsafeBytes(of: number) { Array($0) }
                try transaction.setDeparture(from: bytes + [UInt8](repeating: 9, count: 24), by: [3])
            }
            #expect(try transaction.departureEntry(from: GroupSample.root) == nil)
        }
        fixture.store.close()
    }
}
