import Basics
import Vocabulary

private let insertion = SQL(
    """
    INSERT INTO log_entry
        (chat, device, sequence, hash, id, kind, about, state, size, hlc, came_at, header, signature, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (chat, hash) DO NOTHING
    """)
private let numberOf = SQL("SELECT number FROM log_entry WHERE chat = ? AND hash = ?")
private let delivery = SQL(
    "UPDATE log_entry SET state = 1 WHERE chat = ? AND hash = ? AND state = 0")
private let numbering = SQL(
    """
    UPDATE log_entry SET delivered = (SELECT coalesce(max(delivered), 0) + 1 FROM log_entry WHERE chat = ?1)
    WHERE chat = ?1 AND hash = ?2
    """)
private let waitInsertion = SQL(
    "INSERT INTO log_wait (chat, hash, entry, device, sequence) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
private let waitRemoval = SQL("DELETE FROM log_wait WHERE entry = ?")
private let oneWaitRemoval = SQL("DELETE FROM log_wait WHERE chat = ? AND hash = ? AND entry = ?")
private let heldRemoval = SQL("DELETE FROM log_entry WHERE chat = ? AND hash = ? AND state = 0")
private let damagedRemoval = SQL("DELETE FROM log_entry WHERE chat = ? AND hash = ?")
private let contentRestoring = SQL(
    "UPDATE log_entry SET content = ?, about = coalesce(about, ?) WHERE chat = ? AND hash = ? AND content IS NULL AND is_unwanted = 0"
)
// Everything about a message comes from its author, except reactions. If several members of a group have used one id,
// we can't know whose message a reaction means, so its entry keeps its content.
private let contentRemoval = SQL(
    """
    UPDATE log_entry SET content = NULL, is_unwanted = 1 WHERE about = ?1 AND is_unwanted = 0 AND kind <> 3
        AND CASE kind WHEN 4
            THEN NOT EXISTS (
                SELECT 1 FROM log_entry AS o JOIN group_device AS d ON d.chat = o.chat AND d.device = o.device
                WHERE o.id = ?1 AND o.chat = log_entry.chat AND o.kind IN (1, 5) AND d.account <> ?2)
            ELSE NOT EXISTS (
                SELECT 1 FROM group_device AS d
                WHERE d.chat = log_entry.chat AND d.device = log_entry.device AND d.account <> ?2)
            END
    """)
private let forkInsertion = SQL(
    """
    INSERT INTO log_fork (chat, device, sequence, one, other, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (chat, device, sequence) DO NOTHING
    """)
private let endMark = SQL("UPDATE log_entry SET is_end = ? WHERE chat = ? AND hash = ?")
private let edgeMark = SQL("UPDATE log_entry SET is_edge = ? WHERE chat = ? AND hash = ?")
private let absenceInsertion = SQL(
    """
    INSERT INTO log_absent (chat, hash, device, sequence, in_chain) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (chat, hash) DO UPDATE SET in_chain = in_chain OR excluded.in_chain
    """)
private let absenceRemoval = SQL("DELETE FROM log_absent WHERE chat = ? AND hash = ?")

extension WriteTransaction {
    /// Changes to the message logs of groups.
    public var logChanges: LogChanges { LogChanges(transaction: self) }
}

/// Changes to the message log of a group, within a transaction. These methods make no events: entries become messages, which have
/// events.
public struct LogChanges {
    let transaction: WriteTransaction

    private var connection: Connection { transaction.connection }

    private func knownGroupNumber(_ id: UUIDv7) throws(StoreError) -> Int64 { try transaction.knownGroupNumber(id) }
    private func number(_ device: DeviceID) throws(StoreError) -> Int64 { try transaction.number(device) }

    /// Stores an entry. A delivered one counts in its chain.
    /// - Returns: false, with nothing changed, if the entry is here already.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown group.
    @discardableResult
    public func insert(_ row: LogEntryRow, in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        let device = try number(row.device)
        let count = try connection.run(
            insertion, chat, device, Int64(clamping: row.sequence), row.hash, row.id, row.kind, row.about, row.state,
            Int64(row.size), row.time, transaction.wallTime, row.header, row.signature, row.content)
        guard count == 1 else { return false }
        if row.state == .delivered { try connection.run(numbering, chat, row.hash) }
        return true
    }

    /// Marks a held entry as delivered: it waits for nothing any more.
    /// - Returns: false if it isn't held.
    @discardableResult
    public func deliver(_ hash: EntryHash, in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        guard try connection.run(delivery, chat, hash) == 1 else { return false }
        if let entry = try connection.integer(numberOf, chat, hash) { try connection.run(waitRemoval, entry) }
        try connection.run(numbering, chat, hash)
        return true
    }

    /// Drops a held entry, for instance one that turns out to be invalid.
    public func dropHeld(_ hash: EntryHash, in group: UUIDv7) throws(StoreError) {
        try connection.run(heldRemoval, try knownGroupNumber(group), hash)
    }

    /// Replaces what a held entry waits for.
    public func setWaits(of hash: EntryHash, to waits: [LogWait], in group: UUIDv7) throws(StoreError) {
        let chat = try knownGroupNumber(group)
        guard let entry = try connection.integer(numberOf, chat, hash) else { return }
        try connection.run(waitRemoval, entry)
        for wait in waits {
            switch wait {
            case .entry(let reference):
                try connection.run(
                    waitInsertion, chat, reference.hash, entry, try number(reference.device) as Int64?,
                    Int64(clamping: reference.sequence) as Int64?)
            case .membership(let hash):
                try connection.run(waitInsertion, chat, hash, entry, nil as Int64?, nil as Int64?)
            }
        }
    }

    /// Removes one wait of a held entry.
    /// - Returns: whether the entry waits for something else.
    public func dropWait(of hash: EntryHash, for other: EntryHash, in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        guard let entry = try connection.integer(numberOf, chat, hash) else { return false }
        try connection.run(oneWaitRemoval, chat, other, entry)
        return try !transaction.log.waits(of: hash, in: group).isEmpty
    }

    /// Stores the content of an entry that came without it.
    /// - Returns: false if the entry isn't here, has its content, or had it dropped on purpose.
    public func restoreLogContent(
        _ content: [UInt8], about message: UUIDv7?, of hash: EntryHash, in group: UUIDv7
    ) throws(StoreError) -> Bool {
        try connection.run(contentRestoring, content, message, try knownGroupNumber(group), hash) == 1
    }

    /// Drops the logs' content about a message: its own, its edits' and its reactions'. Only the deletion is still to
    /// be sent. Methods that change a message call this by themselves.
    /// - Parameters:
    ///   - wireID: what its author calls the message.
    ///   - author: the number of the author's account.
    func dropLogContent(about wireID: UUIDv7, by author: Int64) throws(StoreError) {
        if try connection.run(contentRemoval, wireID, author) > 0 { transaction.marks.hasDeletions = true }
    }

    /// Stores the proof of a fork; one proof for a place is enough. Marks the author's group as changed, because it
    /// shows the fork.
    /// - Returns: false if a fork at this place is known.
    public func addLogFork(_ fork: LogFork, in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        let count = try connection.run(
            forkInsertion, chat, try number(fork.place.device), Int64(clamping: fork.place.sequence), fork.first,
            fork.second, transaction.wallTime)
        guard count == 1 else { return false }
        transaction.changed(.group(group), .update, for: .clients)
        return true
    }

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

    /// Removes an entry whose bytes don't fit its hash, after a repair. Entries that refer to it then refer to a
    /// missing entry.
    public func dropDamagedLogEntry(_ hash: EntryHash, in group: UUIDv7) throws(StoreError) {
        try connection.run(damagedRemoval, try knownGroupNumber(group), hash)
    }
}
