import Basics

// The index gives its rows backwards as they are read, so a page of a common word costs as much as one of a rare word.
private let newestFirst = SQL(
    """
    SELECT s.rowid, m.id FROM search AS s CROSS JOIN message AS m ON m.number = s.rowid
        CROSS JOIN conversation AS c ON c.number = m.conversation AND c.archived < 2
    WHERE search MATCH ? AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?
    """)
private let fileNames = SQL("SELECT names FROM search_source WHERE number = ?")
private let latestNumber = SQL("SELECT max(number) FROM message")
private let meta = SQL("SELECT value FROM meta WHERE name = ?")

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
        guard let expression = query.expression(in: number) else { return page }
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        let rows = try connection.rows(
            newestFirst, expression, position?.number ?? .max, Int64(limit + 1)
        ) { row throws(StoreError) in
            (number: row.integer(0), id: try row.identifier(1))
        }
        // The index's own function is not used: it compares every hit with every other, for seconds where one word
        // fills a text.
        let finder = try WordFinder(query, tokenizer: connection.tokenizer())
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
    public func searchBacklog() throws(StoreError) -> Int64 {
        let latest = try connection.integer(latestNumber) ?? 0
        return max(0, latest - (try searchMeta(.indexed)))
    }

    /// The rows of `meta` that belong to the index.
    enum SearchMeta: String {
        /// The number of the last message that was looked at.
        case indexed = "search_indexed"
        /// The number of entries ever deleted.
        case deleted = "search_deleted"
        /// That number at the beginning of the running purge; equal to ``purged`` if none runs.
        case purging = "search_purging"
        /// That number at the beginning of the last completed purge.
        case purged = "search_purged"
    }

    func searchMeta(_ name: SearchMeta) throws(StoreError) -> Int64 { try connection.integer(meta, name.rawValue) ?? 0 }
}
