import Basics

// The newest one first, as for files.
private let large = SQL(
    """
    SELECT transfer.id, CASE WHEN transfer.direction = 0 THEN transfer.peer END
    FROM transfer LEFT JOIN message ON message.number = transfer.message
    WHERE transfer.kind = 5 AND transfer.size >= ? AND (transfer.direction = 0 OR message.guest IS NOT NULL)
    ORDER BY transfer.number DESC
    """)

/// The folders that have come from friends, and from devices that are no peers.
public enum ReceivedFolders {
    /// The folders that are large enough for a file, whose lists tell whether one of its size is in them. Reads all transfers.
    /// - Returns: the transfers, each with its sender; nil for a device's.
    public static func holding(
        _ size: Int64, _ transaction: ReadTransaction
    ) throws(StoreError) -> [(transfer: UUIDv7, sender: AccountID?)] {
        let rows = try transaction.connection.rows(large, size) { row throws(StoreError) in
            (transfer: try row.identifier(0), peer: row.optionalInteger(1))
        }
        return try rows.map { row throws(StoreError) in
            (
                transfer: row.transfer,
                sender: try transaction.optionalAccount(row.peer)
            )
        }
    }
}
