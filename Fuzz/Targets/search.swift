import CSQLite
import Store

/// Search queries as users type them: an index like the store's takes every expression.
enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        "word", #"report "final version" 202*"#, #""in quo"* more"#, "NOT a OR (b AND NEAR(c, 2))", "text:a ^b + {c}",
        #"a"b c"d**"#, "日本* e\u{301} \u{E000}1", "\"\0\"* \0",
    ].map { Array($0.utf8) }

    static func run(_ bytes: [UInt8]) {
        let query = SearchQuery(String(decoding: bytes, as: UTF8.self))
        require(query == SearchQuery(String(decoding: bytes, as: UTF8.self)), "one text, one expression")
        guard let expression = query.expression else { return }
        let start = "{text names} : ("
        require(expression.hasPrefix(start) && expression.hasSuffix(")"), "only what people see")
        // Inside the brackets are strings in quotation marks, each perhaps with a star, and single spaces.
        var rest = expression.unicodeScalars.dropFirst(start.unicodeScalars.count).dropLast()
        var count = 0
        while !rest.isEmpty {
            if count > 0 { require(rest.popFirst() == " ", "a space between") }
            require(rest.popFirst() == "\"", "a string")
            guard let end = rest.firstIndex(of: "\"") else { fatalError("the string ends") }
            require(!rest[..<end].contains("\0"), "NUL would end the expression")
            rest = rest[rest.index(after: end)...]
            if rest.starts(with: " *".unicodeScalars) { rest = rest.dropFirst(2) }
            count += 1
        }
        for text in [expression, "(\(expression)) AND conversation : \"\u{E000}1\""] { Index.shared.find(text) }
    }
}

/// An index like the store's, in memory, with one message in it.
private final class Index {
    nonisolated(unsafe) static let shared = Index()
    private var statement: OpaquePointer?

    private init() {
        var database: OpaquePointer?
        let schema = """
            CREATE VIRTUAL TABLE search USING fts5(
                text, names, conversation, columnsize=0, tokenize='unicode61 remove_diacritics 2');
            INSERT INTO search VALUES ('a word in a final report b c d', 'e.pdf', char(0xE000) || 1);
            """
        require(sqlite3_open(":memory:", &database) == SQLITE_OK, "a database")
        require(sqlite3_exec(database, schema, nil, nil, nil) == SQLITE_OK, "a table")
        let query = "SELECT rowid, snippet(search, 0, x'FF', x'FE', '…', 24) FROM search WHERE search MATCH ?"
        require(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK, "a statement")
    }

    func find(_ expression: String) {
        // Binding without a length, as C does, would hide the effect of a NUL; the store gives a length, too.
        var text = expression
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(statement, 1, $0.baseAddress, CInt($0.count), nil)
                var code = sqlite3_step(statement)
                while code == SQLITE_ROW { code = sqlite3_step(statement) }
                require(code == SQLITE_DONE, "the index takes the expression")
                sqlite3_reset(statement)
            }
        }
    }
}
