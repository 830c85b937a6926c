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

/// The questions that we ask other members. None of them needs the group's graph where both have the same.
extension GroupLog {
    /// Our heads, which the other members are told.
    public func heads(_ membership: some MembershipView) throws -> GroupHeadsBody {
        GroupHeadsBody(
            root: root, heads: Array(membership.heads.prefix(PeerLimits.groupHeadsInFrame)),
            digest: GroupTopsBody.digest(of: try storage.tops()))
    }

    /// Compares what another member says with what is here.
    /// - Returns: whether both have the same tops; and what to ask that member for, whatever its tops are: membership
    ///   entries that it knows and we don't, and entries that have been missing here for longer.
    public func compare(
        _ body: GroupHeadsBody, _ membership: some MembershipView, own: AccountID
    ) throws -> (isSame: Bool, questions: [GroupQuestion]) {
        var questions: [GroupQuestion] = []
        if try body.heads.contains(where: { try !membership.contains($0) }) {
            questions.append(GroupQuestion(wantMembership(membership), settles: false))
        }
        questions += try gaps(membership, own)
        return (GroupTopsBody.digest(of: try storage.tops()) == body.digest, questions)
    }

    /// Everything of the membership that is not here.
    public func wantMembership(_ membership: some MembershipView) -> GroupWantBody {
        GroupWantBody(root: root, heads: Array(membership.heads.prefix(PeerLimits.groupHeadsInFrame)))
    }

    /// The questions for a member that has these ends of chains.
    public func questions(
        tops: [LogReference], _ membership: some MembershipView, own: AccountID
    ) throws -> [GroupQuestion] {
        var asked = Asked()
        for top in tops where try storage.state(of: top.hash) != .delivered {
            try ask(for: top, membership, own, &asked)
        }
        // A member that has an entry that is held here has what it waits for, or we wait for that no longer.
        var settling = Asked(floors: asked.floors)
        let last = Dictionary(tops.map { ($0.device, $0.sequence) }, uniquingKeysWith: max)
        for reference in try storage.missing(limit: PeerLimits.groupWants) {
            let waiters = try storage.waiters(for: reference.hash)
            guard waiters.contains(where: { $0.sequence <= last[$0.device] ?? 0 }) else { continue }
            try ask(for: reference, membership, own, &settling)
        }
        return asked.questions(root, settles: false) + settling.questions(root, settles: true)
    }

    /// The questions for what a member's entries wait for: the member has that, or we wait for it no longer.
    public func questions(
        missing: [LogReference], _ membership: some MembershipView, own: AccountID
    ) throws -> [GroupQuestion] {
        var asked = Asked()
        for reference in missing where try storage.state(of: reference.hash) == nil {
            try ask(for: reference, membership, own, &asked)
        }
        return asked.questions(root, settles: true)
    }

    /// Entries that others were shown without, and entries that came without their content: perhaps this member has
    /// them.
    private func gaps(_ membership: some MembershipView, _ own: AccountID) throws -> [GroupQuestion] {
        var asked = Asked()
        for reference in try storage.absent(limit: PeerLimits.groupWants) {
            try ask(for: reference, membership, own, &asked)
        }
        asked.hashes.formUnion(try storage.lackingContent(limit: PeerLimits.groupContentsAsked))
        return asked.questions(root, settles: false)
    }

    /// Asks for everything between the end of our chain and this entry. If the entry isn't beyond that end (the chain
    /// forks or has gaps), asks for the entry alone.
    private func ask(
        for reference: LogReference, _ membership: some MembershipView, _ own: AccountID, _ asked: inout Asked
    ) throws {
        let floors = try asked.floors ?? membership.floors(of: own)
        asked.floors = floors
        let floor = floors[reference.device] ?? 1
        guard reference.sequence >= floor else { return }
        let next = max(try storage.lastDelivered(of: reference.device) + 1, floor)
        if next <= reference.sequence {
            let to = max(asked.ranges[reference.device]?.to ?? 0, reference.sequence)
            asked.ranges[reference.device] = (next, to)
        } else if try storage.state(of: reference.hash) == nil {
            asked.hashes.insert(reference.hash)
        }
    }

    private struct Asked {
        /// Read only once something is to be asked for.
        var floors: [DeviceID: UInt64]?
        var ranges: [DeviceID: (from: UInt64, to: UInt64)] = [:]
        var hashes: Set<EntryHash> = []

        init(floors: [DeviceID: UInt64]? = nil) { self.floors = floors }

        /// As many questions as it takes.
        func questions(_ root: EntryHash, settles: Bool) -> [GroupQuestion] {
            var ranges = ranges.compactMap { LogRange(device: $0.key, from: $0.value.from, to: $0.value.to) }.sorted()[
                ...]
            var hashes = hashes.sorted()[...]
            var questions: [GroupQuestion] = []
            while !ranges.isEmpty || !hashes.isEmpty {
                let limit = PeerLimits.groupWants
                let want = GroupWantBody(
                    root: root, ranges: Array(ranges.prefix(limit)), hashes: Array(hashes.prefix(limit)))
                questions.append(GroupQuestion(want, settles: settles))
                ranges = ranges.dropFirst(limit)
                hashes = hashes.dropFirst(limit)
            }
            return questions
        }
    }
}

/// Something to ask a member for.
public struct GroupQuestion: Hashable, Sendable {
    public let want: GroupWantBody
    /// Whether the member must know: we wait no longer for an entry that it hasn't or may not give.
    public let settles: Bool

    public init(_ want: GroupWantBody, settles: Bool) {
        self.want = want
        self.settles = settles
    }

    /// The rest of the question after a page of the answer.
    /// - Parameters:
    ///   - entries: of the page.
    ///   - heads: our membership heads now; nil if no more of the membership is to be asked for.
    /// - Returns: nil if nothing is left, or the page brought nothing and asking on is vain.
    public func rest(after page: GroupEntriesBody, entries: [LogReference], heads: [EntryHash]?) -> GroupQuestion? {
        // If our heads don't fit into a frame, or haven't changed, they don't tell what the page has brought.
        let told = heads.map { Array($0.prefix(PeerLimits.groupHeadsInFrame)) }
        let isVague = told.map { $0.count == PeerLimits.groupHeadsInFrame || $0 == want.heads } ?? false
        let after = isVague ? page.membership.last.flatMap(MembershipEntry.hash) : nil
        let named = Set(want.hashes)
        var reached: [DeviceID: UInt64] = [:]
        for entry in entries where !named.contains(entry.hash) {
            reached[entry.device] = max(reached[entry.device] ?? 0, entry.sequence)
        }
        // A page goes through all chains at once, and each from its beginning.
        let ranges = want.ranges.compactMap { range in
            var from = max(range.from, (reached[range.device] ?? 0) + 1)
            for gap in page.withheld where gap.device == range.device && gap.from <= from {
                from = max(from, gap.to + 1)
            }
            return LogRange(device: range.device, from: from, to: range.to)
        }
        let gone = Set(entries.map(\.hash)).union(page.unavailable)
        let rest = GroupWantBody(
            root: want.root, heads: want.heads == nil || !page.hasMore ? nil : told, ranges: ranges,
            hashes: want.hashes.filter { !gone.contains($0) }, after: after)
        return rest == want || rest.isEmpty ? nil : GroupQuestion(rest, settles: settles)
    }
}
