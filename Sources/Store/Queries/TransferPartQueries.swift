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
private let runRemoval = SQL("DELETE FROM transfer_run WHERE transfer = ?")

extension ReadTransaction {
    /// The list of a transfer, in order; empty before it is known.
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

extension WriteTransaction {
    /// Stores the list of a transfer in place of what there was. Its chunks stay: each is compared with its checksum
    /// before it counts.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer, ``StoreError/constraint(detail:)`` for a page twice.
    public func replacePages(of transfer: UUIDv7, with rows: [TransferPageRow]) throws(StoreError) {
        let number = try transferNumber(transfer)
        try connection.run(pageRemoval, number)
        for row in rows { try connection.run(pageInsertion, number, row.number, row.entries, row.sources) }
    }

    /// Adds runs of chunks that are safely on the disk. The same run again, or a longer one, replaces the old.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer.
    public func appendRuns(_ rows: [TransferRunRow], to transfer: UUIDv7) throws(StoreError) {
        let number = try transferNumber(transfer)
        for row in rows { try connection.run(runInsertion, number, row.first, row.checksums) }
    }

    /// Forgets the chunks of a transfer.
    public func removeRuns(of transfer: UUIDv7) throws(StoreError) {
        try connection.run(runRemoval, try transferNumber(transfer))
    }

    /// Forgets list and chunks of a transfer that is over: only its row stays.
    public func removeParts(of transfer: UUIDv7) throws(StoreError) {
        let number = try transferNumber(transfer)
        try connection.run(runRemoval, number)
        try connection.run(pageRemoval, number)
    }

    private func transferNumber(_ id: UUIDv7) throws(StoreError) -> Int64 {
        guard let number = try connection.integer(numberOf, id) else { throw .missing(.transfer(id)) }
        return number
    }
}
