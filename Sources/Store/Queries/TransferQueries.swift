import Basics
import Vocabulary

private let columns = """
    t.id, t.direction, t.peer, t.conversation, m.id, t.name, t.size, t.bytes_done, t.files, t.files_done, t.state,
    t.reason, t.detail, t.path, t.kind, t.media_type, t.created_at, t.finished_at, t.part_path,
    t.final_ino, t.manifest_digest, \(lifeColumns), t.duration, t.problems, r.root,
    \(holders), t.unlisted, t.held_back, t.wire, \(keepers)
    """
/// The number of the group's present members that have the file.
private let holders = """
    (SELECT count(*) FROM transfer_holder AS h CROSS JOIN conversation AS c ON c.number = t.conversation
        CROSS JOIN group_chat AS g ON g.id = c.group_id
        CROSS JOIN group_member AS gm ON gm.chat = g.number AND gm.account = h.account AND gm.present = 1
        WHERE h.transfer = t.number)
    """
/// The numbers of the couriers that keep the file for us.
private let keepers = "(SELECT group_concat(f.courier) FROM sealed_file_in AS f WHERE f.transfer = t.id)"
/// These columns stand together, in the order of ``StoredRow/transferLife(from:)``.
private let lifeColumns =
    "t.paused_by, t.accepted_at, t.last_progress_at, t.removed_at, t.final_mtime, t.partial, t.failure"
private let firstLifeColumn: Int32 = 21
private let problemsColumn: Int32 = 29
private let rootColumn: Int32 = 30
private let holdersColumn: Int32 = 31
private let unlistedColumn: Int32 = 32
private let heldBackColumn: Int32 = 33
private let wireColumn: Int32 = 34
private let keepersColumn: Int32 = 35
private let source =
    "transfer AS t LEFT JOIN message AS m ON m.number = t.message LEFT JOIN transfer_tree AS r ON r.transfer = t.number"
private let byID = SQL("SELECT \(columns) FROM \(source) WHERE t.id = ?")
private let fromAuthor = SQL(
    """
    SELECT \(columns) FROM \(source) WHERE t.id = ?1 AND t.peer = ?2 AND t.direction = 0 AND t.wire IS NULL
    UNION ALL SELECT \(columns) FROM \(source) WHERE t.wire = ?1 AND t.peer = ?2 AND t.direction = 0 LIMIT 1
    """)
private let ofRoot = SQL(
    """
    SELECT \(columns) FROM \(source) WHERE t.id = ?1 AND t.wire IS NULL AND r.root = ?2
    UNION ALL SELECT \(columns) FROM \(source) WHERE t.wire = ?1 AND r.root = ?2
    """)
private let byMessage = SQL(
    """
    SELECT \(columns)
    FROM message AS m JOIN transfer AS t ON t.message = m.number LEFT JOIN transfer_tree AS r ON r.transfer = t.number
    WHERE m.id = ? ORDER BY t.number
    """)
private let unfinished = SQL("SELECT \(columns) FROM \(source) WHERE t.state < 4 ORDER BY t.number")
private let newestFirst = SQL(
    """
    SELECT \(columns) FROM \(source)
    WHERE (t.created_at, t.id) < (?1, ?2) AND (?3 IS NULL OR t.state = ?3) AND (?4 IS NULL OR t.peer = ?4)
        AND (?5 IS NULL OR t.direction = ?5)
    ORDER BY t.created_at DESC, t.id DESC LIMIT ?6
    """)
/// The look-ups by an id that a peer made, so that tests can look at how SQLite carries them out.
let transferLookups = [fromAuthor, ofRoot]

// A path is in use as long as a note names it.
private let sentFrom = SQL(
    """
    SELECT t.path, min(t.state) >= 4 AND count(*) FILTER (WHERE t.message IS NOT NULL AND t.conversation
        = (SELECT number FROM conversation WHERE contact = (SELECT account FROM account))) = 0, max(i.since)
    FROM transfer AS t LEFT JOIN transfer_idle AS i ON i.transfer = t.number
    WHERE t.direction = 1 AND t.path >= ?1 AND t.path < ?2 GROUP BY t.path
    """)

// total() is used because a sum of integers would fail if it overflows.
private let load = SQL(
    """
    SELECT CAST(total(max(size - bytes_done, 0)) AS INTEGER), count(*) FILTER (WHERE peer = ?)
    FROM transfer WHERE state IN (1, 2, 3) AND direction = 0
    """)

// The newest one first: the user goes on with what came last.
private let receivedLike = SQL(
    """
    SELECT peer FROM transfer
    WHERE direction = 0 AND (size = ?2 OR path = ?1 OR kind = 5 AND substr(?1, 1, length(path) + 1) = path || '/')
    ORDER BY number DESC LIMIT 1
    """)

extension ReadTransaction {
    /// The account that a file on this host came from, or may have come from: that account has offered something that
    /// lies at the path or has as many bytes. So a file that was moved, copied or uploaded again is found too. Reads
    /// all transfers.
    /// - Parameters:
    ///   - path: where the file lies.
    ///   - size: its bytes.
    /// - Returns: nil if nothing that has come is like the file.
    public func senderOfFile(at path: String, size: Int64) throws(StoreError) -> AccountID? {
        let number = try connection.first(receivedLike, path, size) { $0.integer(0) }
        return try number.map { number throws(StoreError) in try account(number) }
    }

    /// A transfer by its id.
    public func transfer(_ id: UUIDv7) throws(StoreError) -> TransferRow? {
        try connection.first(byID, id, read: transferRow)
    }

    /// The transfer that an account has offered to us under an id of its own.
    public func transfer(_ wireID: UUIDv7, from author: AccountID) throws(StoreError) -> TransferRow? {
        guard let author = try keys.number(of: author.key) else { return nil }
        return try connection.first(fromAuthor, wireID, author, read: transferRow)
    }

    /// The transfers with this id on the wire and this root, for a request that names no author. Several accounts may
    /// have sent the same file to groups under one id.
    public func transfers(_ wireID: UUIDv7, root: [UInt8]) throws(StoreError) -> [TransferRow] {
        try connection.rows(ofRoot, wireID, root, read: transferRow)
    }

    /// The paths beneath a directory that outgoing transfers name, whether all transfers of a path are over, and the
    /// stamp at which the last of them was first seen to be over.
    /// - Parameter directory: with a slash at its end.
    public func sentPaths(
        beneath directory: String
    ) throws(StoreError) -> [(path: String, isOver: Bool, since: Int64?)] {
        try connection.rows(sentFrom, directory, Self.end(of: directory)) { row throws(StoreError) in
            (row.text(0), row.flag(1), row.optionalInteger(2))
        }
    }

    /// The end of the range of paths beneath a directory: the character after the slash.
    static func end(of directory: String) -> String { directory.dropLast() + "0" }

    /// The attachments of a message, in their order.
    public func transfers(of message: UUIDv7) throws(StoreError) -> [TransferRow] {
        try connection.rows(byMessage, message, read: transferRow)
    }

    /// All transfers that are not over, in the order in which they were made, to be resumed after a start.
    public func unfinishedTransfers() throws(StoreError) -> [TransferRow] {
        try connection.rows(unfinished, read: transferRow)
    }

    /// The load of accepted incoming transfers: the bytes still to come of all of them, and the number from one peer.
    public func incomingLoad(of peer: AccountID) throws(StoreError) -> (bytes: UInt64, ofPeer: Int) {
        let number = try keys.number(of: peer.key)
        let totals = try connection.first(load, number) { (UInt64(clamping: $0.integer(0)), Int($0.integer(1))) }
        return totals ?? (0, 0)
    }

    /// Transfers, the newest first; a filter of nil matches all.
    /// - Parameter before: the ``TransferRow/position`` of the previous page's last one.
    public func transfers(
        state: TransferState? = nil, peer: AccountID? = nil, direction: TransferDirection? = nil,
        before: ListPosition? = nil, limit: Int
    ) throws(StoreError) -> [TransferRow] {
        var number: Int64?
        if let peer {
            number = try keys.number(of: peer.key)
            if number == nil { return [] }
        }
        let end = before ?? .end
        return try connection.rows(
            newestFirst, end.time, end.id, state, number, direction, Int64(limit), read: transferRow)
    }

    private func transferRow(_ row: StoredRow) throws(StoreError) -> TransferRow {
        var transfer = try bareTransferRow(row)
        transfer.problems = row.integer(problemsColumn)
        transfer.life = row.transferLife(from: firstLifeColumn)
        transfer.fileRoot = row.optionalBytes(rootColumn)
        transfer.holders = row.integer(holdersColumn)
        transfer.unlisted = row.optionalText(unlistedColumn).map(TransferRow.types) ?? []
        transfer.life.heldBack = HoldReason(stored: row.integer(heldBackColumn))
        transfer.wire = try row.optionalIdentifier(wireColumn)
        let numbers = row.optionalText(keepersColumn)?.split(separator: ",").compactMap { Int64($0) } ?? []
        for number in numbers { transfer.keepers.append(try account(number)) }
        return transfer
    }

    private func bareTransferRow(_ row: StoredRow) throws(StoreError) -> TransferRow {
        TransferRow(
            id: try row.identifier(0), direction: try row.enumeration(1), peer: try account(row.integer(2)),
            conversation: try optionalConversationID(row.optionalInteger(3)), message: try row.optionalIdentifier(4),
            name: row.text(5), size: row.integer(6), bytesDone: row.integer(7), files: row.integer(8),
            filesDone: row.integer(9), state: try row.enumeration(10), reason: row.optionalReason(11),
            detail: row.optionalText(12), path: row.optionalText(13), kind: try row.enumeration(14),
            mediaType: row.text(15), duration: row.optionalInteger(28), createdAt: row.time(16),
            finishedAt: row.optionalTime(17),
            partPath: row.optionalText(18), finalIno: row.optionalInteger(19).map { UInt64(bitPattern: $0) },
            manifestDigest: row.optionalBytes(20))
    }
}
