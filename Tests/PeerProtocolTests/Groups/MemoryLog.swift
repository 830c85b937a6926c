import Basics
import PeerProtocol
import Vocabulary

/// A group's log in memory, which implements ``GroupLogStorage`` in the plainest way.
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
    /// The hashes of held rows. With many held entries, nothing may look at all of them for each entry.
    private var heldOnes: Set<EntryHash> = []
    private var waiting: [EntryHash: Set<EntryHash>] = [:]
    private var totals = LogHeld()
    private var heldOf: [DeviceID: Int] = [:]
    var places: [LogPlace: [EntryHash]] = [:]
    var last: [DeviceID: UInt64] = [:]
    var delivered: [DeviceID: UInt64] = [:]
    var absences: [(reference: LogReference, inChain: Bool)] = []
    var forks: Set<LogFork> = []
    /// Entries whose content was deleted on purpose.
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

    private mutating func noLongerHeld(_ hash: EntryHash) {
        guard heldOnes.remove(hash) != nil, let row = rows[hash] else { return }
        totals.entries -= 1
        totals.bytes -= row.entry.byteCount
        heldOf[row.entry.device, default: 0] -= 1
        for other in row.waits { waiting[other]?.remove(hash) }
        if !row.membership.isEmpty { totals.unproven -= 1 }
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
        heldOnes.insert(entry.hash)
        totals.entries += 1
        totals.bytes += entry.byteCount
        if !row.membership.isEmpty { totals.unproven += 1 }
        heldOf[entry.device, default: 0] += 1
        for hash in row.waits { waiting[hash, default: []].insert(entry.hash) }
    }
    mutating func deliver(_ hash: EntryHash, isTop: Bool, isFrontier: Bool) {
        precondition(rows[hash]?.state == .held && rows[hash]?.waits.isEmpty == true, "still waits")
        noLongerHeld(hash)
        number(hash, isTop: isTop, isFrontier: isFrontier)
    }
    mutating func discard(_ hash: EntryHash) {
        noLongerHeld(hash)
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

    func held() -> LogHeld { totals }
    func heldCount(of device: DeviceID) -> Int { heldOf[device] ?? 0 }
    func waiters(for hash: EntryHash) -> [LogReference] {
        (waiting[hash] ?? []).compactMap { rows[$0]?.entry.reference }.sorted()
    }
    mutating func endWait(of entry: EntryHash, for hash: EntryHash) -> Int {
        guard var row = rows[entry] else { return 0 }
        row.waits.remove(hash)
        if row.membership.remove(hash) != nil, row.membership.isEmpty { totals.unproven -= 1 }
        rows[entry] = row
        waiting[hash]?.remove(entry)
        return row.waits.count
    }
    mutating func endWaits(of entry: EntryHash) {
        for hash in rows[entry]?.waits ?? [] { _ = endWait(of: entry, for: hash) }
    }
    func held(since moment: WallTime, limit: Int) -> [(hash: EntryHash, isUnproven: Bool)] {
        heldOnes.compactMap { rows[$0] }.filter { $0.heldSince < moment }.sorted { $0.entry.time < $1.entry.time }
            .prefix(limit).map { ($0.entry.hash, !$0.membership.isEmpty) }
    }
    private var allMissing: [LogReference] {
        var found: Set<LogReference> = []
        for row in heldOnes.compactMap({ rows[$0] }) {
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
    func missingMembership() -> [EntryHash] { Set(heldOnes.flatMap { rows[$0]?.membership ?? [] }).sorted() }

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
