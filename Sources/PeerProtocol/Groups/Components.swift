/// The strongly connected components of what entries depend on, by two searches (Kosaraju, Sharir 1981) that take each entry once
/// and pass over 64 dependencies at a time.
struct Components {
    private let conflicts: Conflicts
    /// By column: the places that the change hits.
    private let hit: [EntrySet]
    /// By place: the entries whose right comes from the entry.
    private var granted: [EntrySet]
    /// By place: the column of a removal or demotion.
    private var columns: [Int?]
    /// Words of bits that were looked at.
    private(set) var words = 0

    init(_ conflicts: Conflicts) {
        self.conflicts = conflicts
        hit = EntrySet.transposed(conflicts.hitters, columns: conflicts.changes.count)
        granted = [EntrySet](repeating: EntrySet(), count: conflicts.entries.count)
        columns = [Int?](repeating: nil, count: conflicts.entries.count)
        for (place, grants) in conflicts.grants.enumerated() { for grant in grants { granted[grant].insert(place) } }
        for (column, place) in conflicts.changes.enumerated() { columns[place] = column }
    }

    /// - Parameter part: places, ascending.
    /// - Returns: each component after those on which it depends.
    mutating func find(_ part: [Int]) -> [[Int]] {
        if part.count < 2 { return part.isEmpty ? [] : [part] }
        var left = EntrySet()
        for place in part { left.insert(place) }
        var leftColumns = EntrySet()
        for place in part { if let column = columns[place] { leftColumns.insert(column) } }
        let finished = search(part, left)
        var out: [[Int]] = []
        for start in finished.reversed() where left.contains(start) {
            var component: [Int] = []
            var open = [start]
            left.remove(start)
            if let column = columns[start] { leftColumns.remove(column) }
            while let place = open.popLast() {
                component.append(place)
                words += 2 * leftColumns.words.count
                while let column = conflicts.hitters[place].first(in: leftColumns) {
                    leftColumns.remove(column)
                    left.remove(conflicts.changes[column])
                    open.append(conflicts.changes[column])
                }
                for grant in conflicts.grants[place] where left.contains(grant) {
                    left.remove(grant)
                    if let column = columns[grant] { leftColumns.remove(column) }
                    open.append(grant)
                }
            }
            out.append(component)
        }
        return out
    }

    /// Goes from each to those that depend on it, depth first; there is no recursion, since a chain may be as long as a
    /// group's history.
    /// - Returns: the places in the order in which they were finished: the last one depends on none that isn't in its component.
    private mutating func search(_ part: [Int], _ inside: EntrySet) -> [Int] {
        var left = inside
        var out: [Int] = []
        out.reserveCapacity(part.count)
        for start in part where left.contains(start) {
            left.remove(start)
            var calls = [start]
            while let place = calls.last {
                words += 2 * left.words.count
                let next = columns[place].flatMap { hit[$0].first(in: left) } ?? granted[place].first(in: left)
                if let next {
                    left.remove(next)
                    calls.append(next)
                } else {
                    out.append(place)
                    calls.removeLast()
                }
            }
        }
        return out
    }
}
