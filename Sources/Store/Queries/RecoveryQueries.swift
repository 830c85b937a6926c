import Basics

private let value = SQL("SELECT value FROM meta WHERE name = ?")
private let setValue = SQL("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)")
private let removal = SQL("DELETE FROM meta WHERE name = ?")

/// What the database knows about getting the account back: rows of `meta`.
public enum RecoveryRows {
    private enum Name {
        /// When the recovery code was shown last, in milliseconds since 1970.
        static let shown = "recovery_code_shown"
        /// The stamp at which this account was made again from its code.
        static let recovered = "recovered"
        /// The public half of the recovery key, as four big-endian integers.
        static let key = ["recovery_key_1", "recovery_key_2", "recovery_key_3", "recovery_key_4"]
    }

    /// When the recovery code was shown last; nil if it never was.
    public static func codeShown(in transaction: ReadTransaction) throws(StoreError) -> WallTime? {
        try transaction.connection.integer(value, Name.shown).map { WallTime(milliseconds: $0) }
    }

    /// Notes that the recovery code is shown now.
    public static func noteCodeShown(in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(setValue, Name.shown, transaction.wallTime.milliseconds)
    }

    /// The public half of the account's recovery key; nil while the account has never been open in a version that has
    /// one.
    public static func key(in transaction: ReadTransaction) throws(StoreError) -> Key32? {
        var bytes: [UInt8] = []
        for name in Name.key {
            guard let word = try transaction.connection.integer(value, name) else { return nil }
            bytes.appendBigEndian(UInt64(bitPattern: word))
        }
        return Key32(bytes)
    }

    /// Stores the public half of the account's recovery key.
    public static func save(_ key: Key32, in transaction: WriteTransaction) throws(StoreError) {
        for (place, name) in Name.key.enumerated() {
            let word = key.bytes[place * 8..<place * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
            try transaction.connection.run(setValue, name, Int64(bitPattern: word))
        }
    }

    /// Records that the account came back from its recovery code, so it may have friends that the database doesn't list.
    public static func noteRecovered(in transaction: WriteTransaction) throws(StoreError) {
        try transaction.connection.run(setValue, Name.recovered, transaction.stamp)
    }

    /// Whether this account was made again from its recovery code, and that has not been put away since.
    public static func wasRecovered(in transaction: ReadTransaction) throws(StoreError) -> Bool {
        try transaction.connection.integer(value, Name.recovered) != nil
    }

    /// Whether the account was made again from its recovery code less than `time` ago, by the clock by which things age.
    /// After that it never is again.
    public static func isRecovering(
        for time: Duration, in transaction: WriteTransaction
    ) throws(StoreError) -> Bool {
        guard let since = try transaction.connection.integer(value, Name.recovered) else { return false }
        if since > transaction.stamp(before: time) { return true }
        try transaction.connection.run(removal, Name.recovered)
        return false
    }
}
