import Basics
import Vocabulary

// No part of a file is here, and what had come of it is not in a backup.
private let runsRemoval = SQL(
    "DELETE FROM transfer_run WHERE transfer IN (SELECT number FROM transfer WHERE state <> 4 AND direction = 0)")
private let partsRemoval = SQL(
    """
    UPDATE transfer SET bytes_done = 0, files_done = 0, partial = 0, part_path = NULL WHERE state <> 4 AND direction = 0
    """)
private let keysUnheard = SQL("UPDATE discovery_key SET held = 0")
private let keyNumber = SQL(
    """
    INSERT INTO meta (name, value) VALUES ('discovery_key', max(2, ?1))
    ON CONFLICT (name) DO UPDATE SET value = max(value + 1, ?1)
    """)

/// Makes a database that came from elsewhere that of a new device of its account, inside a transaction.
public struct Adoption {
    private let transaction: WriteTransaction

    /// - Parameter transaction: of the database that is adopted.
    public init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Puts the new device into the account's row, starts unfinished downloads from the beginning, and gives the discovery
    /// key a number above all that the old device used. No contact counts as having that key yet.
    /// - Parameters:
    ///   - row: the account, as the database has it.
    ///   - device: the new device, which has no entry, message or key anywhere yet.
    ///   - name: what the device is called.
    /// - Throws: ``StoreError``; the transaction must not be committed then.
    public func run(_ row: AccountRow, by device: DeviceID, name: String) throws(StoreError) {
        var row = row
        row.device = device
        row.deviceName = name
        try transaction.saveOwnAccount(row)
        let connection = transaction.connection
        try connection.run(runsRemoval)
        try connection.run(partsRemoval)
        try connection.run(keysUnheard)
        try connection.run(keyNumber, max(0, transaction.wallTime.milliseconds) / 60_000)
    }
}
