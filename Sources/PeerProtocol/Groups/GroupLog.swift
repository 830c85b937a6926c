import Basics
import Crypto
import Vocabulary

/// The log of one group: who may write in it, in which order it is shown, what is missing.
///
/// Everything is in the storage; a value of this type is made for each transaction. An entry is *delivered* when all that it
/// refers to is, so that an answer is never shown before its question; until then it is *held*, and what is missing is asked
/// for. An entry that can't be had doesn't hold anything up for ever: the member that is asked says so
/// (``admit(_:graph:own:)``), and entries from before our own time in the group are not waited for.
///
/// The verdict on an entry depends on the entry and its own membership heads alone, so that it is the same at every member.
public struct GroupLog<Storage: GroupLogStorage> {
    public let root: EntryHash
    public var storage: Storage

    public init(root: EntryHash, storage: Storage) {
        self.root = root
        self.storage = storage
    }

    // MARK: Our own

    /// Writes an entry of our own, delivered at once.
    /// - Throws: ``GroupLogError`` or ``WireError`` where no member would take it, and what the storage throws.
    public mutating func append(
        _ kind: LogKind, id: UUIDv7, content: [UInt8], graph: GroupGraph, key: SigningKey, time: HybridTime,
        at: WallTime
    ) throws -> LogEntry {
        let device = DeviceID(key.publicKey)
        guard let account = graph.state.account(of: device) else { throw GroupLogError.notMember }
        let last = try storage.lastSequence(of: device)
        guard last < PeerLimits.logSequence else { throw GroupLogError.chainIsFull }
        // An entry that we wrote before our data was restored from a backup may still be held. It is ours, so it comes
        // first.
        let place = LogPlace(device: device, sequence: last)
        let previous = last == 0 ? nil : try storage.entries(at: place).map(\.hash).max()
        let seen = try storage.frontier(limit: PeerLimits.logDependencies + 1).filter { $0.hash != previous }
        let position = LogEntry.Position(
            root: root, sequence: last + 1, previous: previous, heads: graph.parentsForNext(by: account),
            dependencies: Array(seen.prefix(PeerLimits.logDependencies)))
        let entry = try LogEntry.make(kind, id: id, content: content, at: position, key: key, time: time, at: at)
        var outcome = LogOutcome()
        try deliver(entry, isHeld: false, into: &outcome)
        return entry
    }

    // MARK: What comes

    /// Takes an entry that a friend or group mate gives.
    public mutating func admit(
        _ entry: LogEntry, graph: GroupGraph, own: AccountID
    ) throws -> (admission: LogAdmission, outcome: LogOutcome) {
        var outcome = LogOutcome()
        let admission = try admit(entry, graph, own, into: &outcome)
        return (admission, outcome)
    }

    /// Takes a page of entries. What the other says it can't give is waited for no longer.
    public mutating func admit(_ page: LogPage, graph: GroupGraph, own: AccountID) throws -> LogOutcome {
        var outcome = LogOutcome()
        for entry in page.entries { _ = try admit(entry, graph, own, into: &outcome) }
        for range in page.withheld {
            for reference in try storage.missing(in: range, limit: PeerLimits.heldEntries) {
                try endWaits(for: reference.hash, into: &outcome)
            }
        }
        for hash in page.unavailable { try endWaits(for: hash, into: &outcome) }
        return outcome
    }

    /// The graph has entries that it hadn't.
    public mutating func graphGrew(_ graph: GroupGraph) throws -> LogOutcome {
        var outcome = LogOutcome()
        var waitsOn = false
        for head in try storage.missingMembership() where graph.contains(head) {
            for waiter in try storage.waiters(for: head) {
                // Entries that are too many for one turn wait for the next.
                guard let entry = try storage.entry(waiter.hash), graph.mayJudge(entry.heads) else { continue }
                let waits = try storage.endWait(of: waiter.hash, for: head)
                switch verdict(on: entry, graph) {
                case .unknown: continue
                case .refused(let refusal):
                    try storage.discard(waiter.hash)
                    outcome.refused.append(LogOutcome.Refused(entry: entry, refusal: refusal))
                case .member:
                    if waits == 0 {
                        try deliver(entry, isHeld: true, into: &outcome)
                    } else {
                        waitsOn = true
                    }
                }
            }
        }
        // The other entries they wait for may be nowhere in our lists yet.
        if waitsOn { outcome.missing = try storage.missing(limit: PeerLimits.groupWants) }
        return outcome
    }

    /// Shows what has been held since before a moment without what it waits for: no member that had that has come. An
    /// entry that no member can be shown to have written is forgotten.
    public mutating func giveUp(heldSince moment: WallTime) throws -> LogOutcome {
        var outcome = LogOutcome()
        while true {
            let old = try storage.held(since: moment, limit: PeerLimits.groupWants)
            for (hash, isUnproven) in old {
                // Delivered meanwhile, behind another of these.
                guard try storage.state(of: hash) == .held, let entry = try storage.entry(hash) else { continue }
                if isUnproven {
                    try storage.discard(hash)
                } else {
                    try storage.endWaits(of: hash)
                    try deliver(entry, isHeld: true, into: &outcome)
                }
            }
            if old.isEmpty { return outcome }
        }
    }

    private mutating func admit(
        _ entry: LogEntry, _ graph: GroupGraph, _ own: AccountID, into outcome: inout LogOutcome
    ) throws -> LogAdmission {
        func refuse(_ reason: Reason, _ detail: String) -> LogAdmission {
            let refusal = Refusal(reason, detail: detail)
            outcome.refused.append(LogOutcome.Refused(entry: entry, refusal: refusal))
            return .refused(refusal)
        }
        guard entry.root == root else { return refuse(.invalid, "the entry belongs to another group") }
        if try storage.state(of: entry.hash) != nil { return try complete(entry, into: &outcome) }
        guard try storage.entries(at: entry.place).count < PeerLimits.forksAtPlace else {
            return refuse(.notAllowed, "this device has written too many entries at one place")
        }
        guard graph.mayJudge(entry.heads) else { return refuse(.busy, "too much to judge at once") }
        var waits: [LogWait] = []
        switch verdict(on: entry, graph) {
        case .member: break
        case .refused(let refusal):
            outcome.refused.append(LogOutcome.Refused(entry: entry, refusal: refusal))
            return .refused(refusal)
        case .unknown(let heads): waits = heads.map { .membership($0) }
        }
        let floors = graph.floors(of: own)
        var missing: [LogReference] = []
        for reference in entry.references where try isAwaited(reference, floors) {
            waits.append(.entry(reference))
            if try storage.state(of: reference.hash) == nil { missing.append(reference) }
        }
        guard !waits.isEmpty else {
            outcome.taken.append(entry)
            try deliver(entry, isHeld: false, into: &outcome)
            return .delivered
        }
        let held = try storage.held()
        let membership = waits.compactMap { if case .membership(let hash) = $0 { hash } else { nil as EntryHash? } }
        let ofDevice = membership.isEmpty ? PeerLimits.heldEntriesOfDevice : PeerLimits.heldUnprovenOfDevice
        guard held.entries < PeerLimits.heldEntries, held.bytes + entry.byteCount <= PeerLimits.heldBytes,
            membership.isEmpty || held.unproven < PeerLimits.heldUnproven,
            try storage.heldCount(of: entry.device) < ofDevice
        else { return refuse(.busy, "too much waits for what comes before it") }
        try storage.insert(held: entry, waits: waits)
        outcome.taken.append(entry)
        outcome.missing += missing
        outcome.membership.formUnion(membership)
        return .held(missing: missing, membership: membership)
    }

    /// An entry that is here comes again; perhaps with the content that the first who gave it had dropped.
    private mutating func complete(_ entry: LogEntry, into outcome: inout LogOutcome) throws -> LogAdmission {
        guard let content = entry.content, let known = try storage.entry(entry.hash), known.content == nil,
            try storage.mayHaveContent(entry.hash)
        else { return .duplicate }
        try storage.setContent(content, of: entry.hash)
        outcome.taken.append(entry)
        // One that is held is shown with it later.
        guard try storage.state(of: entry.hash) == .delivered else { return .duplicate }
        outcome.completed.append(entry)
        return .completed
    }

    private enum Verdict {
        case member
        case unknown([EntryHash])
        case refused(Refusal)
    }

    /// By the entry's own past alone.
    private func verdict(on entry: LogEntry, _ graph: GroupGraph) -> Verdict {
        guard let state = graph.state(at: entry.heads) else {
            return .unknown(entry.heads.filter { !graph.contains($0) })
        }
        guard state.account(of: entry.device) != nil else {
            return .refused(Refusal(.notAllowed, detail: "written by a device of nobody in the group"))
        }
        return .member
    }

    /// Whether an entry must wait for one that it refers to.
    private func isAwaited(_ reference: LogReference, _ floors: [DeviceID: UInt64]) throws -> Bool {
        if try storage.state(of: reference.hash) == .delivered { return false }
        if let floor = floors[reference.device], reference.sequence < floor { return false }
        // Others were shown without it.
        return try storage.absent(reference.hash) == nil
    }

    // MARK: Delivering

    /// Delivers an entry and all that waited for it alone, each behind what it refers to.
    private mutating func deliver(_ entry: LogEntry, isHeld: Bool, into outcome: inout LogOutcome) throws {
        var ready = [(entry: entry, isHeld: isHeld)]
        while !ready.isEmpty {
            // The earliest of several goes first; this only matters in that the order is always the same.
            let next = ready.indices.min {
                (ready[$0].entry.time, ready[$0].entry.hash) < (ready[$1].entry.time, ready[$1].entry.hash)
            }
            let (entry, isHeld) = ready.remove(at: next ?? 0)
            try file(entry, isHeld: isHeld, into: &outcome)
            for waiter in try storage.waiters(for: entry.hash) {
                guard try storage.endWait(of: waiter.hash, for: entry.hash) == 0,
                    let released = try storage.entry(waiter.hash)
                else { continue }
                ready.append((released, true))
            }
        }
    }

    private mutating func file(_ entry: LogEntry, isHeld: Bool, into outcome: inout LogOutcome) throws {
        let inChain = try storage.absent(entry.hash)
        if inChain != nil { try storage.removeAbsent(entry.hash) }
        let (isTop, isFrontier) = (inChain != true, inChain == nil)
        if isHeld {
            try storage.deliver(entry.hash, isTop: isTop, isFrontier: isFrontier)
        } else {
            try storage.insert(delivered: entry, isTop: isTop, isFrontier: isFrontier)
        }
        for reference in entry.references {
            let inChain = reference.device == entry.device
            if try storage.state(of: reference.hash) == .delivered {
                try storage.referred(to: reference.hash, inChain: inChain)
            } else {
                try storage.addAbsent(reference, inChain: inChain)
            }
        }
        let others = try storage.entries(at: entry.place).filter { $0.state == .delivered && $0.hash != entry.hash }
        // Two prove it; more of them at one place prove nothing else.
        if others.count == 1, let other = others.first?.hash {
            let fork = LogFork(place: entry.place, first: other, second: entry.hash)
            try storage.add(fork)
            outcome.forks.append(fork)
        }
        outcome.delivered.append(entry)
    }

    /// Nothing waits for this any longer: it can't be had.
    private mutating func endWaits(for hash: EntryHash, into outcome: inout LogOutcome) throws {
        // An entry that has come since is waited for until it is delivered itself.
        guard try storage.state(of: hash) == nil else { return }
        for waiter in try storage.waiters(for: hash) {
            guard try storage.endWait(of: waiter.hash, for: hash) == 0, let entry = try storage.entry(waiter.hash)
            else { continue }
            try deliver(entry, isHeld: true, into: &outcome)
        }
    }
}

/// Why nothing can be written in a group.
public enum GroupLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Our device belongs to no member, as far as is known here.
    case notMember
    /// Our chain has come to the last number.
    case chainIsFull

    public var description: String {
        switch self {
        case .notMember: "this device belongs to no member of the group"
        case .chainIsFull: "the device's chain in the group is full"
        }
    }
}
