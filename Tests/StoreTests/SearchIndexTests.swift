import Basics
import Foundation
import Testing

@testable import Store

@Suite("The index of words")
struct SearchIndexTests {
    private static func edit(_ id: UUIDv7, _ text: String, _ transaction: WriteTransaction) throws {
        let time = transaction.clock.tick(at: transaction.wallTime)
        _ = try transaction.applyEdit(of: id, by: Sample.me, text: text, at: transaction.wallTime, time: time)
    }

    @Test("Messages are indexed in pieces, in the order of arrival, each once; long messages make smaller pieces")
    func pieces() async throws {
        let fixture = try await Fixture()
        let counts = try await fixture.store.commit { transaction in
            for number in 1...25 as ClosedRange<UInt64> {
                try transaction.insertOutgoing(Sample.message(number, text: "word"), to: [])
            }
            let backlog = Int(try transaction.searchBacklog())
            var counts = [backlog]
            for _ in 0..<4 { counts.append(try transaction.indexMessages(limit: 10)) }
            for number in 31...40 as ClosedRange<UInt64> {
                let long = String(repeating: "x", count: Int(StoreLimits.indexedBytes) / 4)
                try transaction.insertOutgoing(Sample.message(number, text: long), to: [])
            }
            for _ in 0..<4 { counts.append(try transaction.indexMessages(limit: 100)) }
            counts.append(Int(try transaction.searchBacklog()))
            return counts
        }
        #expect(counts == [25, 10, 10, 5, 0, 4, 4, 2, 0, 0])
        #expect(try await SearchTests.find("word", fixture.store) == (1...25).reversed())
        fixture.store.close()
    }

    @Test("What was stored and not indexed before the end is found after the next start; an undone piece is redone")
    func crash() async throws {
        struct Refusal: Error {}
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, ["word one"])
        try await fixture.store.commit { _ = try $0.insertOutgoing(Sample.message(2, text: "word two"), to: []) }
        await #expect(throws: Refusal.self) {
            try await fixture.store.commit {
                try $0.indexMessages(limit: 10)
                throw Refusal()
            }
        }
        #expect(try await SearchTests.find("word", fixture.store) == [1])
        let store = try fixture.reopen()
        #expect(try await store.read { try $0.searchBacklog() } == 1)
        #expect(try await store.commit { try $0.indexMessages(limit: 10) } == 1)
        #expect(try await SearchTests.find("word", store) == [2, 1])
        try await store.commit { try SearchTests.check($0) }
        store.close()
    }

    @Test(
        "After any edits, deletions and file names, undone or not, the index agrees with the messages",
        arguments: 0..<5 as Range<UInt64>)
    func randomChanges(seed: UInt64) async throws {
        struct Refusal: Error {}
        let fixture = try await Fixture()
        let other = SearchTests.second
        try await fixture.store.commit { _ = try $0.openConversation(with: Sample.other, newID: other) }
        let words = ["", "alpha", "beta gamma", "été", "x\u{0}y", "今日は天気", "iPhoneを買った。", "ภาษาไทย 학교에서"]
        for round in 0..<40 as Range<UInt64> {
            _ = try? await fixture.store.commit { transaction in
                var random = SeededGenerator(seed: seed << 16 | round)
                for step in 0..<20 as Range<UInt64> {
                    let id = Sample.id(1 + round * UInt64.random(in: 0..<20, using: &random))
                    let text = words.randomElement(using: &random) ?? ""
                    let new = 1 + round * 20 + step
                    switch Int.random(in: 0..<11, using: &random) {
                    case 0, 1, 2:
                        let place = Bool.random(using: &random) ? other : Sample.conversation
                        guard try transaction.conversation(place) != nil else { continue }
                        try transaction.insertOutgoing(Sample.message(new, text: text, in: place), to: [])
                    case 3: try transaction.indexMessages(limit: 7)
                    case 4, 5: try Self.edit(id, text, transaction)
                    case 6:
                        var row = Sample.transfer(new, message: id)
                        row.conversation = try transaction.message(id)?.conversation
                        try transaction.insert(row)
                    case 7:
                        guard let row = try transaction.message(id), !row.deleted else { continue }
                        _ = try transaction.scrub(row)
                    case 8: if let row = try transaction.message(id) { try transaction.remove(row) }
                    case 9: _ = try transaction.removeDoomed(limit: 5)
                    default: _ = try transaction.purgeSearch(pages: 4)
                    }
                }
                if round == 20 { _ = try transaction.remove(conversation: other) }
                if round.isMultiple(of: 5) { throw Refusal() }
            }
        }
        try await fixture.store.commit { transaction in
            while try transaction.indexMessages(limit: 100) > 0 {}
            try SearchTests.check(transaction)
        }
        fixture.store.close()
    }

    @Test("Edited and deleted texts are not found, and after the purge their words are in no file")
    func purge() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await SearchTests.fill(store, (1...400).map { "common \($0) \($0 == 200 ? "secretword" : "other")" })
        try await SearchTests.fill401(store)
        let isClean = try await store.commit { try $0.purgeSearch(pages: 8) }
        #expect(isClean == .clean)
        try await store.commit { transaction in
            try Self.edit(Sample.id(200), "harmless", transaction)
            _ = try transaction.scrub(try #require(try transaction.message(Sample.id(401))))
        }
        #expect(try await SearchTests.find("secretword", store) == [])
        #expect(try await SearchTests.find("harmless", store) == [200])
        #expect(try await SearchTests.find("common 200", store) == [])
        var steps = 0
        while try await store.commit({ try $0.purgeSearch(pages: 1) }) != .clean { steps += 1 }
        #expect((1..<20).contains(steps))
        try await store.commit { try SearchTests.check($0) }
        let again = try await store.commit { try $0.purgeSearch(pages: 1) }
        #expect(again == .clean)
        store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.database))
        #expect(file.range(of: Data("harmless".utf8)) != nil)
        #expect(file.range(of: Data("secret".utf8)) == nil)
    }

    @Test("An interrupted purge continues after the next start, and a further deletion needs a further purge")
    func interruptedPurge() async throws {
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, (1...2000).map { "word\($0) \($0 == 7 ? "secretword" : "other")" })
        try await fixture.store.commit { transaction in
            try Self.edit(Sample.id(7), "harmless", transaction)
        }
        #expect(try await fixture.store.commit { try $0.purgeSearch(pages: 1) } == .going)
        let store = try fixture.reopen()
        try await store.commit { transaction in
            try Self.edit(Sample.id(8), "secretlater", transaction)
            try Self.edit(Sample.id(8), "harmless", transaction)
        }
        // The running purge ends at some time, whatever is deleted meanwhile, and reports it; then another one begins.
        var steps: [PurgeProgress] = []
        repeat {
            steps.append(try await store.commit { try $0.purgeSearch(pages: 16) })
        } while steps.last != .clean && steps.count < 1000
        #expect(steps.filter { $0 != .going } == [.complete, .clean])
        store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.database))
        #expect(file.range(of: Data("secret".utf8)) == nil)
    }
}

extension SearchTests {
    /// Stores one more message, which needs a piece of its own.
    static func fill401(_ store: Store) async throws {
        try await store.commit { transaction in
            try transaction.insertOutgoing(Sample.message(401, text: "secretly deleted"), to: [])
            try transaction.indexMessages(limit: 10)
        }
    }
}
