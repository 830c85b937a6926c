import Basics
import PeerProtocol
import Vocabulary

/// A group's log in memory, in dictionaries, which shows what the machines cost without a disk.
struct BenchLog: GroupLogStorage {
    private struct Row {
        var entry: LogEntry
        var state: LogState
        var number: Int64 = 0
        var waits: [EntryHash: LogWait] = [:]
    }

    private var rows: [EntryHash: Row] = [:]
    private var order: [LogReference] = []
    private var places: [LogPlace: [EntryHash]] = [:]
    private var last: [DeviceID: UInt64] = [:]
    private var delivered: [DeviceID: UInt64] = [:]
    private var waiting: [EntryHash: Set<LogReference>] = [:]
    private var heldHashes: Set<EntryHash> = []
    private var ends: Set<LogReference> = []
    private var loose: Set<EntryHash> = []
    private var absences: [EntryHash: (reference: LogReference, inChain: Bool)] = [:]

    var count: Int { order.count }

    func state(of hash: EntryHash) -> LogState? { rows[hash]?.state }
    func entry(_ hash: EntryHash) -> LogEntry? { rows[hash]?.entry }
    func entries(at place: LogPlace) -> [(hash: EntryHash, state: LogState)] {
        (places[place] ?? []).compactMap { hash in rows[hash].map { (hash, $0.state) } }
    }
    func lastSequence(of device: DeviceID) -> UInt64 { last[device] ?? 0 }
    func lastDelivered(of device: DeviceID) -> UInt64 { delivered[device] ?? 0 }

    private mutating func keep(_ row: Row) {
        rows[row.entry.hash] = row
        places[row.entry.place, default: []].append(row.entry.hash)
        last[row.entry.device] = max(last[row.entry.device] ?? 0, row.entry.sequence)
    }

    private mutating func show(_ entry: LogEntry, isTop: Bool, isFrontier: Bool) {
        order.append(entry.reference)
        rows[entry.hash]?.number = Int64(order.count)
        rows[entry.hash]?.state = .delivered
        delivered[entry.device] = max(delivered[entry.device] ?? 0, entry.sequence)
        if isTop { ends.insert(entry.reference) }
        if isFrontier { loose.insert(entry.hash) }
    }

    mutating func insert(delivered entry: LogEntry, isTop: Bool, isFrontier: Bool) {
        keep(Row(entry: entry, state: .delivered))
        show(entry, isTop: isTop, isFrontier: isFrontier)
    }

    mutating func insert(held entry: LogEntry, waits: [LogWait]) {
        var row = Row(entry: entry, state: .held)
        for wait in waits {
            row.waits[wait.hash] = wait
            waiting[wait.hash, default: []].insert(entry.reference)
        }
        keep(row)
        heldHashes.insert(entry.hash)
    }

    mutating func deliver(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) {
        guard let entry = rows[hash]?.entry else { return }
        heldHashes.remove(hash)
        show(entry, isTop: isTop, isFrontier: isFrontier)
    }

    mutating func discard(_ hash: EntryHash) {
        endWaits(of: hash)
        heldHashes.remove(hash)
        guard let row = rows.removeValue(forKey: hash) else { return }
        places[row.entry.place]?.removeAll { $0 == hash }
    }

    mutating func setContent(_ content: [UInt8], of hash: EntryHash) throws {
        guard let entry = rows[hash]?.entry else { return }
        rows[hash]?.entry = try LogEntry(trusting: entry.header, signature: entry.signature, content: content)
    }

    func mayHaveContent(_ hash: EntryHash) -> Bool { true }

    // MARK: Waits

    func held() -> LogHeld {
        var held = LogHeld()
        held.entries = heldHashes.count
        return held
    }
    func heldCount(of device: DeviceID) -> Int { heldHashes.count { rows[$0]?.entry.device == device } }
    func waiters(for hash: EntryHash) -> [LogReference] { (waiting[hash] ?? []).sorted() }

    mutating func endWait(of entry: EntryHash, for hash: EntryHash) -> Int {
        guard let row = rows[entry] else { return 0 }
        rows[entry]?.waits[hash] = nil
        waiting[hash]?.remove(row.entry.reference)
        if waiting[hash]?.isEmpty == true { waiting[hash] = nil }
        return rows[entry]?.waits.count ?? 0
    }

    mutating func endWaits(of entry: EntryHash) {
        for hash in Array((rows[entry]?.waits ?? [:]).keys) { _ = endWait(of: entry, for: hash) }
    }

    func held(since moment: WallTime, limit: Int) -> [(hash: EntryHash, isUnproven: Bool)] { [] }

    private var allMissing: [LogReference] {
        var references: Set<LogReference> = []
        for hash in heldHashes {
            for case .entry(let reference) in (rows[hash]?.waits ?? [:]).values where rows[reference.hash] == nil {
                references.insert(reference)
            }
        }
        return references.sorted()
    }
    func missing(limit: Int) -> [LogReference] { Array(allMissing.prefix(limit)) }
    func missing(in range: LogRange, limit: Int) -> [LogReference] {
        Array(allMissing.filter { range.contains($0.place) }.prefix(limit))
    }
    func missingMembership() -> [EntryHash] {
        var hashes: Set<EntryHash> = []
        for hash in heldHashes {
            for case .membership(let entry) in (rows[hash]?.waits ?? [:]).values { hashes.insert(entry) }
        }
        return hashes.sorted()
    }

    // MARK: Ends, absences, forks, slots

    func tops() -> [LogReference] { ends.sorted() }
    func frontier(limit: Int) -> [LogReference] {
        let entries = loose.compactMap { rows[$0]?.entry }
        return entries.sorted { ($0.time, $0.hash) > ($1.time, $1.hash) }.prefix(limit).map(\.reference)
    }
    mutating func referred(to hash: EntryHash, inChain: Bool) {
        loose.remove(hash)
        if inChain, let reference = rows[hash]?.entry.reference { ends.remove(reference) }
    }
    mutating func addAbsent(_ reference: LogReference, inChain: Bool) {
        let before = absences[reference.hash]?.inChain ?? false
        absences[reference.hash] = (reference, before || inChain)
    }
    func absent(_ hash: EntryHash) -> Bool? { absences[hash]?.inChain }
    mutating func removeAbsent(_ hash: EntryHash) { absences[hash] = nil }
    func absent(limit: Int) -> [LogReference] {
        absences.values.map(\.reference).filter { rows[$0.hash] == nil }.prefix(limit).map { $0 }
    }
    mutating func add(_ fork: LogFork) {}

    func slot(of hash: EntryHash) -> LogSlot? {
        guard let row = rows[hash], row.number > 0 else { return nil }
        return LogSlot(number: row.number, reference: row.entry.reference)
    }
    func firstNumber(in range: LogRange) -> Int64? {
        var least: Int64?
        for sequence in range.from...range.to {
            guard sequence <= last[range.device] ?? 0 else { break }
            for hash in places[LogPlace(device: range.device, sequence: sequence)] ?? [] {
                guard let slot = slot(of: hash) else { continue }
                least = min(least ?? slot.number, slot.number)
            }
            // A chain is delivered in its order.
            if least != nil { break }
        }
        return least
    }
    func slots(from number: Int64, limit: Int) -> [LogSlot] {
        let start = Int(max(1, number)) - 1
        guard start < order.count else { return [] }
        return order[start..<min(order.count, start + limit)].enumerated().map {
            LogSlot(number: Int64(start + $0 + 1), reference: $1)
        }
    }
    func lackingContent(limit: Int) -> [EntryHash] { [] }
}
