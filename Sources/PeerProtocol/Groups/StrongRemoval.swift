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
                if let known = memo.find([node.entry.hash]) { return (place + 1, known, narrow) }
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
