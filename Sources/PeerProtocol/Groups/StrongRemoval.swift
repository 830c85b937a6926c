import Basics

/// Evaluates a set of entries: an account that was removed can't undo it with entries that it says it made before.
///
/// An entry is void if the entry that gave its author the right is void, or if an effective removal or demotion hits it that its
/// author didn't know of. Entries that hit each other in a circle (two admins who remove each other) are
/// all effective if nothing from outside voids them: removal wins. Decision 0023 gives the reasons.
struct StrongRemoval {
    let nodes: [GroupGraph.Node]
    /// The entries to be judged, none before one that it follows. All others of the set are in the past of each of them.
    let window: [Int]
    var voids: Set<Int> = []
    /// Seeds of an entry that were removed at the same time.
    var voidSeeds: [Int: Set<AccountID>] = [:]

    // MARK: Evaluating

    /// - Parameter members: the numbers of a whole set, ascending.
    static func evaluate(
        _ members: [Int], nodes: [GroupGraph.Node], memo: StateMemo
    ) -> (evaluation: Evaluation, work: GroupWork) {
        var (start, evaluation, narrow) = beginning(members, nodes, memo)
        var removal = StrongRemoval(nodes: nodes, window: Array(members[start...]))
        var work = removal.judge()
        work.states = 1
        work.entries = removal.window.count
        // Entries that are only gone through are cheap.
        work.words += members.count
        for number in removal.linearOrder() {
            removal.fold(number, position: start, into: &evaluation)
            // The next set will have this narrow place too.
            if start == narrow { memo.store(evaluation, at: [nodes[number].entry.hash]) }
            start += 1
        }
        return (evaluation, work)
    }

    /// The place to begin: after the last place whose state is remembered and that is as narrow as one entry (it
    /// follows all earlier ones, and all later ones follow it), because later entries change nothing there. The very
    /// first entry is such a place.
    /// - Parameter members: the numbers of a set, ascending.
    /// - Returns: also the last narrow place behind the start, if there is one.
    private static func beginning(
        _ members: [Int], _ nodes: [GroupGraph.Node], _ memo: StateMemo
    ) -> (start: Int, evaluation: Evaluation, narrow: Int?) {
        var places = [Int](repeating: 0, count: (members.last ?? 0) + 1)
        for (place, number) in members.enumerated() { places[number] = place }
        // The earliest place that an entry behind follows directly.
        var earliest = Int.max
        var narrow: Int?
        for place in members.indices.reversed() {
            let node = nodes[members[place]]
            if node.ancestorCount == place, earliest >= place {
                if let evaluation = memo.find([node.entry.hash]) { return (place + 1, evaluation, narrow) }
                if narrow == nil, place < members.count - 1 { narrow = place }
            }
            for parent in node.parents { earliest = min(earliest, places[parent]) }
        }
        var first = Evaluation()
        first.state.apply(nodes[members[0]].entry, position: 0)
        return (1, first, narrow)
    }

    private init(nodes: [GroupGraph.Node], window: [Int]) {
        self.nodes = nodes
        self.window = window
    }

    private func fold(_ number: Int, position: Int, into evaluation: inout Evaluation) {
        if voids.contains(number) {
            evaluation.voids.insert(nodes[number].entry.hash)
        } else {
            evaluation.state.apply(
                nodes[number].entry, position: position, voidSeeds: voidSeeds[number] ?? [])
        }
    }
}

extension StrongRemoval {
    /// Fills ``voids`` and ``voidSeeds``.
    /// - Returns: what it cost.
    mutating func judge() -> GroupWork {
        var work = GroupWork()
        // There is something to decide only where one entry hits another; but what follows from a void entry may be
        // anywhere.
        guard window.contains(where: { nodes[$0].verdict.isChange }) else { return work }
        let conflicts = Conflicts(among: window, of: nodes)
        work.judged = conflicts.entries.count
        work.words = conflicts.words
        guard !conflicts.isEmpty else { return work }
        var decision = Decision(conflicts)
        work.words += decision.decideAll()
        for place in decision.voids.indices { voids.insert(conflicts.entries[place]) }
        for (number, place) in conflicts.repeats where decision.voids.contains(place) { voids.insert(number) }
        for (place, seeds) in conflicts.seedHits {
            voidSeeds[conflicts.entries[place]] = Set(seeds.filter { decision.isHit(by: $0.value) }.keys)
        }
        return work
    }
}

/// Decides which of some entries are void: each after those on which it depends. Where they depend on each other in a
/// circle, removal wins.
private struct Decision {
    private let conflicts: Conflicts
    private var components: Components
    private(set) var voids = EntrySet()
    private var decided = EntrySet()
    /// Columns of removals and demotions that are decided and hold.
    private var effective = EntrySet()
    private var words = 0
    private let columns: [Int: Int]

    init(_ conflicts: Conflicts) {
        self.conflicts = conflicts
        components = Components(conflicts)
        columns = Dictionary(conflicts.changes.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    }

    private enum Part {
        /// These must be taken apart. `rounds` counts how often, including this time.
        case whole([Int], rounds: Int)
        /// Everything outside on which it depends is decided.
        case component([Int], rounds: Int)
    }

    /// - Returns: the words that were looked at.
    mutating func decideAll() -> Int {
        var work = [Part.whole(Array(conflicts.entries.indices), rounds: 1)]
        while let part = work.popLast() {
            switch part {
            case .whole(let places, let rounds):
                for component in components.find(places).reversed() {
                    work.append(.component(component.sorted(), rounds: rounds))
                }
            case .component(let places, let rounds):
                if let rest = decide(places, isLast: rounds >= PeerLimits.groupJudgingRounds) {
                    work.append(.whole(rest, rounds: rounds + 1))
                }
            }
        }
        return words + components.words
    }

    func isHit(by changes: EntrySet) -> Bool { changes.intersects(effective) }

    /// - Returns: nil, or the rest that must be taken apart again because the others are void and no longer part of the
    ///   circle.
    private mutating func decide(_ component: [Int], isLast: Bool) -> [Int]? {
        words += component.count * effective.words.count
        let fallen = component.filter(isVoid)
        for place in fallen { settle(place, isVoid: true) }
        if component.count == 1 {
            if fallen.isEmpty { settle(component[0], isVoid: false) }
            return nil
        }
        let rest = component.filter { !decided.contains($0) }
        guard fallen.isEmpty || isLast else { return rest }
        if isLast {
            // Also in a circle that was taken apart too often a void right allows nothing.
            for place in rest where conflicts.grants[place].contains(where: voids.contains) {
                settle(place, isVoid: true)
            }
        }
        // Removal wins. The other verdicts follow from it, each entry after those that it follows.
        for place in rest where conflicts.isChange(place) && !decided.contains(place) {
            settle(place, isVoid: false)
        }
        for place in rest where !decided.contains(place) { settle(place, isVoid: isVoid(place)) }
        return nil
    }

    private mutating func settle(_ place: Int, isVoid: Bool) {
        decided.insert(place)
        if isVoid { voids.insert(place) } else if let column = columns[place] { effective.insert(column) }
    }

    /// Whether the entry is void by what is decided.
    private func isVoid(_ place: Int) -> Bool {
        conflicts.hitters[place].intersects(effective) || conflicts.grants[place].contains { voids.contains($0) }
    }
}
