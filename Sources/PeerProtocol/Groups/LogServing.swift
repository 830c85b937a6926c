import Basics
import Vocabulary

/// Answers what other members ask of a group's log. It only reads the storage.
public struct LogServing<Storage: GroupLogStorage> {
    private let root: EntryHash
    private let storage: Storage

    public init(_ log: GroupLog<Storage>) {
        root = log.root
        storage = log.storage
    }

    /// The answer to what a member asks for: its first page. A former member gets the entry that took it out, and the entries that
    /// this one follows: it may have lost them. An account that never was a member is told that nothing is available.
    public func page(
        for want: GroupWantBody, to account: AccountID, graph: GroupGraph, maximumBytes: Int = PeerLimits.groupPageBytes
    ) throws -> GroupEntriesBody {
        guard let entitlement = LogEntitlement(account, in: graph) else {
            var (entries, hasMore): ([MembershipEntry], Bool) = ([], false)
            if let heads = want.heads, let departure = graph.lastDeparture(of: account) {
                (entries, hasMore) = graph.entries(
                    lackedBy: heads, upTo: departure.hash, after: want.after, maximumBytes: maximumBytes)
            }
            return GroupEntriesBody(
                root: root, membership: entries.map(\.bytes), withheld: want.ranges, hasMore: hasMore,
                unavailable: want.hashes)
        }
        var page = LogPageBuilder(maximumBytes: maximumBytes)
        if let heads = want.heads {
            // The membership comes first, and alone while there is more: the log can't be judged without it.
            let (entries, hasMore) = graph.entries(
                lackedBy: heads, after: want.after, maximumBytes: maximumBytes)
            page.membership = entries.map(\.bytes)
            page.hasMore = hasMore
            page.bytes = entries.reduce(0) { $0 + $1.bytes.count }
        }
        if !page.isFull { try add(want.hashes, for: entitlement, to: &page) }
        if !page.isFull { try add(want.ranges, for: entitlement, to: &page) }
        return page.body(root)
    }

    private func add(_ hashes: [EntryHash], for entitlement: LogEntitlement, to page: inout LogPageBuilder) throws {
        var slots: [LogSlot] = []
        for hash in hashes {
            if let slot = try storage.slot(of: hash) { slots.append(slot) } else { page.unavailable.append(hash) }
        }
        for slot in slots.sorted(by: { $0.number < $1.number }) {
            guard let entry = try storage.entry(slot.reference.hash) else { continue }
            guard entitlement.mayJudge(entry) else {
                page.hasMore = true
                return
            }
            guard entitlement.permits(entry) else {
                page.unavailable.append(slot.reference.hash)
                continue
            }
            guard try add(entry, for: entitlement, to: &page) else { return }
        }
    }

    /// Adds entries in the order in which they were delivered here: each after those that it refers to.
    private func add(_ ranges: [LogRange], for entitlement: LogEntitlement, to page: inout LogPageBuilder) throws {
        let byDevice = Dictionary(grouping: ranges, by: \.device)
        guard var number = try ranges.compactMap({ try storage.firstNumber(in: $0) }).min() else { return }
        while true {
            let slots = try storage.slots(from: number, limit: PeerLimits.logScan)
            for slot in slots {
                let place = slot.reference.place
                guard byDevice[place.device]?.contains(where: { $0.contains(place) }) == true,
                    !page.has(slot.reference.hash), let entry = try storage.entry(slot.reference.hash)
                else { continue }
                // The rest is for the next page.
                guard entitlement.mayJudge(entry) else {
                    page.hasMore = true
                    return
                }
                guard entitlement.permits(entry) else {
                    page.withhold(place)
                    continue
                }
                guard try add(entry, for: entitlement, to: &page) else { return }
            }
            guard let last = slots.last, slots.count == PeerLimits.logScan else { return }
            number = last.number + 1
        }
    }

    /// - Returns: false if it didn't fit.
    private func add(
        _ entry: LogEntry, for entitlement: LogEntitlement, to page: inout LogPageBuilder
    ) throws -> Bool {
        guard page.add(entry) else { return false }
        for reference in entry.references where !page.has(reference.hash) {
            // A member that gets an answer without its question must not wait for the question.
            guard try storage.state(of: reference.hash) == .delivered else {
                page.withhold(reference.place)
                continue
            }
            if entitlement.covers(reference.place) { continue }
            if let earlier = try storage.entry(reference.hash), !entitlement.permits(earlier) {
                page.withhold(reference.place)
            }
        }
        return true
    }
}

/// A page that is being filled.
private struct LogPageBuilder {
    let maximumBytes: Int
    var bytes = 0
    var hasMore = false
    var membership: [[UInt8]] = []
    var unavailable: [EntryHash] = []
    private var entries: [LogEntry] = []
    private var hashes: Set<EntryHash> = []
    private var withheld: [DeviceID: Set<UInt64>] = [:]

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    var isFull: Bool { hasMore }

    func has(_ hash: EntryHash) -> Bool { hashes.contains(hash) }

    mutating func withhold(_ place: LogPlace) { withheld[place.device, default: []].insert(place.sequence) }

    /// One entry always fits, however long it is.
    mutating func add(_ entry: LogEntry) -> Bool {
        let isEmpty = entries.isEmpty && membership.isEmpty
        guard isEmpty || bytes + entry.byteCount <= maximumBytes, entries.count < PeerLimits.groupPageEntries else {
            hasMore = true
            return false
        }
        bytes += entry.byteCount
        entries.append(entry)
        hashes.insert(entry.hash)
        return true
    }

    func body(_ root: EntryHash) -> GroupEntriesBody {
        var ranges: [LogRange] = []
        for (device, places) in withheld.sorted(by: { $0.key < $1.key }) {
            var rest = places.sorted()[...]
            while let first = rest.first {
                let run = rest.indices.prefix { rest[$0] - first == UInt64($0 - rest.startIndex) }
                if let range = LogRange(device: device, from: first, to: first + UInt64(run.count - 1)) {
                    ranges.append(range)
                }
                rest = rest.dropFirst(run.count)
            }
        }
        return GroupEntriesBody(
            root: root, membership: membership, entries: entries.map(GroupEntryBody.init),
            // Ranges beyond that are asked for by hash, and found unavailable.
            withheld: Array(ranges.prefix(PeerLimits.groupWithheld)), hasMore: hasMore, unavailable: unavailable)
    }
}
