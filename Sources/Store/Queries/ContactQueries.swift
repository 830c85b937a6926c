import Basics
import Vocabulary

private let columns = """
    c.account, c.device, c.display_name, c.alias, c.status_text, c.email, c.phone, c.relation, c.trust, c.note,
    c.last_seen, c.last_address, c.card, c.card_version, c.created_at, v.id,
    c.auto_download, c.avatar, c.namesake, c.trust_before,
    c.said, c.said_at, c.heard_at, c.heard_frame, c.own_request, c.their_request, c.asks, c.asks_since,
    c.refusal, c.refusal_detail, c.changed_at, c.request_source, c.asker
    """
/// The first column of the history.
private let historyColumn: Int32 = 20
private let changedAtColumn: Int32 = 30
private let sourceColumn: Int32 = 31
private let source = "contact AS c LEFT JOIN conversation AS v ON v.contact = c.account"
private let byAccount = SQL("SELECT \(columns) FROM \(source) WHERE c.account = ?")
private let all = SQL("SELECT \(columns) FROM \(source)")
private let byRelation = SQL("SELECT \(columns) FROM \(source) WHERE c.relation = ?")
private let nameOf = SQL("SELECT CASE alias WHEN '' THEN display_name ELSE alias END FROM contact WHERE account = ?")
private let names = SQL(
    """
    SELECT c.account, c.display_name, c.alias, c.relation, c.trust, c.named_at, v.id, c.refusal IS NOT NULL
    FROM contact AS c LEFT JOIN conversation AS v ON v.contact = c.account
    """)
private let contactUpdate = SQL(
    """
    INSERT INTO contact
        (account, device, display_name, alias, status_text, email, phone, relation, trust, note, last_seen,
        last_address, card, card_version, created_at, auto_download, avatar, namesake, trust_before, changed_at,
        named_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account) DO UPDATE SET
        named_at = CASE WHEN display_name = excluded.display_name THEN named_at ELSE excluded.named_at END,
        device = excluded.device, display_name = excluded.display_name, alias = excluded.alias,
        status_text = excluded.status_text, email = excluded.email, phone = excluded.phone,
        relation = excluded.relation, trust = excluded.trust, note = excluded.note, last_seen = excluded.last_seen,
        last_address = excluded.last_address, card = excluded.card, card_version = excluded.card_version,
        auto_download = excluded.auto_download, avatar = excluded.avatar, namesake = excluded.namesake,
        trust_before = excluded.trust_before, changed_at = excluded.changed_at
    """)
private let historyUpdate = SQL(
    """
    UPDATE contact SET said = ?, said_at = ?, heard_at = ?, heard_frame = ?, own_request = ?, their_request = ?, asks = ?,
        asks_since = ?, refusal = ?, refusal_detail = ?, request_source = ?, asker = ? WHERE account = ?
    """)
// Accounts about which we know only that they have asked. Contacts with any other data stay. In this order, the oldest
// ones of the source with the most such accounts come last.
private func strangers(_ which: String) -> String {
    """
    SELECT account FROM (
        SELECT c.account, c.created_at, row_number() OVER (
            PARTITION BY coalesce(c.request_source, c.account) ORDER BY c.created_at DESC, c.account) AS place
        FROM contact AS c
        WHERE \(which) AND c.said = 0 AND c.alias = '' AND c.refusal IS NULL AND c.trust = 0
            AND NOT EXISTS (SELECT 1 FROM conversation WHERE contact = c.account)
            AND NOT EXISTS (SELECT 1 FROM contact AS n WHERE n.namesake = c.account))
    ORDER BY place, created_at DESC, account LIMIT -1 OFFSET ?
    """
}
private let forgettable = SQL(strangers("c.relation = 0"))
private let evictable = SQL(strangers("c.relation = 2 AND c.asker = ? AND c.account <> ?"))
private let countOfAsker = SQL("SELECT count(*) FROM contact WHERE relation = 2 AND asker = ?")
private let countOfSource = SQL(
    "SELECT count(*) FROM contact WHERE relation IN (0, 2, 3) AND request_source = ? AND (relation = 2 OR created_at > ?)"
)
private let countByRelation = SQL("SELECT count(*) FROM contact WHERE relation = ?")
private let byNamesake = SQL("SELECT \(columns) FROM \(source) WHERE c.namesake = ? AND c.trust = 2")
private let sighting = SQL(
    "UPDATE contact SET last_seen = ?, device = ?, last_address = coalesce(?, last_address) WHERE account = ?")
private let avatars = SQL(
    """
    SELECT avatar FROM contact WHERE avatar IS NOT NULL UNION SELECT avatar FROM account WHERE avatar IS NOT NULL
    UNION SELECT avatar FROM group_chat WHERE avatar IS NOT NULL AND state < 4
    """)
private let groupsOf = SQL(
    """
    SELECT g.id FROM group_member AS m JOIN group_chat AS g ON g.number = m.chat
    WHERE m.account = ? AND m.present = 1 AND g.state < 4
    """)
private let removal = SQL("DELETE FROM contact WHERE account = ?")
private let devicesByAccount = SQL("SELECT device, account, last_seen, address FROM device WHERE account = ?")
private let deviceUpdate = SQL(
    """
    INSERT INTO device (device, account, last_seen, address) VALUES (?, ?, ?, ?)
    ON CONFLICT (device) DO UPDATE SET
        account = excluded.account, last_seen = excluded.last_seen, address = coalesce(excluded.address, address)
    """)

extension ReadTransaction {
    /// A contact by its account.
    public func contact(_ account: AccountID) throws(StoreError) -> ContactRow? {
        guard let number = try keys.number(of: account.key) else { return nil }
        return try connection.first(byAccount, number, read: contactRow)
    }

    /// All contacts, or those of one relation, in no order: the caller decides how names sort.
    public func contacts(_ relation: Relation? = nil) throws(StoreError) -> [ContactRow] {
        guard let relation else { return try connection.rows(all, read: contactRow) }
        return try connection.rows(byRelation, relation, read: contactRow)
    }

    /// The names of all contacts, in no order: only the columns needed to find one of many.
    public func contactNames() throws(StoreError) -> [ContactNameRow] {
        try connection.rows(names) { row throws(StoreError) in
            ContactNameRow(
                account: try account(row.integer(0)), displayName: row.text(1), alias: row.text(2),
                relation: try row.enumeration(3), trust: try row.enumeration(4), namedAt: row.time(5),
                conversation: try row.optionalIdentifier(6), isRefused: row.flag(7))
        }
    }

    /// The digests of all avatars that are shown: our own, the contacts' and the groups'.
    public func avatarsInUse() throws(StoreError) -> Set<[UInt8]> {
        Set(try connection.rows(avatars) { row in row.optionalBytes(0) ?? [] })
    }

    /// The number of contacts with a relation.
    public func contactCount(_ relation: Relation) throws(StoreError) -> Int64 {
        try connection.integer(countByRelation, relation) ?? 0
    }

    /// The number of accounts of a source whose request waits for an answer or that have become known since this time.
    public func askerCount(of source: String, since time: WallTime) throws(StoreError) -> Int64 {
        try connection.integer(countOfSource, source, time) ?? 0
    }

    /// Contacts whose key is ``ContactRow/Trust/changed`` because this account came under their name.
    public func contacts(changedTo account: AccountID) throws(StoreError) -> [ContactRow] {
        guard let number = try keys.number(of: account.key) else { return [] }
        return try connection.rows(byNamesake, number, read: contactRow)
    }

    /// All devices of an account that were met.
    public func devices(of account: AccountID) throws(StoreError) -> [DeviceRow] {
        guard let number = try keys.number(of: account.key) else { return [] }
        return try connection.rows(devicesByAccount, number, read: deviceRow)
    }

    private func contactRow(_ row: StoredRow) throws(StoreError) -> ContactRow {
        var value = ContactRow(
            account: try account(row.integer(0)), device: try optionalDevice(row.optionalInteger(1)),
            displayName: row.text(2), alias: row.text(3), statusText: row.text(4), email: row.optionalText(5),
            phone: row.optionalText(6), relation: try row.enumeration(7), trust: try row.enumeration(8),
            note: row.text(9), autoDownload: try row.enumeration(16), lastSeen: row.optionalTime(10),
            lastAddress: row.optionalText(11),
            card: row.optionalBytes(12), cardVersion: row.integer(13), avatar: row.optionalBytes(17),
            createdAt: row.time(14))
        value.conversation = try row.optionalIdentifier(15)
        value.namesake = try optionalAccount(row.optionalInteger(18))
        value.trustBefore = try row.enumeration(19)
        value.changedAt = row.optionalTime(changedAtColumn)
        value.history = try history(row)
        value.requestSource = row.optionalText(sourceColumn)
        value.asker = Asker(rawValue: row.integer(sourceColumn + 1)) ?? .faraway
        return value
    }

    private func history(_ row: StoredRow) throws(StoreError) -> ContactHistory {
        let first = historyColumn
        var history = ContactHistory()
        history.said = ContactWord(stored: row.integer(first)) ?? .nothing
        history.saidAt = row.hybridTime(first + 1)
        history.heardAt = row.hybridTime(first + 2)
        history.heardFrame = try row.optionalIdentifier(first + 3)
        history.request = try row.optionalIdentifier(first + 4)
        history.theirRequest = try row.optionalIdentifier(first + 5)
        history.asks = row.integer(first + 6)
        history.asksSince = row.time(first + 7)
        history.refusal = row.optionalReason(first + 8)
        history.refusalDetail = row.optionalText(first + 9)
        return history
    }

    private func deviceRow(_ row: StoredRow) throws(StoreError) -> DeviceRow {
        DeviceRow(
            device: try device(row.integer(0)), account: try account(row.integer(1)), lastSeen: row.time(2),
            address: row.optionalText(3))
    }
}

extension WriteTransaction {
    /// Stores a contact: makes it or replaces all but `createdAt` and `conversation`.
    public func save(_ row: ContactRow) throws(StoreError) {
        let number = try number(row.account)
        let name = try connection.first(nameOf, number) { $0.text(0) }
        try keepDiscoveryKeys(of: number, as: row.relation)
        try connection.run(
            contactUpdate, number, try self.number(row.device), row.displayName, row.alias, row.statusText, row.email,
            row.phone, row.relation, row.trust, row.note, row.lastSeen, row.lastAddress, row.card, row.cardVersion,
            row.createdAt, row.autoDownload, row.avatar, try self.number(row.namesake), row.trustBefore,
            row.changedAt, wallTime)
        let history = row.history
        try connection.run(
            historyUpdate, history.said, history.saidAt, history.heardAt, history.heardFrame, history.request,
            history.theirRequest, history.asks, history.asksSince, history.refusal, history.refusalDetail,
            row.requestSource, row.asker.rawValue, number)
        changed(.contact(row.account), name == nil ? .insert : .update)
        if name != (row.alias.isEmpty ? row.displayName : row.alias) { try nameChanged(of: number) }
    }

    /// Groups show their members by the names that they have here, so they change with a name.
    private func nameChanged(of account: Int64) throws(StoreError) {
        let groups = try connection.rows(groupsOf, account) { row throws(StoreError) in try row.identifier(0) }
        for group in groups { changed(.group(group), .update, for: .clients) }
    }

    /// Notes when and where a contact was met. Makes no event: presence has its own, and this happens in every session.
    /// - Returns: false if there is no such contact.
    @discardableResult
    public func noteSeen(
        _ account: AccountID, device: DeviceID, at time: WallTime, address: String?
    ) throws(StoreError) -> Bool {
        let number = try number(account)
        guard try connection.run(sighting, time, try self.number(device), address, number) == 1 else { return false }
        changed(.contact(account), .update, for: .shells)
        return true
    }

    /// Forgets waiting requests of one sort until no more than `count` are left. The source with the most loses its
    /// oldest first. An account about which anything else is known stays.
    /// - Parameter new: the account that has just asked, which stays.
    /// - Returns: the forgotten accounts.
    @discardableResult
    public func forgetRequests(of asker: Asker, beyond count: Int, but new: AccountID) throws(StoreError) -> [AccountID]
    {
        guard count > 0, try connection.integer(countOfAsker, asker.rawValue) ?? 0 > Int64(count) else { return [] }
        let accounts = try connection.rows(evictable, asker.rawValue, try number(new), Int64(count) - 1) {
            row throws(StoreError) in try account(row.integer(0))
        }
        for account in accounts { try removeContact(account) }
        return accounts
    }

    /// Forgets contacts that asked once and about which nothing else is known, until `count` of them are left. The
    /// oldest of the source with the most go first. A stranger can ask with a new key each time, so the number of such
    /// contacts needs a limit.
    /// - Returns: the forgotten accounts.
    @discardableResult
    public func forgetStrangers(beyond count: Int) throws(StoreError) -> [AccountID] {
        // There are never more of them than contacts without a relation, and an index counts those.
        guard try contactCount(.none) > Int64(count) else { return [] }
        let accounts = try connection.rows(forgettable, Int64(count)) { row throws(StoreError) in
            try account(row.integer(0))
        }
        for account in accounts { try removeContact(account) }
        return accounts
    }

    /// Removes a contact; its conversation and messages stay.
    /// - Returns: false if there was none.
    @discardableResult
    public func removeContact(_ account: AccountID) throws(StoreError) -> Bool {
        let number = try number(account)
        try keepDiscoveryKeys(of: number, as: .none)
        guard try connection.run(removal, number) == 1 else { return false }
        changed(.contact(account), .delete)
        try nameChanged(of: number)
        return true
    }

    /// Stores a device or replaces what is known of it. The stored address stays if the row has none.
    public func save(_ row: DeviceRow) throws(StoreError) {
        try connection.run(
            deviceUpdate, try number(row.device), try number(row.account), row.lastSeen, row.address)
    }
}
