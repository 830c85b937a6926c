import Basics
import Vocabulary

private let topPlace = SQL("SELECT max(sequence) FROM log_entry WHERE chat = ? AND device = ?")
private let deliveredPlace = SQL(
    "SELECT max(sequence) FROM log_entry WHERE chat = ? AND device = ? AND state = 1")
private let unproven = SQL(
    """
    SELECT count(*) FROM log_entry AS e WHERE e.chat = ? AND e.state = 0
        AND EXISTS (SELECT 1 FROM log_wait AS w WHERE w.entry = e.number AND w.device IS NULL)
    """)
private let heldSince = SQL(
    """
    SELECT e.hash, EXISTS (SELECT 1 FROM log_wait AS w WHERE w.entry = e.number AND w.device IS NULL)
    FROM log_entry AS e WHERE e.chat = ? AND e.state = 0 AND e.came_at < ? ORDER BY e.came_at LIMIT ?
    """)
private let numberByHash = SQL(
    "SELECT device, sequence, hash, delivered FROM log_entry WHERE chat = ? AND hash = ? AND delivered IS NOT NULL")
private let lacking = SQL(
    """
    SELECT hash FROM log_entry WHERE chat = ? AND content IS NULL AND is_unwanted = 0 AND delivered IS NOT NULL
    ORDER BY delivered DESC LIMIT ?
    """)
private let heldOfDevice = SQL("SELECT count(*) FROM log_entry WHERE chat = ? AND device = ? AND state = 0")
private let ends = SQL(
    "SELECT device, sequence, hash FROM log_entry WHERE chat = ? AND is_end = 1")
private let edge = SQL(
    """
    SELECT device, sequence, hash FROM log_entry WHERE chat = ? AND is_edge = 1
    ORDER BY hlc DESC, hash LIMIT ?
    """)
private let missingEntries = SQL(
    """
    SELECT DISTINCT w.device, w.sequence, w.hash FROM log_wait AS w
    WHERE w.chat = ?1 AND w.device IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM log_entry AS e WHERE e.chat = ?1 AND e.hash = w.hash)
    ORDER BY w.entry LIMIT ?2
    """)
private let missingInRange = SQL(
    """
    SELECT DISTINCT w.device, w.sequence, w.hash FROM log_wait AS w
    WHERE w.chat = ?1 AND w.device = ?2 AND w.sequence >= ?3 AND w.sequence <= ?4
        AND NOT EXISTS (SELECT 1 FROM log_entry AS e WHERE e.chat = ?1 AND e.hash = w.hash)
    LIMIT ?5
    """)
private let awaitedMembership = SQL(
    "SELECT DISTINCT hash FROM log_wait WHERE chat = ? AND device IS NULL")
private let absence = SQL("SELECT in_chain FROM log_absent WHERE chat = ? AND hash = ?")
private let absences = SQL(
    """
    SELECT a.device, a.sequence, a.hash FROM log_absent AS a
    WHERE a.chat = ?1 AND NOT EXISTS (SELECT 1 FROM log_entry AS e WHERE e.chat = ?1 AND e.hash = a.hash)
    ORDER BY a.number DESC LIMIT ?2
    """)
private let leastNumber = SQL(
    """
    SELECT min(delivered) FROM log_entry
    WHERE chat = ? AND device = ? AND sequence >= ? AND sequence <= ? AND state = 1
    """)
private let fromNumber = SQL(
    """
    SELECT device, sequence, hash, delivered FROM log_entry WHERE chat = ? AND delivered >= ?
    ORDER BY delivered LIMIT ?
    """)
private let lastMessages = SQL(
    """
    SELECT device, sequence, hash FROM log_entry WHERE chat = ? AND delivered IS NOT NULL AND kind = 1
    ORDER BY delivered DESC LIMIT ?
    """)
private let isUnwanted = SQL("SELECT is_unwanted FROM log_entry WHERE chat = ? AND hash = ?")
private let endMark = SQL("UPDATE log_entry SET is_end = ? WHERE chat = ? AND hash = ?")
private let edgeMark = SQL("UPDATE log_entry SET is_edge = ? WHERE chat = ? AND hash = ?")
private let absenceInsertion = SQL(
    """
    INSERT INTO log_absent (chat, hash, device, sequence, in_chain) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (chat, hash) DO UPDATE SET in_chain = in_chain OR excluded.in_chain
    """)
private let absenceRemoval = SQL("DELETE FROM log_absent WHERE chat = ? AND hash = ?")

/// The order in which a log was delivered here, its ends and its gaps. Two members compare them to find what one of
/// them lacks.
extension ReadTransaction {
    /// The last place of a device's chain that is here, held or delivered; 0 if there is none.
    public func lastLogPlace(of device: DeviceID, in group: UUIDv7) throws(StoreError) -> UInt64 {
        guard let chat = try groupNumber(group), let key = try keys.number(of: device.key) else { return 0 }
        return UInt64(clamping: try connection.integer(topPlace, chat, key) ?? 0)
    }

    /// The last place of a device's chain that is delivered; 0 if there is none.
    public func lastDeliveredPlace(of device: DeviceID, in group: UUIDv7) throws(StoreError) -> UInt64 {
        guard let chat = try groupNumber(group), let key = try keys.number(of: device.key) else { return 0 }
        return UInt64(clamping: try connection.integer(deliveredPlace, chat, key) ?? 0)
    }

    /// The number of held entries that wait for a membership entry.
    public func unprovenCount(of group: UUIDv7) throws(StoreError) -> Int {
        guard let chat = try groupNumber(group) else { return 0 }
        return Int(clamping: try connection.integer(unproven, chat) ?? 0)
    }

    /// Entries held since before a moment, and whether they wait for a membership entry; the oldest first.
    public func heldLogEntries(
        of group: UUIDv7, since moment: WallTime, limit: Int
    ) throws(StoreError) -> [(hash: EntryHash, isUnproven: Bool)] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(heldSince, chat, moment, Int64(limit)) { row throws(StoreError) in
            (try row.hash(0), row.flag(1))
        }
    }

    /// The number of an entry in the order of delivery; nil unless it is delivered.
    public func deliveredLogEntry(
        _ hash: EntryHash, of group: UUIDv7
    ) throws(StoreError) -> LogSlot? {
        guard let chat = try groupNumber(group) else { return nil }
        return try connection.first(numberByHash, chat, hash) { row throws(StoreError) in
            LogSlot(number: row.integer(3), reference: try logPlaceRow(row))
        }
    }

    /// Delivered entries that came without their content and may have it; the last delivered ones first.
    public func logEntriesLackingContent(of group: UUIDv7, limit: Int) throws(StoreError) -> [EntryHash] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(lacking, chat, Int64(limit)) { row throws(StoreError) in try row.hash(0) }
    }

    /// The number of held entries of one device.
    public func heldCount(of device: DeviceID, in group: UUIDv7) throws(StoreError) -> Int {
        guard let chat = try groupNumber(group), let key = try keys.number(of: device.key) else { return 0 }
        return Int(clamping: try connection.integer(heldOfDevice, chat, key) ?? 0)
    }

    /// Delivered entries that no delivered entry of their chain follows, in no order.
    public func logEnds(of group: UUIDv7) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(ends, chat, read: logPlaceRow)
    }

    /// Delivered entries to which no delivered entry refers, the latest first.
    public func logEdge(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(edge, chat, Int64(limit), read: logPlaceRow)
    }

    /// Entries that held entries wait for and that are not here at all; each once.
    public func missingLogEntries(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(missingEntries, chat, Int64(limit), read: logPlaceRow)
    }

    /// The ones of ``missingLogEntries(of:limit:)`` that lie in a piece of a chain.
    public func missingLogEntries(
        in range: LogRange, of group: UUIDv7, limit: Int
    ) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group), let key = try keys.number(of: range.device.key) else { return [] }
        return try connection.rows(
            missingInRange, chat, key, Int64(clamping: range.from), Int64(clamping: range.to), Int64(limit),
            read: logPlaceRow)
    }

    /// Membership entries that held entries wait for; each once.
    public func missingMembership(of group: UUIDv7) throws(StoreError) -> [EntryHash] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(awaitedMembership, chat) { row throws(StoreError) in try row.hash(0) }
    }

    /// Nil if no delivered entry refers to this undelivered one; otherwise whether one of its own chain does.
    public func isLogEntryAbsent(_ hash: EntryHash, of group: UUIDv7) throws(StoreError) -> Bool? {
        guard let chat = try groupNumber(group) else { return nil }
        return try connection.first(absence, chat, hash) { $0.flag(0) }
    }

    /// Entries that delivered entries refer to and that are not here at all; the last noted ones first.
    public func absentLogEntries(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(absences, chat, Int64(limit), read: logPlaceRow)
    }

    /// The least number in the order of delivery of the entries in a piece of a chain.
    public func firstDelivered(in range: LogRange, of group: UUIDv7) throws(StoreError) -> Int64? {
        guard let chat = try groupNumber(group), let key = try keys.number(of: range.device.key) else { return nil }
        return try connection.integer(
            leastNumber, chat, key, Int64(clamping: range.from), Int64(clamping: range.to))
    }

    /// Delivered entries in the order of delivery, from a number on.
    public func deliveredLogEntries(
        of group: UUIDv7, from number: Int64, limit: Int
    ) throws(StoreError) -> [LogSlot] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(fromNumber, chat, number, Int64(limit)) { row throws(StoreError) in
            LogSlot(number: row.integer(3), reference: try logPlaceRow(row))
        }
    }

    /// The last delivered messages, the last one first.
    public func lastLogMessages(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(lastMessages, chat, Int64(limit), read: logPlaceRow)
    }

    /// Whether the content of an entry was dropped on purpose and must not come back.
    public func isLogContentUnwanted(_ hash: EntryHash, of group: UUIDv7) throws(StoreError) -> Bool {
        guard let chat = try groupNumber(group) else { return false }
        return try connection.first(isUnwanted, chat, hash) { $0.flag(0) } ?? false
    }

    private func logPlaceRow(_ row: StoredRow) throws(StoreError) -> LogReference {
        LogReference(
            place: LogPlace(device: try device(row.integer(0)), sequence: UInt64(clamping: row.integer(1))),
            hash: try row.hash(2))
    }
}

extension WriteTransaction {
    /// Marks whether a delivered entry is an end of its chain, and whether no delivered entry refers to it; nil changes
    /// nothing.
    public func markLogEntry(
        _ hash: EntryHash, isEnd: Bool?, isEdge: Bool?, in group: UUIDv7
    ) throws(StoreError) {
        let chat = try knownGroupNumber(group)
        if let isEnd { try connection.run(endMark, isEnd, chat, hash) }
        if let isEdge { try connection.run(edgeMark, isEdge, chat, hash) }
    }

    /// Notes that a delivered entry refers to one that isn't delivered.
    /// - Parameter inChain: whether one of its own chain does; once true, it stays true.
    public func addAbsentLogEntry(
        _ reference: LogReference, inChain: Bool, in group: UUIDv7
    ) throws(StoreError) {
        try connection.run(
            absenceInsertion, try knownGroupNumber(group), reference.hash, try number(reference.device),
            Int64(clamping: reference.sequence), inChain)
    }

    /// Removes the note of an entry that is delivered now.
    public func removeAbsentLogEntry(_ hash: EntryHash, in group: UUIDv7) throws(StoreError) {
        try connection.run(absenceRemoval, try knownGroupNumber(group), hash)
    }
}
