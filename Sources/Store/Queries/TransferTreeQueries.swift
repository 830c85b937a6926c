import Basics

private let leavesOf = SQL(
    """
    SELECT l.hashes FROM transfer AS t JOIN transfer_leaf AS l ON l.transfer = t.number
    WHERE t.id = ?1 AND l.number >= ?2 AND l.number < ?3 ORDER BY l.number
    """)
private let insertion = SQL(
    "INSERT INTO transfer_tree (transfer, root) SELECT number, ?2 FROM transfer WHERE id = ?1")
private let treeOf = SQL(
    "SELECT t.number FROM transfer AS t JOIN transfer_tree AS r ON r.transfer = t.number WHERE t.id = ?")
private let leafRemoval = SQL("DELETE FROM transfer_leaf WHERE transfer = ?")
private let leafInsertion = SQL("INSERT INTO transfer_leaf (transfer, number, hashes) VALUES (?, ?, ?)")
private let holderInsertion = SQL(
    """
    INSERT INTO transfer_holder (transfer, account) SELECT number, ?2 FROM transfer WHERE id = ?1
    ON CONFLICT (transfer, account) DO NOTHING
    """)

extension ReadTransaction {
    /// The stored hashes of the chunks of a group's file. A list that is being stored may lack its end, so the caller
    /// has to count them.
    /// - Parameters:
    ///   - row: the first row; each row but the last has ``StoreLimits/leafBytes``.
    ///   - count: the number of rows.
    public func leaves(of transfer: UUIDv7, from row: Int64 = 0, count: Int64 = .max) throws(StoreError) -> [UInt8] {
        let (end, overflow) = row.addingReportingOverflow(count)
        var leaves: [UInt8] = []
        for piece in try connection.rows(leavesOf, transfer, row, overflow ? .max : end, read: { $0.bytes(0) }) {
            leaves += piece
        }
        return leaves
    }
}

extension WriteTransaction {
    /// Stores hashes of the chunks of a group's file in rows of a bounded size.
    /// - Parameter row: the row at which they begin. Earlier rows stay, but with the first row all stored hashes are
    ///   replaced.
    /// - Throws: ``StoreError/missing(_:)`` for a transfer that isn't there or isn't a group's.
    public func setLeaves(
        _ leaves: [UInt8], of transfer: UUIDv7, from row: Int64 = 0
    ) throws(StoreError) {
        guard let number = try connection.integer(treeOf, transfer) else { throw .missing(.transfer(transfer)) }
        if row == 0 { try connection.run(leafRemoval, number) }
        var (place, rest) = (row, leaves[...])
        while !rest.isEmpty {
            try connection.run(leafInsertion, number, place, Array(rest.prefix(StoreLimits.leafBytes)))
            rest = rest.dropFirst(StoreLimits.leafBytes)
            place += 1
        }
    }

    /// Notes that a member of the group has all of a file.
    /// - Returns: false if that was known.
    public func addHolder(_ account: AccountID, of transfer: UUIDv7) throws(StoreError) -> Bool {
        try connection.run(holderInsertion, transfer, try number(account)) == 1
    }

    /// Forgets the hashes of the chunks of a transfer.
    func removeLeaves(ofTransfer number: Int64) throws(StoreError) { try connection.run(leafRemoval, number) }

    /// Does the part of ``insert(_:)`` for a group's file.
    func insertRoot(of row: TransferRow) throws(StoreError) {
        if let fileRoot = row.fileRoot { try connection.run(insertion, row.id, fileRoot) }
    }
}
