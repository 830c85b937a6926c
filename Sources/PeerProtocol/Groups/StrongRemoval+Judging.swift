import Basics

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
