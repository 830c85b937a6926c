import Basics
import TestSupport
import Testing

@testable import Store

private let highlight = SQL("SELECT highlight(search, 0, x'FF', x'FE') FROM search WHERE search MATCH ?")

@Suite("Snippets of found messages")
struct WordFinderTests {
    private static func marked(_ snippet: Snippet) -> [String] {
        let scalars = Array(snippet.text.unicodeScalars)
        return snippet.marks.map { String(String.UnicodeScalarView(scalars[$0])) }
    }

    private static func snippets(_ query: String, _ store: Store) async throws -> [Snippet] {
        try await store.read(by: .search) { try $0.search(SearchQuery(query), limit: 500).found.map(\.snippet) }
    }

    @Test("A text that consists of hits only is searched as fast as any other")
    func nothingButHits() async throws {
        let fixture = try await Fixture()
        let text = String(repeating: "a ", count: 32_768)
        try await SearchTests.fill(fixture.store, [text, "b " + String(repeating: "abcdefgh ", count: 7000)])
        let prefixes = (1...8).map { String("abcdefgh".prefix($0)) + "*" }.joined(separator: " ")
        for query in ["a", #""a a a a""#, String(repeating: "a ", count: 128), prefixes] {
            // The time is the searching thread's processor time, because other tests run at the same time.
            let (found, took) = try await fixture.store.read(by: .search) { transaction in
                let start = ThreadTime.now
                let found = try transaction.search(SearchQuery(query), limit: 500).found.map(\.snippet)
                return (found, ThreadTime.now - start)
            }
            #expect(took < .seconds(4), "\(query)")
            #expect(found.count == 1)
            for snippet in found {
                #expect((100...StoreLimits.snippetScalars).contains(snippet.text.unicodeScalars.count))
                #expect(!snippet.marks.isEmpty && snippet.text.hasSuffix("…"))
            }
        }
        fixture.store.close()
    }

    @Test("A page of the worst texts takes time in proportion to their length")
    func worstPage() async throws {
        let fixture = try await Fixture()
        let text = String(repeating: "a ", count: 2048)
        try await SearchTests.fill(fixture.store, [String](repeating: text, count: 500))
        #expect(try await Self.snippets("a", fixture.store).count == 500)
        fixture.store.close()
    }

    @Test("A long text is cut between words around the first hit, and the other hits in it are marked")
    func window() async throws {
        let fixture = try await Fixture()
        let filler = String(repeating: "lorem ipsum ", count: 3000)
        let texts = [
            filler + "the Néedle, final version; " + filler + "needle", filler + "needle.", "needle " + filler,
            filler + String(repeating: "日本", count: 300), String(repeating: "👩🏽‍🚀", count: 400) + " needle",
        ]
        try await SearchTests.fill(fixture.store, texts)
        let found = try await Self.snippets("needle*", fixture.store)
        #expect(found.map(Self.marked) == [["needle"], ["needle"], ["needle"], ["Néedle"]])
        #expect(found[1].text.hasPrefix("needle lorem") && found[1].text.hasSuffix("…"))
        #expect(found[2].text.hasPrefix("…") && found[2].text.hasSuffix("ipsum needle."))
        let words: Set = [
            "…lorem", "…ipsum", "lorem", "ipsum", "the", "Néedle,", "final", "version;", "lorem…", "ipsum…",
        ]
        #expect(found[3].text.split(separator: " ").allSatisfy { words.contains(String($0)) }, "\(found[3].text)")
        let phrase = try await Self.snippets(#""final version" needle"#, fixture.store)
        #expect(phrase.map(Self.marked) == [["Néedle", "final version"]])
        let long = try await Self.snippets("日本*", fixture.store)
        let marks = try #require(long.first.map(Self.marked))
        #expect(marks.count > 20 && marks.dropLast().allSatisfy { $0 == "日本" })
        for snippet in found + phrase + long {
            #expect((20...StoreLimits.snippetScalars).contains(snippet.text.unicodeScalars.count))
        }
        fixture.store.close()
    }

    @Test("In short texts exactly the words that the index marks are marked", arguments: 0..<4 as Range<UInt64>)
    func sameAsIndex(seed: UInt64) async throws {
        let fixture = try await Fixture()
        var random = SeededGenerator(seed: seed)
        let words = ["a", "ab", "É", "e\u{301}", "日本", "-", "a-b", "Straße", "👍", "٣", "İ", "x_y"]
        func text(_ count: Int) -> String {
            (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        }
        try await SearchTests.fill(fixture.store, (0..<30).map { _ in text(Int.random(in: 1...14, using: &random)) })
        let queries = (0..<60).map { _ in
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "\"\(text(Int.random(in: 1...3, using: &random)))\"" + (Bool.random(using: &random) ? "*" : "")
            }.joined(separator: " ")
        }
        try await fixture.store.read { transaction in
            for query in queries.map({ SearchQuery($0) }) {
                guard let expression = query.expression else { continue }
                let expected = try transaction.connection.rows(highlight, expression) { Snippet(marked: $0.bytes(0)) }
                let found = try transaction.search(query, limit: 100).found.map(\.snippet)
                #expect(found == expected.reversed(), "\(expression)")
            }
        }
        fixture.store.close()
    }

    @Test("A search ends at its deadline, the next one has its own, and other reads wait for neither")
    func deadline() async throws {
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, ["word"])
        let (store, clocks) = (fixture.store, fixture.clocks)
        await #expect(throws: StoreError.tooLong) {
            try await store.read(by: .search) { transaction in
                clocks.advance(StoreLimits.searchTime)
                _ = try transaction.search(SearchQuery("word"), limit: 10)
            }
        }
        let endless = SQL("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n")
        await #expect(throws: StoreError.tooLong) {
            try await store.read(by: .search) { transaction in
                clocks.advance(StoreLimits.searchTime)
                _ = try transaction.connection.integer(endless)
            }
        }
        let gate = Gate()
        async let held = store.read(by: .search) { transaction in
            gate.wait()
            return try transaction.search(SearchQuery("word"), limit: 10).found.count
        }
        #expect(try await store.read { try $0.search(SearchQuery("word"), limit: 10).found.count } == 1)
        gate.open()
        #expect(try await held == 1)
        store.close()
    }

    @Test("A snippet begins with a whole character, whatever stands before the hit")
    func wholeCharacters() async throws {
        let fixture = try await Fixture()
        let families = (1...8).map {
            String(repeating: "👩‍👩‍👧‍👦", count: 100 + $0) + String(repeating: "🇩🇪", count: $0) + " hit"
        }
        try await SearchTests.fill(fixture.store, families)
        let found = try await Self.snippets("hit", fixture.store)
        #expect(found.count == families.count)
        for snippet in found {
            #expect(snippet.text.allSatisfy { "👩‍👩‍👧‍👦🇩🇪hit… ".contains($0) }, "\(snippet.text)")
            #expect(Self.marked(snippet) == ["hit"])
        }
        fixture.store.close()
    }
}
