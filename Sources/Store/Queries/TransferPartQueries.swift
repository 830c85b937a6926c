import Basics

private let numberOf = SQL("SELECT number FROM transfer WHERE id = ?")
private let entryColumns =
    "position, path, size, mode, mtime, kind, source_dev, source_ino, source_ctime, checksum, done"
private let entryPage = SQL("SELECT \(entryColumns) FROM transfer_entry WHERE transfer = ? ORDER BY position")
private let entryRemoval = SQL("DELETE FROM transfer_entry WHERE transfer = ?")
private let entryInsertion = SQL(
    """
    INSERT INTO transfer_entry (transfer, \(entryColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
private let entryChange = SQL(
    """
    UPDATE transfer_entry SET checksum = coalesce(?, checksum), done = ? WHERE transfer = ? AND position = ?
    """)
private let chunkPage = SQL(
    "SELECT file, first, checksums FROM transfer_chunk WHERE transfer = ? ORDER BY file, first")
private let chunkInsertion = SQL(
    """
    INSERT INTO transfer_chunk (transfer, file, first, checksums) VALUES (?, ?, ?, ?)
    ON CONFLICT (transfer, file, first) DO UPDATE SET checksums = excluded.checksums
        WHERE length(excluded.checksums) >= length(checksums)
    """)
private let chunkRemoval = SQL("DELETE FROM transfer_chunk WHERE transfer = ?")
private let chunkRemovalOfFile = SQL("DELETE FROM transfer_chunk WHERE transfer = ? AND file = ?")

extension ReadTransaction {
    /// The manifest of a transfer, in order; empty before it is known.
    public func entries(of transfer: UUIDv7) throws(StoreError) -> [TransferEntryRow] {
        guard let number = try connection.integer(numberOf, transfer) else { return [] }
        return try connection.rows(entryPage, number) { row throws(StoreError) in
            TransferEntryRow(
                transfer: transfer, index: row.integer(0), path: row.text(1), size: row.integer(2),
                mode: UInt32(clamping: row.integer(3)), mtimeNs: row.integer(4), kind: try row.enumeration(5),
                srcDev: row.optionalInteger(6).map { UInt64(bitPattern: $0) },
                srcIno: row.optionalInteger(7).map { UInt64(bitPattern: $0) }, srcCtimeNs: row.optionalInteger(8),
                checksum: row.optionalBytes(9), done: row.flag(10))
        }
    }

    /// The chunks that are safely on the disk, by file and chunk. Runs may overlap after a crash.
    public func chunks(of transfer: UUIDv7) throws(StoreError) -> [TransferChunkRow] {
        guard let number = try connection.integer(numberOf, transfer) else { return [] }
        return try connection.rows(chunkPage, number) { row in
            TransferChunkRow(
                transfer: transfer, file: row.integer(0), firstChunk: row.integer(1), checksums: row.bytes(2))
        }
    }
}

extension WriteTransaction {
    /// Stores the manifest of a transfer in place of what there was, and forgets its chunks.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer, ``StoreError/constraint(detail:)`` for an index
    ///   twice.
    public func replaceEntries(of transfer: UUIDv7, with rows: [TransferEntryRow]) throws(StoreError) {
        let number = try transferNumber(transfer)
        try connection.run(chunkRemoval, number)
        try connection.run(entryRemoval, number)
        for row in rows {
            try connection.run(
                entryInsertion, number, row.index, row.path, row.size, Int64(row.mode), row.mtimeNs, row.kind,
                row.srcDev.map { Int64(bitPattern: $0) }, row.srcIno.map { Int64(bitPattern: $0) }, row.srcCtimeNs,
                row.checksum, row.done)
        }
    }

    /// An entry is complete, or (`done` false) has to be fetched again; its checksum stays where nil is given.
    public func setEntry(
        of transfer: UUIDv7, index: Int64, checksum: [UInt8]?, done: Bool
    ) throws(StoreError) {
        try connection.run(entryChange, checksum, done, try transferNumber(transfer), index)
    }

    /// Adds runs of chunks that are safely on the disk. The same run again, or a longer one, replaces the old.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown transfer.
    public func appendChunks(_ rows: [TransferChunkRow], to transfer: UUIDv7) throws(StoreError) {
        let number = try transferNumber(transfer)
        for row in rows {
            try connection.run(chunkInsertion, number, row.file, row.firstChunk, row.checksums)
        }
    }

    /// Forgets the chunks of one file, or of all: what was found damaged, or is of no use any more.
    public func removeChunks(of transfer: UUIDv7, file: Int64? = nil) throws(StoreError) {
        let number = try transferNumber(transfer)
        if let file {
            try connection.run(chunkRemovalOfFile, number, file)
        } else {
            try connection.run(chunkRemoval, number)
        }
    }

    /// Forgets manifest and chunks of a transfer that is over: only its row stays.
    public func removeParts(of transfer: UUIDv7) throws(StoreError) {
        let number = try transferNumber(transfer)
        try connection.run(chunkRemoval, number)
        try connection.run(entryRemoval, number)
    }

    private func transferNumber(_ id: UUIDv7) throws(StoreError) -> Int64 {
        guard let number = try connection.integer(numberOf, id) else { throw .missing(.transfer(id)) }
        return number
    }
}
