import Basics
import Vocabulary

private let latestKey = SQL("SELECT made, stamp, sealed FROM mail_key ORDER BY made DESC LIMIT 1")
private let keyWithTime = SQL("SELECT sealed FROM mail_key WHERE made = ?")
private let keyInsertion = SQL("INSERT INTO mail_key (made, stamp, sealed) VALUES (?, ?, ?)")
private let oldKeys = SQL("DELETE FROM mail_key WHERE stamp <= ?")
private let namedCouriers = SQL("SELECT account FROM courier ORDER BY named_at, account")
private let naming = SQL("INSERT OR IGNORE INTO courier (account, named_at) VALUES (?, ?)")
private let unnaming = SQL("DELETE FROM courier WHERE account = ?")
private let isNamed = SQL("SELECT 1 FROM courier WHERE account = ?")
private let allNotes = SQL("SELECT bytes FROM mail_note")
private let notesOfAccount = SQL("SELECT bytes FROM mail_note WHERE account = ? ORDER BY made DESC, device LIMIT ?")
private let noteMade = SQL("SELECT made FROM mail_note WHERE device = ?")
private let noteCount = SQL("SELECT count(*) FROM mail_note WHERE account = ?")
private let noteUpdate = SQL(
    """
    INSERT INTO mail_note (device, account, made, stamp, bytes) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (device) DO UPDATE SET
        account = excluded.account, made = excluded.made, stamp = excluded.stamp, bytes = excluded.bytes
    """)
private let notesRemoval = SQL("DELETE FROM mail_note WHERE account = ?")
private let oldNotes = SQL("DELETE FROM mail_note WHERE stamp <= ?")

/// What is stored for couriers: this account's couriers, the device's mail keys, and friends' mail notes.
public enum MailNotes {
    // MARK: Our couriers

    /// The friends that this account has named as its couriers, in the order of naming.
    public static func couriers(_ transaction: ReadTransaction) throws(StoreError) -> [AccountID] {
        try transaction.connection.rows(namedCouriers) { row throws(StoreError) in
            try transaction.account(row.integer(0))
        }
    }

    /// Names a courier.
    /// - Returns: false if it was named already.
    public static func name(_ courier: AccountID, in transaction: WriteTransaction) throws(StoreError) -> Bool {
        let number = try transaction.number(courier)
        transaction.marks.hasCourierChange = true
        return try transaction.connection.run(naming, number, transaction.wallTime) == 1
    }

    /// Takes back that an account is a courier.
    /// - Returns: false if it was none.
    public static func unname(_ courier: AccountID, in transaction: WriteTransaction) throws(StoreError) -> Bool {
        guard let number = try transaction.keys.number(of: courier.key) else { return false }
        transaction.marks.hasCourierChange = true
        return try transaction.connection.run(unnaming, number) == 1
    }

    /// Whether this account has named that one.
    public static func isCourier(_ account: AccountID, _ transaction: ReadTransaction) throws(StoreError) -> Bool {
        guard let number = try transaction.keys.number(of: account.key) else { return false }
        return try transaction.connection.integer(isNamed, number) != nil
    }

    // MARK: Mail keys

    /// The newest mail key, unless it is as old as `age`; nil if there is none.
    public static func key(youngerThan age: Duration, _ transaction: WriteTransaction) throws(StoreError) -> MailKeyRow?
    {
        let newest = try transaction.connection.first(latestKey) { row in
            (row: MailKeyRow(made: row.time(0), sealed: row.bytes(2)), stamp: row.integer(1))
        }
        guard let newest, newest.stamp > transaction.stamp(before: age) else { return nil }
        return newest.row
    }

    /// The sealed secret of the mail key with that time; nil if there is none.
    public static func secret(of made: WallTime, _ transaction: ReadTransaction) throws(StoreError) -> [UInt8]? {
        try transaction.connection.first(keyWithTime, made) { $0.bytes(0) }
    }

    /// The time for a new mail key: now, or later than that of the newest.
    public static func nextTime(_ transaction: WriteTransaction) throws(StoreError) -> WallTime {
        let newest = try transaction.connection.integer(latestKey) ?? -1
        return WallTime(milliseconds: max(transaction.wallTime.milliseconds, newest + 1, 0))
    }

    /// Stores a new mail key, and forgets those that are as old as `age`.
    public static func save(
        _ row: MailKeyRow, forgettingAfter age: Duration, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(oldKeys, transaction.stamp(before: age))
        try transaction.connection.run(keyInsertion, row.made, transaction.stamp, row.secret)
    }

    // MARK: Friends' notes

    /// The bytes of all notes.
    public static func all(_ transaction: ReadTransaction) throws(StoreError) -> [[UInt8]] {
        try transaction.connection.rows(allNotes) { $0.bytes(0) }
    }

    /// The bytes of the notes of an account's devices, the newest first.
    public static func of(
        _ account: AccountID, limit: Int, _ transaction: ReadTransaction
    ) throws(StoreError) -> [[UInt8]] {
        guard let number = try transaction.keys.number(of: account.key) else { return [] }
        return try transaction.connection.rows(notesOfAccount, number, Int64(limit)) { $0.bytes(0) }
    }

    /// Stores a device's note.
    /// - Parameters:
    ///   - isSaidNow: whether the device says so in its own session: then it counts also if it is older than the stored one,
    ///     because a device whose data were restored has gone back.
    ///   - devices: the most devices of an account whose notes are kept.
    /// - Returns: false if a newer one is stored, or the account has that many devices.
    public static func save(
        _ bytes: [UInt8], of device: DeviceID, _ account: AccountID, made: WallTime, isSaidNow: Bool, devices: Int,
        in transaction: WriteTransaction
    ) throws(StoreError) -> Bool {
        let connection = transaction.connection
        let (device, account) = (try transaction.number(device), try transaction.number(account))
        if let stored = try connection.integer(noteMade, device) {
            guard isSaidNow || stored < made.milliseconds else { return false }
        } else if try connection.integer(noteCount, account) ?? 0 >= Int64(devices) {
            return false
        }
        transaction.marks.hasCourierChange = true
        try connection.run(noteUpdate, device, account, made, transaction.stamp, bytes)
        return true
    }

    /// Forgets the notes of an account that is no friend any more.
    public static func forget(_ account: AccountID, in transaction: WriteTransaction) throws(StoreError) {
        guard let number = try transaction.keys.number(of: account.key) else { return }
        transaction.marks.hasCourierChange = true
        try transaction.connection.run(notesRemoval, number)
        try transaction.connection.run(unnaming, number)
    }

    /// Forgets notes that came as long ago as `age`.
    /// - Returns: how many.
    public static func forget(olderThan age: Duration, in transaction: WriteTransaction) throws(StoreError) -> Int {
        try transaction.connection.run(oldNotes, transaction.stamp(before: age))
    }
}
