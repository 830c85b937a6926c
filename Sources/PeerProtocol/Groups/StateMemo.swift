import Basics
import Threads
import Vocabulary

/// The result of a set of entries.
struct Evaluation: Sendable {
    var state = GroupState()
    /// Entries that don't count.
    var voids: Set<EntryHash> = []
}

/// The last few states that were asked for, by the heads of the set. A set and all that it follows is named by its heads for ever, so
/// that copies of a graph may share what they remember.
final class StateMemo: Sendable {
    private struct Item: Sendable {
        let heads: [EntryHash]
        let evaluation: Evaluation
    }

    /// Latest last.
    private let items = Lock<[Item]>([])

    func find(_ heads: [EntryHash]) -> Evaluation? {
        items.withLock { items in
            guard let index = items.lastIndex(where: { $0.heads == heads }) else { return nil }
            let item = items.remove(at: index)
            items.append(item)
            return item.evaluation
        }
    }

    /// Finds and forgets a state: its only holder can change it in place.
    func remove(_ heads: [EntryHash]) -> Evaluation? {
        items.withLock { items in
            items.lastIndex { $0.heads == heads }.map { items.remove(at: $0).evaluation }
        }
    }

    func store(_ evaluation: Evaluation, at heads: [EntryHash]) {
        items.withLock { items in
            if let index = items.lastIndex(where: { $0.heads == heads }) { items.remove(at: index) }
            if items.count >= PeerLimits.groupStates { items.removeFirst() }
            items.append(Item(heads: heads, evaluation: evaluation))
        }
    }
}
