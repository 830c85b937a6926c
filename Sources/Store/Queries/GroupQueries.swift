import Basics
import Vocabulary

private let columns = """
    g.id, g.root, g.name, g.description, g.logo, g.avatar, g.history, g.heads, g.entries, g.own_role, g.state,
    g.added_by, g.created_at, c.id
    """
private let source = "group_chat AS g LEFT JOIN conversation AS c ON c.group_id = g.id"
private let byID = SQL("SELECT \(columns) FROM \(source) WHERE g.id = ? AND g.state < 4")
private let byRoot = SQL("SELECT \(columns) FROM \(source) WHERE g.root = ? AND g.state < 4")
private let all = SQL("SELECT \(columns) FROM \(source) WHERE g.state < 4 ORDER BY g.number")
private let conversationOf = SQL("SELECT id FROM conversation WHERE group_id = ?")
private let groupOf = SQL("SELECT group_id FROM conversation WHERE id = ? AND archived < 2")
// A member has forked if a proof names one of the member's devices.
private let memberColumns = """
    m.account, m.role, m.name, m.added_by, m.joined_at, m.present, EXISTS (
        SELECT 1 FROM log_fork AS f JOIN group_device AS d ON d.chat = f.chat AND d.device = f.device
        WHERE f.chat = m.chat AND d.account = m.account)
    """
private let membersOf = SQL(
    """
    SELECT \(memberColumns) FROM group_member AS m WHERE m.chat = ? AND m.present >= ?
    ORDER BY m.present DESC, m.role DESC, m.joined_at, m.account
    """)
private let presentCount = SQL(
    "SELECT count(*) FROM group_member AS m JOIN group_chat AS g ON g.number = m.chat WHERE g.id = ? AND m.present = 1")
private let memberByAccount = SQL(
    "SELECT \(memberColumns) FROM group_member AS m WHERE m.chat = ? AND m.account = ?")
private let devicesOf = SQL("SELECT device, account FROM group_device WHERE chat = ?")
private let ownerOfDevice = SQL("SELECT account FROM group_device WHERE chat = ? AND device = ?")

extension ReadTransaction {
    /// The number of members of a group.
    public func memberCount(of group: UUIDv7) throws(StoreError) -> Int {
        Int(clamping: try connection.integer(presentCount, group) ?? 0)
    }

    /// A group by its id.
    public func group(_ id: UUIDv7) throws(StoreError) -> GroupRow? {
        try connection.first(byID, id, read: groupRow)
    }

    /// A group by the hash of the entry that created it, as frames name it.
    public func group(root: [UInt8]) throws(StoreError) -> GroupRow? {
        try connection.first(byRoot, root, read: groupRow)
    }

    /// All groups in the order in which they came here, including those that this account has left.
    public func groups() throws(StoreError) -> [GroupRow] { try connection.rows(all, read: groupRow) }

    /// The conversation of a group; nil if it was deleted, or never opened.
    public func conversation(of group: UUIDv7) throws(StoreError) -> ConversationRow? {
        let id = try connection.first(conversationOf, group) { row throws(StoreError) in try row.identifier(0) }
        return try id.flatMap { id throws(StoreError) in try conversation(id) }
    }

    /// The group that a conversation belongs to.
    public func group(ofConversation id: UUIDv7) throws(StoreError) -> UUIDv7? {
        try connection.first(groupOf, id) { row throws(StoreError) in try row.optionalIdentifier(0) } ?? nil
    }

    /// The members of a group: owners first, then admins, in the order of joining.
    /// - Parameter former: whether former members follow.
    public func members(of group: UUIDv7, former: Bool = false) throws(StoreError) -> [GroupMemberRow] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(membersOf, number, !former, read: memberRow)
    }

    /// A present or former member of a group; nil for others.
    public func member(_ account: AccountID, of group: UUIDv7) throws(StoreError) -> GroupMemberRow? {
        guard let number = try groupNumber(group), let key = try keys.number(of: account.key) else { return nil }
        return try connection.first(memberByAccount, number, key, read: memberRow)
    }

    /// The devices that a group knows, including those of former members; in no order.
    public func devices(ofGroup group: UUIDv7) throws(StoreError) -> [GroupDeviceRow] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(devicesOf, number) { row throws(StoreError) in
            GroupDeviceRow(device: try device(row.integer(0)), account: try account(row.integer(1)))
        }
    }

    /// The account of a device that a group knows; nil for others.
    public func account(of device: DeviceID, in group: UUIDv7) throws(StoreError) -> AccountID? {
        guard let number = try groupNumber(group), let key = try keys.number(of: device.key) else { return nil }
        return try optionalAccount(try connection.integer(ownerOfDevice, number, key))
    }

    private func groupRow(_ row: StoredRow) throws(StoreError) -> GroupRow {
        var value = GroupRow(
            id: try row.identifier(0), root: row.bytes(1), name: row.text(2), description: row.text(3),
            avatar: row.optionalBytes(4), shownAvatar: row.optionalBytes(5), history: row.integer(6),
            heads: try hashes(row.bytes(7)), entries: row.integer(8),
            ownRole: row.isNull(9) ? nil : try row.enumeration(9) as GroupRole, state: try row.enumeration(10),
            addedBy: try optionalAccount(row.optionalInteger(11)), createdAt: row.time(12))
        value.conversation = try row.optionalIdentifier(13)
        return value
    }

    private func memberRow(_ row: StoredRow) throws(StoreError) -> GroupMemberRow {
        var value = GroupMemberRow(
            account: try account(row.integer(0)), role: try row.enumeration(1), name: row.text(2),
            addedBy: try account(row.integer(3)), joinedAt: row.time(4), isPresent: row.flag(5))
        value.hasForked = row.flag(6)
        return value
    }
}
