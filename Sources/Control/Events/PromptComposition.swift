import ControlProtocol
import Store
import Threads

/// The types of events that live subscriptions want. The store's thread reads it, too.
package final class WantedTypes: Sendable {
    /// Nil: all types.
    private let types = Lock<Set<EventType>?>([])

    func set(_ types: Set<EventType>?) { self.types.withLock { $0 = types } }

    /// Looks up the events of a small commit on the store's own thread, which has their data at hand: a single message reaches its
    /// reader one thread sooner. Larger commits would hold up the store's thread.
    /// - Returns: nil if the reading thread has to look them up.
    package func compose(
        _ records: [EventRecord], with composer: ObjectComposer, in transaction: ReadTransaction
    ) -> PromptComposition? {
        guard records.count <= ControlLimits.promptEvents, !records.contains(where: \.isForLater) else { return nil }
        let types = types.withLock { $0 }
        let composed = try? composer.compose(records, in: transaction) { types?.contains($0) ?? true }
        // The reading thread looks up what is too large for one time.
        guard let composed, composed.last == records.last?.seq else { return nil }
        return PromptComposition(types: types, events: composed.events)
    }
}

extension EventRecord {
    /// Whether the thread that commits can't look it up. A group's event names all its members, which is too much work for
    /// it; an account's event says how the keys are kept, which the daemon notes after the commit.
    fileprivate var isForLater: Bool {
        switch object {
        case .group, .account: true
        default: false
        }
    }
}

/// The events of one commit, looked up right after it.
package struct PromptComposition: Sendable {
    /// The types that were wanted at that time; nil for all.
    let types: Set<EventType>?
    let events: [ComposedEvent]

    /// Whether this has all events that a client of these types wants.
    func covers(_ wanted: Set<EventType>?) -> Bool {
        guard let types else { return true }
        return wanted.map { $0.isSubset(of: types) } ?? false
    }
}
