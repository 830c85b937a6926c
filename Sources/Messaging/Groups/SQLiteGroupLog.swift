import Basics
import PeerProtocol
import Store
import Vocabulary

/// The log of one group in the database, as ``GroupLog`` works on it. It serves one transaction.
package struct SQLiteGroupLog: GroupLogStorage {
    private let group: UUIDv7
    private let reading: LogReads
    private let writing: LogChanges?

    package init(_ group: GroupRow, _ transaction: WriteTransaction) {
        self.group = group.id
        reading = transaction.log
        writing = transaction.logChanges
    }

    /// Makes a log for answering other members' questions: it can't change anything.
    package init(reading group: GroupRow, _ transaction: ReadTransaction) {
        self.group = group.id
        reading = transaction.log
        writing = nil
    }

    private func writable() throws -> LogChanges {
        guard let writing else { throw GroupDamage(group: group) }
        return writing
    }

    // MARK: Entries

    package func state(of hash: EntryHash) throws -> LogState? {
        try reading.logState(hash, of: group)
    }

    package func entry(_ hash: EntryHash) throws -> LogEntry? {
        try reading.logEntry(hash, of: group).map {
            try LogEntry(trusting: $0.header, signature: $0.signature, content: $0.content)
        }
    }

    package func entries(at place: LogPlace) throws -> [(hash: EntryHash, state: LogState)] {
        try reading.logEntries(
            of: place.device, at: place.sequence, in: group, limit: PeerLimits.forksAtPlace
        ).map { ($0.hash, $0.state) }
    }

    package func lastSequence(of device: DeviceID) throws -> UInt64 { try reading.lastLogPlace(of: device, in: group) }
    package func lastDelivered(of device: DeviceID) throws -> UInt64 {
        try reading.lastDeliveredPlace(of: device, in: group)
    }

    package mutating func insert(delivered entry: LogEntry, isTop: Bool, isFrontier: Bool) throws {
        try writable().insert(row(entry, .delivered), in: group)
        try mark(entry.hash, isTop: isTop, isFrontier: isFrontier)
    }

    private func mark(_ hash: EntryHash, isTop: Bool?, isFrontier: Bool?) throws {
        try writable().markLogEntry(hash, isEnd: isTop, isEdge: isFrontier, in: group)
    }

    package mutating func insert(held entry: LogEntry, waits: [LogWait]) throws {
        let changes = try writable()
        try changes.insert(row(entry, .held), in: group)
        try changes.setWaits(of: entry.hash, to: waits, in: group)
    }

    package mutating func deliver(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) throws {
        try writable().deliver(hash, in: group)
        try mark(hash, isTop: isTop, isFrontier: isFrontier)
    }

    package mutating func discard(_ hash: EntryHash) throws { try writable().dropHeld(hash, in: group) }

    package mutating func setContent(_ content: [UInt8], of hash: EntryHash) throws {
        let about = try reading.logEntry(hash, of: group).flatMap { row in
            try Self.about(try LogEntry(trusting: row.header, signature: row.signature, content: content))
        }
        _ = try writable().restoreLogContent(content, about: about, of: hash, in: group)
    }

    package func mayHaveContent(_ hash: EntryHash) throws -> Bool {
        try !reading.isLogContentUnwanted(hash, of: group)
    }

    private func row(_ entry: LogEntry, _ state: LogState) throws -> LogEntryRow {
        LogEntryRow(
            device: entry.device, sequence: entry.sequence, hash: entry.hash, id: entry.id,
            kind: Int64(clamping: entry.kind.rawValue), about: try Self.about(entry), state: state, time: entry.time,
            header: entry.header, signature: entry.signature, content: entry.content)
    }

    /// The message that an entry is, or is about.
    private static func about(_ entry: LogEntry) throws -> UUIDv7? {
        if entry.kind == .message || entry.kind == .call { return entry.id }
        // An entry that can't be read isn't about anything that we know.
        guard let content = try? entry.body() else { return nil }
        switch content {
        case .message, .call: return entry.id
        case .edit(let body): return body.message
        case .deletion(let body): return body.message
        case .reaction(let body): return body.message
        }
    }

    // MARK: What is held

    package func held() throws -> LogHeld {
        let load = try reading.heldLoad(of: group)
        var held = LogHeld()
        (held.entries, held.bytes) = (load.count, load.bytes)
        if load.count > 0 { held.unproven = try reading.unprovenCount(of: group) }
        return held
    }

    package func heldCount(of device: DeviceID) throws -> Int { try reading.heldCount(of: device, in: group) }

    package func waiters(for hash: EntryHash) throws -> [LogReference] {
        try reading.entries(waitingFor: hash, in: group).sorted()
    }

    package mutating func endWait(of entry: EntryHash, for hash: EntryHash) throws -> Int {
        _ = try writable().dropWait(of: entry, for: hash, in: group)
        return try reading.waits(of: entry, in: group).count
    }

    package mutating func endWaits(of entry: EntryHash) throws {
        try writable().setWaits(of: entry, to: [], in: group)
    }

    package func held(since moment: WallTime, limit: Int) throws -> [(hash: EntryHash, isUnproven: Bool)] {
        try reading.heldLogEntries(of: group, since: moment, limit: limit)
    }

    package func missing(limit: Int) throws -> [LogReference] {
        try reading.missingLogEntries(of: group, limit: limit)
    }

    package func missing(in range: LogRange, limit: Int) throws -> [LogReference] {
        try reading.missingLogEntries(in: range, of: group, limit: limit)
    }

    package func missingMembership() throws -> [EntryHash] {
        try reading.missingMembership(of: group)
    }

    // MARK: Ends and gaps

    package func tops() throws -> [LogReference] { try reading.logEnds(of: group).sorted() }

    package func frontier(limit: Int) throws -> [LogReference] {
        try reading.logEdge(of: group, limit: limit)
    }

    package mutating func referred(to hash: EntryHash, inChain: Bool) throws {
        try mark(hash, isTop: inChain ? false : nil, isFrontier: false)
    }

    package mutating func addAbsent(_ reference: LogReference, inChain: Bool) throws {
        try writable().addAbsentLogEntry(reference, inChain: inChain, in: group)
    }

    package func absent(_ hash: EntryHash) throws -> Bool? { try reading.isLogEntryAbsent(hash, of: group) }

    package mutating func removeAbsent(_ hash: EntryHash) throws {
        try writable().removeAbsentLogEntry(hash, in: group)
    }

    package func absent(limit: Int) throws -> [LogReference] {
        try reading.absentLogEntries(of: group, limit: limit)
    }

    package mutating func add(_ fork: LogFork) throws {
        _ = try writable().addLogFork(fork, in: group)
    }

    // MARK: Handing on

    package func slot(of hash: EntryHash) throws -> LogSlot? {
        try reading.deliveredLogEntry(hash, of: group)
    }

    package func lackingContent(limit: Int) throws -> [EntryHash] {
        try reading.logEntriesLackingContent(of: group, limit: limit)
    }

    package func firstNumber(in range: LogRange) throws -> Int64? {
        try reading.firstDelivered(in: range, of: group)
    }

    package func slots(from number: Int64, limit: Int) throws -> [LogSlot] {
        try reading.deliveredLogEntries(of: group, from: number, limit: limit)
    }
}
