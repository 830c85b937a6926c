import Basics
import Crypto
import Vocabulary

/// The membership of one group: every entry that its author was allowed to make, linked by hashes.
///
/// Entries come in any order and from any peer; the ``state`` of the group follows from the set of them. An entry is
/// judged when it comes by what its author knew (``GroupRights``), and again by what others did at the same time
/// (``StrongRemoval``).
public struct GroupGraph: Sendable {
    /// An entry, where it hangs, and what follows from its own past, which never changes.
    struct Node: Sendable {
        let entry: MembershipEntry
        /// Numbers of entries; an entry's number is above those of all it follows.
        let parents: [Int]
        let ancestors: EntrySet
        let ancestorCount: Int
        let verdict: GroupRights.Verdict
        /// The entries that made its author a member and gave the role that was needed.
        let grants: [Int]
        /// Removals and demotions that could hit it, that it follows and that were void as far as its author knew.
        let pastVoids: EntrySet

        /// Whether this is a removal or demotion of an account that an entry concerns.
        func canHit(_ other: MembershipEntry) -> Bool {
            let target: AccountID
            switch entry.operation {
            case .remove(let account): target = account
            case .role(let account, _) where verdict.change == .demotion: target = account
            default: return false
            }
            if other.author == target { return true }
            switch other.operation {
            case .add(let seeds, _): return seeds.contains { $0.account == target }
            case .role(let account, _): return account == target
            default: return false
            }
        }
    }

    public let group: UUIDv7
    public let root: EntryHash
    /// The entries that none follows, ascending.
    public private(set) var heads: [EntryHash]
    private(set) var nodes: [Node] = []
    private var numbers: [EntryHash: Int] = [:]
    /// By author: the entries that every member may make.
    private var small: [AccountID: [Int]] = [:]
    private let memo = StateMemo()
    /// Counts the work that is done for the caller that set it. Once a peer has caused too much, nothing more is
    /// computed for that peer.
    public var meter: GroupMeter?

    /// - Throws: `.invalid` for an entry that doesn't create a group.
    public init(create: MembershipEntry) throws(WireError) {
        guard create.isCreate else { throw .invalid(field: "create") }
        group = create.group
        root = create.root
        heads = [create.hash]
        var evaluation = Evaluation()
        evaluation.state.apply(create, position: 0)
        append(
            Node(
                entry: create, parents: [], ancestors: EntrySet(), ancestorCount: 0,
                verdict: GroupRights.Verdict(needed: .member), grants: [], pastVoids: EntrySet()))
        memo.store(evaluation, at: heads)
    }

    /// A whole graph from disk, in any order.
    /// - Throws: `.missing` for one with gaps or without its first entry, `.invalid` for one that has entries which were never allowed.
    public init(entries: [MembershipEntry]) throws(WireError) {
        guard let create = entries.first(where: { $0.isCreate }) else { throw .missing(field: "create") }
        try self.init(create: create)
        var waiting: [EntryHash: [MembershipEntry]] = [:]
        var ready: [MembershipEntry] = entries.reversed()
        while let entry = ready.popLast() {
            if entry.hash == root { continue }
            // In another order than that in which they were taken, each may be the last.
            switch insert(entry, isLast: ready.isEmpty, limit: PeerLimits.groupEntriesWithRemovals) {
            case .inserted: ready += (waiting.removeValue(forKey: entry.hash) ?? []).reversed()
            case .duplicate: continue
            case .missing(let parents): waiting[parents[0], default: []].append(entry)
            case .refused: throw .invalid(field: "entry")
            }
        }
        guard waiting.isEmpty else { throw .missing(field: "parents") }
    }

    public var count: Int { nodes.count }
    /// Bytes of all entries.
    public private(set) var byteCount = 0

    /// Whether an entry is here.
    public func contains(_ hash: EntryHash) -> Bool { numbers[hash] != nil }

    public func entry(_ hash: EntryHash) -> MembershipEntry? { numbers[hash].map { nodes[$0].entry } }

    /// Whether an entry follows another, directly or not; false where one isn't here.
    public func follows(_ later: EntryHash, _ earlier: EntryHash) -> Bool {
        guard let later = numbers[later], let earlier = numbers[earlier] else { return false }
        return nodes[later].ancestors.contains(earlier)
    }

    /// All entries, none before one that it follows.
    public var entries: [MembershipEntry] { nodes.map(\.entry) }

    // MARK: Taking entries

    /// Takes an entry, if every member would.
    public mutating func insert(_ entry: MembershipEntry) -> GroupInsertion {
        guard meter?.isSpent != true || contains(entry.hash) else {
            return .refused(Refusal(.busy, detail: "too much to judge at once"))
        }
        let bytes = entry.isWayOut ? 0 : byteCount + entry.bytes.count
        guard bytes <= PeerLimits.groupMembershipBytes || contains(entry.hash) else {
            let limit = PeerLimits.groupMembershipBytes
            return .refused(Refusal(.tooLarge, detail: "the membership of a group has at most \(limit) bytes"))
        }
        return insert(entry, isLast: true, limit: Self.limit(entry.operation))
    }

    /// How many entries there may be before one that does this.
    private static func limit(_ operation: GroupOperation) -> Int {
        switch operation {
        case .remove: PeerLimits.groupEntriesWithRemovals
        case .leave: PeerLimits.groupEntriesWithLeaves
        default: PeerLimits.groupEntries
        }
    }

    /// - Parameter isLast: whether a caller may ask for the state at the present heads once this is in; if not, memory
    ///   is reused.
    private mutating func insert(_ entry: MembershipEntry, isLast: Bool, limit: Int) -> GroupInsertion {
        guard numbers[entry.hash] == nil else { return .duplicate }
        guard entry.root == root, entry.group == group, !entry.isCreate else {
            return .refused(Refusal(.invalid, detail: "the entry belongs to another group"))
        }
        let missing = entry.parents.filter { numbers[$0] == nil }
        guard missing.isEmpty else { return .missing(missing) }
        guard count < limit else {
            return .refused(Refusal(.tooLarge, detail: "a group has at most \(limit) entries"))
        }
        let parents = entry.parents.compactMap { numbers[$0] }
        var ancestors = EntrySet()
        for parent in parents {
            ancestors.formUnion(nodes[parent].ancestors)
            ancestors.insert(parent)
        }
        // Where a chain goes on, no other entry needs the state before; where it branches, others will.
        let isChain = !isLast && parents == [nodes.count - 1]
        var past = isChain ? memo.remove(entry.parents) ?? evaluation(at: parents) : evaluation(at: parents)
        let verdict: GroupRights.Verdict
        do {
            verdict = try GroupRights.verdict(
                on: entry.operation, by: entry.author, certificate: entry.certificate.device, in: past.state,
                made: small[entry.author, default: []].count { ancestors.contains($0) })
        } catch {
            if isChain { memo.store(past, at: entry.parents) }
            return .refused(error.refusal)
        }
        let member = past.state.members[entry.author]
        let grants = Set([member?.since, member?.grant(of: verdict.needed)].compactMap { $0.flatMap { numbers[$0] } })
        var pastVoids = EntrySet()
        for number in past.voids.compactMap({ numbers[$0] }) where nodes[number].canHit(entry) {
            pastVoids.insert(number)
        }
        let node = Node(
            entry: entry, parents: parents, ancestors: ancestors, ancestorCount: ancestors.count, verdict: verdict,
            grants: grants.sorted(), pastVoids: pastVoids)
        // It comes last of all it knows, and nothing there is at the same time as it: no verdict changes.
        past.state.apply(entry, position: node.ancestorCount)
        memo.store(past, at: [entry.hash])
        append(node)
        heads.removeAll { entry.parents.contains($0) }
        heads.insert(entry.hash, at: heads.firstIndex { $0 > entry.hash } ?? heads.endIndex)
        return .inserted
    }

    private mutating func append(_ node: Node) {
        numbers[node.entry.hash] = nodes.count
        if node.verdict.needed == .member, !node.entry.isCreate {
            small[node.entry.author, default: []].append(nodes.count)
        }
        nodes.append(node)
        byteCount += node.entry.bytes.count
    }

    // MARK: States

    /// The state of the group, as far as it is known here.
    public var state: GroupState { present.state }

    private var present: Evaluation { memo.find(heads) ?? evaluation(at: heads.compactMap { numbers[$0] }) }

    /// The state of the group for a member that knew these entries and what they follow.
    /// - Returns: nil if one of them isn't here.
    public func state(at heads: [EntryHash]) -> GroupState? {
        var found: [Int] = []
        for head in heads {
            guard let number = numbers[head] else { return nil }
            found.append(number)
        }
        // Copies share what they remember: another copy may know entries that this one doesn't.
        if let evaluation = memo.find(heads) { return evaluation.state }
        return found.isEmpty ? nil : evaluation(at: found).state
    }

    /// Whether the peer whose turn the ``meter`` counts may still ask for the state at some heads.
    public func mayJudge(_ heads: [EntryHash]) -> Bool { meter?.isSpent != true || memo.find(heads) != nil }

    /// Whether an entry counts, or is void because its author was removed meanwhile; nil if it isn't here.
    public func isEffective(_ hash: EntryHash) -> Bool? {
        guard contains(hash) else { return nil }
        return !voids.contains(hash)
    }

    /// Entries that don't count.
    private var voids: Set<EntryHash> { present.voids }

    /// Entries that counted in an earlier graph of the group, and don't any more.
    public func undone(since before: GroupGraph) -> [MembershipEntry] {
        let now = voids
        guard !now.isEmpty else { return [] }
        let then = before.voids
        return before.nodes.map(\.entry).filter { now.contains($0.hash) && !then.contains($0.hash) }
    }

    /// The entry that took an account out, if it is out: its own entry, if it has left and was removed too.
    public func lastDeparture(of account: AccountID) -> MembershipEntry? {
        let evaluation = present
        guard !evaluation.state.has(account) else { return nil }
        var match: MembershipEntry?
        for entry in nodes.map(\.entry) where !evaluation.voids.contains(entry.hash) {
            switch entry.operation {
            case .leave where entry.author == account: match = entry
            case .remove(account) where match?.author != account: match = entry
            case .add(let seeds, _) where seeds.contains { $0.account == account }: match = nil
            default: continue
            }
        }
        return match
    }

    private func evaluation(at heads: [Int]) -> Evaluation {
        let hashes = heads.map { nodes[$0].entry.hash }
        if let evaluation = memo.find(hashes) { return evaluation }
        let (evaluation, work) = StrongRemoval.evaluate(members(heads, hashes), nodes: nodes, memo: memo)
        memo.store(evaluation, at: hashes)
        meter?.add(work)
        return evaluation
    }

    /// The numbers of these entries and all that they follow, ascending.
    private func members(_ heads: [Int], _ hashes: [EntryHash]) -> [Int] {
        if hashes == self.heads { return Array(nodes.indices) }
        var set = EntrySet()
        for head in heads {
            set.formUnion(nodes[head].ancestors)
            set.insert(head)
        }
        return set.indices
    }

    // MARK: Handing on

    /// The entries that a peer that knows `heads` lacks, none before one that it follows.
    /// - Parameters:
    ///   - last: the only entry that is wanted, with what it follows; nil for all.
    ///   - after: the last of those that the peer was given already; nil, or one that isn't here: none.
    /// - Returns: as many as fit, at least one if there is any; and whether there are more.
    public func entries(
        lackedBy heads: [EntryHash], upTo last: EntryHash? = nil, after: EntryHash? = nil, maximumBytes: Int
    ) -> (entries: [MembershipEntry], hasMore: Bool) {
        var known = EntrySet()
        for head in heads {
            guard let number = numbers[head] else { continue }
            known.formUnion(nodes[number].ancestors)
            known.insert(number)
        }
        var (out, bytes): ([MembershipEntry], Int) = ([], 0)
        let start = after.flatMap { numbers[$0] }.map { $0 + 1 } ?? 0
        let end = last.flatMap { numbers[$0] }
        for number in start..<max(start, end.map { $0 + 1 } ?? nodes.count) where !known.contains(number) {
            if let end, number != end, !nodes[end].ancestors.contains(number) { continue }
            let node = nodes[number]
            bytes += node.entry.bytes.count
            if bytes > maximumBytes, !out.isEmpty { return (out, true) }
            out.append(node.entry)
        }
        return (out, false)
    }

    // MARK: Making entries

    /// The entries that our next entry must follow: the heads. If there are more heads than an entry may name, those
    /// come first that the author's own rights depend on.
    public func parentsForNext(by account: AccountID? = nil) -> [EntryHash] {
        guard heads.count > PeerLimits.groupParents else { return heads }
        let member = account.flatMap { state.members[$0] }
        let grants = [member?.since, member?.adminSince, member?.ownerSince].compactMap { $0.flatMap { numbers[$0] } }
        let ranked = heads.compactMap { numbers[$0] }.sorted { left, right in
            let (one, other) = (held(grants, by: left), held(grants, by: right))
            if one != other { return one > other }
            return (nodes[left].entry.time, left) > (nodes[right].entry.time, right)
        }
        return ranked.prefix(PeerLimits.groupParents).map { nodes[$0].entry.hash }.sorted()
    }

    private func held(_ grants: [Int], by head: Int) -> Int {
        grants.count { $0 == head || nodes[head].ancestors.contains($0) }
    }

    /// The reason why an account may not do something now; nil if it may.
    public func permits(_ operation: GroupOperation, by account: AccountID) -> Refusal? {
        // Others may have more than is here.
        let hasRoom = byteCount + PeerLimits.groupBytesSpare <= PeerLimits.groupMembershipBytes
        guard count < Self.limit(operation) - PeerLimits.groupEntriesSpare,
            hasRoom || MembershipEntry.isWayOut(operation)
        else {
            return Refusal(.tooLarge, detail: "the group's history is full: make a new group")
        }
        do throws(WireError) { try MembershipCoding.check(operation) } catch { return error.refusal }
        guard let state = state(at: parentsForNext(by: account)) else { return nil }
        do {
            _ = try GroupRights.verdict(on: operation, by: account, certificate: nil, in: state)
            return nil
        } catch { return error.refusal }
    }

    /// Makes and signs an entry that follows all that is known here, later than all of it. It isn't inserted.
    /// - Throws: as ``MembershipEntry/make(_:group:parents:by:certificate:key:time:at:)``; ask ``permits(_:by:)`` before.
    public func make(
        _ operation: GroupOperation, certificate: DeviceCertificate, key: SigningKey, time: HybridTime, at: WallTime
    ) throws(WireError) -> MembershipEntry {
        let parents = parentsForNext(by: certificate.account)
        let latest = parents.compactMap { numbers[$0] }.map { nodes[$0].entry.time.rawValue }.max() ?? 0
        return try MembershipEntry.make(
            operation, group: (group, root), parents: parents, by: certificate.account, certificate: certificate,
            key: key, time: HybridTime(rawValue: max(time.rawValue, latest == .max ? latest : latest + 1)), at: at)
    }

    /// The account whose device signed a log entry, according to the membership that the entry's author had seen.
    package func author(of entry: LogEntry) -> AccountID? {
        state(at: entry.heads)?.account(of: entry.device) ?? state.account(of: entry.device)
    }
}
