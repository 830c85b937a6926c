import Basics
import Vocabulary

private let columns = "id, depositor, recipient, came_at, days, bytes"
private let insertion = SQL(
    """
    INSERT INTO parcel (id, depositor, recipient, stamp, came_at, days, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
    """)
private let byID = SQL("SELECT \(columns) FROM parcel WHERE recipient = ? AND id = ?")
private let keptRows = SQL("SELECT \(columns) FROM parcel ORDER BY came_at, id LIMIT ?")
private let keptOf = SQL(
    "SELECT \(columns) FROM parcel WHERE (depositor = ?1 OR recipient = ?1) ORDER BY came_at, id")
private let maker = SQL("SELECT depositor FROM parcel WHERE recipient = ? AND id = ?")
private let answering = SQL(
    """
    INSERT INTO parcel_answer (depositor, recipient, stamp) VALUES (?, ?, ?)
    ON CONFLICT (depositor, recipient) DO UPDATE SET stamp = excluded.stamp
    """)
private let removal = SQL("DELETE FROM parcel WHERE recipient = ? AND id = ?")
private let hasAnswered = SQL("SELECT 1 FROM parcel_answer WHERE depositor = ? AND recipient = ?")
private let inAll = sum(of: "true")
private let ofRecipient = sum(of: "recipient = ?1")
private let ofDepositor = sum(of: "depositor = ?1")
private let ofPair = sum(of: "depositor = ?1 AND recipient = ?2")
private let spans = SQL("SELECT DISTINCT days FROM parcel")
private let recipients = SQL("SELECT recipient FROM parcel WHERE depositor = ? AND id = ?")
private let endedRows = SQL(
    "SELECT \(columns) FROM parcel WHERE stamp <= ? AND days = ? ORDER BY stamp LIMIT ?")
private let oldAnswers = SQL("DELETE FROM parcel_answer WHERE stamp <= ?")
private let strayedRows = SQL(
    """
    SELECT \(columns) FROM parcel AS p WHERE (
        NOT EXISTS (SELECT 1 FROM outbox WHERE account = p.recipient AND id = p.id)
        OR NOT EXISTS (SELECT 1 FROM contact WHERE account = p.depositor AND relation = 3)) LIMIT ?
    """)
private let seenRow = SQL("SELECT 1 FROM parcel_seen WHERE maker = ? AND id = ?")
private let seeing = SQL("INSERT OR IGNORE INTO parcel_seen (id, stamp, maker, courier) VALUES (?, ?, ?, ?)")
private let oldSeen = SQL("DELETE FROM parcel_seen WHERE stamp <= ?")
private let surplusSeen = SQL(
    "DELETE FROM parcel_seen WHERE stamp < (SELECT stamp FROM parcel_seen ORDER BY stamp DESC LIMIT 1 OFFSET ?)")
private let waitingOfKind = SQL(
    "SELECT count(*) FROM (SELECT 1 FROM outbox WHERE account = ? AND kind = ? LIMIT ?)")
private let nameless = SQL(
    """
    DELETE FROM outbox WHERE kind = ? AND NOT EXISTS (SELECT 1 FROM parcel WHERE recipient = account AND parcel.id = outbox.id)
        AND NOT EXISTS (SELECT 1 FROM parcel_out WHERE courier = account AND parcel_out.id = outbox.id)
    """)
private let broughtRow = SQL("SELECT 1 FROM parcel_seen WHERE maker = ? AND courier = ? LIMIT 1")
private let bringerRows = SQL("SELECT DISTINCT maker, courier FROM parcel_seen")

/// How many parcels and files there are, and how many bytes both have.
private func sum(of those: String) -> SQL {
    SQL(
        """
        SELECT p.count, f.count, p.bytes + f.bytes
        FROM (SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM parcel WHERE \(those)) AS p,
            (SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM sealed_file WHERE \(those)) AS f
        """)
}

/// The parcels that are kept here for others, and those for us that were opened.
public enum Parcels {
    // MARK: Kept for others

    /// Keeps a parcel. Its body goes into the outbox for the recipient under the same id.
    public static func keep(_ row: ParcelRow, in transaction: WriteTransaction) throws(StoreError) {
        transaction.marks.hasCourierChange = true
        try transaction.connection.run(
            insertion, row.id, try transaction.number(row.depositor), try transaction.number(row.recipient),
            transaction.stamp, row.cameAt, Int64(row.days), row.bytes)
    }

    /// The account that has left a parcel here for the recipient; nil if there is none.
    public static func depositor(
        of id: UUIDv7, for recipient: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> AccountID? {
        guard let recipient = try transaction.keys.number(of: recipient.key) else { return nil }
        return try transaction.connection.first(maker, recipient, id) { row throws(StoreError) in
            try transaction.account(row.integer(0))
        }
    }

    /// A parcel that waits here for the recipient.
    public static func kept(
        _ id: UUIDv7, for recipient: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> ParcelRow? {
        guard let recipient = try transaction.keys.number(of: recipient.key) else { return nil }
        return try transaction.connection.first(byID, recipient, id, read: parcelRow(transaction))
    }

    /// All that wait here, the oldest first.
    public static func kept(limit: Int, _ transaction: ReadTransaction) throws(StoreError) -> [ParcelRow] {
        try transaction.connection.rows(keptRows, Int64(limit), read: parcelRow(transaction))
    }

    /// Those that wait here from an account or for it.
    public static func kept(
        ofOrFor account: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> [ParcelRow] {
        guard let number = try transaction.keys.number(of: account.key) else { return [] }
        return try transaction.connection.rows(keptOf, number, read: parcelRow(transaction))
    }

    /// Forgets a parcel that was handed over, and remembers that its recipient may answer by us. Its files stay until the
    /// recipient has them.
    public static func handOver(_ row: ParcelRow, in transaction: WriteTransaction) throws(StoreError) {
        let (from, to) = (try transaction.number(row.depositor), try transaction.number(row.recipient))
        transaction.marks.hasCourierChange = true
        try transaction.connection.run(removal, to, row.id)
        try transaction.connection.run(answering, from, to, transaction.stamp)
    }

    /// Forgets a parcel with its files, and takes it out of the outbox.
    public static func drop(
        _ id: UUIDv7, for recipient: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        transaction.marks.hasCourierChange = true
        let number = try transaction.number(recipient)
        try SealedFiles.forget(of: id, for: number, in: transaction)
        try transaction.connection.run(removal, number, id)
        try SentParcels.withdraw(id, for: recipient, in: transaction)
    }

    /// Drops a parcel whose depositor needs it no more. A parcel of another depositor is left alone.
    public static func withdraw(
        _ id: UUIDv7, of depositor: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        guard let number = try transaction.keys.number(of: depositor.key) else { return }
        let found = try transaction.connection.rows(recipients, number, id) { $0.integer(0) }
        for recipient in found { try drop(id, for: try transaction.account(recipient), in: transaction) }
    }

    /// Whether a parcel of `depositor` was handed to `recipient` here not long ago, so that `recipient` may answer.
    public static func mayAnswer(
        _ recipient: AccountID, to depositor: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        guard let from = try transaction.keys.number(of: depositor.key),
            let to = try transaction.keys.number(of: recipient.key)
        else { return false }
        return try transaction.connection.integer(hasAnswered, from, to) != nil
    }

    /// How much is kept in all, for a recipient, of a depositor, and of this pair.
    public static func sums(
        from depositor: AccountID, to recipient: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) -> (all: ParcelSum, recipient: ParcelSum, depositor: ParcelSum, pair: ParcelSum) {
        let (from, to) = (try transaction.number(depositor), try transaction.number(recipient))
        let connection = transaction.connection
        return (
            try sum(transaction),
            try connection.first(ofRecipient, to, read: sum) ?? ParcelSum(),
            try connection.first(ofDepositor, from, read: sum) ?? ParcelSum(),
            try connection.first(ofPair, from, to, read: sum) ?? ParcelSum()
        )
    }

    /// How many wait here, with their bytes.
    public static func sum(_ transaction: ReadTransaction) throws(StoreError) -> ParcelSum {
        try transaction.connection.first(inAll, read: sum) ?? ParcelSum()
    }

    private static func sum(_ row: StoredRow) -> ParcelSum {
        ParcelSum(parcels: row.integer(0), files: row.integer(1), bytes: row.integer(2))
    }

    /// Whether at least `limit` items of one kind wait for an account.
    public static func areMany(
        _ kind: UInt16, for account: AccountID, limit: Int64, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        guard let number = try transaction.keys.number(of: account.key) else { return false }
        return try transaction.connection.integer(waitingOfKind, number, kind, limit) ?? 0 >= limit
    }

    /// Takes parcels out of the outbox that no row names: the row was lost with a damaged page, or stands in no backup.
    public static func dropNameless(kind: UInt16, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(nameless, kind)
    }

    /// Parcels that wait still although their days are over, by the trusted clock.
    public static func ended(limit: Int, in transaction: WriteTransaction) throws(StoreError) -> [ParcelRow] {
        var rows: [ParcelRow] = []
        for days in try transaction.connection.rows(spans, read: { $0.integer(0) }) {
            let age = Duration.seconds(days * 24 * 3600)
            rows += try transaction.connection.rows(
                endedRows, transaction.stamp(before: age), days, Int64(limit), read: parcelRow(transaction))
        }
        return rows
    }

    /// Deletes the rows that let a recipient answer through us, if the last parcel was handed over `age` ago or earlier.
    public static func forgetAnswers(olderThan age: Duration, in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(oldAnswers, transaction.stamp(before: age))
    }

    /// Parcels that can't be handed over: their place in the outbox is gone, because the recipient is no friend any more,
    /// or their depositor is no friend any more.
    public static func strayed(limit: Int, _ transaction: ReadTransaction) throws(StoreError) -> [ParcelRow] {
        try transaction.connection.rows(strayedRows, Int64(limit), read: parcelRow(transaction))
    }

    private static func parcelRow(
        _ transaction: ReadTransaction
    ) -> (StoredRow) throws(StoreError) -> ParcelRow {
        { row throws(StoreError) in
            ParcelRow(
                id: try row.identifier(0), depositor: try transaction.account(row.integer(1)),
                recipient: try transaction.account(row.integer(2)), cameAt: row.time(3),
                days: Int(clamping: row.integer(4)), bytes: row.integer(5))
        }
    }

    // MARK: Opened

    /// Whether a parcel of that maker for us was opened before.
    public static func isSeen(
        _ id: UUIDv7, from maker: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        guard let number = try transaction.keys.number(of: maker.key) else { return false }
        return try transaction.connection.integer(seenRow, number, id) != nil
    }

    /// Notes that a parcel was opened.
    public static func see(
        _ id: UUIDv7, from maker: AccountID, by courier: AccountID, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(
            seeing, id, transaction.stamp, try transaction.number(maker), try transaction.number(courier))
    }

    /// Forgets what was opened as long ago as `age`, and all but the last `count`.
    public static func forgetSeen(
        olderThan age: Duration, beyond count: Int, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(oldSeen, transaction.stamp(before: age))
        try transaction.connection.run(surplusSeen, Int64(count))
    }

    /// Whether a courier has brought a parcel of that maker, as long as it is remembered.
    public static func hasBrought(
        _ courier: AccountID, from maker: AccountID, _ transaction: ReadTransaction
    ) throws(StoreError) -> Bool {
        guard let maker = try transaction.keys.number(of: maker.key),
            let courier = try transaction.keys.number(of: courier.key)
        else { return false }
        return try transaction.connection.integer(broughtRow, maker, courier) != nil
    }

    /// The couriers that have brought each maker's parcels. An answer to the maker can go back through them.
    public static func bringers(
        _ transaction: ReadTransaction
    ) throws(StoreError) -> [(maker: AccountID, courier: AccountID)] {
        try transaction.connection.rows(bringerRows) { row throws(StoreError) in
            (maker: try transaction.account(row.integer(0)), courier: try transaction.account(row.integer(1)))
        }
    }
}
