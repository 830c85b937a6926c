import Basics
import Vocabulary

private let all = SQL("SELECT contact, number, shared, pair, held FROM discovery_key")
// Keys are kept only for the contacts that we want to recognise: friends, contacts that we have asked, and contacts
// that have asked us.
private let keysUpdate = SQL(
    """
    INSERT INTO discovery_key (contact, number, shared, pair, held)
    SELECT account, ?, ?, ?, ? FROM contact WHERE account = ? AND relation IN (1, 2, 3)
    ON CONFLICT (contact) DO UPDATE SET
        number = excluded.number, shared = excluded.shared, pair = excluded.pair, held = excluded.held
    """)
private let keysRemoval = SQL("DELETE FROM discovery_key WHERE contact = ?")
private let relationOf = SQL("SELECT relation FROM contact WHERE account = ?")
private let ownNumber = SQL("SELECT value FROM meta WHERE name = 'discovery_key'")
// The next number is greater than all given before, including those that a database restored from a copy has forgotten:
// the minutes since 1970 are ahead of any number that grew by one for each lost friend.
private let nextNumber = SQL(
    """
    INSERT INTO meta (name, value) VALUES ('discovery_key', max(2, ?1))
    ON CONFLICT (name) DO UPDATE SET value = max(value + 1, ?1)
    """)

extension ReadTransaction {
    /// The keys of all contacts that have given us theirs.
    public func discoveryKeys() throws(StoreError) -> [DiscoveryKeyRow] {
        try connection.rows(all) { row throws(StoreError) in
            DiscoveryKeyRow(
                account: try account(row.integer(0)), number: UInt32(clamping: row.integer(1)),
                shared: row.optionalBytes(2) ?? [], pair: row.optionalBytes(3) ?? [],
                held: UInt32(clamping: row.integer(4)))
        }
    }

    /// The number of our own shared key. It grows when a contact that had the key is no friend any more.
    public func discoveryKeyNumber() throws(StoreError) -> UInt32 {
        UInt32(clamping: try connection.integer(ownNumber) ?? 1)
    }
}

extension WriteTransaction {
    /// Stores the keys that a contact gave us.
    /// - Returns: false if the account is not one that we want to recognise.
    public func save(_ row: DiscoveryKeyRow) throws(StoreError) -> Bool {
        // Any peer may send keys, so a stranger's account gets no number.
        guard let contact = try keys.number(of: row.account.key) else { return false }
        return try connection.run(
            keysUpdate, Int64(row.number), row.shared, row.pair, Int64(row.held), contact) == 1
    }

    /// Prepares for a contact's new relation. If a contact that had our key is no friend any more, our key gets a new
    /// number, and the contact's keys are removed.
    func keepDiscoveryKeys(of contact: Int64, as new: Relation) throws(StoreError) {
        let before = try connection.integer(relationOf, contact).flatMap { Relation(stored: $0) }
        guard let before, before != new else { return }
        if before.isGivenDiscoveryKeys, !new.isGivenDiscoveryKeys {
            try connection.run(nextNumber, wallTime.milliseconds / 60_000)
        }
        if new == .none || new == .blocked { try connection.run(keysRemoval, contact) }
    }
}
