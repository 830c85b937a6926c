import Basics
import ControlProtocol
import Store
import Threads

/// Which types of events those subscribers want that keep up; known also to the store's thread.
package final class WantedTypes: Sendable {
    /// Nil: all types.
    private let types = Lock<Set<EventType>?>([])

    func set(_ types: Set<EventType>?) { self.types.withLock { $0 = types } }

    /// Looks up the events of a small commit on the store's own thread, where all they show is at hand: a lone message
    /// reaches its reader one thread sooner. Larger commits go the other way, for the store's thread has more to do then.
    /// - Returns: nil if that is not to be done here.
    package func compose(
        _ records: [EventRecord], with composer: ObjectComposer, in transaction: ReadTransaction
    ) -> PromptComposition? {
        guard records.count <= ControlLimits.promptEvents, !records.contains(where: \.isOfGroup) else { return nil }
        let types = types.withLock { $0 }
        let composed = try? composer.compose(records, in: transaction) { types?.contains($0) ?? true }
        // What is too large for one time goes the other way.
        guard let composed, composed.last == records.last?.seq else { return nil }
        return PromptComposition(types: types, events: composed.events)
    }
}

extension EventRecord {
    /// A group names all its members, and each is looked up: too much work for the thread that commits.
    fileprivate var isOfGroup: Bool { if case .group = object { true } else { false } }
}

/// The events of one commit, looked up right behind it.
package struct PromptComposition: Sendable {
    /// The types that were wanted then; nil: all.
    let types: Set<EventType>?
    let events: [ComposedEvent]

    /// Whether nothing is missing that somebody wants who wants these types.
    func covers(_ wanted: Set<EventType>?) -> Bool {
        guard let types else { return true }
        return wanted.map { $0.isSubset(of: types) } ?? false
    }
}
