import Basics
import Testing
import Vocabulary

@testable import Store

/// Goal: what stays of a call is a message like any other, counts as missed until it is seen, and takes the caller's word.
@Suite("Calls in the database")
struct CallTests {
    private static func record(_ outcome: CallOutcome, duration: Int64 = 0) -> CallRecord {
        CallRecord(media: .audio, outcome: outcome, startedAt: WallTime(milliseconds: 9), duration: duration)
    }

    private static func call(_ number: UInt64, _ outcome: CallOutcome) -> MessageRow {
        var row = Sample.message(number, from: 2, text: "")
        row.kind = .call
        row.call = record(outcome)
        return row
    }

    @Test("Missed calls are counted until they are seen; answered and declined ones never")
    func missed() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            for (number, outcome) in CallOutcome.allCases.enumerated() {
                _ = try transaction.insertIncoming(Self.call(UInt64(number + 1), outcome))
            }
            _ = try transaction.insertIncoming(Sample.message(50, from: 2, text: "no call"))
        }
        let conversation = Sample.message(50, from: 2, text: "").conversation
        let (missed, here, elsewhere, first, rest) = try await fixture.store.read { transaction in
            let page = try transaction.recentCalls(limit: 5)
            let rest = try transaction.recentCalls(before: page.messages.last?.position, limit: 5)
            return (
                try transaction.missedCalls(), try transaction.missedCalls(in: conversation),
                try transaction.missedCalls(in: Sample.id(999)), page, rest
            )
        }
        #expect(missed == 5 && here == 5 && elsewhere == 0)
        #expect(first.messages.map(\.id) == [7, 6, 5, 4, 3].map { Sample.id($0) } && first.hasMore)
        #expect(rest.messages.map(\.id) == [2, 1].map { Sample.id($0) } && !rest.hasMore)
        fixture.store.close()
    }

    @Test("The caller corrects a record, no other; how a call stands is kept and forgotten")
    func corrected() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            _ = try transaction.insertIncoming(Self.call(1, .answered))
            try transaction.correctCall(Sample.id(1), of: Sample.account(3), Self.record(.failed))
            try transaction.keepCall(Sample.id(1), [1])
            try transaction.keepCall(Sample.id(1), [2])
            try transaction.keepCall(Sample.id(2), [3])
            try transaction.dropCall(Sample.id(2))
        }
        let (before, states) = try await fixture.store.read {
            (try $0.message(Sample.id(1))?.call, try $0.callStates())
        }
        #expect(before == Self.record(.answered) && states == [[2]])
        try await fixture.store.commit {
            try $0.correctCall(Sample.id(1), of: Sample.account(2), Self.record(.cancelled, duration: 5))
        }
        let after = try await fixture.store.read { try $0.message(Sample.id(1)) }
        #expect(after?.call == Self.record(.cancelled, duration: 5) && after?.unread == false)
        fixture.store.close()
    }
}
