import Basics
import PeerProtocol
import Vocabulary

/// The rules of docs/PROTOCOL-GROUPS.md once more, written as plainly as possible and without caches. It computes as a
/// whole, from the public parts of the entries alone, what the graph computes step by step.
final class GroupReference {
    struct Member: Equatable {
        var role: GroupRole
        let since: EntryHash
        var floors: [DeviceID: UInt64]
        var devices: [DeviceID]
        let senior: [Int]
        var grants: [GroupRole: EntryHash]
    }

    struct Result {
        var name = ""
        var history = 0
        var members: [AccountID: Member] = [:]
        var voids: Set<EntryHash> = []
    }

    /// What an entry's own past says about it.
    private struct Relation {
        var needed = GroupRole.member
        var grants: Set<EntryHash> = []
        var voids: Set<EntryHash> = []
        var oldRole: GroupRole?
    }

    private let entries: [EntryHash: MembershipEntry]
    private var pasts: [EntryHash: Set<EntryHash>] = [:]
    private var relations: [EntryHash: Relation] = [:]

    init(_ entries: [MembershipEntry]) {
        self.entries = Dictionary(entries.map { ($0.hash, $0) }, uniquingKeysWith: { one, _ in one })
    }

    private func entry(_ hash: EntryHash) -> MembershipEntry {
        guard let entry = entries[hash] else { fatalError("a gap in the test's graph") }
        return entry
    }

    func past(_ hash: EntryHash) -> Set<EntryHash> {
        if let known = pasts[hash] { return known }
        let parents = entry(hash).parents
        let past = parents.reduce(into: Set(parents)) { $0.formUnion(self.past($1)) }
        pasts[hash] = past
        return past
    }

    /// - Parameter set: a complete set, which contains with an entry also all that it follows.
    func evaluate(_ set: Set<EntryHash>) -> Result {
        var result = Result()
        let (voids, seedVoids) = judge(set)
        result.voids = voids
        for (position, hash) in linear(set).enumerated() where !voids.contains(hash) {
            fold(entry(hash), position, seedVoids[hash] ?? [], &result)
        }
        return result
    }

    private func linear(_ set: Set<EntryHash>) -> [EntryHash] {
        var (out, rest): ([EntryHash], Set<EntryHash>) = ([], set)
        while !rest.isEmpty {
            let ready = rest.filter { entry($0).parents.allSatisfy { !rest.contains($0) } }
            guard let next = ready.min(by: { (entry($0).time, $0) < (entry($1).time, $1) }) else { break }
            out.append(next)
            rest.remove(next)
        }
        return out
    }

    private func relation(_ hash: EntryHash) -> Relation {
        if let known = relations[hash] { return known }
        let entry = self.entry(hash)
        let past = evaluate(self.past(hash))
        var relation = Relation()
        relation.voids = past.voids
        switch entry.operation {
        case .create, .leave, .device, .unknown: relation.needed = .member
        case .add, .rename, .describe, .avatar, .history: relation.needed = .admin
        case .remove(let account): relation.needed = past.members[account]?.role == .owner ? .owner : .admin
        case .role(let account, let new):
            relation.oldRole = past.members[account]?.role
            relation.needed = max(new, relation.oldRole ?? .member) == .owner ? .owner : .admin
        }
        if let author = past.members[entry.author] {
            relation.grants = Set([author.since, author.grants[relation.needed]].compactMap { $0 })
        }
        relations[hash] = relation
        return relation
    }

    // MARK: Judging

    /// Whether a removal or demotion hits an entry, or one of its seeds.
    private func hits(_ change: EntryHash, _ other: EntryHash) -> (whole: Bool, seed: AccountID?) {
        let none: (Bool, AccountID?) = (false, nil)
        guard change != other, !past(change).contains(other) else { return none }
        guard !past(other).contains(change) || relation(other).voids.contains(change) else { return none }
        let (target, left): (AccountID, GroupRole?)
        switch entry(change).operation {
        case .remove(let account): (target, left) = (account, nil)
        case .role(let account, let role):
            guard let old = relation(change).oldRole, role < old else { return none }
            (target, left) = (account, role)
        default: return none
        }
        let entry = self.entry(other)
        var whole = false
        if entry.author == target, entry.operation != .leave, entry.operation != .device {
            whole = left.map { relation(other).needed > $0 } ?? true
        }
        if case .role(target, let role) = entry.operation, let old = relation(other).oldRole, role > old {
            whole = whole || (left.map { role > $0 } ?? true)
        }
        if case .add(let seeds, _) = entry.operation, left == nil, seeds.contains(where: { $0.account == target }) {
            return (whole, target)
        }
        return (whole, nil)
    }

    private func judge(_ set: Set<EntryHash>) -> (Set<EntryHash>, [EntryHash: Set<AccountID>]) {
        let all = set.sorted()
        var whole: [EntryHash: Set<EntryHash>] = [:]
        var seeds: [EntryHash: [(AccountID, EntryHash)]] = [:]
        for change in all where isChange(change) {
            for other in all {
                let hit = hits(change, other)
                if hit.whole { whole[other, default: []].insert(change) }
                if let seed = hit.seed { seeds[other, default: []].append((seed, change)) }
            }
        }
        guard !whole.isEmpty || !seeds.isEmpty else { return ([], [:]) }
        /// The entries on which an entry's verdict depends: those that void it by holding, and those that void it by
        /// being void.
        func foes(_ hash: EntryHash) -> Set<EntryHash> {
            var out = whole[hash] ?? []
            for grant in relation(hash).grants {
                for (seed, change) in seeds[grant] ?? [] where seed == entry(hash).author { out.insert(change) }
            }
            return out
        }
        let foesOf = Dictionary(uniqueKeysWithValues: all.map { ($0, foes($0)) })
        let grantsOf = Dictionary(uniqueKeysWithValues: all.map { ($0, relation($0).grants) })
        var voids: Set<EntryHash> = []
        func falls(_ hash: EntryHash, _ counts: (EntryHash) -> Bool) -> Bool {
            (foesOf[hash] ?? []).contains { counts($0) && !voids.contains($0) }
                || (grantsOf[hash] ?? []).contains { counts($0) && voids.contains($0) }
        }
        func decide(_ part: [EntryHash], round: Int) {
            for component in components(part, { (foesOf[$0] ?? []).union(grantsOf[$0] ?? []) }) {
                let inside = Set(component)
                let fallen = component.filter { hash in falls(hash) { !inside.contains($0) } }
                voids.formUnion(fallen)
                if component.count == 1 { continue }
                if !fallen.isEmpty, round < PeerLimits.groupJudgingRounds {
                    decide(component.filter { !voids.contains($0) }, round: round + 1)
                    continue
                }
                for hash in linear(inside) where !(grantsOf[hash] ?? []).isDisjoint(with: voids) { voids.insert(hash) }
                for hash in linear(inside) where !isChange(hash) {
                    if falls(hash, { _ in true }) { voids.insert(hash) }
                }
            }
        }
        decide(all, round: 1)
        let seedVoids = seeds.mapValues { Set($0.filter { !voids.contains($0.1) }.map(\.0)) }
        return (voids, seedVoids)
    }

    private func isChange(_ hash: EntryHash) -> Bool {
        switch entry(hash).operation {
        case .remove: true
        case .role(_, let role): relation(hash).oldRole.map { role < $0 } ?? false
        default: false
        }
    }

    /// The strongly connected components, each after those that it depends on.
    private func components(
        _ part: [EntryHash], _ edges: (EntryHash) -> Set<EntryHash>
    ) -> [[EntryHash]] {
        let places = Dictionary(uniqueKeysWithValues: part.enumerated().map { ($1, $0) })
        var reach = part.map { hash -> [Bool] in
            var row = [Bool](repeating: false, count: part.count)
            for edge in edges(hash) { if let place = places[edge] { row[place] = true } }
            return row
        }
        for middle in part.indices {
            for from in part.indices where reach[from][middle] {
                for to in part.indices where reach[middle][to] { reach[from][to] = true }
            }
        }
        var left = Array(part.indices)
        var out: [[EntryHash]] = []
        while !left.isEmpty {
            // Finds an entry that reaches only its own component among those left.
            guard
                let next = left.first(where: { one in left.allSatisfy { !reach[one][$0] || reach[$0][one] } })
            else { break }
            let component = left.filter { $0 == next || (reach[next][$0] && reach[$0][next]) }
            out.append(component.map { part[$0] })
            left.removeAll { component.contains($0) }
        }
        return out
    }

    // MARK: Folding

    private func fold(
        _ entry: MembershipEntry, _ position: Int, _ voidSeeds: Set<AccountID>, _ result: inout Result
    ) {
        func learn(_ device: DeviceID, _ account: AccountID) {
            guard !result.members.values.contains(where: { $0.devices.contains(device) }) else { return }
            if result.members[account]?.devices.count ?? 16 < 16 { result.members[account]?.devices.append(device) }
        }
        func add(_ seeds: [GroupSeed], _ floors: [LogPlace]) {
            let floors = Dictionary(floors.map { ($0.device, $0.sequence) }, uniquingKeysWith: min)
            for (index, seed) in seeds.enumerated() where !voidSeeds.contains(seed.account) {
                if let old = result.members[seed.account] {
                    let both = old.floors.compactMap { device, floor in
                        floors[device].map { (device, min(floor, $0)) }
                    }
                    result.members[seed.account]?.floors = Dictionary(both, uniquingKeysWith: min)
                } else {
                    result.members[seed.account] = Member(
                        role: .member, since: entry.hash, floors: floors, devices: [], senior: [position, index],
                        grants: [.member: entry.hash])
                }
                learn(seed.certificate.device, seed.account)
            }
        }
        func set(_ account: AccountID, _ role: GroupRole) {
            guard var member = result.members[account] else { return }
            member.role = role
            for level in [GroupRole.admin, .owner] {
                member.grants[level] = role >= level ? member.grants[level] ?? entry.hash : nil
            }
            result.members[account] = member
        }
        if !entry.isCreate { learn(entry.certificate.device, entry.author) }
        switch entry.operation {
        case .create(let name, _, let history, let creator, let members):
            (result.name, result.history) = (name, history)
            add([GroupSeed(certificate: entry.certificate, name: creator)] + members, [])
            set(entry.author, .owner)
        case .add(let seeds, let floors): add(seeds, floors)
        case .remove(let account): result.members[account] = nil
        case .leave: result.members[entry.author] = nil
        case .role(let account, let role): set(account, role)
        case .rename(let name): result.name = name
        case .history(let count): result.history = count
        case .describe, .avatar, .device, .unknown: break
        }
        guard !result.members.values.contains(where: { $0.role == .owner }) else { return }
        for role in [GroupRole.admin, .member] {
            let heir = result.members.filter { $0.value.role == role }
                .min { $0.value.senior.lexicographicallyPrecedes($1.value.senior) }
            if let heir {
                set(heir.key, .owner)
                return
            }
        }
    }
}
