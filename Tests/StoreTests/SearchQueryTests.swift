import Basics
import Testing

@testable import Store

@Suite("Search queries as they are typed")
struct SearchQueryTests {
    @Test(
        "Words, phrases and stars become an expression; other signs have no meaning",
        arguments: [
            ("word", #""word""#),
            ("  two   words ", #""two" "words""#),
            ("wor*", #""wor" *"#),
            ("wor**", #""wor" *"#),
            (#""in quotes" more"#, #""in quotes" "more""#),
            (#""in quo"*"#, #""in quo" *"#),
            (#""in quo"* more"#, #""in quo" * "more""#),
            (#""left open"#, #""left open""#),
            (#"a"b c"d"#, #""a" "b c" "d""#),
            (#""""#, nil),
            (#""a""b""#, #""a" "b""#),
            ("star*inside", #""star*inside""#),
            (#""star * inside""#, #""star * inside""#),
            ("*", nil), ("* a", #""a""#), ("*a", #""*a""#),
            ("", nil), (" \n\t", nil), ("!!! ... 👍", nil), ("a !!! b", #""a" "b""#),
            ("a-b", #""a-b""#), ("text:a", #""text:a""#), ("{text}:a", #""{text}:a""#),
            ("NOT a OR b AND NEAR(c, 2)", #""NOT" "a" "OR" "b" "AND" "NEAR(c," "2)""#),
            ("^a + (b", #""^a" "(b""#), ("a\u{0}b", #""a" "b""#), (#""a\#u{0}b""#, #""a b""#),
            ("a\u{3000}b\u{A0}c", #""a" "b" "c""#), ("Ünï ΣΊ 日本", #""Ünï" "ΣΊ" "日本""#),
        ] as [(String, String?)])
    func table(typed: String, expected: String?) {
        #expect(SearchQuery(typed).expression == expected.map { "{text names} : (\($0))" })
        #expect(SearchQuery(typed).isEmpty == (expected == nil))
    }

    @Test("If there are very many words, only the first ones count")
    func manyWords() {
        let query = SearchQuery((0..<1000).map(String.init).joined(separator: " "))
        #expect(
            query.expression
                == SearchQuery((0..<StoreLimits.searchTerms).map(String.init).joined(separator: " ")).expression)
    }

    @Test("The index accepts whatever is typed", arguments: 0..<8 as Range<UInt64>)
    func randomText(seed: UInt64) async throws {
        let fixture = try await Fixture()
        var random = SeededGenerator(seed: seed)
        let pieces =
            [
                "\"", "*", "a", "hello", " ", "-", "(", ")", ":", "{", "}", "^", "+", ",", "'", "\\", ";", "\0", "\n",
                "\u{1}",
            ]
            + [
                "AND", "OR", "NOT", "NEAR", "text", "names", "conversation", "é", "e\u{301}", "日本", "👍", "\u{E000}1",
                "ﬁ", "٣",
            ]
        var queries = (0..<300).map { _ in
            (0..<Int.random(in: 0...30, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
        }
        queries += (0..<100).map { _ in
            String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...40, using: &random)).compactMap { _ in
                        Unicode.Scalar(UInt32.random(in: 0...0x2FFFF, using: &random))
                    }))
        }
        queries.append(String(repeating: "a ", count: 5000))
        queries.append("\"" + String(repeating: "a ", count: 5000))
        queries.append(String(repeating: "\"a\"*", count: 3000))
        let typed = queries
        try await fixture.store.commit { transaction in
            try transaction.insertOutgoing(Sample.message(1, text: "hello a text"), to: [])
            try transaction.indexMessages(limit: 10)
        }
        try await fixture.store.read { transaction in
            for text in typed {
                for conversation in [nil, Sample.conversation] {
                    #expect(throws: Never.self, "\(text.debugDescription)") {
                        _ = try transaction.search(SearchQuery(text), in: conversation, limit: 5)
                    }
                }
            }
        }
        fixture.store.close()
    }
}
