import Basics

extension StrongRemoval {
    /// Fills ``voids`` and ``voidSeeds``.
    mutating func judge() {
        findHits()
        guard !hitters.isEmpty || !seedHits.isEmpty else { return }
        // Only where something hits something is there anything to decide; but what follows from a void entry may be anywhere.
        let isInside = Set(window)
        var work = [window]
        while let part = work.popLast() {
            let components = Components.find(part) { dependencies(of: $0).filter { isInside.contains($0) } }
            // Each after those on which it depends; what must be taken apart once more comes before the rest.
            for (index, component) in components.enumerated() {
                guard let rest = decide(component) else { continue }
                work.append(components[(index + 1)...].flatMap { $0 })
                work.append(rest)
                break
            }
        }
        for (number, seeds) in seedHits {
            voidSeeds[number] = Set(seeds.filter { isHit(by: $0.value) }.keys)
        }
    }

    // MARK: Who hits whom

    private mutating func findHits() {
        let changes = window.filter {
            nodes[$0].verdict.change == .removal || nodes[$0].verdict.change == .demotion
        }
        guard !changes.isEmpty else { return }
        var touching: [AccountID: [Int]] = [:]
        for number in window {
            let node = nodes[number]
            touching[node.entry.author, default: []].append(number)
            switch node.entry.operation {
            case .add(let seeds, _): for seed in seeds { touching[seed.account, default: []].append(number) }
            case .role(let account, _) where node.verdict.change == .promotion:
                touching[account, default: []].append(number)
            default: break
            }
        }
        for change in changes {
            let target: AccountID
            // What is left to them.
            let left: GroupRole?
            switch nodes[change].entry.operation {
            case .remove(let account): (target, left) = (account, nil)
            case .role(let account, let role): (target, left) = (account, role)
            default: continue
            }
            for other in touching[target] ?? [] where isUnknown(change, to: other) {
                hit(other, by: change, target: target, left: left)
            }
        }
    }

    /// Whether the author of an entry didn't know that a removal or demotion holds: made at the same time, or known and void as
    /// far as they knew.
    private func isUnknown(_ change: Int, to other: Int) -> Bool {
        if change == other { return false }
        if nodes[other].pastVoids.contains(change) { return true }
        return !nodes[other].ancestors.contains(change) && !nodes[change].ancestors.contains(other)
    }

    private mutating func hit(_ number: Int, by change: Int, target: AccountID, left: GroupRole?) {
        let node = nodes[number]
        if node.entry.author == target {
            switch node.entry.operation {
            case .leave, .device: break
            default:
                // What a demotion leaves to somebody they could do all along.
                if left.map({ node.verdict.needed > $0 }) ?? true { hitters[number, default: []].append(change) }
            }
        }
        switch node.entry.operation {
        case .add(let seeds, _):
            if left == nil, seeds.contains(where: { $0.account == target }) {
                seedHits[number, default: [:]][target, default: []].append(change)
            }
        case .role(target, let role):
            if node.verdict.change == .promotion, left.map({ role > $0 }) ?? true {
                hitters[number, default: []].append(change)
            }
        default: break
        }
    }

    // MARK: Deciding

    /// The entries on whose verdict an entry's own depends.
    private func dependencies(of number: Int) -> [Int] {
        let node = nodes[number]
        var out = hitters[number] ?? []
        for grant in node.grants {
            out.append(grant)
            out += seedHits[grant]?[node.entry.author] ?? []
        }
        return out
    }

    /// Decides the entries of a component, whose dependencies outside are decided.
    /// - Returns: nil, or what has to be decided once more, since the others are void and out of the circle.
    private mutating func decide(_ component: [Int]) -> [Int]? {
        let inside = component.count > 1 ? Set(component) : []
        let fallen = component.filter { isVoid($0) { !inside.contains($0) } }
        voids.formUnion(fallen)
        guard component.count > 1 else { return nil }
        guard fallen.isEmpty else { return component.filter { !voids.contains($0) } }
        // Removal wins. What else there is follows from it, each after what it follows.
        for number in component.sorted() {
            switch nodes[number].verdict.change {
            case .removal, .demotion: continue
            case .none, .promotion: if isVoid(number, counting: { _ in true }) { voids.insert(number) }
            }
        }
        return nil
    }

    private func isVoid(_ number: Int, counting isCounted: (Int) -> Bool) -> Bool {
        let node = nodes[number]
        if (hitters[number] ?? []).contains(where: { isCounted($0) && !voids.contains($0) }) { return true }
        for grant in node.grants {
            if isCounted(grant), voids.contains(grant) { return true }
            let hits = seedHits[grant]?[node.entry.author] ?? []
            if hits.contains(where: { isCounted($0) && !voids.contains($0) }) { return true }
        }
        return false
    }

    private func isHit(by changes: [Int]) -> Bool { changes.contains { !voids.contains($0) } }
}

/// The strongly connected components of a relation (Tarjan 1972), without recursion, since a chain may be as long as a group's history.
enum Components {
    /// - Returns: each component after those on which it depends.
    static func find(_ part: [Int], dependencies: (Int) -> [Int]) -> [[Int]] {
        let inside = Set(part)
        var order: [Int: Int] = [:]
        var low: [Int: Int] = [:]
        var open: [Int] = []
        var isOpen: Set<Int> = []
        var out: [[Int]] = []
        for start in part where order[start] == nil {
            var calls: [(node: Int, dependencies: [Int], next: Int)] = []
            func enter(_ node: Int) {
                order[node] = order.count
                low[node] = order[node]
                open.append(node)
                isOpen.insert(node)
                calls.append((node, dependencies(node).filter { inside.contains($0) }, 0))
            }
            enter(start)
            while let call = calls.last {
                if call.next < call.dependencies.count {
                    calls[calls.count - 1].next += 1
                    let other = call.dependencies[call.next]
                    if let place = order[other] {
                        if isOpen.contains(other) { low[call.node] = min(low[call.node] ?? place, place) }
                    } else {
                        enter(other)
                    }
                    continue
                }
                calls.removeLast()
                let reached = low[call.node] ?? 0
                if let caller = calls.last { low[caller.node] = min(low[caller.node] ?? reached, reached) }
                guard reached == order[call.node] else { continue }
                var component: [Int] = []
                while let node = open.popLast() {
                    isOpen.remove(node)
                    component.append(node)
                    if node == call.node { break }
                }
                out.append(component)
            }
        }
        return out
    }
}
