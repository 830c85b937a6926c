import Basics

private let insertion = SQL(
    """
    INSERT INTO group_chat
        (id, root, name, description, logo, avatar, history, heads, entries, own_role, state, added_by, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """)
private let change = SQL(
    """
    UPDATE group_chat SET name = ?, description = ?, logo = ?, avatar = ?, history = ?, heads = ?, entries = ?,
        own_role = ?, state = ?, added_by = ?
    WHERE number = ?
    """)
private let titling = SQL("UPDATE conversation SET title = ?1 WHERE group_id = ?2 AND title <> ?1 RETURNING id")
private let memberUpdate = SQL(
    """
    INSERT INTO group_member (chat, account, role, name, added_by, joined_at, present) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (chat, account) DO UPDATE SET
        role = excluded.role, name = excluded.name, added_by = excluded.added_by, joined_at = excluded.joined_at,
        present = excluded.present
    """)
private let departure = SQL("UPDATE group_member SET present = 0 WHERE chat = ? AND account = ?")
private let deviceUpdate = SQL(
    """
    INSERT INTO group_device (chat, device, account) VALUES (?, ?, ?)
    ON CONFLICT (chat, device) DO UPDATE SET account = excluded.account WHERE account <> excluded.account
    """)
private let entryInsertion = SQL(
    "INSERT INTO group_entry (chat, hash, bytes) VALUES (?, ?, ?) ON CONFLICT (chat, hash) DO NOTHING")
private let growth = SQL("UPDATE group_chat SET bytes = bytes + ? WHERE number = ?")
private let giverOf = SQL("SELECT giver FROM group_chat WHERE id = ? AND state < 4")
private let giving = SQL("UPDATE group_chat SET giver = ? WHERE number = ?")
// A group costs room for its conversation and rows, however short its membership is.
private let load = SQL(
    """
    SELECT coalesce(sum(max(bytes, ?1)), 0) FROM group_chat
    WHERE state < 4 AND CASE WHEN ?2 IS NULL THEN state = 0 ELSE giver = ?2 END AND id <> ?3
    """)
private let loadUnconfirmed = SQL(
    """
    SELECT count(*), coalesce(sum(bytes), 0),
        coalesce(sum((SELECT count(*) FROM group_member AS m WHERE m.chat = g.number)), 0)
    FROM group_chat AS g WHERE g.giver = ? AND g.confirmed = 0 AND g.state < 4 AND g.id <> ?
    """)
private let giverUnconfirmed = SQL("SELECT giver FROM group_chat WHERE number = ? AND confirmed = 0")
private let confirming = SQL("UPDATE group_chat SET confirmed = 1 WHERE number = ? AND confirmed = 0")
private let memberRowsOf = SQL("SELECT count(*) FROM group_member WHERE chat = ?")
private let hasEntry = SQL("SELECT 1 FROM group_entry WHERE chat = ? AND hash = ?")
private let entriesOf = SQL("SELECT hash, bytes FROM group_entry WHERE chat = ? ORDER BY number")
private let entryByHash = SQL("SELECT bytes FROM group_entry WHERE chat = ? AND hash = ?")
private let forgetting = SQL("UPDATE group_chat SET state = 4, heads = x'' WHERE number = ?")
private let forgotten = SQL("SELECT number FROM group_chat WHERE state = 4 LIMIT 1")
private let forgottenByName = SQL("SELECT number FROM group_chat WHERE (id = ? OR root = ?) AND state = 4")
private let someOfLog = SQL(
    "DELETE FROM log_entry WHERE number IN (SELECT number FROM log_entry WHERE chat = ? LIMIT ?)")
private let removal = SQL("DELETE FROM group_chat WHERE number = ?")
private let unsent = SQL("DELETE FROM outbox WHERE chat = ?")

extension ReadTransaction {
    /// The membership entries of a group, parents first. After a start the graph is made from them.
    public func membershipEntries(of group: UUIDv7) throws(StoreError) -> [GroupEntryRow] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(entriesOf, number) { GroupEntryRow(hash: $0.bytes(0), bytes: $0.bytes(1)) }
    }

    /// One membership entry in its wire form.
    public func membershipEntry(_ hash: [UInt8], of group: UUIDv7) throws(StoreError) -> [UInt8]? {
        guard let number = try groupNumber(group) else { return nil }
        return try connection.first(entryByHash, number, hash) { $0.bytes(0) }
    }

    /// The membership bytes of all groups that a friend has introduced; without a friend, of all groups that are
    /// arriving. `group` itself doesn't count.
    /// - Parameter least: the least bytes that each group counts.
    public func groupLoad(
        of giver: AccountID?, but group: UUIDv7, countingAtLeast least: Int
    ) throws(StoreError) -> Int {
        var number: Int64?
        if let giver {
            guard let key = try keys.number(of: giver.key) else { return 0 }
            number = key
        }
        return Int(clamping: try connection.integer(load, Int64(least), number, group) ?? 0)
    }

    /// The friend who introduced a group; nil for a group that we made.
    public func giver(of group: UUIDv7) throws(StoreError) -> AccountID? {
        try connection.first(giverOf, group) { row throws(StoreError) in
            try optionalAccount(row.optionalInteger(0))
        } ?? nil
    }

    /// Whether a membership entry is here.
    public func hasMembershipEntry(_ hash: [UInt8], of group: UUIDv7) throws(StoreError) -> Bool {
        guard let number = try groupNumber(group) else { return false }
        return try connection.integer(hasEntry, number, hash) != nil
    }

    /// The load of the groups that a friend has introduced and nobody else has confirmed, except `group`: their number,
    /// the bytes of their memberships, and their present and former members.
    public func unconfirmedLoad(
        of giver: AccountID, but group: UUIDv7?
    ) throws(StoreError) -> (groups: Int, bytes: Int, members: Int) {
        guard let key = try keys.number(of: giver.key) else { return (0, 0, 0) }
        return try connection.first(loadUnconfirmed, key, group?.bytes ?? []) {
            (Int(clamping: $0.integer(0)), Int(clamping: $0.integer(1)), Int(clamping: $0.integer(2)))
        } ?? (0, 0, 0)
    }

    /// The friend who alone has told us of a group; nil for a group that somebody else has confirmed or that we made.
    public func unconfirmedGiver(of group: UUIDv7) throws(StoreError) -> AccountID? {
        guard let number = try groupNumber(group) else { return nil }
        return try connection.first(giverUnconfirmed, number) { row throws(StoreError) in
            try optionalAccount(row.optionalInteger(0))
        } ?? nil
    }

    /// How many present and former members of a group are here.
    public func memberRows(of group: UUIDv7) throws(StoreError) -> Int {
        guard let number = try groupNumber(group) else { return 0 }
        return Int(clamping: try connection.integer(memberRowsOf, number) ?? 0)
    }

    /// A group with its people.
    public func whole(_ row: GroupRow) throws(StoreError) -> WholeGroup {
        WholeGroup(
            row: row, members: try members(of: row.id, former: true), devices: try devices(ofGroup: row.id),
            unconfirmedGiver: try unconfirmedGiver(of: row.id))
    }

    /// Whether there is a group for ``WriteTransaction/removeForgotten(limit:)``.
    public func hasForgottenGroups() throws(StoreError) -> Bool { try connection.integer(forgotten) != nil }
}

extension WriteTransaction {
    /// Stores a new group. ``openConversation(of:newID:)`` makes its conversation.
    /// - Throws: ``StoreError/constraint(detail:)`` if its id or its root is taken.
    public func insert(_ row: GroupRow) throws(StoreError) {
        // It may be a group that was left and forgotten, and to which another member has added us again.
        if let number = try connection.integer(forgottenByName, row.id, row.root) {
            try connection.run(removal, number)
        }
        try connection.run(
            insertion, row.id, row.root, row.name, row.description, row.avatar, row.shownAvatar, row.history,
            Array(row.heads.joined()), row.entries, row.ownRole, row.state, try number(row.addedBy), row.createdAt)
        chats.remember(row.id, connection.lastInsertedRow)
        changed(.group(row.id), .insert)
    }

    /// Stores all of a group but its id, root, `createdAt` and `conversation`. Its conversation gets the group's name.
    /// - Throws: ``StoreError/missing(_:)``.
    public func update(_ row: GroupRow) throws(StoreError) {
        let number = try knownGroupNumber(row.id)
        try connection.run(
            change, row.name, row.description, row.avatar, row.shownAvatar, row.history, Array(row.heads.joined()),
            row.entries, row.ownRole, row.state, try self.number(row.addedBy), number)
        let titled = try connection.rows(titling, row.name, row.id) { found throws(StoreError) in
            try found.identifier(0)
        }
        for conversation in titled { changed(.conversation(conversation), .update) }
        changed(.group(row.id), .update)
    }

    /// The conversation of a group, made if there is none.
    /// - Parameter id: the id for a new conversation.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown group.
    public func openConversation(of group: UUIDv7, newID id: UUIDv7) throws(StoreError) -> ConversationRow {
        if let conversation = try conversation(of: group) { return conversation }
        guard let chat = try self.group(group) else { throw .missing(.group(group)) }
        let row = ConversationRow(id: id, kind: .group, group: group, title: chat.name, updatedAt: wallTime)
        try insert(row)
        return row
    }

    /// Sets the members of a group. Members that are not named stay as former members. Only differences are written.
    /// - Parameter devices: all devices that the group knows; one that is not named stays.
    public func setMembers(
        of group: UUIDv7, to members: [GroupMemberRow], devices: [GroupDeviceRow]
    ) throws(StoreError) {
        let number = try knownGroupNumber(group)
        var before: [AccountID: GroupMemberRow] = [:]
        for member in try self.members(of: group, former: true) { before[member.account] = member }
        var isChanged = false
        for member in members {
            let old = before.removeValue(forKey: member.account)
            var member = member
            member.hasForked = old?.hasForked ?? false
            guard member != old else { continue }
            isChanged = true
            try connection.run(
                memberUpdate, number, try self.number(member.account), member.role, member.name,
                try self.number(member.addedBy), member.joinedAt, member.isPresent)
        }
        for (account, _) in before.filter(\.value.isPresent) {
            isChanged = true
            try connection.run(departure, number, try self.number(account))
        }
        for row in devices {
            try connection.run(deviceUpdate, number, try self.number(row.device), try self.number(row.account))
        }
        if isChanged { changed(.group(group), .update) }
    }

    /// Appends membership entries to those of the group, parents first. An entry that is here stays as it is.
    /// - Returns: the number of new entries.
    @discardableResult
    public func append(_ entries: [GroupEntryRow], to group: UUIDv7) throws(StoreError) -> Int {
        let number = try knownGroupNumber(group)
        var count = 0
        var bytes = 0
        for entry in entries where try connection.run(entryInsertion, number, entry.hash, entry.bytes) > 0 {
            count += 1
            bytes += entry.bytes.count
        }
        try connection.run(growth, Int64(bytes), number)
        return count
    }

    /// Stores which friend introduced a group.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown group.
    public func note(giver account: AccountID, of group: UUIDv7) throws(StoreError) {
        try connection.run(giving, try number(account), try knownGroupNumber(group))
        changed(.group(group), .update, for: .shells)
    }

    /// Notes that the user, or a friend other than the one who introduced the group, has taken part in it.
    public func confirm(group id: UUIDv7) throws(StoreError) {
        guard let number = try groupNumber(id), try connection.run(confirming, number) == 1 else { return }
        changed(.group(id), .update, for: .shells)
    }

    /// Takes a group out of sight at once, with everything in it that waits to be sent. ``removeForgotten(limit:)``
    /// removes the rows. Its conversation stays.
    /// - Returns: false if there is no group with that id.
    @discardableResult
    public func forget(group id: UUIDv7) throws(StoreError) -> Bool {
        guard let number = try groupNumber(id) else { return false }
        try connection.run(unsent, number)
        try dropLogDrafts(ofChat: number)
        try connection.run(forgetting, number)
        chats.forget()
        changed(.group(id), .delete)
        marks.hasDeletions = true
        return true
    }

    /// Removes the next rows of forgotten groups, and in the end those groups.
    /// - Returns: whether there is more to do.
    public func removeForgotten(limit: Int) throws(StoreError) -> Bool {
        guard let number = try connection.integer(forgotten) else { return false }
        if try connection.run(someOfLog, number, Int64(limit)) < limit { try connection.run(removal, number) }
        marks.hasDeletions = true
        return try hasForgottenGroups()
    }
}
