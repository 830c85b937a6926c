import Basics

private let load = SQL(
    """
    SELECT account, device, device_name, display_name, status_text, email, phone, card_version, created_at, avatar, presence
    FROM account WHERE one = 1
    """)
private let accountUpdate = SQL(
    """
    INSERT INTO account
        (one, account, device, device_name, display_name, status_text, email, phone, card_version, created_at, avatar,
        presence)
    VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (one) DO UPDATE SET
        account = excluded.account, device = excluded.device, device_name = excluded.device_name,
        display_name = excluded.display_name, status_text = excluded.status_text, email = excluded.email,
        phone = excluded.phone, card_version = excluded.card_version, created_at = excluded.created_at,
        avatar = excluded.avatar, presence = excluded.presence
    """)
private let incarnation = SQL(
    """
    INSERT INTO meta (name, value) VALUES ('incarnation', max(1, ?1))
    ON CONFLICT (name) DO UPDATE SET value = max(value + 1, ?1) RETURNING value
    """)
extension ReadTransaction {
    /// This daemon's own account; nil before it is made.
    public func ownAccount() throws(StoreError) -> AccountRow? {
        try connection.first(load) { row throws(StoreError) in
            AccountRow(
                account: try self.account(row.integer(0)), device: try self.device(row.integer(1)),
                deviceName: row.text(2), displayName: row.text(3), statusText: row.text(4),
                email: row.optionalText(5), phone: row.optionalText(6), avatar: row.optionalBytes(9),
                isAway: row.flag(10), cardVersion: row.integer(7), createdAt: row.time(8))
        }
    }
}

extension WriteTransaction {
    /// Stores the own account: makes it or replaces it as a whole.
    public func saveOwnAccount(_ row: AccountRow) throws(StoreError) {
        let isNew = try ownAccount() == nil
        try connection.run(
            accountUpdate, try number(row.account), try number(row.device), row.deviceName, row.displayName,
            row.statusText, row.email, row.phone, row.cardVersion, row.createdAt, row.avatar, row.isAway)
        changed(.account, isNew ? .insert : .update)
    }

    /// The number of this start of the daemon, greater than that of the last start. The first is 1.
    ///
    /// It is at least the seconds since 1970: peers believe nothing older, and our data may be an older copy.
    public func nextIncarnation() throws(StoreError) -> UInt32 {
        let least = min(max(0, wallTime.milliseconds / 1000), StoreLimits.leastIncarnation)
        return UInt32(truncatingIfNeeded: try connection.integer(incarnation, least) ?? 1)
    }
}
