import Basics
import Vocabulary

/// Says which of some entries of a graph hit which: it has a row for each entry, a column for each removal and
/// demotion, and a bit where the one hits the other. Rows are made of whole sets, never pair by pair: thousands of
/// removals at the same time cost little more than as many other entries.
struct Conflicts {
    /// The entries that are judged, by place: numbers in the graph, ascending.
    private(set) var entries: [Int] = []
    /// Entries that repeat another entry of the same author from the same place, with nothing after them. The verdict
    /// on that other entry, given by its place, applies to them too.
    private(set) var repeats: [(number: Int, place: Int)] = []
    /// The places of removals and demotions, ascending.
    private(set) var changes: [Int] = []
    /// By place: the columns of the changes that void the entry unless they are void themselves.
    private(set) var hitters: [EntrySet] = []
    /// By place: the places of the entries that gave the author the right.
    private(set) var grants: [[Int]] = []
    /// By the place of an addition: the added accounts that are hit, and by which columns.
    private(set) var seedHits: [Int: [AccountID: EntrySet]] = [:]
    /// Words of bits that were looked at.
    var words = 0

    private let nodes: [GroupGraph.Node]
    /// By place: the columns of the entries that it follows and that follow it.
    private var known: [EntrySet] = []
    /// By account: the columns that may hit it, of removals, and of demotions that leave it no more than a role.
    private var removals: [AccountID: EntrySet] = [:]
    private var demotions: [AccountID: [GroupRole: EntrySet]] = [:]
    private var columns: [Int: Int] = [:]

    /// - Parameter window: numbers, ascending.
    init(among window: [Int], of nodes: [GroupGraph.Node]) {
        self.nodes = nodes
        merge(window)
        var places: [Int: Int] = [:]
        for (place, number) in entries.enumerated() {
            places[number] = place
            let node = nodes[number]
            guard node.verdict.isChange else { continue }
            let column = changes.count
            columns[number] = column
            changes.append(place)
            switch node.entry.operation {
            case .remove(let account): removals[account, default: EntrySet()].insert(column)
            case .role(let account, let role):
                demotions[account, default: [:]][role, default: EntrySet()].insert(column)
            default: break
            }
        }
        relate(places)
        for place in entries.indices { find(place, places) }
        known = []
        // An account that was added in spite of a removal at the same time may do nothing by that addition.
        for place in entries.indices {
            let author = nodes[entries[place]].entry.author
            for grant in grants[place] { if let hits = seedHits[grant]?[author] { hitters[place].formUnion(hits) } }
        }
    }

    /// Nothing hits anything.
    var isEmpty: Bool { hitters.allSatisfy(\.isEmpty) && seedHits.isEmpty }

    func isChange(_ place: Int) -> Bool { nodes[entries[place]].verdict.isChange }

    // MARK: Repeats

    /// The effect of an entry on others, and what others may do to it.
    private enum Shape: Hashable {
        case removal(AccountID)
        case role(AccountID, GroupRole)
        case plain(needed: GroupRole)
        case exempt
    }

    private struct Stance: Hashable {
        let author: AccountID
        let parents: [Int]
        let shape: Shape
    }

    private mutating func merge(_ window: [Int]) {
        var isFollowed = EntrySet()
        for number in window { for parent in nodes[number].parents { isFollowed.insert(parent) } }
        var first: [Stance: Int] = [:]
        for number in window {
            if !isFollowed.contains(number), let stance = stance(nodes[number]) {
                if let place = first[stance] {
                    repeats.append((number, place))
                    continue
                }
                first[stance] = entries.count
            }
            entries.append(number)
        }
    }

    private func stance(_ node: GroupGraph.Node) -> Stance? {
        let shape: Shape
        switch node.entry.operation {
        case .create, .add: return nil
        case .remove(let account): shape = .removal(account)
        case .role(let account, let role): shape = .role(account, role)
        case .leave, .device: shape = .exempt
        case .rename, .describe, .avatar, .history, .unknown: shape = .plain(needed: node.verdict.needed)
        }
        return Stance(author: node.entry.author, parents: node.parents, shape: shape)
    }

    // MARK: Hits

    private mutating func relate(_ places: [Int: Int]) {
        var before = [EntrySet](repeating: EntrySet(), count: entries.count)
        for (place, number) in entries.enumerated() {
            for parent in nodes[number].parents {
                guard let earlier = places[parent] else { continue }
                before[place].formUnion(before[earlier])
                if let column = columns[parent] { before[place].insert(column) }
                words += before[place].words.count
            }
        }
        var after = [EntrySet](repeating: EntrySet(), count: entries.count)
        for (place, number) in entries.enumerated().reversed() {
            for parent in nodes[number].parents {
                guard let earlier = places[parent] else { continue }
                after[earlier].formUnion(after[place])
                if let column = columns[number] { after[earlier].insert(column) }
                words += after[earlier].words.count
            }
        }
        known = zip(before, after).map { before, after in
            var both = before
            both.formUnion(after)
            return both
        }
    }

    private mutating func find(_ place: Int, _ places: [Int: Int]) {
        let node = nodes[entries[place]]
        grants.append(node.grants.compactMap { places[$0] })
        var row = EntrySet()
        switch node.entry.operation {
        case .leave, .device: break
        // A demotion doesn't touch what the role it leaves allows.
        default: row = against(node.entry.author, leaving: node.verdict.needed)
        }
        if case .role(let account, let role) = node.entry.operation, node.verdict.change == .promotion {
            row.formUnion(against(account, leaving: role))
        }
        hitters.append(unknown(row, to: place))
        guard case .add(let seeds, _) = node.entry.operation else { return }
        for seed in seeds {
            guard let row = removals[seed.account] else { continue }
            let hits = unknown(row, to: place)
            if !hits.isEmpty { seedHits[place, default: [:]][seed.account] = hits }
        }
    }

    /// The removals of an account, and the demotions that leave it less than a role.
    private func against(_ account: AccountID, leaving role: GroupRole) -> EntrySet {
        var out = removals[account] ?? EntrySet()
        for (left, columns) in demotions[account] ?? [:] where left < role { out.formUnion(columns) }
        return out
    }

    /// The changes of a row that the entry's author didn't know to be valid: they were made at the same time, or the
    /// author knew them, but as void.
    private mutating func unknown(_ row: EntrySet, to place: Int) -> EntrySet {
        guard !row.isEmpty else { return row }
        var out = row
        out.subtract(known[place])
        if let own = columns[entries[place]] { out.remove(own) }
        words += 2 * row.words.count
        for change in nodes[entries[place]].pastVoids.indices {
            if let column = columns[change], row.contains(column) { out.insert(column) }
        }
        return out
    }
}
