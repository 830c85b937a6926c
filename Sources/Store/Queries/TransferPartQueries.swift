import Basics

private let numberOf = SQL("SELECT number FROM transfer WHERE id = ?")
private let pageList = SQL("SELECT number, entries, sources FROM transfer_page WHERE transfer = ? ORDER BY number")
private let pageInsertion = SQL("INSERT INTO transfer_page (transfer, number, entries, sources) VALUES (?, ?, ?, ?)")
private let pageRemoval = SQL("DELETE FROM transfer_page WHERE transfer = ?")
private let runList = SQL("SELECT first, checksums FROM transfer_run WHERE transfer = ? ORDER BY first")
private let runInsertion = SQL(
    """
    INSERT INTO transfer_run (transfer, first, checksums) VALUES (?, ?, ?)
    ON CONFLICT (transfer, first) DO UPDATE SET checksums = excluded.checksums
        WHERE length(excluded.checksums) >= length(checksums)
    """)
private let finishedLists = SQL(
    """
    SELECT id, bytes FROM (
        SELECT t.id, t.number, t.finished_at,
            (SELECT coalesce(sum(length(entries) + coalesce(length(sources), 0)), 0) FROM transfer_page
                WHERE transfer = t.number)
            + (SELECT coalesce(sum(length(hashes)), 0) FROM transfer_leaf WHERE transfer = t.number) AS bytes
        FROM transfer AS t WHERE t.state IN (4, 5, 6)
    ) WHERE bytes > 0 ORDER BY finished_at DESC, number DESC
    """)
private let runRemoval = SQL("DELETE FROM transfer_run WHERE transfer = ?")

extension ReadTransaction {
    /// The list of a transfer, in order; empty while it is unknown.
    public func pages(of transfer: UUIDv7) throws(StoreError) -> [TransferPageRow] {
        guard let number = try connection.integer(numberOf, transfer) else { return [] }
        return try connection.rows(pageList, number) { row in
            TransferPageRow(number: row.integer(0), entries: row.bytes(1), sources: row.optionalBytes(2))
        }
    }

    /// The chunks that are safely on the disk, by place. Runs may overlap after a crash.
    public func runs(of transfer: UUIDv7) throws(StoreError) -> [TransferRunRow] {
        guard let number = try connection.integer(numberOf, transfer) else { return [] }
        return try connection.rows(runList, number) { row in
            TransferRunRow(first: row.integer(0), checksums: row.bytes(1))
        }
    }
}

extension ReadTransaction {
    /// Finished transfers whose lists exceed the room for all such lists; the first ended come first. A failed transfer
    /// may be resumed and doesn't count.
    /// - Parameter bytes: the bytes that the lists of the others may have.
    public func transfersWithOldLists(
        beyond bytes: Int64 = StoreLimits.finishedListBytes, limit: Int
    ) throws(StoreError) -> [UUIDv7] {
        var sum: Int64 = 0
        var old: [UUIDv7] = []
        let lists = try connection.rows(finishedLists) { row throws(StoreError) in
            (id: try row.identifier(0), bytes: row.integer(1))
        }
        for list in lists {
            sum = sum.addingReportingOverflow(list.bytes).partialValue
            if sum > bytes { old.append(list.id) }
        }
        return Array(old.suffix(limit))
    }
}

extension WriteTransaction {
    /// Replaces the list of a transfer. Its chunks stay: each is compared with its checksum before it counts.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer, ``StoreError/constraint(detail:)`` for a page twice.
    public func replacePages(of transfer: UUIDv7, with rows: [TransferPageRow]) throws(StoreError) {
        let number = try transferNumber(transfer)
        try connection.run(pageRemoval, number)
        for row in rows { try connection.run(pageInsertion, number, row.number, row.entries, row.sources) }
    }

    /// Adds runs of chunks that are safely on the disk; long ones are split into rows of a bounded size. The same run,
    /// or a longer one at its place, replaces the old.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer.
    public func appendRuns(_ rows: [TransferRunRow], to transfer: UUIDv7) throws(StoreError) {
        let number = try transferNumber(transfer)
        for row in rows {
            for piece in row.pieces(of: StoreLimits.runChunks) {
                try connection.run(runInsertion, number, piece.first, piece.checksums)
            }
        }
    }

    /// Forgets the chunks of a transfer.
    public func removeRuns(of transfer: UUIDv7) throws(StoreError) {
        try connection.run(runRemoval, try transferNumber(transfer))
    }

    /// Forgets list and chunks of a transfer that is over; only its row stays.
    public func removeParts(of transfer: UUIDv7) throws(StoreError) {
        let number = try transferNumber(transfer)
        try connection.run(runRemoval, number)
        try connection.run(pageRemoval, number)
        try removeLeaves(ofTransfer: number)
    }

    private func transferNumber(_ id: UUIDv7) throws(StoreError) -> Int64 {
        guard let number = try connection.integer(numberOf, id) else { throw .missing(.transfer(id)) }
        return number
    }
}
