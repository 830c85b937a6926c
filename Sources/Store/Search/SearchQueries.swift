import Basics

// An index gives its rows backwards as they are read, so a page of a common word costs as much as one of a rare word.
private let withWords = newestFirst("search")
private let withBigrams = newestFirst("search_bigrams")
private let fileNames = SQL("SELECT names FROM search_source WHERE number = ?")

private func newestFirst(_ index: String) -> SQL {
    SQL(
        """
        SELECT s.rowid, m.id FROM \(index) AS s CROSS JOIN message AS m ON m.number = s.rowid
            CROSS JOIN conversation AS c ON c.number = m.conversation AND c.archived < 2
        WHERE \(index) MATCH ? AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?
        """)
}

extension ReadTransaction {
    /// The messages that match `query`, in the order of their arrival here, the newest first. Messages that are not
    /// indexed yet (``searchBacklog()``) are not found.
    /// - Parameters:
    ///   - conversation: the only conversation to search; nothing is found in one that does not exist.
    ///   - position: ``SearchPage/next`` of the previous page.
    ///   - limit: 1 to ``StoreLimits/pageRows``; clamped.
    public func search(
        _ query: SearchQuery, in conversation: UUIDv7? = nil, before position: ArrivalPosition? = nil, limit: Int
    ) throws(StoreError) -> SearchPage {
        var page = SearchPage(found: [], next: nil)
        var number: Int64?
        if let conversation {
            number = try conversationNumber(conversation)
            if number == nil { return page }
        }
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        // The index's own function is not used: it compares every hit with every other, for seconds where one word
        // fills a text.
        let finder = try WordFinder(query, tokenizer: connection.tokenizer())
        // Each index has what the other one lacks: messages without bigrams, and words that stand in a run.
        var rows: [(number: Int64, id: UUIDv7)] = []
        let words = finder.needsBigrams ? nil : query.expression
        for (sql, expression) in [(withWords, words), (withBigrams, finder.bigramExpression)] {
            guard let expression else { continue }
            rows += try connection.rows(
                sql, SearchQuery.restricted(expression, to: number), position?.number ?? .max, Int64(limit + 1)
            ) { row throws(StoreError) in
                (number: row.integer(0), id: try row.identifier(1))
            }
        }
        rows.sort { $0.number > $1.number }
        var last: Int64?
        rows.removeAll { row in
            defer { last = row.number }
            return row.number == last
        }
        for row in rows.prefix(limit) {
            try deadline?.check()
            guard let message = try message(row.id) else { continue }
            let text = Array(message.text.utf8)
            var marked = finder.mark(text)
            if marked == nil {
                // If the text has no hit, the names of the files are shown.
                let names = try connection.first(fileNames, row.number) { $0.bytes(0) } ?? []
                marked = finder.mark(names)
            }
            page.found.append(
                FoundMessage(message: message, snippet: Snippet(marked: marked ?? WordFinder.beginning(of: text))))
        }
        if rows.count > limit { page.next = ArrivalPosition(number: rows[limit - 1].number) }
        return page
    }

    /// The number of messages that wait to be indexed, at most: numbers of messages that are gone count too.
    public func searchBacklog() throws(StoreError) -> Int64 { try SearchIndexes(connection: connection).backlog() }
}
