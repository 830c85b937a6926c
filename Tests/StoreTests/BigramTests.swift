import Basics
import Foundation
import TestSupport
import Testing

@testable import Store

@Suite("Search in scripts without spaces")
struct BigramTests {
    private static let texts = [
        "今日は天気がいい", "东京的天气很好，我们去公园吧。", "학교에서 만나요", "ฉันพูดภาษาไทยได้นิดหน่อย", "iPhoneを買った",
        "plain words", "天", "3月のレポート.pdf", "ສະບາຍດີ ສະບາຍ", "か\u{3099}っこう", "한국어",
        "葛\u{E0100}飾区", "ﾃﾞｰﾀ", "ソースコード source code コード", "今日 天気",
    ]

    /// Checks that the index of bigrams has the tokens of all messages with bigrams, and no others.
    static func check(_ transaction: WriteTransaction) throws {
        let connection = transaction.connection
        try connection.execute("INSERT INTO search_bigrams (search_bigrams) VALUES ('integrity-check')")
        try connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.found USING fts5vocab(main, search_bigrams, instance)")
        let found = try connection.rows(
            SQL("SELECT doc, col, term FROM temp.found WHERE col <> 'conversation' ORDER BY doc, col DESC, offset"),
            read: { "\($0.integer(0)) \($0.text(1)) \($0.text(2))" })
        try connection.execute("DROP TABLE temp.found")
        let tokenizer = BigramTokenizer(words: try connection.tokenizer())
        let entries = try connection.rows(
            SQL(
                """
                SELECT number, text, names FROM search_source WHERE number <= (
                    SELECT value FROM meta WHERE name = 'search_bigrams_indexed') ORDER BY number
                """), read: { (number: $0.integer(0), columns: [("text", $0.bytes(1)), ("names", $0.bytes(2))]) })
        var expected: [String] = []
        for entry in entries where entry.columns.contains(where: { BigramTokenizer.applies(to: $0.1) }) {
            for (column, text) in entry.columns {
                tokenizer.tokens(of: text) { token in
                    expected.append("\(entry.number) \(column) \(String(decoding: token.bytes, as: UTF8.self))")
                    return true
                }
            }
        }
        #expect(found == expected)
    }

    private static func tokens(_ text: String) async throws -> [String] {
        let fixture = try await Fixture()
        defer { fixture.store.close() }
        return try await fixture.store.read { transaction in
            var found: [String] = []
            BigramTokenizer(words: try transaction.connection.tokenizer()).tokens(of: Array(text.utf8)) { token in
                let place = Array(text.utf8)[token.range]
                found.append(
                    "\(String(decoding: token.bytes, as: UTF8.self))=\(String(decoding: place, as: UTF8.self))")
                return true
            }
            return found
        }
    }

    @Test("Runs become pairs and a last character, the rest words; each token knows its place")
    func splitting() async throws {
        let tokens = try await Self.tokens("今日は iPhoneを、 か\u{3099}ぎ 각\u{301}")
        #expect(
            tokens == [
                "今日=今日", "日は=日は", "は=は", "iphone=iPhone", "を=を", "がぎ=か\u{3099}ぎ", "ぎ=ぎ", "각\u{301}=각\u{301}",
            ])
        #expect(try await Self.tokens("ที่นี่") == ["ที่นี่=ที่นี่", "นี่=นี่"])
        #expect(try await Self.tokens("") == [])
        let plain = try await Self.tokens("Dvořák’s “Škoda” 👍")
        #expect(plain == ["dvorak=Dvořák", "s=s", "skoda=Škoda"])
    }

    @Test("A text of heaped marks and halves of characters is split without end or crash, and any bytes are")
    func anyBytes() async throws {
        let fixture = try await Fixture()
        let inputs: [[UInt8]] = [
            Array(("天" + String(repeating: "\u{3099}", count: 20_000) + "気").utf8), [0xE0], [0xE5, 0xA4],
            [0xE5, 0xA4, 0xA9, 0xFF, 0xE6], Array("\u{3099}\u{0E47}".utf8) + [0xF0, 0x9F],
        ]
        try await fixture.store.read { transaction in
            let tokenizer = BigramTokenizer(words: try transaction.connection.tokenizer())
            for input in inputs {
                var longest = 0
                tokenizer.tokens(of: input) { token in
                    longest = max(longest, token.bytes.count)
                    #expect(token.range.upperBound <= input.count && token.firstEnd <= token.range.upperBound)
                    return true
                }
                #expect(longest <= 40)
            }
        }
        fixture.store.close()
    }

    @Test(
        "Each part of a run is found, with the words around it, alone or in a phrase",
        arguments: [
            ("天気", [15, 1]), ("天气", [2]), ("天", [15, 7, 2, 1]), ("気", [15, 1]), ("今日は天気がいい", [1]), ("は天気", [1]),
            ("日天", []), ("公園", []), ("公园", [2]), ("公园吧。", [2]), ("学校", []), ("학교", [3]), ("교에", [3]), ("한국어", [11]),
            ("한국", [11]), ("국어", [11]), ("ภาษา", [4]), ("ไทย", [4]), ("ภาษาไทย", [4]), ("ษาไ", [4]), ("iphone", [5]),
            ("iPhoneを", [5]), ("iPhoneを買", [5]), ("買った", [5]), ("買った*", [5]), ("\"買った\"", [5]), ("phone", []),
            ("レポート", [8]), ("3月", [8]), ("月のレポ", [8]), ("ພາສາ", []), ("ສະບາຍ", [9]), ("がっこう", [10]), ("かっこう", []),
            ("か\u{3099}っ", [10]), ("葛飾", [12]), ("コード source", [14]), ("\"source code コード\"", [14]),
            ("\"ソースコード source\"", [14]), ("\"code ソース\"", []), ("今日 天気", [15, 1]), ("\"今日 天気\"", [15]),
            ("天気 plain", []),
            ("plain", [6]), ("ﾃﾞｰﾀ", [13]), ("天 気", [15, 1]),
        ] as [(String, [UInt64])])
    func parts(query: String, expected: [UInt64]) async throws {
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, Self.texts)
        #expect(try await SearchTests.find(query, fixture.store) == expected)
        let pages = try await fixture.store.read { transaction in
            var (found, position): ([UInt64], ArrivalPosition?) = ([], nil)
            repeat {
                let page = try transaction.search(
                    SearchQuery(query), in: Sample.conversation, before: position, limit: 1)
                found += page.found.map { $0.message.id.low & 0xFFFF }
                position = page.next
            } while position != nil
            return found
        }
        #expect(pages == expected)
        fixture.store.close()
    }

    @Test(
        "A snippet marks the part that was looked for",
        arguments: [
            ("天気", "今日は[天気]がいい"), ("天", "今日は[天]気がいい"), ("今日 いい", "[今日]は天気が[いい]"), ("今日は天", "[今日は天]気がいい"),
        ])
    func marks(query: String, expected: String) async throws {
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, [Self.texts[0]])
        let snippet = try #require(
            try await fixture.store.read { try $0.search(SearchQuery(query), limit: 1).found.first?.snippet })
        var scalars = Array(snippet.text.unicodeScalars)
        for mark in snippet.marks.reversed() {
            scalars.insert("]", at: mark.upperBound)
            scalars.insert("[", at: mark.lowerBound)
        }
        #expect(String(String.UnicodeScalarView(scalars)) == expected)
        fixture.store.close()
    }

    @Test("Names of files are found as a Mac writes them, in one conversation only if asked so")
    func names() async throws {
        let fixture = try await Fixture()
        try await fixture.store.commit { transaction in
            try transaction.insertOutgoing(Sample.message(1, text: "look"), to: [])
            var row = Sample.transfer(2, message: Sample.id(1))
            row.conversation = Sample.conversation
            // 학교 and が, decomposed.
            row.name = "\u{1112}\u{1161}\u{11A8}\u{1100}\u{116D} か\u{3099}ぞう.png"
            try transaction.insert(row)
            while try transaction.indexMessages(limit: 3) > 0 {}
        }
        for query in ["학교", "학", "がぞう", "がぞう.png", "look 교"] {
            #expect(try await SearchTests.find(query, in: Sample.conversation, fixture.store) == [1], "\(query)")
            #expect(try await SearchTests.find(query, in: SearchTests.second, fixture.store) == [], "\(query)")
        }
        fixture.store.close()
    }

    @Test("A part is found exactly in the texts that contain it", arguments: 0..<4 as Range<UInt64>)
    func oracle(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        // Some of them are the same characters in two forms.
        let characters: [Character] = [
            "今", "日", "が", "か\u{3099}", "각", "\u{1100}\u{1161}\u{11A8}", "ก", "ที่", "一", "、", " ", "x",
        ]
        func text(_ count: Int) -> [Character] {
            (0..<count).compactMap { _ in characters.randomElement(using: &random) }
        }
        let texts = (0..<60).map { _ in text(12) }
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, texts.map { String($0) })
        for _ in 0..<200 {
            let query = text(Int.random(in: 1...3, using: &random)).filter { !"、 x".contains($0) }
            guard !query.isEmpty else { continue }
            let holders = texts.indices.filter { texts[$0].contains(query) }.map { UInt64($0 + 1) }
            let found = try await SearchTests.find(String(query), fixture.store)
            let wrong = Set(found).symmetricDifference(holders).map { String(texts[Int($0) - 1]) }
            #expect(found == holders.reversed(), "\(query): \(wrong)")
        }
        fixture.store.close()
    }

    @Test("A lost index is made again in pieces, also after a crash; what is changed meanwhile is right")
    func background() async throws {
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, (1...20).map { "今日\($0)は天気" } + ["words"])
        try await fixture.store.commit { transaction in
            // As a repair leaves it.
            try transaction.connection.execute(
                """
                INSERT INTO search_bigrams (search_bigrams) VALUES ('delete-all');
                UPDATE meta SET value = 0 WHERE name = 'search_bigrams_indexed'
                """)
        }
        #expect(try await SearchTests.find("天気", fixture.store) == [])
        #expect(try await fixture.store.read { try $0.searchBacklog() } == 21)
        #expect(try await fixture.store.commit { try $0.indexMessages(limit: 7) } == 7)
        let store = try fixture.reopen()
        #expect(try await store.read { try $0.searchBacklog() } == 14)
        #expect(try await SearchTests.find("天気", store).count == 7)
        try await store.commit { transaction in
            for id in [3, 15] as [UInt64] {
                let row = try #require(try transaction.message(Sample.id(id)))
                _ = try transaction.scrub(row)
            }
            try SearchTests.check(transaction)
            while try transaction.indexMessages(limit: 7) > 0 {}
            try SearchTests.check(transaction)
        }
        #expect(try await SearchTests.find("天気", store).count == 18)
        store.close()
    }

    @Test("After the purge no file has the bigrams of a deleted text")
    func purge() async throws {
        let fixture = try await Fixture()
        let store = fixture.store
        try await SearchTests.fill(store, (1...400).map { "今日は\($0) \($0 == 200 ? "祕密" : "天気")" })
        try await store.commit { transaction in
            _ = try transaction.scrub(try #require(try transaction.message(Sample.id(200))))
        }
        while try await store.commit({ try $0.purgeSearch(pages: 1) }) != .clean {}
        try await store.commit { try SearchTests.check($0) }
        store.close()
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.database))
        #expect(file.range(of: Data("祕".utf8)) == nil)
        #expect(file.range(of: Data("天気".utf8)) != nil)
    }

    @Test("A text of one character over and over is searched as fast as any other")
    func nothingButHits() async throws {
        let fixture = try await Fixture()
        try await SearchTests.fill(fixture.store, [String(repeating: "あ", count: 21_000)])
        for query in ["あ", "ああ", String(repeating: "あ", count: 250), String(repeating: "あ ", count: 128)] {
            let (found, took) = try await fixture.store.read(by: .search) { transaction in
                let start = ThreadTime.now
                return (try transaction.search(SearchQuery(query), limit: 500).found, ThreadTime.now - start)
            }
            #expect(took < .seconds(4), "\(query)")
            #expect(found.count == 1)
        }
        fixture.store.close()
    }
}
