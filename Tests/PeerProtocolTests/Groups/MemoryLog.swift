import Basics
import PeerProtocol

/// A group's log in memory: what ``GroupLogStorage`` asks for, in the plainest way.
struct MemoryLog: GroupLogStorage {
    struct Row {
        var entry: LogEntry
        var state: LogState
        var number: Int64?
        var isTop = false
        var isFrontier = false
        var waits: Set<EntryHash> = []
        var membership: Set<EntryHash> = []
        var references: [EntryHash: LogReference] = [:]
        var heldSince = WallTime(milliseconds: 0)
        var camePlain = false
    }

    var rows: [EntryHash: Row] = [:]
    var order: [EntryHash] = []
    var places: [LogPlace: [EntryHash]] = [:]
    var last: [DeviceID: UInt64] = [:]
    var delivered: [DeviceID: UInt64] = [:]
    var absences: [(reference: LogReference, inChain: Bool)] = []
    var forks: Set<LogFork> = []
    /// Deleted by somebody's wish.
    var unwanted: Set<EntryHash> = []
    var now = someTime

    func state(of hash: EntryHash) -> LogState? { rows[hash]?.state }
    func entry(_ hash: EntryHash) -> LogEntry? { rows[hash]?.entry }
    func entries(at place: LogPlace) -> [(hash: EntryHash, state: LogState)] {
        (places[place] ?? []).compactMap { hash in rows[hash].map { (hash, $0.state) } }
    }
    func lastSequence(of device: DeviceID) -> UInt64 { last[device] ?? 0 }
    func lastDelivered(of device: DeviceID) -> UInt64 { delivered[device] ?? 0 }

    private mutating func keep(_ entry: LogEntry, _ row: Row) {
        precondition(rows[entry.hash] == nil, "kept twice")
        rows[entry.hash] = row
        rows[entry.hash]?.camePlain = entry.content == nil
        places[entry.place, default: []].append(entry.hash)
        last[entry.device] = max(last[entry.device] ?? 0, entry.sequence)
    }

    private mutating func number(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) {
        order.append(hash)
        rows[hash]?.number = Int64(order.count)
        rows[hash]?.state = .delivered
        rows[hash]?.isTop = isTop
        rows[hash]?.isFrontier = isFrontier
        guard let entry = rows[hash]?.entry else { return }
        delivered[entry.device] = max(delivered[entry.device] ?? 0, entry.sequence)
    }

    mutating func insert(delivered entry: LogEntry, isTop: Bool, isFrontier: Bool) {
        keep(entry, Row(entry: entry, state: .delivered))
        number(entry.hash, isTop: isTop, isFrontier: isFrontier)
    }
    mutating func insert(held entry: LogEntry, waits: [LogWait]) {
        precondition(!waits.isEmpty, "held for nothing")
        var row = Row(entry: entry, state: .held, heldSince: now)
        for wait in waits {
            row.waits.insert(wait.hash)
            switch wait {
            case .entry(let reference): row.references[reference.hash] = reference
            case .membership(let hash): row.membership.insert(hash)
            }
        }
        keep(entry, row)
    }
    mutating func deliver(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) {
        precondition(rows[hash]?.state == .held && rows[hash]?.waits.isEmpty == true, "still waits")
        number(hash, isTop: isTop, isFrontier: isFrontier)
    }
    mutating func discard(_ hash: EntryHash) {
        guard let row = rows.removeValue(forKey: hash) else { return }
        precondition(row.state == .held, "was shown")
        places[row.entry.place]?.removeAll { $0 == hash }
        last[row.entry.device] = rows.values.filter { $0.entry.device == row.entry.device }.map(\.entry.sequence).max()
    }
    mutating func setContent(_ content: [UInt8], of hash: EntryHash) throws {
        guard let entry = rows[hash]?.entry else { return }
        rows[hash]?.entry = try LogEntry(trusting: entry.header, signature: entry.signature, content: content)
    }
    func mayHaveContent(_ hash: EntryHash) -> Bool { !unwanted.contains(hash) }

    // MARK: Waits

    func held() -> LogHeld {
        var held = LogHeld()
        for row in rows.values where row.state == .held {
            held.entries += 1
            held.bytes += row.entry.byteCount
            if !row.membership.isEmpty { held.unproven += 1 }
        }
        return held
    }
    func heldCount(of device: DeviceID) -> Int {
        rows.values.count { $0.state == .held && $0.entry.device == device }
    }
    func waiters(for hash: EntryHash) -> [LogReference] {
        rows.values.filter { $0.state == .held && $0.waits.contains(hash) }.map(\.entry.reference).sorted()
    }
    mutating func endWait(of entry: EntryHash, for hash: EntryHash) -> Int {
        rows[entry]?.waits.remove(hash)
        rows[entry]?.membership.remove(hash)
        return rows[entry]?.waits.count ?? 0
    }
    mutating func endWaits(of entry: EntryHash) {
        rows[entry]?.waits = []
        rows[entry]?.membership = []
    }
    func held(since moment: WallTime, limit: Int) -> [(hash: EntryHash, isUnproven: Bool)] {
        rows.values.filter { $0.state == .held && $0.heldSince < moment }.sorted { $0.entry.time < $1.entry.time }
            .prefix(limit).map { ($0.entry.hash, !$0.membership.isEmpty) }
    }
    private var allMissing: [LogReference] {
        var found: Set<LogReference> = []
        for row in rows.values where row.state == .held {
            for hash in row.waits where rows[hash] == nil {
                if let reference = row.references[hash] { found.insert(reference) }
            }
        }
        return found.sorted()
    }
    func missing(limit: Int) -> [LogReference] { Array(allMissing.prefix(limit)) }
    func missing(in range: LogRange, limit: Int) -> [LogReference] {
        Array(allMissing.filter { range.contains($0.place) }.prefix(limit))
    }
    func missingMembership() -> [EntryHash] { Set(rows.values.flatMap(\.membership)).sorted() }

    // MARK: Ends, absences, forks, slots

    func tops() -> [LogReference] { rows.values.filter(\.isTop).map(\.entry.reference).sorted() }
    func frontier(limit: Int) -> [LogReference] {
        let ends = rows.values.filter(\.isFrontier).map(\.entry)
        return ends.sorted { ($0.time, $0.hash) > ($1.time, $1.hash) }.prefix(limit).map(\.reference)
    }
    mutating func referred(to hash: EntryHash, inChain: Bool) {
        rows[hash]?.isFrontier = false
        if inChain { rows[hash]?.isTop = false }
    }
    mutating func addAbsent(_ reference: LogReference, inChain: Bool) {
        if let index = absences.firstIndex(where: { $0.reference.hash == reference.hash }) {
            absences[index].inChain = absences[index].inChain || inChain
        } else {
            absences.append((reference, inChain))
        }
    }
    func absent(_ hash: EntryHash) -> Bool? { absences.first { $0.reference.hash == hash }?.inChain }
    mutating func removeAbsent(_ hash: EntryHash) { absences.removeAll { $0.reference.hash == hash } }
    func absent(limit: Int) -> [LogReference] {
        absences.map(\.reference).filter { rows[$0.hash] == nil }.reversed().prefix(limit).map { $0 }
    }
    mutating func add(_ fork: LogFork) { forks.insert(fork) }
    func slot(of hash: EntryHash) -> LogSlot? {
        rows[hash].flatMap { row in row.number.map { LogSlot(number: $0, reference: row.entry.reference) } }
    }
    func firstNumber(in range: LogRange) -> Int64? {
        rows.values.filter { $0.number != nil && range.contains($0.entry.place) }.compactMap(\.number).min()
    }
    func slots(from number: Int64, limit: Int) -> [LogSlot] {
        order.dropFirst(Int(max(0, number - 1))).prefix(limit).compactMap { slot(of: $0) }
    }
    func lackingContent(limit: Int) -> [EntryHash] {
        order.reversed().filter {
            rows[$0]?.camePlain == true && rows[$0]?.entry.content == nil && !unwanted.contains($0)
        }.prefix(limit).map { $0 }
    }
}
