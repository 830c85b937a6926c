import Basics

private let change = SQL(
    """
    UPDATE transfer SET
        paused_by = ?, accepted_at = ?, removed_at = ?, final_mtime = ?, partial = ?, failure = ?
    WHERE id = ?
    """)
private let partials = SQL(
    "SELECT id FROM transfer WHERE partial = 1 AND state IN (5, 6, 7) ORDER BY number LIMIT ?")
private let partialRemoval = SQL("UPDATE transfer SET partial = 0, former_part = 0 WHERE id = ?")
private let kept = SQL(
    """
    SELECT id FROM transfer
    WHERE direction = 0 AND state = 4 AND removed_at IS NULL AND final_mtime IS NOT NULL AND kind <> 5
        AND (finished_at, id) > (?1, ?2) AND finished_at < ?3
    ORDER BY finished_at, id LIMIT ?4
    """)
private let abandoned = SQL(
    """
    SELECT t.id FROM transfer AS t LEFT JOIN contact AS c ON c.account = t.peer
    WHERE t.state < 4 AND t.partial = 1
        AND max(t.created_at, coalesce(t.accepted_at, 0), coalesce(t.last_progress_at, 0), coalesce(c.last_seen, 0)) < ?
    ORDER BY t.number LIMIT ?
    """)

extension ReadTransaction {
    /// Transfers that are over, but not well, and may have left a part on the disk.
    public func leftOverParts(limit: Int) throws(StoreError) -> [TransferRow] {
        try rows(try connection.rows(partials, Int64(limit)) { row throws(StoreError) in try row.identifier(0) })
    }

    /// Single files that were received before a time and have not been removed since, the oldest first.
    /// - Parameter position: the time of ending and the id of the last one of the page before.
    public func keptFiles(
        finishedBefore time: WallTime, after position: ListPosition?, limit: Int
    ) throws(StoreError) -> [TransferRow] {
        let start = position ?? ListPosition(time: WallTime(milliseconds: 0), id: .zero)
        return try rows(
            try connection.rows(kept, start.time, start.id, time, Int64(limit)) { row throws(StoreError) in
                try row.identifier(0)
            })
    }

    /// Transfers that have begun, and of whose other side nothing was heard since a time.
    public func abandonedTransfers(since time: WallTime, limit: Int) throws(StoreError) -> [TransferRow] {
        try rows(try connection.rows(abandoned, time, Int64(limit)) { row throws(StoreError) in try row.identifier(0) })
    }

    private func rows(_ ids: [UUIDv7]) throws(StoreError) -> [TransferRow] {
        var rows: [TransferRow] = []
        for id in ids { if let row = try transfer(id) { rows.append(row) } }
        return rows
    }
}

extension WriteTransaction {
    /// A transfer's part is on the disk no more. No event: nobody is shown parts.
    public func setPartRemoved(of id: UUIDv7) throws(StoreError) { try connection.run(partialRemoval, id) }

    /// What is over is paused by nobody.
    func saveLife(of row: TransferRow) throws(StoreError) {
        let life = row.life
        let pausedBy = row.state.isOver ? 0 : life.pausedBy.rawValue
        try connection.run(
            change, pausedBy, life.acceptedAt, life.removedAt, life.finalModified,
            life.hasPart, life.failure, row.id)
    }
}

extension StoredRow {
    func transferLife(from column: Int32) -> TransferLife {
        var life = TransferLife()
        life.pausedBy = TransferLife.Sides(rawValue: integer(column))
        life.acceptedAt = optionalTime(column + 1)
        life.lastProgressAt = optionalTime(column + 2)
        life.removedAt = optionalTime(column + 3)
        life.finalModified = optionalInteger(column + 4)
        life.hasPart = flag(column + 5)
        life.failure = optionalText(column + 6)
        return life
    }
}
