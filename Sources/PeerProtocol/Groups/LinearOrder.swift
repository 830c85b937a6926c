import Basics
import Vocabulary

extension StrongRemoval {
    /// Entries in an order in which each comes after those that it follows; if several could be next, the one with the
    /// least (time, hash) is.
    func linearOrder() -> [Int] {
        var waits: [Int: Int] = [:]
        var followers: [Int: [Int]] = [:]
        let isInside = Set(window)
        var ready = Heap()
        for number in window {
            let parents = nodes[number].parents.filter { isInside.contains($0) }
            if parents.isEmpty { ready.push(key(number)) } else { waits[number] = parents.count }
            for parent in parents { followers[parent, default: []].append(number) }
        }
        var out: [Int] = []
        out.reserveCapacity(window.count)
        while let next = ready.pop() {
            out.append(next.number)
            for follower in followers[next.number] ?? [] {
                let left = (waits[follower] ?? 1) - 1
                waits[follower] = left
                if left == 0 { ready.push(key(follower)) }
            }
        }
        return out
    }

    private func key(_ number: Int) -> Heap.Key {
        Heap.Key(time: nodes[number].entry.time, hash: nodes[number].entry.hash, number: number)
    }
}

/// The entries that could be next, the least on top.
private struct Heap {
    struct Key: Comparable {
        let time: HybridTime
        let hash: EntryHash
        let number: Int

        static func < (left: Key, right: Key) -> Bool {
            left.time != right.time ? left.time < right.time : left.hash < right.hash
        }
    }

    private var keys: [Key] = []

    mutating func push(_ key: Key) {
        keys.append(key)
        var place = keys.count - 1
        while place > 0, keys[place] < keys[(place - 1) / 2] {
            keys.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func pop() -> Key? {
        guard let least = keys.first, let last = keys.popLast() else { return nil }
        guard !keys.isEmpty else { return least }
        keys[0] = last
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < keys.count else { return least }
            if child + 1 < keys.count, keys[child + 1] < keys[child] { child += 1 }
            guard keys[child] < keys[place] else { return least }
            keys.swapAt(place, child)
            place = child
        }
    }
}
