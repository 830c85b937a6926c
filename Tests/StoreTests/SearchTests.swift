import Basics
import Testing

@testable import Store

@Suite("Search")
struct SearchTests {
    static let second = Sample.id(1_000_001)

    /// Stores texts as messages 1, 2, … and indexes them.
    static func fill(_ store: Store, _ texts: [String]) async throws {
        try await store.commit { transaction in
            for (index, text) in texts.enumerated() {
                try transaction.insertOutgoing(Sample.message(UInt64(index + 1), text: text), to: [])
            }
            while try transaction.indexMessages(limit: 3) > 0 {}
        }
    }

    /// The numbers of the messages found.
    static func find(_ text: String, in conversation: UUIDv7? = nil, _ store: Store) async throws -> [UInt64] {
        try await store.read { try $0.search(SearchQuery(text), in: conversation, limit: 100).found }
            .map { $0.message.id.low & 0xFFFF }
    }

    /// Checks that the index holds exactly what the messages contain.
    static func check(_ transaction: WriteTransaction) throws {
        try transaction.connection.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
        try BigramTests.check(transaction)
    }

    @Test(
        "Words are found in any case and with any marks; stars, phrases and signs work as documented",
        arguments: [
            ("resume", [1]), ("RÉSUMÉ", [1]), ("re\u{301}sume\u{301}", [1]), ("resum", []), ("resum*", [1]),
            ("почта", [2]), ("ПОЧТА", [2]), ("ΣΟΦΊΑ", [3]), ("istanbul", [4]), ("naive cafe", [5]),
            ("cafe naive", [5]), (#""cafe naive""#, []), (#""naive cafe""#, [5]), (#""naive caf"*"#, [5]),
            ("well-known", [6]), ("known", [6]), (#""known well""#, []), ("c++", [7]), ("@anna", [8]), ("anna", [8]),
            ("3.14", [9]), ("(naive", [5]), ("naive AND cafe", []), ("👍", []), ("👍 naive", [5]), ("", []),
            // In scripts without spaces each part of a run is found (BigramTests).
            ("日本語", [10]), ("本語*", [10]), ("東京", [10]), ("日語", []),
            // Marks are removed from Latin letters only, and ß does not equal ss.
            ("елка", []), ("ёлка", [11]), ("strasse", []), ("STRAßE", [11]), ("ΛΌΓΟΣ", [3]), ("λογος", []),
        ] as [(String, [UInt64])])
    func words(query: String, expected: [UInt64]) async throws {
        let fixture = try await Fixture()
        try await Self.fill(
            fixture.store,
            [
                "My Résumé is attached", "Новая Почта", "Σοφία λόγος", "İstanbul", "A naïve café", "a well-known fact",
                "C++ or C", "write to @anna!", "pi is 3.14", "日本語です 東京", "Ёлка Straße",
            ])
        #expect(try await Self.find(query, fixture.store) == expected)
        fixture.store.close()
    }

    @Test("Any character survives the store and the index, even NUL, and marks of hits can't be forged")
    func anyCharacter() async throws {
        let fixture = try await Fixture()
        let all = (1..<0x3000 as Range<UInt32>).compactMap { Unicode.Scalar($0).map(String.init) }.joined()
        let texts = [
            "nul\u{0}behind needle\u{0}end", "\u{1}\u{2}\u{FF}\u{FE} needle \u{FFFD}", all + " needle", "\u{0}",
        ]
        try await Self.fill(fixture.store, texts)
        let found = try await fixture.store.read { try $0.search(SearchQuery("needle"), limit: 9).found }
        #expect(found.map(\.message.text) == [2, 1, 0].map { texts[$0] })
        for hit in found {
            let scalars = Array(hit.snippet.text.unicodeScalars)
            #expect(hit.snippet.marks.map { String(String.UnicodeScalarView(scalars[$0])) } == ["needle"])
            #expect(!scalars.contains { $0.value < 0x20 })
        }
        #expect(try await Self.find("behind", fixture.store) == [1])
        #expect(try await Self.find("end", fixture.store) == [1])
        try await fixture.store.commit { try Self.check($0) }
        fixture.store.close()
    }

    @Test("Names of files are found, even those that come later, and are shown if the text has no hit")
    func fileNames() async throws {
        let fixture = try await Fixture()
        try await Self.fill(fixture.store, ["see the minutes", "", ""])
        try await fixture.store.commit { transaction in
            var row = Sample.transfer(50, message: Sample.id(2))
            row.name = "Quarterly_Report-2026.final.pdf"
            try transaction.insert(row)
            row = Sample.transfer(51, message: Sample.id(1))
            row.name = "minutes.txt"
            try transaction.insert(row)
        }
        #expect(try await Self.find("report pdf", fixture.store) == [2])
        #expect(try await Self.find("txt", fixture.store) == [1])
        #expect(try await Self.find("see txt", fixture.store) == [1])
        let found = try await fixture.store.read { transaction in
            try ["report", "minutes"].map { try transaction.search(SearchQuery($0), limit: 1).found.first?.snippet }
        }
        #expect(
            found == [
                Snippet(text: "Quarterly_Report-2026.final.pdf", marks: [10..<16]),
                Snippet(text: "see the minutes", marks: [8..<15]),
            ])
        try await fixture.store.commit { transaction in
            var row = try #require(try transaction.transfer(Sample.id(50)))
            row.name = "renamed.pdf"
            try transaction.update(row)
            try Self.check(transaction)
        }
        #expect(try await Self.find("report", fixture.store) == [])
        #expect(try await Self.find("renamed", fixture.store) == [2])
        fixture.store.close()
    }

    @Test("A search in one conversation finds nothing of others, and no number in a text is taken for a conversation")
    func conversations() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            _ = try transaction.openConversation(with: Sample.other, newID: Self.second)
            for number: UInt64 in 1...6 {
                let place = number.isMultiple(of: 2) ? Self.second : Sample.conversation
                try transaction.insertOutgoing(Sample.message(number, text: "common \u{E000}1 2", in: place), to: [])
            }
            try transaction.indexMessages(limit: 100)
        }
        let store = fixture.store
        #expect(try await Self.find("common", store) == [6, 5, 4, 3, 2, 1])
        #expect(try await Self.find("common", in: Sample.conversation, store) == [5, 3, 1])
        #expect(try await Self.find("com*", in: Self.second, store) == [6, 4, 2])
        #expect(try await Self.find("rare", in: Self.second, store) == [])
        #expect(try await Self.find("common", in: Sample.id(9), store) == [])
        #expect(try await Self.find("\u{E000}1", in: Self.second, store) == [6, 4, 2])
        // A deleted conversation is out of sight at once, though its rows go piece by piece.
        try await store.commit { _ = try $0.remove(conversation: Self.second) }
        #expect(try await Self.find("common", store) == [5, 3, 1])
        #expect(try await Self.find("common", in: Self.second, store) == [])
        store.close()
    }

    @Test("Pages meet each message once while others arrive, and only the store's own cursors are accepted")
    func pages() async throws {
        let fixture = try await Fixture()
        try await Self.fill(fixture.store, (1...23).map { "word \($0)" })
        var found: [UInt64] = []
        var position: ArrivalPosition?
        repeat {
            let start = position
            let page = try await fixture.store.read { try $0.search(SearchQuery("word"), before: start, limit: 5) }
            found += page.found.map { $0.message.id.low & 0xFFFF }
            #expect(page.found.count == 5 || page.next == nil)
            position = try page.next.map { try #require(ArrivalPosition($0.description)) }
            let new = 100 + UInt64(found.count)
            try await fixture.store.commit { transaction in
                try transaction.insertOutgoing(Sample.message(new, text: "word"), to: [])
                try transaction.indexMessages(limit: 10)
            }
        } while position != nil
        #expect(found == (1...23 as ClosedRange<UInt64>).reversed())
        for text in ["", "0", "-1", "+5", "05", "x", "99999999999999999999", " 5"] {
            #expect(ArrivalPosition(text) == nil)
        }
        fixture.store.close()
    }
}
