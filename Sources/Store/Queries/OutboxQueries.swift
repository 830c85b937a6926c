import Basics
import Vocabulary

private let insertion = SQL(
    """
    INSERT INTO outbox (account, seq, id, kind, message, created_at, body, about, shared, chat)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    """)
private let bodyInsertion = SQL("INSERT INTO outbox_body (bytes) VALUES (?)")
private let queueing = SQL("UPDATE recipient SET queued = ?3 WHERE message = ?1 AND account = ?2 AND queued IS NULL")
private let isRecipient = SQL("SELECT 1 FROM recipient WHERE message = ? AND account = ?")
private let columns = """
    o.seq, o.account, coalesce(o.id, m.id), o.kind, coalesce(b.bytes, o.body), m.id, o.chat, o.created_at, o.attempts,
    o.last_attempt, o.reason, o.detail
    """
/// The items of the outbox, the table `outbox AS o`, as ``ReadTransaction/outboxRows(_:maximumBytes:_:)`` reads them.
let outboxItems = """
    SELECT \(columns)
    FROM outbox AS o LEFT JOIN message AS m ON m.number = o.message LEFT JOIN outbox_body AS b ON b.number = o.shared
    """
// These two conditions find an item that carries a message to a recipient.
private let carriers = """
    FROM message AS m JOIN recipient AS r ON r.message = m.number
    JOIN outbox AS o ON o.account = r.account AND o.seq = r.queued
    """
private let page = SQL("\(outboxItems) WHERE o.account = ? AND o.seq > ? ORDER BY o.seq LIMIT ?")
private let byID = SQL(
    """
    SELECT \(columns) \(carriers) LEFT JOIN outbox_body AS b ON b.number = o.shared WHERE m.id = ?1 AND r.account = ?2
    UNION ALL \(outboxItems) WHERE o.id = ?1 AND o.account = ?2
    """)
private let ofMessage = SQL(
    """
    SELECT \(columns) \(carriers) LEFT JOIN outbox_body AS b ON b.number = o.shared WHERE m.id = ?1
    UNION ALL \(outboxItems) WHERE m.id = ?1 AND o.id IS NOT NULL
    """)
private let aboutCount = SQL("SELECT count(*) FROM outbox WHERE about = ?")
private let carrier = SQL("SELECT o.seq, o.kind, m.number \(carriers) WHERE m.id = ? AND r.account = ?")
private let item = SQL("SELECT seq, kind, message FROM outbox WHERE id = ? AND account = ?")
private let removal = SQL("DELETE FROM outbox WHERE account = ? AND seq = ?")
private let attempt = SQL("UPDATE outbox SET attempts = attempts + 1, last_attempt = ? WHERE account = ? AND seq = ?")
// Walks from account to account by the index: as many seeks as there are accounts, however many items wait.
private let pending = """
    WITH RECURSIVE pending (account) AS (
        SELECT min(account) FROM outbox
        UNION ALL
        SELECT (SELECT min(account) FROM outbox WHERE account > pending.account) FROM pending
        WHERE pending.account IS NOT NULL)
    """
private let accounts = SQL("\(pending) SELECT account FROM pending WHERE account IS NOT NULL")
private let latestSeq = SQL(
    // A parcel names places, also of items that have left.
    """
    \(pending) SELECT max(
        coalesce((SELECT max((SELECT max(seq) FROM outbox WHERE account = pending.account)) FROM pending), 0),
        coalesce((SELECT max(last_seq) FROM parcel_out), 0))
    """)
private let count = SQL("SELECT count(*) FROM outbox")
/// Whether an item is no parcel: neither a friend's, nor one of ours, whose items wait for their recipients themselves.
private let isNoParcel = """
    (id IS NULL OR NOT EXISTS (SELECT 1 FROM parcel WHERE recipient = outbox.account AND parcel.id = outbox.id)
        AND NOT EXISTS (SELECT 1 FROM parcel_out WHERE courier = outbox.account AND parcel_out.id = outbox.id))
    """
private let ownCount = SQL("SELECT count(*) FROM outbox WHERE \(isNoParcel)")
private let oldest = SQL("SELECT min(created_at) FROM outbox WHERE \(isNoParcel)")
private let anyFor = SQL("SELECT 1 FROM outbox WHERE account = ? LIMIT 1")
private let removalAll = SQL("DELETE FROM outbox WHERE account = ?")
private let messagesFor = SQL("SELECT message FROM outbox WHERE account = ? AND message IS NOT NULL")
private let removalDirect = SQL("DELETE FROM outbox WHERE account = ? AND chat IS NULL")
private let directMessagesFor = SQL(
    "SELECT message FROM outbox WHERE account = ? AND chat IS NULL AND message IS NOT NULL")
private let removalInGroup = SQL("DELETE FROM outbox WHERE chat = ?1 AND (?2 IS NULL OR account = ?2)")
private let messagesInGroup = SQL(
    """
    SELECT message, account FROM outbox WHERE chat = ?1 AND (?2 IS NULL OR account = ?2) AND message IS NOT NULL
    """)
private let countInGroup = SQL("SELECT count(*) FROM outbox WHERE chat = ? AND account = ?")

extension ReadTransaction {
    /// The items for an account in the order of sending.
    /// - Parameters:
    ///   - after: the `seq` of the last item that the caller has; 0 to begin.
    ///   - maximumBytes: the most bytes of all bodies of the page, except that one item always fits.
    public func outbox(
        for account: AccountID, after seq: Int64 = 0, limit: Int, maximumBytes: Int
    ) throws(StoreError) -> [OutboxRow] {
        guard let number = try keys.number(of: account.key) else { return [] }
        return try outboxRows(page, maximumBytes: maximumBytes, number, seq, Int64(limit))
    }

    /// Reads items until their bodies take more than `maximumBytes`, at least one.
    func outboxRows<each Value: Bindable>(
        _ sql: SQL, maximumBytes: Int, _ values: repeat each Value
    ) throws(StoreError) -> [OutboxRow] {
        let statement = try connection.statement(sql)
        try statement.bind(repeat each values)
        defer { statement.clear() }
        var rows: [OutboxRow] = []
        var bytes = 0
        while try statement.step() {
            let item = try outboxRow(statement.row)
            bytes += item.body.count
            if bytes > maximumBytes && !rows.isEmpty { break }
            rows.append(item)
        }
        return rows
    }

    /// An item that waits for an account.
    public func outboxItem(_ id: UUIDv7, for account: AccountID) throws(StoreError) -> OutboxRow? {
        guard let number = try keys.number(of: account.key) else { return nil }
        return try connection.first(byID, id, number, read: outboxRow)
    }

    /// The items that carry a message of ours, or its deletion, to its recipients.
    public func outbox(carrying message: UUIDv7) throws(StoreError) -> [OutboxRow] {
        try connection.rows(ofMessage, message, read: outboxRow)
    }

    private func outboxRow(_ row: StoredRow) throws(StoreError) -> OutboxRow {
        OutboxRow(
            seq: row.integer(0), id: try row.identifier(2), account: try account(row.integer(1)),
            kind: UInt16(clamping: row.integer(3)), body: row.bytes(4), message: try row.optionalIdentifier(5),
            group: try row.optionalInteger(6).flatMap(groupID), createdAt: row.time(7), attempts: row.integer(8),
            lastAttempt: row.optionalTime(9), reason: row.optionalReason(10), detail: row.optionalText(11))
    }

    /// The number of waiting items that speak of a message.
    public func outboxCount(about message: UUIDv7) throws(StoreError) -> Int64 {
        try connection.integer(aboutCount, message) ?? 0
    }

    /// The accounts that have waiting items.
    public func pendingAccounts() throws(StoreError) -> [AccountID] {
        try connection.rows(accounts) { row throws(StoreError) in try account(row.integer(0)) }
    }

    /// The number of items that wait for all accounts.
    public func outboxCount() throws(StoreError) -> Int64 { try connection.integer(count) ?? 0 }

    /// The same without parcels.
    public func ownOutboxCount() throws(StoreError) -> Int64 { try connection.integer(ownCount) ?? 0 }

    /// When the item was made that has waited longest, parcels left out; nil if none waits.
    public func oldestOutboxItem() throws(StoreError) -> WallTime? {
        try connection.integer(oldest).map { WallTime(milliseconds: $0) }
    }

    /// Whether anything waits for an account.
    public func hasOutbox(for account: AccountID) throws(StoreError) -> Bool {
        guard let number = try keys.number(of: account.key) else { return false }
        return try connection.integer(anyFor, number) != nil
    }

    /// The number of a group's items that wait for one account.
    public func outboxCount(for account: AccountID, in group: UUIDv7) throws(StoreError) -> Int64 {
        guard let number = try keys.number(of: account.key), let chat = try groupNumber(group) else { return 0 }
        return try connection.integer(countInGroup, chat, number) ?? 0
    }

    func latestOutboxSeq() throws(StoreError) -> Int64 { try connection.integer(latestSeq) ?? 0 }
}

extension Connection {
    /// Stores a body beside the outbox; it goes with the last item that has it.
    /// - Returns: its number, for the items' `shared`.
    fileprivate func insertOutboxBody(_ body: [UInt8]) throws(StoreError) -> Int64 {
        try run(bodyInsertion, body)
        return lastInsertedRow
    }
}

extension WriteTransaction {
    /// Appends a frame for an account.
    /// - Parameters:
    ///   - message: the message that the receiver has once it has taken the frame; it must be stored already.
    ///   - about: a message that the frame speaks of; if that is deleted, the frame goes too.
    /// - Returns: the frame's place in the order of sending.
    /// - Throws: ``StoreError/constraint(detail:)`` if an item with this id already waits for this account.
    @discardableResult
    public func appendOutbox(
        for account: AccountID, id: UUIDv7, kind: UInt16, body: [UInt8], message: UUIDv7? = nil,
        about: UUIDv7? = nil
    ) throws(StoreError) -> Int64 {
        try append(
            id, kind, body, to: try number(account), carrying: try message.flatMap(connection.messageNumber),
            isOwn: message == id,
            about: about)
        appended.append(
            OutboxRow(
                seq: lastOutboxSeq, id: id, account: account, kind: kind, body: body, message: message,
                createdAt: wallTime, attempts: 0))
        return lastOutboxSeq
    }

    /// Appends one frame of a group for each of several accounts. Its body is stored once.
    /// - Parameters:
    ///   - id: the frame's id, the same for all accounts.
    ///   - message: the message that a receiver has once it has taken the frame; it must be stored already.
    ///   - about: a message that the frame speaks of; if that is deleted, the frame goes too.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown group, ``StoreError/constraint(detail:)`` if an item with
    ///   this id already waits for one of the accounts.
    public func appendOutbox(
        for accounts: [AccountID], in group: UUIDv7, id: UUIDv7, kind: UInt16, body: [UInt8],
        message: UUIDv7? = nil, about: UUIDv7? = nil
    ) throws(StoreError) {
        guard !accounts.isEmpty else { return }
        let chat = try knownGroupNumber(group)
        let shared = try connection.insertOutboxBody(body)
        let carried = try message.flatMap(connection.messageNumber)
        for account in accounts {
            try append(
                id, kind, [], to: try number(account), carrying: carried, isOwn: message == id, about: about,
                shared: shared, chat: chat)
            appended.append(
                OutboxRow(
                    seq: lastOutboxSeq, id: id, account: account, kind: kind, body: body, message: message,
                    group: group, createdAt: wallTime, attempts: 0))
        }
    }

    /// - Parameter isOwn: whether the item's id is that of the message that it carries.
    private func append(
        _ id: UUIDv7, _ kind: UInt16, _ body: [UInt8], to account: Int64, carrying message: Int64?, isOwn: Bool,
        about: UUIDv7?, shared: Int64? = nil, chat: Int64? = nil
    ) throws(StoreError) {
        lastOutboxSeq += 1
        let isLong = body.count > StoreLimits.outboxBodyInRow
        let beside = isLong ? try connection.insertOutboxBody(body) : shared
        var itemID: UUIDv7? = id
        if isOwn, let message {
            if try connection.run(queueing, message, account, lastOutboxSeq) == 1 {
                itemID = nil
            } else if try connection.integer(isRecipient, message, account) != nil {
                throw .constraint(detail: "\(id) waits already")
            }
        }
        try connection.run(
            insertion, account, lastOutboxSeq, itemID, kind, message, wallTime, isLong ? [] : body, about, beside, chat)
    }

    /// Removes items that the account has on its disk; their messages are delivered. Ids that don't wait are ignored.
    /// - Parameter isByCourier: whether a courier has brought them. Their messages needn't have been sent by us then.
    /// - Returns: the items that left.
    @discardableResult
    public func acknowledge(
        _ ids: [UUIDv7], by account: AccountID, isByCourier: Bool = false
    ) throws(StoreError) -> [OutboxReceipt] {
        let account = try number(account)
        var left: [OutboxReceipt] = []
        for id in ids {
            guard let (receipt, message) = try remove(id, for: account) else { continue }
            left.append(receipt)
            if let message { try advance(message, at: account, to: .delivered, isByCourier: isByCourier) }
        }
        return left
    }

    /// Counts an attempt for items that were handed to a connection; queued messages become sent.
    public func markSent(_ ids: [UUIDv7], to account: AccountID) throws(StoreError) {
        let account = try number(account)
        for id in ids {
            guard let place = try connection.place(of: id, for: account) else { continue }
            try connection.run(attempt, wallTime, account, place.seq)
            if let message = place.message { try advance(message, at: account, to: .sent, isByCourier: false) }
        }
    }

    /// Removes items that the account will not take; their messages have failed there.
    /// - Parameter reason: an error kind of the control API.
    /// - Returns: the items that left.
    @discardableResult
    public func refuse(
        _ ids: [UUIDv7], by account: AccountID, reason: Reason, detail: String? = nil
    ) throws(StoreError) -> [OutboxReceipt] {
        let account = try number(account)
        var left: [OutboxReceipt] = []
        for id in ids {
            guard let (receipt, message) = try remove(id, for: account) else { continue }
            left.append(receipt)
            if let message { try fail(message, at: account, reason: reason, detail: detail) }
        }
        return left
    }

    /// Removes all items of an account to which nothing more is to be sent; their messages have failed there.
    /// - Parameter keepingGroups: whether groups' items stay, because groups continue with an account that is no friend
    ///   any more.
    public func emptyOutbox(
        for account: AccountID, keepingGroups: Bool = false, reason: Reason, detail: String? = nil
    ) throws(StoreError) {
        let number = try number(account)
        let messages = try connection.rows(keepingGroups ? directMessagesFor : messagesFor, number) { $0.integer(0) }
        try connection.run(keepingGroups ? removalDirect : removalAll, number)
        for message in messages { try fail(message, at: number, reason: reason, detail: detail) }
        // This comes last, because an undone job leaves here what earlier jobs appended.
        appended.removeAll { $0.account == account && !(keepingGroups && $0.group != nil) }
    }

    /// Removes a group's items for one account or for all; their messages have failed there.
    /// - Parameter account: nil for all accounts.
    public func emptyOutbox(
        ofGroup group: UUIDv7, for account: AccountID? = nil, reason: Reason, detail: String? = nil
    ) throws(StoreError) {
        let chat = try knownGroupNumber(group)
        let number = try number(account)
        let messages = try connection.rows(messagesInGroup, chat, number) { ($0.integer(0), $0.integer(1)) }
        try connection.run(removalInGroup, chat, number)
        for (message, account) in messages { try fail(message, at: account, reason: reason, detail: detail) }
        appended.removeAll { $0.group == group && (account == nil || $0.account == account) }
    }

    private func remove(_ id: UUIDv7, for account: Int64) throws(StoreError) -> (OutboxReceipt, message: Int64?)? {
        guard let place = try connection.place(of: id, for: account) else { return nil }
        try connection.run(removal, account, place.seq)
        return (OutboxReceipt(id: id, kind: place.kind, isMessage: place.message != nil), place.message)
    }
}

extension Connection {
    /// Where an item of the outbox is. Most carry a message of their own id.
    func place(of id: UUIDv7, for account: Int64) throws(StoreError) -> (seq: Int64, kind: UInt16, message: Int64?)? {
        for query in [carrier, item] {
            let item = try first(query, id, account) { row in
                (seq: row.integer(0), kind: UInt16(clamping: row.integer(1)), message: row.optionalInteger(2))
            }
            if let item { return item }
        }
        return nil
    }
}
