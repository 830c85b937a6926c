import Basics
import Vocabulary

private let columns = "device, sequence, hash, id, kind, about, state, header, signature, content, hlc"
private let byHash = SQL("SELECT \(columns) FROM log_entry WHERE chat = ? AND hash = ?")
private let stateByHash = SQL("SELECT state FROM log_entry WHERE chat = ? AND hash = ?")
private let byPlace = SQL(
    "SELECT \(columns) FROM log_entry WHERE chat = ? AND device = ? AND sequence = ? ORDER BY number LIMIT ?")
private let byID = SQL("SELECT \(columns) FROM log_entry WHERE id = ? AND chat = ? ORDER BY number")
private let sumOfHeld = SQL("SELECT count(*), coalesce(sum(size), 0) FROM log_entry WHERE chat = ? AND state = 0")
private let waiters = SQL(
    """
    SELECT e.device, e.sequence, e.hash FROM log_wait AS w JOIN log_entry AS e ON e.number = w.entry
    WHERE w.chat = ? AND w.hash = ? ORDER BY w.entry
    """)
private let waitsOf = SQL(
    """
    SELECT w.hash, w.device, w.sequence FROM log_entry AS e JOIN log_wait AS w ON w.entry = e.number
    WHERE e.chat = ? AND e.hash = ? ORDER BY w.device, w.sequence, w.hash
    """)
private let forks = SQL(
    "SELECT device, sequence, one, other FROM log_fork WHERE chat = ? ORDER BY device, sequence")
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

extension ReadTransaction {
    /// The message logs of groups.
    public var log: LogReads { LogReads(transaction: self) }
}

/// The message log of a group: the questions that PeerProtocol's GroupLog and GroupSync ask the disk. It belongs to its transaction
/// and ends with it.
public struct LogReads {
    let transaction: ReadTransaction

    private var connection: Connection { transaction.connection }
    private var keys: KeyNumbers { transaction.keys }

    private func groupNumber(_ id: UUIDv7) throws(StoreError) -> Int64? { try transaction.groupNumber(id) }
    private func device(_ number: Int64) throws(StoreError) -> DeviceID { try transaction.device(number) }

    // MARK: Entries

    /// An entry by its hash, held or delivered.
    public func logEntry(_ hash: EntryHash, of group: UUIDv7) throws(StoreError) -> LogEntryRow? {
        guard let number = try groupNumber(group) else { return nil }
        return try connection.first(byHash, number, hash, read: logEntryRow)
    }

    /// Whether an entry is held or delivered; nil if it isn't here.
    public func logState(_ hash: EntryHash, of group: UUIDv7) throws(StoreError) -> LogState? {
        guard let number = try groupNumber(group) else { return nil }
        return try connection.first(stateByHash, number, hash) { row throws(StoreError) in try row.enumeration(0) }
    }

    /// The entries of one place, held or delivered, in the order in which they came. More than one is a fork.
    public func logEntries(
        of device: DeviceID, at sequence: UInt64, in group: UUIDv7, limit: Int
    ) throws(StoreError) -> [LogEntryRow] {
        guard let number = try groupNumber(group), let key = try keys.number(of: device.key) else { return [] }
        return try connection.rows(byPlace, number, key, Int64(clamping: sequence), Int64(limit), read: logEntryRow)
    }

    /// The entries with an id; a message's entry has the message's id. There is more than one only if a member forges.
    public func logEntries(id: UUIDv7, of group: UUIDv7) throws(StoreError) -> [LogEntryRow] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(byID, id, number, read: logEntryRow)
    }

    /// The number of held entries, and their bytes.
    public func heldLoad(of group: UUIDv7) throws(StoreError) -> (count: Int, bytes: Int) {
        guard let number = try groupNumber(group) else { return (0, 0) }
        return try connection.first(sumOfHeld, number) { (Int($0.integer(0)), Int($0.integer(1))) } ?? (0, 0)
    }

    /// The held entries that wait for an entry of the log or of the graph, by its hash.
    public func entries(waitingFor hash: EntryHash, in group: UUIDv7) throws(StoreError) -> [LogReference] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(waiters, number, hash, read: referenceRow)
    }

    /// What a held entry waits for.
    public func waits(of hash: EntryHash, in group: UUIDv7) throws(StoreError) -> [LogWait] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(waitsOf, number, hash, read: waitRow)
    }

    /// The proofs of forks.
    public func logForks(of group: UUIDv7) throws(StoreError) -> [LogFork] {
        guard let number = try groupNumber(group) else { return [] }
        return try connection.rows(forks, number) { row throws(StoreError) in
            LogFork(
                place: LogPlace(device: try device(row.integer(0)), sequence: UInt64(clamping: row.integer(1))),
                first: try row.hash(2), second: try row.hash(3))
        }
    }

    // MARK: Order of delivery, ends and gaps
    // Two members compare ends and gaps to find what one of them lacks.

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
            LogSlot(number: row.integer(3), reference: try referenceRow(row))
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
        return try connection.rows(ends, chat, read: referenceRow)
    }

    /// Delivered entries to which no delivered entry refers, the latest first.
    public func logEdge(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(edge, chat, Int64(limit), read: referenceRow)
    }

    /// Entries that held entries wait for and that are not here at all; each once.
    public func missingLogEntries(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(missingEntries, chat, Int64(limit), read: referenceRow)
    }

    /// Those entries of ``missingLogEntries(of:limit:)`` that lie in a piece of a chain.
    public func missingLogEntries(
        in range: LogRange, of group: UUIDv7, limit: Int
    ) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group), let key = try keys.number(of: range.device.key) else { return [] }
        return try connection.rows(
            missingInRange, chat, key, Int64(clamping: range.from), Int64(clamping: range.to), Int64(limit),
            read: referenceRow)
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
        return try connection.rows(absences, chat, Int64(limit), read: referenceRow)
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
            LogSlot(number: row.integer(3), reference: try referenceRow(row))
        }
    }

    /// The last delivered messages, the last one first.
    public func lastLogMessages(of group: UUIDv7, limit: Int) throws(StoreError) -> [LogReference] {
        guard let chat = try groupNumber(group) else { return [] }
        return try connection.rows(lastMessages, chat, Int64(limit), read: referenceRow)
    }

    /// Whether the content of an entry was dropped on purpose and must not come back.
    public func isLogContentUnwanted(_ hash: EntryHash, of group: UUIDv7) throws(StoreError) -> Bool {
        guard let chat = try groupNumber(group) else { return false }
        return try connection.first(isUnwanted, chat, hash) { $0.flag(0) } ?? false
    }

    // MARK: Rows

    private func logEntryRow(_ row: StoredRow) throws(StoreError) -> LogEntryRow {
        LogEntryRow(
            device: try device(row.integer(0)), sequence: UInt64(clamping: row.integer(1)), hash: try row.hash(2),
            id: try row.identifier(3), kind: row.integer(4), about: try row.optionalIdentifier(5),
            state: try row.enumeration(6),
            time: HybridTime(rawValue: UInt64(clamping: row.integer(10))), header: row.bytes(7),
            signature: row.bytes(8),
            content: row.optionalBytes(9))
    }

    private func referenceRow(_ row: StoredRow) throws(StoreError) -> LogReference {
        LogReference(
            place: LogPlace(device: try device(row.integer(0)), sequence: UInt64(clamping: row.integer(1))),
            hash: try row.hash(2))
    }

    private func waitRow(_ row: StoredRow) throws(StoreError) -> LogWait {
        guard let number = row.optionalInteger(1) else { return .membership(try row.hash(0)) }
        return .entry(
            LogReference(
                place: LogPlace(device: try device(number), sequence: UInt64(clamping: row.integer(2))),
                hash: try row.hash(0)))
    }
}
