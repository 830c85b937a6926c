import Basics

private let insertion = SQL(
    """
    INSERT INTO log_entry
        (chat, device, sequence, hash, id, kind, about, state, size, header, signature, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (chat, hash) DO NOTHING
    """)
private let numberOf = SQL("SELECT number FROM log_entry WHERE chat = ? AND hash = ?")
private let delivery = SQL(
    "UPDATE log_entry SET state = 1 WHERE chat = ? AND hash = ? AND state = 0 RETURNING device, sequence")
private let chainOf = SQL("SELECT device, top, count, sum FROM log_chain WHERE chat = ? AND device = ?")
private let chainUpdate = SQL(
    """
    INSERT INTO log_chain (chat, device, top, count, sum) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (chat, device) DO UPDATE SET top = excluded.top, count = excluded.count, sum = excluded.sum
    """)
private let tipInsertion = SQL(
    "INSERT INTO log_tip (chat, hash, device, sequence) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
private let tipRemoval = SQL("DELETE FROM log_tip WHERE chat = ? AND hash = ?")
private let waitInsertion = SQL(
    "INSERT INTO log_wait (chat, hash, entry, device, sequence) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
private let waitRemoval = SQL("DELETE FROM log_wait WHERE entry = ?")
private let oneWaitRemoval = SQL("DELETE FROM log_wait WHERE chat = ? AND hash = ? AND entry = ?")
private let heldRemoval = SQL("DELETE FROM log_entry WHERE chat = ? AND hash = ? AND state = 0")
private let contentRestoring = SQL(
    "UPDATE log_entry SET content = ?, about = coalesce(about, ?) WHERE chat = ? AND hash = ? AND content IS NULL")
private let contentRemoval = SQL(
    "UPDATE log_entry SET content = NULL WHERE about = ? AND content IS NOT NULL AND kind <> 3")
private let oneContentRemoval = SQL("UPDATE log_entry SET content = NULL WHERE chat = ? AND hash = ?")
private let touching = SQL(
    """
    DELETE FROM log_gap WHERE chat = ?1 AND device = ?2 AND first <= ?4 AND last >= ?3 RETURNING first, last
    """)
private let gapInsertion = SQL("INSERT INTO log_gap (chat, device, first, last) VALUES (?, ?, ?, ?)")
private let forkInsertion = SQL(
    """
    INSERT INTO log_fork (chat, device, sequence, one, other, at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (chat, device, sequence) DO NOTHING
    """)

/// The message log of a group. No events: what its entries say becomes messages, which have them.
extension WriteTransaction {
    /// Keeps an entry. A delivered one counts in its chain.
    /// - Returns: false if it is here already; nothing has changed then.
    /// - Throws: ``StoreError/missing(_:)`` for an unknown group.
    @discardableResult
    public func insert(_ row: LogEntryRow, in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        let device = try number(row.device)
        let count = try connection.run(
            insertion, chat, device, Int64(clamping: row.sequence), row.hash, row.id, row.kind, row.about, row.state,
            Int64(row.size), row.header, row.signature, row.content)
        guard count == 1 else { return false }
        if row.state == .delivered {
            try noteDelivered(row.hash, of: device, at: Int64(clamping: row.sequence), in: chat)
        }
        return true
    }

    /// A held entry is delivered: it waits for nothing any more.
    /// - Returns: false if it isn't held.
    @discardableResult
    public func deliver(_ hash: [UInt8], in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        let found = try connection.first(delivery, chat, hash) { (device: $0.integer(0), sequence: $0.integer(1)) }
        guard let found else { return false }
        if let entry = try connection.integer(numberOf, chat, hash) { try connection.run(waitRemoval, entry) }
        try noteDelivered(hash, of: found.device, at: found.sequence, in: chat)
        return true
    }

    private func noteDelivered(_ hash: [UInt8], of device: Int64, at sequence: Int64, in chat: Int64) throws(StoreError)
    {
        let known = try connection.first(chainOf, chat, device) {
            (top: $0.integer(1), count: $0.integer(2), sum: $0.integer(3))
        }
        let word = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let sum = UInt64(bitPattern: known?.sum ?? 0) &+ word
        try connection.run(
            chainUpdate, chat, device, max(known?.top ?? 0, sequence), (known?.count ?? 0) + 1, Int64(bitPattern: sum))
    }

    /// A held entry is dropped, for instance one that turns out not to be valid.
    public func dropHeld(_ hash: [UInt8], in group: UUIDv7) throws(StoreError) {
        try connection.run(heldRemoval, try knownGroupNumber(group), hash)
    }

    /// A held entry waits for these, and for nothing else.
    public func setWaits(of hash: [UInt8], to waits: [LogWait], in group: UUIDv7) throws(StoreError) {
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

    /// A held entry need not wait for another one any more.
    /// - Returns: whether it waits for something else.
    public func dropWait(of hash: [UInt8], for other: [UInt8], in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        guard let entry = try connection.integer(numberOf, chat, hash) else { return false }
        try connection.run(oneWaitRemoval, chat, other, entry)
        return try !waits(of: hash, in: group).isEmpty
    }

    /// An entry was delivered that refers to others: it is a tip now, and they are none any more.
    public func noteTip(
        _ tip: LogReferenceRow, replacing others: [[UInt8]], in group: UUIDv7
    ) throws(StoreError) {
        let chat = try knownGroupNumber(group)
        for other in others { try connection.run(tipRemoval, chat, other) }
        try connection.run(tipInsertion, chat, tip.hash, try number(tip.device), Int64(clamping: tip.sequence))
    }

    /// The content of an entry has come that was here without.
    /// - Returns: false if it isn't here, or has its content.
    public func restoreLogContent(
        _ content: [UInt8], about message: UUIDv7?, of hash: [UInt8], in group: UUIDv7
    ) throws(StoreError) -> Bool {
        try connection.run(contentRestoring, content, message, try knownGroupNumber(group), hash) == 1
    }

    /// Drops the content of one entry; the chain stays provable without it.
    public func dropLogContent(of hash: [UInt8], in group: UUIDv7) throws(StoreError) {
        try connection.run(oneContentRemoval, try knownGroupNumber(group), hash)
        wantsPurge = true
    }

    /// Drops what the logs hold of a message: its own content, its edits', its reactions'. Only that it was deleted is still
    /// to be told. What changes a message here calls it by itself.
    func dropLogContent(about message: UUIDv7) throws(StoreError) {
        if try connection.run(contentRemoval, message) > 0 { wantsPurge = true }
    }

    /// Nobody will give us this piece of a chain. Pieces that touch become one.
    public func addLogGap(_ range: LogRangeRow, in group: UUIDv7) throws(StoreError) {
        let chat = try knownGroupNumber(group)
        let device = try number(range.device)
        var first = Int64(clamping: range.first)
        var last = Int64(clamping: range.last)
        guard first <= last else { return }
        // Those next to it as well, where there is a next.
        let before = first > 0 ? first - 1 : first
        let behind = last < .max ? last + 1 : last
        for known in try connection.rows(
            touching, chat, device, before, behind, read: { ($0.integer(0), $0.integer(1)) })
        {
            first = min(first, known.0)
            last = max(last, known.1)
        }
        try connection.run(gapInsertion, chat, device, first, last)
    }

    /// Keeps the proof of a fork; the first one of a place is enough. Its author's group has changed: it shows them.
    /// - Returns: false if this place was known.
    public func addLogFork(_ row: LogForkRow, in group: UUIDv7) throws(StoreError) -> Bool {
        let chat = try knownGroupNumber(group)
        let count = try connection.run(
            forkInsertion, chat, try number(row.device), Int64(clamping: row.sequence), row.one, row.other, row.at)
        guard count == 1 else { return false }
        changed(.group(group), .update)
        return true
    }
}
