import Basics
import Vocabulary

// The transfers of a conversation are read by their index. There are far fewer of them than messages.
private let withFiles = SQL(
    """
    SELECT DISTINCT m.number, m.id FROM transfer AS t JOIN message AS m ON m.number = t.message
    WHERE t.conversation = ?1 AND t.message < ?2 AND t.kind IN (?3, ?4, ?5) AND m.deleted = 0
    ORDER BY m.number DESC LIMIT ?6
    """)
// The index of words knows which messages of a conversation have one.
private let withWords = SQL(
    """
    SELECT s.rowid, m.id FROM search AS s CROSS JOIN message AS m ON m.number = s.rowid
    WHERE search MATCH ? AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?
    """)
private let withPins = SQL(
    """
    SELECT p.message, m.id FROM pin AS p JOIN message AS m ON m.number = p.message
    WHERE p.conversation = ? AND p.message < ? ORDER BY p.message DESC LIMIT ?
    """)
/// Words that stand in each link that a program opens.
private let linkWords = #"{text} : ("http" OR "https")"#
/// For tests of how SQLite carries it out.
let mediaLookup = withFiles

/// Those messages of a conversation that have pictures, files, sound or links, or are pinned.
public struct MediaList: Sendable {
    public let conversation: UUIDv7
    public let sort: MediaSort

    public init(of conversation: UUIDv7, with sort: MediaSort) {
        self.conversation = conversation
        self.sort = sort
    }

    /// The ids of some of the messages, those that were stored last first. It reads the conversation's transfers or the
    /// index of words, and no other messages. Links in messages that are not indexed yet
    /// (``ReadTransaction/searchBacklog()``) are missing.
    /// - Parameter limit: 1 to ``StoreLimits/pageRows``; clamped.
    public func page(
        before end: ArrivalPosition? = nil, limit: Int, in transaction: ReadTransaction
    ) throws(StoreError) -> (messages: [(id: UUIDv7, position: ArrivalPosition)], hasMore: Bool) {
        guard let number = try transaction.conversationNumber(conversation) else { return ([], false) }
        let connection = transaction.connection
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        let last = end?.number ?? .max
        // One row more than asked for tells whether there are more.
        let wanted = Int64(limit + 1)
        func place(_ row: StoredRow) throws(StoreError) -> (id: UUIDv7, position: ArrivalPosition) {
            (id: try row.identifier(1), position: ArrivalPosition(number: row.integer(0)))
        }
        var page: [(id: UUIDv7, position: ArrivalPosition)]
        if let kinds = sort.kinds?.map(\.stored), let first = kinds.first {
            let others = (1...2).map { $0 < kinds.count ? kinds[$0] : first }
            page = try connection.rows(withFiles, number, last, first, others[0], others[1], wanted, read: place)
        } else if sort == .pin {
            page = try connection.rows(withPins, number, last, wanted, read: place)
        } else {
            page = try connection.rows(
                withWords, SearchQuery.restricted(linkWords, to: number), last, wanted, read: place)
        }
        let hasMore = page.count > limit
        if hasMore { page.removeLast() }
        return (page, hasMore)
    }
}
