import Basics
import Testing
import Vocabulary

@testable import Store

@Suite("Pictures, files, links and sound of a conversation")
struct MediaTests {
    private static func find(
        _ sort: MediaSort, before: ArrivalPosition? = nil, limit: Int = 100,
        in conversation: UUIDv7 = Sample.conversation,
        _ store: Store
    ) async throws -> (numbers: [UInt64], next: ArrivalPosition?, hasMore: Bool) {
        let list = MediaList(of: conversation, with: sort)
        let page = try await store.read { try list.page(before: before, limit: limit, in: $0) }
        return (page.messages.map { $0.id.low & 0xFFFF }, page.messages.last?.position, page.hasMore)
    }

    @Test(
        "Each sort has its messages, once each, the newest first, and none of another conversation or that was deleted")
    func sorts() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        let other = Sample.id(1_000_001)
        let kinds: [(UInt64, [AttachmentKind])] = [
            (1, [.image]), (2, [.image, .video, .document]), (3, [.audio]), (4, [.folder]), (5, [.other]),
            (6, [.image]),
        ]
        let texts: [(UInt64, String)] = [
            (10, "See https://example.org/a"), (11, "http is a protocol, and httpd is not"),
            (12, "(http://example.org)"),
            (13, "no link: example.org"),
        ]
        try await store.commit { transaction in
            var file: UInt64 = 100
            for (number, files) in kinds {
                _ = try transaction.insertIncoming(Sample.message(number))
                for kind in files {
                    var row = Sample.transfer(file, message: Sample.id(number))
                    (row.kind, row.conversation) = (kind, Sample.conversation)
                    try transaction.insert(row)
                    file += 1
                }
            }
            for (number, text) in texts { _ = try transaction.insertIncoming(Sample.message(number, text: text)) }
            while try transaction.indexMessages(limit: 3) > 0 {}
            try transaction.connection.run(SQL("UPDATE message SET deleted = 1, text = '' WHERE id = ?"), Sample.id(6))
        }
        #expect(try await Self.find(.picture, store).numbers == [2, 1])
        #expect(try await Self.find(.file, store).numbers == [5, 4, 2])
        #expect(try await Self.find(.sound, store).numbers == [3])
        #expect(try await Self.find(.link, store).numbers == [12, 11, 10])
        for sort in MediaSort.allCases {
            #expect(try await Self.find(sort, in: other, store).numbers.isEmpty)
        }
        store.close()
    }

    @Test("Pages go on where the one before ended, without a gap and without anything twice")
    func pages() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await store.commit { transaction in
            for number in UInt64(1)...25 {
                _ = try transaction.insertIncoming(Sample.message(number, text: "https://example.org/\(number)"))
                var row = Sample.transfer(100 + number, message: Sample.id(number))
                (row.kind, row.conversation) = (.image, Sample.conversation)
                try transaction.insert(row)
            }
            while try transaction.indexMessages(limit: 10) > 0 {}
        }
        for sort in [MediaSort.picture, .link] {
            var all: [UInt64] = []
            var (position, hasMore): (ArrivalPosition?, Bool) = (nil, true)
            while hasMore {
                let page = try await Self.find(sort, before: position, limit: 7, store)
                all += page.numbers
                (position, hasMore) = (page.next, page.hasMore)
            }
            #expect(all == Array((1...25).reversed()), "\(sort)")
        }
        store.close()
    }

    @Test("Files are found by the index of a conversation's transfers, and no message is read that has none")
    func plan() async throws {
        let fixture = try await Fixture()
        fixture.store.close()
        let connection = try Connection(path: fixture.directory.database, purpose: .reader)
        let plan = try connection.rows(SQL("EXPLAIN QUERY PLAN " + mediaLookup.text)) { $0.text(3) }
        #expect(plan.contains { $0.contains("transfer_conversation") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
        connection.close()
    }
}
