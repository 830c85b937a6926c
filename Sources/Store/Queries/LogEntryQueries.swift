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

/// The message log of a group: the questions that PeerProtocol's GroupLog and GroupSync ask the disk.
extension ReadTransaction {
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

    func logEntryRow(_ row: StoredRow) throws(StoreError) -> LogEntryRow {
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
        guard let device = try optionalDevice(row.optionalInteger(1)) else { return .membership(try row.hash(0)) }
        return .entry(
            LogReference(
                place: LogPlace(device: device, sequence: UInt64(clamping: row.integer(2))), hash: try row.hash(0)))
    }
}
