import Basics

private let like = SQL(
    """
    SELECT 1 FROM transfer JOIN message ON message.number = transfer.message
    WHERE message.guest IS NOT NULL
        AND (transfer.size = ?2 OR transfer.path = ?1
            OR transfer.kind = 5 AND substr(?1, 1, length(transfer.path) + 1) = transfer.path || '/')
    LIMIT 1
    """)
private let ofGuest = SQL(
    """
    SELECT 1 FROM transfer JOIN message ON message.number = transfer.message
    WHERE transfer.id = ? AND message.guest IS NOT NULL
    """)

/// The files that devices gave which are no peers. Notes name them; to the transfers, they are files of this user.
public enum GuestFiles {
    /// Whether a file on this host came from such a device, or may have: a note of one names a file at that path, a folder around
    /// it, or a file with as many bytes. Reads all transfers.
    public static func mayHave(
        _ path: String, size: Int64, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        try transaction.connection.first(like, path, size) { $0.integer(0) } != nil
    }

    /// Whether a transfer is a note's that names such a file.
    public static func has(_ transfer: UUIDv7, _ transaction: ReadTransaction) throws(StoreError) -> Bool {
        try transaction.connection.first(ofGuest, transfer) { $0.integer(0) } != nil
    }
}
