import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Pins and mentions in the store")
struct PinTests {
    private func react(
        _ number: UInt64, by account: AccountID, removed: Bool = false, at time: UInt64,
        in transaction: WriteTransaction
    ) throws {
        _ = try transaction.applyReaction(
            to: MessageName(Sample.id(number), in: .between(Sample.friend)), by: account, emoji: Pins.sign,
            removed: removed, time: HybridTime(milliseconds: 1_700_000_000_000 + Int64(time)))
    }

    private func pins(_ transaction: ReadTransaction) throws -> [UInt64] {
        let page = try MediaList(of: Sample.conversation, with: .pin).page(limit: 10, in: transaction)
        let row = try #require(try transaction.conversation(Sample.conversation))
        #expect(row.pins == Int64(page.messages.count))
        return page.messages.map { $0.id.low & 0xFFFF }
    }

    @Test("A pin that comes before its message counts when that comes; one that was taken back before does not")
    func early() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction throws in
            try react(1, by: Sample.friend, at: 10, in: transaction)
            try react(2, by: Sample.friend, at: 11, in: transaction)
            try react(2, by: Sample.friend, removed: true, at: 12, in: transaction)
            for number in UInt64(1)...3 { _ = try transaction.insertIncoming(Sample.message(number, from: 2)) }
            #expect(try pins(transaction) == [1])
            try react(3, by: Sample.friend, at: 13, in: transaction)
            #expect(try pins(transaction) == [3, 1])
            // What was taken back later counts, in any order.
            try react(3, by: Sample.friend, removed: true, at: 15, in: transaction)
            try react(3, by: Sample.friend, at: 14, in: transaction)
            #expect(try pins(transaction) == [1])
        }
        fixture.store.close()
    }

    @Test("Pins go with their messages, for all and for one, and with the conversation")
    func gone() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction throws in
            for number in UInt64(1)...3 {
                _ = try transaction.insertIncoming(Sample.message(number, from: 2))
                try react(number, by: Sample.friend, at: 10 + number, in: transaction)
            }
            try transaction.remove(try #require(try transaction.message(Sample.id(1))))
            _ = try transaction.scrub(try #require(try transaction.message(Sample.id(2))))
            #expect(try pins(transaction) == [3])
            #expect(try transaction.remove(conversation: Sample.conversation))
            while try transaction.removeDoomed(limit: 1) {}
            #expect(try transaction.connection.integer(SQL("SELECT count(*) FROM pin")) == 0)
        }
        fixture.store.close()
    }

    @Test("Reactions of before the second step pin their messages; a database that was closed keeps them")
    func upgraded() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction throws in
            for number in UInt64(1)...2 { _ = try transaction.insertIncoming(Sample.message(number, from: 2)) }
            try react(2, by: Sample.friend, at: 10, in: transaction)
        }
        let store = try fixture.reopen()
        #expect(try await store.read { try pins($0) } == [2])
        store.close()
        let connection = try Connection(path: fixture.directory.database, purpose: .writer)
        try connection.execute(
            """
            DROP TABLE courier; DROP TABLE mail_key; DROP TABLE mail_note; DROP TABLE parcel; DROP TABLE parcel_answer;
            DROP TABLE parcel_out; DROP TABLE parcel_seen; DROP TABLE sealed_file; DROP TABLE sealed_file_in;
            DROP TABLE sealed_file_out; DROP TABLE pin; DROP TRIGGER mention_read; DROP TABLE mention;
            ALTER TABLE conversation DROP COLUMN mentions_muted;
            ALTER TABLE recipient DROP COLUMN courier; ALTER TABLE message DROP COLUMN guest;
            ALTER TABLE message DROP COLUMN given_to; DROP TABLE guest_device; PRAGMA user_version = 1;
            """)
        connection.close()
        let upgraded = try fixture.reopen()
        #expect(try await upgraded.read { try pins($0) } == [2])
        upgraded.close()
    }

    @Test("A mention is counted once, only while unread, and up to a bound")
    func mentions() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction throws in
            for number in UInt64(1)...UInt64(StoreLimits.mentions) + 5 {
                _ = try transaction.insertIncoming(Sample.message(number, from: 2))
                let message = try #require(try transaction.message(Sample.id(number)))
                for _ in 0..<2 { try Mentions.note(true, of: message, in: transaction) }
            }
            let row = try #require(try transaction.conversation(Sample.conversation))
            #expect(row.mentions == Int64(StoreLimits.mentions))
            let last = try #require(try transaction.message(Sample.id(UInt64(StoreLimits.mentions))))
            _ = try transaction.markRead(SeenRange(last: last), in: Sample.conversation, limit: 10_000)
            #expect(try transaction.conversation(Sample.conversation)?.mentions == 5)
            let read = try #require(try transaction.message(Sample.id(1)))
            try Mentions.note(true, of: read, in: transaction)
            #expect(try transaction.conversation(Sample.conversation)?.mentions == 5)
        }
        fixture.store.close()
    }
}
