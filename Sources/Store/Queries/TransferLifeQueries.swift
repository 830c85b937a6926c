import Basics
import Vocabulary

private let change = SQL(
    """
    UPDATE transfer SET
        paused_by = ?, accepted_at = ?, removed_at = ?, final_mtime = ?, partial = ?, failure = ?,
        held_back = ?
    WHERE id = ?
    """)
private let partials = SQL(
    "SELECT id FROM transfer WHERE partial = 1 AND state IN (5, 6, 7) ORDER BY number LIMIT ?")
private let partialRemoval = SQL("UPDATE transfer SET partial = 0 WHERE id = ?")
private let kept = SQL(
    """
    SELECT t.id, i.mark, i.since, coalesce(m.first_seen, m.received_at)
    FROM transfer AS t LEFT JOIN transfer_idle AS i ON i.transfer = t.number LEFT JOIN message AS m ON m.number = t.message
    WHERE t.direction = 0 AND t.state = 4 AND t.removed_at IS NULL AND t.final_mtime IS NOT NULL AND t.kind <> 5
        AND (t.finished_at, t.id) > (?1, ?2)
    ORDER BY t.finished_at, t.id LIMIT ?3
    """)
private let abandoned = SQL(
    """
    SELECT t.id FROM transfer AS t JOIN transfer_idle AS i ON i.transfer = t.number
    WHERE t.state < 4 AND t.partial = 1 AND i.since <= ? ORDER BY t.number LIMIT ?
    """)
// Whatever clock these times are by, if one of them changes, and so their sum, the peer was heard.
private let heard = SQL(
    """
    INSERT INTO transfer_idle (transfer, mark, since)
    SELECT t.number,
        t.created_at + coalesce(t.accepted_at, 0) + coalesce(t.last_progress_at, 0) + coalesce(c.last_seen, 0), ?1
    FROM transfer AS t LEFT JOIN contact AS c ON c.account = t.peer
    WHERE t.state < 4 AND t.partial = 1
    ON CONFLICT (transfer) DO UPDATE SET mark = excluded.mark, since = excluded.since WHERE mark <> excluded.mark
    """)
// A transfer that was resumed has another time when it ends again.
private let sent = SQL(
    """
    INSERT INTO transfer_idle (transfer, mark, since)
    SELECT number, coalesce(finished_at, created_at), ?1 FROM transfer
    WHERE direction = 1 AND path >= ?2 AND path < ?3 AND state >= 4
    ON CONFLICT (transfer) DO UPDATE SET mark = excluded.mark, since = excluded.since WHERE mark <> excluded.mark
    """)
private let use = SQL(
    """
    INSERT INTO transfer_idle (transfer, mark, since) SELECT number, ?, ? FROM transfer WHERE id = ?
    ON CONFLICT (transfer) DO UPDATE SET mark = excluded.mark, since = excluded.since
    """)

/// A received file, and since when we know of no use of it.
public struct KeptFileRow: Sendable {
    public var transfer: TransferRow
    /// The file's time of use when it was last looked at, in nanoseconds since 1970; nil if it never was.
    public var lastUse: Int64?
    /// The stamp at which that time of use was first seen.
    public var since: Int64?
    /// The stamp of its message; the file can't have come earlier.
    public var cameAt: Int64?
}

extension ReadTransaction {
    /// Transfers that have ended badly and may have left a part on the disk.
    public func leftOverParts(limit: Int) throws(StoreError) -> [TransferRow] {
        try rows(try connection.rows(partials, Int64(limit)) { row throws(StoreError) in try row.identifier(0) })
    }

    /// Single received files that have not been removed since, the oldest first.
    /// - Parameter position: the end time and the id of the previous page's last one.
    public func keptFiles(after position: ListPosition?, limit: Int) throws(StoreError) -> [KeptFileRow] {
        let start = position ?? ListPosition(time: WallTime(milliseconds: 0), id: .zero)
        let rows = try connection.rows(kept, start.time, start.id, Int64(limit)) { row throws(StoreError) in
            (try row.identifier(0), row.optionalInteger(1), row.optionalInteger(2), row.optionalInteger(3))
        }
        var files: [KeptFileRow] = []
        for (id, mark, since, cameAt) in rows {
            guard let row = try transfer(id) else { continue }
            files.append(KeptFileRow(transfer: row, lastUse: mark, since: since, cameAt: cameAt))
        }
        return files
    }

    fileprivate func rows(_ ids: [UUIDv7]) throws(StoreError) -> [TransferRow] {
        var rows: [TransferRow] = []
        for id in ids { if let row = try transfer(id) { rows.append(row) } }
        return rows
    }
}

extension WriteTransaction {
    /// Transfers that have begun and whose other side we have not heard for `age`.
    public func abandonedTransfers(after age: Duration, limit: Int) throws(StoreError) -> [TransferRow] {
        try connection.run(heard, trusted.seen)
        return try rows(
            try connection.rows(abandoned, trusted.stamp(before: age), Int64(limit)) { row throws(StoreError) in
                try row.identifier(0)
            })
    }

    /// Stores the use of a received file: its time of use has changed, or it is looked at for the first time.
    /// - Parameter since: the stamp from which on the file is unused.
    public func noteUse(of id: UUIDv7, at lastUse: Int64, since: Int64) throws(StoreError) {
        try connection.run(use, lastUse, since, id)
    }

    /// Notes which outgoing transfers of files beneath a directory are over.
    /// - Parameter directory: with a slash at its end.
    public func noteSent(beneath directory: String) throws(StoreError) {
        try connection.run(sent, trusted.seen, directory, ReadTransaction.end(of: directory))
    }

    /// Notes that a transfer's part is not on the disk any more. Makes no event, because parts are not shown.
    public func setPartRemoved(of id: UUIDv7) throws(StoreError) { try connection.run(partialRemoval, id) }

    /// A transfer that is over is not paused, and only an offer is held back.
    func saveLife(of row: TransferRow) throws(StoreError) {
        let life = row.life
        let pausedBy = row.state.isOver ? 0 : life.pausedBy?.stored ?? 0
        try connection.run(
            change, pausedBy, life.acceptedAt, life.removedAt, life.finalModified,
            life.hasPart, life.failure?.rawValue, row.state == .offered ? life.heldBack?.stored ?? 0 : 0, row.id)
    }
}

extension StoredRow {
    func transferLife(from column: Int32) -> TransferLife {
        var life = TransferLife()
        life.pausedBy = TransferPause(stored: integer(column))
        life.acceptedAt = optionalTime(column + 1)
        life.removedAt = optionalTime(column + 3)
        life.finalModified = optionalInteger(column + 4)
        life.hasPart = flag(column + 5)
        life.failure = optionalReason(column + 6)
        return life
    }
}
