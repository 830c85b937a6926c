import Basics
import Vocabulary

private let columns = "id, parcel, depositor, recipient, root, bytes, days, leaves"
private let insertion = SQL(
    """
    INSERT OR IGNORE INTO sealed_file (id, parcel, depositor, recipient, root, bytes, stamp, came_at, days)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
private let byID = SQL("SELECT \(columns) FROM sealed_file WHERE id = ?")
private let allRows = SQL("SELECT \(columns) FROM sealed_file ORDER BY number")
private let outstayingRows = SQL(
    """
    SELECT parcel, depositor, recipient, min(came_at), max(days) FROM sealed_file AS f
    WHERE NOT EXISTS (
        SELECT 1 FROM parcel AS p WHERE p.recipient = f.recipient AND p.id = f.parcel AND p.depositor = f.depositor)
    GROUP BY parcel, depositor, recipient ORDER BY min(number) LIMIT ?
    """)
private let completion = SQL("UPDATE sealed_file SET leaves = ? WHERE id = ? AND root = ? AND bytes = ?")
private let spoiling = SQL("UPDATE sealed_file SET leaves = NULL WHERE id = ? AND leaves IS NOT NULL")
private let removal = SQL("DELETE FROM sealed_file WHERE id = ? AND root = ? AND bytes = ?")
private let taking = SQL("DELETE FROM sealed_file WHERE id = ?1 AND (recipient = ?2 OR depositor = ?2)")
private let bytesOfParcel = SQL(
    "SELECT coalesce(sum(bytes), 0) FROM sealed_file WHERE recipient = ? AND parcel = ? AND depositor = ?")
private let bytesOfRecipient = SQL("SELECT coalesce(sum(bytes), 0) FROM sealed_file WHERE recipient = ?")
// A parcel that came later from somebody else may have the same id.
private let ofParcel = SQL(
    """
    DELETE FROM sealed_file WHERE recipient = ?1 AND parcel = ?2
        AND depositor = (SELECT depositor FROM parcel WHERE recipient = ?1 AND id = ?2)
    """)
private let ofAccount = SQL("DELETE FROM sealed_file WHERE depositor = ?1 OR recipient = ?1")
private let ofRecipient = SQL("DELETE FROM sealed_file WHERE recipient = ?")
private let spans = SQL("SELECT DISTINCT days FROM sealed_file")
private let ended = SQL("DELETE FROM sealed_file WHERE stamp <= ? AND days = ?")
private let strayed = SQL(
    """
    DELETE FROM sealed_file WHERE NOT EXISTS (SELECT 1 FROM contact WHERE account = depositor AND relation = 3)
        OR NOT EXISTS (SELECT 1 FROM contact WHERE account = recipient AND relation = 3)
    """)

private let sentColumns = "id, courier, parcel, transfer, root, key, leaves"
private let sentInsertion = SQL("INSERT INTO sealed_file_out (\(sentColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
private let sentTo = SQL("SELECT \(sentColumns) FROM sealed_file_out WHERE id = ? AND courier = ?")
private let sentOf = SQL("SELECT courier, given FROM sealed_file_out WHERE transfer = ? ORDER BY given DESC, number")
private let sentGiven = SQL("UPDATE sealed_file_out SET given = 1 WHERE id = ? AND courier = ?")
private let sentSpoiling = SQL("DELETE FROM sealed_file_out WHERE id = ? AND courier = ?")
private let sentOverRows = SQL(
    """
    SELECT id, courier FROM sealed_file_out
    WHERE NOT EXISTS (SELECT 1 FROM transfer AS t WHERE t.id = transfer AND t.state < 4) LIMIT ?
    """)
private let concerning = SQL(
    """
    SELECT EXISTS (SELECT 1 FROM sealed_file_in WHERE transfer = ?1) OR EXISTS (SELECT 1 FROM sealed_file_out WHERE transfer = ?1)
    """)
private let sentLost = SQL("DELETE FROM sealed_file_out WHERE courier = ? AND parcel = ?")
private let sentOver = SQL(
    """
    DELETE FROM sealed_file_out WHERE NOT EXISTS (SELECT 1 FROM transfer AS t WHERE t.id = transfer AND t.state < 4)
        OR NOT EXISTS (SELECT 1 FROM contact WHERE account = courier AND relation = 3)
    """)
private let goesBy = SQL(
    """
    SELECT 1 FROM sealed_file_out AS f JOIN transfer AS t ON t.id = f.transfer WHERE f.courier = ? AND t.peer = ? LIMIT 1
    """)

private let comingColumns = "id, courier, transfer, root, key, modified, mode"
private let comingInsertion = SQL(
    "INSERT OR IGNORE INTO sealed_file_in (\(comingColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
private let comingWithID = SQL("SELECT \(comingColumns) FROM sealed_file_in WHERE id = ? LIMIT 1")
private let comingOf = SQL("SELECT \(comingColumns) FROM sealed_file_in WHERE transfer = ? ORDER BY id, courier")
private let comingRows = SQL("SELECT \(comingColumns) FROM sealed_file_in ORDER BY id, courier")
private let comingRemoval = SQL("DELETE FROM sealed_file_in WHERE id = ? AND courier = ?")
// What is here already, will never be wanted, or belonged to a message that is deleted.
private let comingOver = SQL(
    """
    SELECT \(comingColumns) FROM sealed_file_in AS f
    WHERE NOT EXISTS (SELECT 1 FROM transfer AS t WHERE t.id = f.transfer AND t.state < 4) LIMIT ?
    """)

/// The files that go with parcels: those that are kept here for others, ours, and those for us that couriers keep
/// (docs/PROTOCOL-COURIERS.md).
public enum SealedFiles {
    // MARK: Kept for others

    /// Notes a file that is to be fetched from its depositor. Nothing happens if its id is taken.
    public static func keep(_ row: SealedFileRow, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(
            insertion, row.id, row.parcel, try transaction.number(row.depositor),
            try transaction.number(row.recipient), row.root, row.bytes, transaction.stamp,
            transaction.wallTime, Int64(row.days))
        transaction.marks.hasSealedFiles = true
    }

    public static func kept(_ id: UUIDv7, _ transaction: ReadTransaction) throws(StoreError) -> SealedFileRow? {
        try transaction.connection.first(byID, id, read: keptRow(transaction))
    }

    /// All that are kept here or are to be fetched, the oldest first.
    public static func kept(_ transaction: ReadTransaction) throws(StoreError) -> [SealedFileRow] {
        try transaction.connection.rows(allRows, read: keptRow(transaction))
    }

    /// The parcels that were handed over but still have files here, the oldest first. A row has no bytes;
    /// ``bytes(of:_:)`` counts those of the files.
    public static func outstaying(limit: Int, _ transaction: ReadTransaction) throws(StoreError) -> [ParcelRow] {
        try transaction.connection.rows(outstayingRows, Int64(limit)) { row throws(StoreError) in
            ParcelRow(
                id: try row.identifier(0), depositor: try transaction.account(row.integer(1)),
                recipient: try transaction.account(row.integer(2)), cameAt: row.time(3),
                days: Int(clamping: row.integer(4)), bytes: 0)
        }
    }

    /// The bytes of the files that came with a parcel.
    public static func bytes(of parcel: ParcelRow, _ transaction: ReadTransaction) throws(StoreError) -> Int64 {
        guard let recipient = try transaction.keys.number(of: parcel.recipient.key),
            let depositor = try transaction.keys.number(of: parcel.depositor.key)
        else { return 0 }
        return try transaction.connection.integer(bytesOfParcel, recipient, parcel.id, depositor) ?? 0
    }

    /// The bytes of all files that are kept for a recipient.
    public static func bytes(for recipient: AccountID, _ transaction: ReadTransaction) throws(StoreError) -> Int64 {
        guard let number = try transaction.keys.number(of: recipient.key) else { return 0 }
        return try transaction.connection.integer(bytesOfRecipient, number) ?? 0
    }

    /// Notes that all of a file is here.
    /// - Parameters:
    ///   - row: as it was when it was begun to be fetched.
    ///   - leaves: the hashes of its chunks.
    /// - Returns: whether the file is still wanted. Meanwhile it may have gone, and another have come under its id.
    public static func complete(
        _ row: SealedFileRow, leaves: [UInt8], in transaction: WriteTransaction
    ) throws(StoreError) -> Bool {
        try transaction.connection.run(completion, leaves, row.id, row.root, row.bytes) == 1
    }

    /// Notes that a file is not on the disk any more. It is fetched again.
    public static func lose(_ id: UUIDv7, in transaction: WriteTransaction) throws(StoreError) {
        if try transaction.connection.run(spoiling, id) > 0 { transaction.marks.hasSealedFiles = true }
    }

    /// Notes that an account was given wrong bytes of a file: the file is fetched again if it is kept for others, and a
    /// courier doesn't get ours any more.
    public static func spoil(
        _ id: UUIDv7, givenTo account: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        try lose(id, in: transaction)
        try forgetSent(id, at: account, in: transaction)
    }

    /// Forgets a file, but not another that has come under its id. What is left of it on the disk is removed after the
    /// commit.
    public static func forget(_ row: SealedFileRow, in transaction: WriteTransaction) throws(StoreError) {
        if try transaction.connection.run(removal, row.id, row.root, row.bytes) > 0 {
            transaction.marks.hasSealedFiles = true
        }
    }

    /// Forgets a file that its recipient has, or that its recipient or its maker doesn't want to be kept. One of others is
    /// left alone.
    public static func forget(
        _ id: UUIDv7, takenBy account: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        guard let number = try transaction.keys.number(of: account.key) else { return }
        if try transaction.connection.run(taking, id, number) > 0 { transaction.marks.hasSealedFiles = true }
    }

    /// Forgets the files of a parcel that is here still.
    static func forget(
        of parcel: UUIDv7, for recipient: Int64, in transaction: WriteTransaction
    ) throws(StoreError) {
        if try transaction.connection.run(ofParcel, recipient, parcel) > 0 { transaction.marks.hasSealedFiles = true }
    }

    /// Forgets the files of an account and for it.
    /// - Parameter isOnlyFor: whether those that it has left here stay.
    public static func forget(
        ofOrFor account: AccountID, isOnlyFor: Bool = false, in transaction: WriteTransaction
    ) throws(StoreError) {
        guard let number = try transaction.keys.number(of: account.key) else { return }
        if try transaction.connection.run(isOnlyFor ? ofRecipient : ofAccount, number) > 0 {
            transaction.marks.hasSealedFiles = true
        }
    }

    /// Forgets files whose days are over by the trusted clock, and those of or for accounts that are no friends any more.
    public static func forgetEnded(in transaction: WriteTransaction) throws(StoreError) {
        var count = try transaction.connection.run(strayed)
        for days in try transaction.connection.rows(spans, read: { $0.integer(0) }) {
            let age = Duration.seconds(days * 24 * 3600)
            count += try transaction.connection.run(ended, transaction.stamp(before: age), days)
        }
        if count > 0 { transaction.marks.hasSealedFiles = true }
    }

    private static func keptRow(
        _ transaction: ReadTransaction
    ) -> (StoredRow) throws(StoreError) -> SealedFileRow {
        { row throws(StoreError) in
            SealedFileRow(
                id: try row.identifier(0), parcel: try row.identifier(1),
                depositor: try transaction.account(row.integer(2)), recipient: try transaction.account(row.integer(3)),
                root: row.bytes(4), bytes: row.integer(5), days: Int(clamping: row.integer(6)),
                leaves: row.optionalBytes(7))
        }
    }

    // MARK: Ours

    /// Notes a file that goes with a parcel of ours.
    public static func note(_ row: SentSealedFileRow, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(
            sentInsertion, row.id, try transaction.number(row.courier), row.parcel, row.transfer, row.root, row.key,
            row.leaves)
    }

    /// A file of ours whose parcel a courier was given.
    public static func sent(
        _ id: UUIDv7, to courier: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> SentSealedFileRow? {
        guard let number = try transaction.keys.number(of: courier.key) else { return nil }
        return try transaction.connection.first(sentTo, id, number) { row throws(StoreError) in
            SentSealedFileRow(
                id: try row.identifier(0), courier: try transaction.account(row.integer(1)),
                parcel: try row.identifier(2), transfer: try row.identifier(3), root: row.bytes(4), key: row.bytes(5),
                leaves: row.bytes(6))
        }
    }

    /// The couriers that may have the file of a transfer of ours, and whether they have all of it; those that have it first.
    public static func couriers(
        of transfer: UUIDv7, _ transaction: ReadTransaction
    ) throws(StoreError) -> [(courier: AccountID, hasAll: Bool)] {
        try transaction.connection.rows(sentOf, transfer) { row throws(StoreError) in
            (courier: try transaction.account(row.integer(0)), hasAll: row.integer(1) != 0)
        }
    }

    /// Notes that a courier has all of a file of ours. Nothing happens for a file of somebody else.
    public static func given(
        _ id: UUIDv7, to courier: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        guard let number = try transaction.keys.number(of: courier.key) else { return }
        try transaction.connection.run(sentGiven, id, number)
    }

    /// Whether a courier was given a file for that recipient, so that it may bring an answer.
    static func goes(
        to recipient: Int64, by courier: Int64, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        try transaction.connection.integer(goesBy, courier, recipient) != nil
    }

    /// Forgets the files of a parcel that is lost.
    static func forgetSent(
        of parcel: UUIDv7, at courier: Int64, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(sentLost, courier, parcel)
    }

    /// Files of ours that couriers need not keep any more, because their transfers are over or gone.
    public static func needlessSent(
        limit: Int, _ transaction: ReadTransaction
    ) throws(StoreError) -> [(id: UUIDv7, courier: AccountID)] {
        try transaction.connection.rows(sentOverRows, Int64(limit)) { row throws(StoreError) in
            (id: try row.identifier(0), courier: try transaction.account(row.integer(1)))
        }
    }

    /// Forgets that a courier has, or may have, a file of ours.
    public static func forgetSent(
        _ id: UUIDv7, at courier: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        guard let number = try transaction.keys.number(of: courier.key) else { return }
        try transaction.connection.run(sentSpoiling, id, number)
    }

    /// Whether couriers have something to do with the file of a transfer.
    public static func concern(_ transfer: UUIDv7, _ transaction: ReadTransaction) throws(StoreError) -> Bool {
        try transaction.connection.integer(concerning, transfer) == 1
    }

    /// Forgets files of transfers that are over, and those at couriers that are no friends any more.
    public static func forgetSent(in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(sentOver)
    }

    // MARK: For us

    /// Notes a file that a courier keeps for us.
    public static func expect(_ row: ComingSealedFileRow, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(
            comingInsertion, row.id, try transaction.number(row.courier), row.transfer, row.root, row.key,
            row.modified, Int64(row.mode))
        transaction.marks.hasSealedFiles = true
    }

    /// A file that some courier keeps for us.
    public static func coming(_ id: UUIDv7, _ transaction: ReadTransaction) throws(StoreError) -> ComingSealedFileRow? {
        try transaction.connection.first(comingWithID, id, read: comingRow(transaction))
    }

    /// The couriers that keep the file of a transfer, and how to open it.
    public static func coming(
        of transfer: UUIDv7, _ transaction: ReadTransaction
    ) throws(StoreError) -> [ComingSealedFileRow] {
        try transaction.connection.rows(comingOf, transfer, read: comingRow(transaction))
    }

    /// All files that couriers keep for us.
    public static func coming(_ transaction: ReadTransaction) throws(StoreError) -> [ComingSealedFileRow] {
        try transaction.connection.rows(comingRows, read: comingRow(transaction))
    }

    /// Files that couriers need not keep for us any more: they are here, nobody wants them, or their message is deleted.
    public static func needless(
        limit: Int, _ transaction: ReadTransaction
    ) throws(StoreError) -> [ComingSealedFileRow] {
        try transaction.connection.rows(comingOver, Int64(limit), read: comingRow(transaction))
    }

    /// Forgets that a courier keeps a file for us.
    public static func forget(
        _ id: UUIDv7, at courier: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(comingRemoval, id, try transaction.number(courier))
        transaction.marks.hasSealedFiles = true
    }

    private static func comingRow(
        _ transaction: ReadTransaction
    ) -> (StoredRow) throws(StoreError) -> ComingSealedFileRow {
        { row throws(StoreError) in
            ComingSealedFileRow(
                id: try row.identifier(0), courier: try transaction.account(row.integer(1)),
                transfer: try row.identifier(2), root: row.bytes(3), key: row.bytes(4), modified: row.integer(5),
                mode: UInt16(clamping: row.integer(6)))
        }
    }
}
