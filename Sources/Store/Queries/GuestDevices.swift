import Basics

private let devices = SQL("SELECT fingerprint, alias FROM guest_device")
private let insertion = SQL(
    """
    INSERT INTO guest_device (fingerprint, alias, first_at, last_at) VALUES (?1, ?2, ?3, ?3)
    ON CONFLICT (fingerprint) DO UPDATE SET alias = ?2, last_at = ?3
    """)
private let shortening = SQL(
    """
    DELETE FROM guest_device WHERE fingerprint IN
        (SELECT fingerprint FROM guest_device ORDER BY last_at DESC, fingerprint LIMIT -1 OFFSET ?)
    """)

/// Devices that are no peers and to which something was given. Each was recognised by its certificate.
public enum GuestDevices {
    /// How many are remembered; beyond them the one is forgotten that got something longest ago.
    public static let most = 1_000

    /// What each called itself, by the SHA-256 of its certificate.
    public static func all(_ transaction: ReadTransaction) throws(StoreError) -> [[UInt8]: String] {
        let rows = try transaction.connection.rows(devices) { row throws(StoreError) in (row.bytes(0), row.text(1)) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Notes that a device has got something.
    /// - Parameter fingerprint: the SHA-256 of its certificate.
    public static func note(
        _ fingerprint: [UInt8], alias: String, in transaction: WriteTransaction
    ) throws(StoreError) {
        try transaction.connection.run(insertion, fingerprint, alias, transaction.wallTime)
        try transaction.connection.run(shortening, Int64(most))
    }
}
