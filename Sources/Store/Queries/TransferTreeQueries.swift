import Basics

private let leavesOf = SQL(
    "SELECT r.leaves FROM transfer AS t JOIN transfer_tree AS r ON r.transfer = t.number WHERE t.id = ?")
private let insertion = SQL(
    "INSERT INTO transfer_tree (transfer, root) SELECT number, ?2 FROM transfer WHERE id = ?1")
private let leavesChange = SQL(
    "UPDATE transfer_tree SET leaves = ?2 WHERE transfer = (SELECT number FROM transfer WHERE id = ?1)")

extension ReadTransaction {
    /// The hashes of the chunks of a group's file; nil while they aren't known.
    public func leaves(of transfer: UUIDv7) throws(StoreError) -> [UInt8]? {
        try connection.first(leavesOf, transfer) { $0.optionalBytes(0) } ?? nil
    }
}

extension WriteTransaction {
    /// Stores the hashes of the chunks of a group's file.
    /// - Throws: ``StoreError/missing(_:)`` for a transfer that isn't there or isn't a group's.
    public func setLeaves(_ leaves: [UInt8], of transfer: UUIDv7) throws(StoreError) {
        guard try connection.run(leavesChange, transfer, leaves) == 1 else { throw .missing(.transfer(transfer)) }
    }

    /// What ``insert(_:)`` does for a group's file.
    func insertRoot(of row: TransferRow) throws(StoreError) {
        if let root = row.root { try connection.run(insertion, row.id, root) }
    }
}
