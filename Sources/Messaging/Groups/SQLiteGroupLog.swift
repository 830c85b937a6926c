import Basics
import PeerProtocol
import Store
import Vocabulary

/// The log of one group in the database, as ``GroupLog`` works on it. It serves one transaction.
package struct SQLiteGroupLog: GroupLogStorage {
    private let group: UUIDv7
    private let reading: ReadTransaction
    private let writing: WriteTransaction?

    package init(_ group: GroupRow, _ transaction: WriteTransaction) {
        self.group = group.id
        reading = transaction
        writing = transaction
    }

    /// Makes a log for answering what other members ask: nothing can be changed by it.
    package init(reading group: GroupRow, _ transaction: ReadTransaction) {
        self.group = group.id
        reading = transaction
        writing = nil
    }

    private func writable() throws -> WriteTransaction {
        guard let writing else { throw GroupDamage(group: group) }
        return writing
    }

    // MARK: Entries

    package func state(of hash: EntryHash) throws -> LogState? {
        try reading.logState(hash.bytes, of: group).map { $0 == .held ? .held : .delivered }
    }

    package func entry(_ hash: EntryHash) throws -> LogEntry? {
        try reading.logEntry(hash.bytes, of: group).map {
            try LogEntry(trusting: $0.header, signature: $0.signature, content: $0.content)
        }
    }

    package func entries(at place: LogPlace) throws -> [(hash: EntryHash, state: LogState)] {
        try reading.logEntries(
            of: place.device, at: place.sequence, in: group, limit: PeerLimits.forksAtPlace
        ).compactMap { row in EntryHash(row.hash).map { ($0, row.state == .held ? .held : .delivered) } }
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
        try writable().markLogEntry(hash.bytes, isEnd: isTop, isEdge: isFrontier, in: group)
    }

    package mutating func insert(held entry: LogEntry, waits: [PeerProtocol.LogWait]) throws {
        let transaction = try writable()
        try transaction.insert(row(entry, .held), in: group)
        try transaction.setWaits(
            of: entry.hash.bytes,
            to: waits.map { wait in
                switch wait {
                case .entry(let reference): .entry(Self.row(reference))
                case .membership(let hash): .membership(hash.bytes)
                }
            }, in: group)
    }

    package mutating func deliver(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) throws {
        try writable().deliver(hash.bytes, in: group)
        try mark(hash, isTop: isTop, isFrontier: isFrontier)
    }

    package mutating func discard(_ hash: EntryHash) throws { try writable().dropHeld(hash.bytes, in: group) }

    package mutating func setContent(_ content: [UInt8], of hash: EntryHash) throws {
        let about = try reading.logEntry(hash.bytes, of: group).flatMap { row in
            try Self.about(try LogEntry(trusting: row.header, signature: row.signature, content: content))
        }
        _ = try writable().restoreLogContent(content, about: about, of: hash.bytes, in: group)
    }

    package func mayHaveContent(_ hash: EntryHash) throws -> Bool {
        try !reading.isLogContentUnwanted(hash.bytes, of: group)
    }

    private func row(_ entry: LogEntry, _ state: LogState) throws -> LogEntryRow {
        LogEntryRow(
            device: entry.device, sequence: entry.sequence, hash: entry.hash.bytes, id: entry.id,
            kind: Int64(clamping: entry.kind.rawValue), about: try Self.about(entry), state: state, time: entry.time,
            header: entry.header, signature: entry.signature, content: entry.content)
    }

    /// The message that an entry is, or speaks of.
    private static func about(_ entry: LogEntry) throws -> UUIDv7? {
        if entry.kind == .message { return entry.id }
        // An entry that can't be read is about nothing that we know.
        guard let content = try? entry.body() else { return nil }
        switch content {
        case .message: return entry.id
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
        try reading.entries(waitingFor: hash.bytes, in: group).compactMap(Self.reference).sorted()
    }

    package mutating func endWait(of entry: EntryHash, for hash: EntryHash) throws -> Int {
        _ = try writable().dropWait(of: entry.bytes, for: hash.bytes, in: group)
        return try reading.waits(of: entry.bytes, in: group).count
    }

    package mutating func endWaits(of entry: EntryHash) throws {
        try writable().setWaits(of: entry.bytes, to: [], in: group)
    }

    package func held(since moment: WallTime, limit: Int) throws -> [(hash: EntryHash, isUnproven: Bool)] {
        try reading.heldLogEntries(of: group, since: moment, limit: limit).compactMap { found in
            EntryHash(found.hash).map { ($0, found.isUnproven) }
        }
    }

    package func missing(limit: Int) throws -> [LogReference] {
        try reading.missingLogEntries(of: group, limit: limit).compactMap(Self.reference)
    }

    package func missing(in range: LogRange, limit: Int) throws -> [LogReference] {
        try reading.missingLogEntries(in: Self.row(range), of: group, limit: limit).compactMap(Self.reference)
    }

    package func missingMembership() throws -> [EntryHash] {
        try reading.missingMembership(of: group).compactMap { EntryHash($0) }
    }

    // MARK: Ends and gaps

    package func tops() throws -> [LogReference] { try reading.logEnds(of: group).compactMap(Self.reference).sorted() }

    package func frontier(limit: Int) throws -> [LogReference] {
        try reading.logEdge(of: group, limit: limit).compactMap(Self.reference)
    }

    package mutating func referred(to hash: EntryHash, inChain: Bool) throws {
        try mark(hash, isTop: inChain ? false : nil, isFrontier: false)
    }

    package mutating func addAbsent(_ reference: LogReference, inChain: Bool) throws {
        try writable().addAbsentLogEntry(Self.row(reference), inChain: inChain, in: group)
    }

    package func absent(_ hash: EntryHash) throws -> Bool? { try reading.isLogEntryAbsent(hash.bytes, of: group) }

    package mutating func removeAbsent(_ hash: EntryHash) throws {
        try writable().removeAbsentLogEntry(hash.bytes, in: group)
    }

    package func absent(limit: Int) throws -> [LogReference] {
        try reading.absentLogEntries(of: group, limit: limit).compactMap(Self.reference)
    }

    package mutating func add(_ fork: LogFork) throws {
        let transaction = try writable()
        _ = try transaction.addLogFork(
            LogForkRow(
                device: fork.place.device, sequence: fork.place.sequence, one: fork.first.bytes,
                other: fork.second.bytes, at: transaction.wallTime), in: group)
    }

    // MARK: Handing on

    package func slot(of hash: EntryHash) throws -> LogSlot? {
        guard let found = try reading.deliveredLogEntry(hash.bytes, of: group) else { return nil }
        return Self.reference(found.entry).map { LogSlot(number: found.number, reference: $0) }
    }

    package func lackingContent(limit: Int) throws -> [EntryHash] {
        try reading.logEntriesLackingContent(of: group, limit: limit).compactMap { EntryHash($0) }
    }

    package func firstNumber(in range: LogRange) throws -> Int64? {
        try reading.firstDelivered(in: Self.row(range), of: group)
    }

    package func slots(from number: Int64, limit: Int) throws -> [LogSlot] {
        try reading.deliveredLogEntries(of: group, from: number, limit: limit).compactMap { found in
            Self.reference(found.entry).map { LogSlot(number: found.number, reference: $0) }
        }
    }

    // MARK: Words

    private static func row(_ reference: LogReference) -> LogReferenceRow {
        LogReferenceRow(device: reference.device, sequence: reference.sequence, hash: reference.hash.bytes)
    }

    private static func row(_ range: LogRange) -> LogRangeRow {
        LogRangeRow(device: range.device, first: range.from, last: range.to)
    }

    private static func reference(_ row: LogReferenceRow) -> LogReference? {
        EntryHash(row.hash).map {
            LogReference(place: LogPlace(device: row.device, sequence: row.sequence), hash: $0)
        }
    }
}
