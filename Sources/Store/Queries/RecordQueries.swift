import Basics

private let recipientsOf = SQL(
    "SELECT \(recipientColumns) FROM recipient AS r WHERE r.message = ? ORDER BY r.account")
private let after = SQL(
    "SELECT id FROM message WHERE conversation = ? AND (hlc, id) > (?, ?) AND (hlc, id) < (?, ?) ORDER BY hlc, id LIMIT ?"
)
private let before = SQL(
    "SELECT id FROM message WHERE conversation = ? AND (hlc, id) < (?, ?) ORDER BY hlc DESC, id DESC LIMIT ?")
private let arrivedAfter = SQL(
    "SELECT id FROM message WHERE conversation = ? AND number > ? AND number < ? ORDER BY number LIMIT ?")
private let arrivedBefore = SQL(
    "SELECT id FROM message WHERE conversation = ? AND number < ? ORDER BY number DESC LIMIT ?")
// Messages are walked backwards by their numbers; a conversation that is being removed hides its own.
private let lastArrived = SQL(
    """
    SELECT m.number, m.id FROM message AS m WHERE m.number < ?
        AND (SELECT c.archived FROM conversation AS c WHERE c.number = m.conversation) < 2
    ORDER BY m.number DESC LIMIT ?
    """)
private let conversationByID = SQL(
    """
    SELECT \(messageColumns), \(conversationColumns), CASE k.alias WHEN '' THEN k.display_name ELSE k.alias END
    FROM \(conversationSource) LEFT JOIN contact AS k ON k.account = c.contact WHERE c.id = ? AND c.archived < 2
    """)
private let conversationsNewestFirst = SQL(
    """
    SELECT id, pinned, updated_at FROM conversation WHERE archived = ? AND (pinned, updated_at, id) < (?, ?, ?)
    ORDER BY pinned DESC, updated_at DESC, id DESC LIMIT ?
    """)

/// Objects with everything that is shown of them, read through the cache. Lists name the objects, and the cache holds
/// them.
extension ReadTransaction {
    /// A message as it is shown.
    /// - Parameter previews: whether to add its attachments' previews, up to a megabyte, for a message that is shown by
    ///   itself.
    public func messageRecord(_ id: UUIDv7, previews: Bool = false) throws(StoreError) -> MessageRecord? {
        let record: MessageRecord
        if case .message(let kept)? = try memory?.get(.message(id), in: self) {
            record = kept
        } else {
            guard let row = try message(id) else { return nil }
            record = try load(row)
            try memory?.set(.message(record), in: self)
        }
        return previews ? try withPreviews(record) : record
    }

    /// A conversation as it is shown.
    public func conversationRecord(_ id: UUIDv7) throws(StoreError) -> ConversationRecord? {
        if case .conversation(let row)? = try memory?.get(.conversation(id), in: self) { return row }
        guard let record = try loadConversation(id) else { return nil }
        try memory?.set(.conversation(record), in: self)
        return record
    }

    /// Bytes that belong to an object; nil if there are none.
    public func asset(_ id: UUIDv7) throws(StoreError) -> AssetRecord? {
        try assets.get(id, in: self)
    }

    /// The record of a row that was changed or removed just now, made without the cache.
    public func record(of row: MessageRow) throws(StoreError) -> MessageRecord { try load(row) }

    /// The record of a row that the caller has, made without the cache.
    public func record(of row: ConversationRow) throws(StoreError) -> ConversationRecord { try load(row) }

    /// A page of a conversation, ascending: the first messages after `after`, else the last before `before`, else the
    /// newest. With both, the first after `after` that lie before `before`. The order is the one that is set.
    /// - Parameter limit: 1 to ``StoreLimits/pageRows``; clamped.
    public func messageRecords(
        in conversation: UUIDv7, before end: MessagePosition? = nil, after start: MessagePosition? = nil, limit: Int
    ) throws(StoreError) -> (records: [MessageRecord], hasMore: Bool) {
        let (ids, hasMore) = try messageIDs(in: conversation, before: end, after: start, limit: limit)
        var records: [MessageRecord?] = []
        for id in ids {
            if case .message(let record)? = try memory?.get(.message(id), in: self) {
                records.append(record)
            } else {
                records.append(nil)
            }
        }
        if records.contains(nil) {
            // One walk along the index costs less than a look-up for each missing record.
            let rows = try messages(in: conversation, before: end, after: start, limit: limit).messages
            for (place, row) in rows.enumerated() where place < ids.count && records[place] == nil {
                let record = try load(row)
                try memory?.set(.message(record), in: self)
                records[place] = record
            }
        }
        return (records.compactMap(\.self), hasMore)
    }

    /// The ids of such a page.
    private func messageIDs(
        in conversation: UUIDv7, before end: MessagePosition? = nil, after start: MessagePosition? = nil, limit: Int
    ) throws(StoreError) -> (ids: [UUIDv7], hasMore: Bool) {
        guard let number = try conversationNumber(conversation) else { return ([], false) }
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        // One row more than asked for tells whether there are more.
        let wanted = Int64(limit + 1)
        let end = end ?? .end
        let last = Int64(clamping: end.key)
        let read = { (row: StoredRow) throws(StoreError) -> UUIDv7 in try row.identifier(0) }
        var ids: [UUIDv7]
        switch (try messageOrder(), start) {
        case (.sent, let start?):
            let first = Int64(clamping: start.key)
            ids = try connection.rows(after, number, first, start.id, last, end.id, wanted, read: read)
        case (.sent, nil): ids = try connection.rows(before, number, last, end.id, wanted, read: read)
        case (.arrival, let start?):
            ids = try connection.rows(arrivedAfter, number, Int64(clamping: start.key), last, wanted, read: read)
        case (.arrival, nil): ids = try connection.rows(arrivedBefore, number, last, wanted, read: read)
        }
        let hasMore = ids.count > limit
        if hasMore { ids.removeLast() }
        if start == nil { ids.reverse() }
        return (ids, hasMore)
    }

    /// The positions of conversations by last activity, the latest first; pinned ones come before all others.
    public func conversationPositions(
        before: ConversationPosition? = nil, limit: Int, archived: Bool = false
    ) throws(StoreError) -> [ConversationPosition] {
        let end = before ?? ConversationPosition(pinned: true, position: .end)
        return try connection.rows(
            conversationsNewestFirst, archived, end.pinned, end.position.time, end.position.id, Int64(limit)
        ) { row throws(StoreError) in
            ConversationPosition(
                pinned: row.flag(1), position: ListPosition(time: row.time(2), id: try row.identifier(0)))
        }
    }

    /// The ids of messages of all conversations, those that were stored last first.
    /// - Parameter limit: 1 to ``StoreLimits/pageRows``; clamped.
    public func recentMessages(
        before end: ArrivalPosition? = nil, limit: Int
    ) throws(StoreError) -> (messages: [(id: UUIDv7, position: ArrivalPosition)], hasMore: Bool) {
        let limit = min(max(limit, 1), StoreLimits.pageRows)
        var rows = try connection.rows(lastArrived, end?.number ?? .max, Int64(limit + 1)) { row throws(StoreError) in
            (id: try row.identifier(1), position: ArrivalPosition(number: row.integer(0)))
        }
        let hasMore = rows.count > limit
        if hasMore { rows.removeLast() }
        return (rows, hasMore)
    }

    // MARK: From the tables

    private func loadConversation(_ id: UUIDv7) throws(StoreError) -> ConversationRecord? {
        let found = try connection.first(conversationByID, id) { found throws(StoreError) in
            let row = try conversationRow(found, from: messageColumnCount)
            let last = row.lastMessage == nil ? nil : try messageRow(found)
            return (row: row, last: last, name: found.optionalText(messageColumnCount + conversationColumnCount))
        }
        guard let found else { return nil }
        let last = try found.last.map { row throws(StoreError) in try load(row) }
        return ConversationRecord(row: found.row, title: found.name ?? found.row.title, lastMessage: last)
    }

    private func load(_ row: MessageRow) throws(StoreError) -> MessageRecord {
        MessageRecord(
            row: row, recipients: row.state == .received ? [] : try recipients(of: row),
            reactions: row.deleted ? [] : try reactions(to: row.id),
            attachments: row.kind == .file ? try transfers(of: row.id).map { AttachmentRecord($0) } : [],
            isMention: row.unread ? try Mentions.has(row.arrival, in: self) : false)
    }

    private func load(_ row: ConversationRow) throws(StoreError) -> ConversationRecord {
        var title = row.title
        if let account = row.contact, let contact = try contact(account) {
            title = contact.alias.isEmpty ? contact.displayName : contact.alias
        }
        let last = try row.lastMessage.flatMap { id throws(StoreError) in try message(id) }
        return ConversationRecord(
            row: row, title: title, lastMessage: try last.map { row throws(StoreError) in try load(row) })
    }

    private func recipients(of row: MessageRow) throws(StoreError) -> [RecipientRow] {
        try connection.rows(recipientsOf, row.arrival) { found throws(StoreError) in
            try RecipientRow(found, of: row.id, in: self)
        }
    }

    private func withPreviews(_ record: MessageRecord) throws(StoreError) -> MessageRecord {
        guard !record.attachments.isEmpty else { return record }
        var record = record
        for index in record.attachments.indices {
            record.attachments[index].preview = try asset(record.attachments[index].transfer)?.bytes
        }
        return record
    }
}

extension WriteTransaction {
    /// Stores bytes that belong to an object. More than ``StoreLimits/oneAssetBytes`` are not kept. Assets that have
    /// not been used for long may be removed to make room.
    public func setAsset(_ id: UUIDv7, _ bytes: [UInt8]) throws(StoreError) {
        try assets.set(AssetRecord(id: id, bytes: bytes), in: self)
    }

    /// Removes what belongs to objects that are about to go.
    func purgeAssets(of transfers: some Sequence<UUIDv7>) throws(StoreError) {
        try assets.remove(transfers, in: self)
    }
}

extension MemoryCache {
    /// The record as it is in the transaction's snapshot; nil if it isn't kept. What is being written has no version yet.
    func get(_ key: CacheKey, in transaction: ReadTransaction) throws(StoreError) -> CacheItem? {
        try transaction.version().flatMap { get(key, at: $0) }
    }

    /// Keeps a record that was read in the transaction's snapshot.
    func set(_ item: CacheItem, in transaction: ReadTransaction) throws(StoreError) {
        if let version = try transaction.version() { set(item, at: version) }
    }
}
