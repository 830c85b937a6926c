import Basics
import ControlProtocol
import Reactor
import Store
import Vocabulary

/// Hands events to subscribers.
///
/// This folder (`Events`) turns commits into what clients read. The log says which objects changed. Their data is looked up when
/// an event is handed out: once for all subscribers, on a reading thread of its own, and only if a client wants events of that
/// type. A subscription is a cursor in the log: while its client keeps up, it gets events as they are committed; when the client
/// is slow, it waits and later reads on from the log. A slow client loses nothing that the log still holds, and other clients
/// don't wait for it.
@ReactorActor package final class EventHub {
    private let store: Store
    package let composer: ObjectComposer
    private let log: Logger
    private let clocks: any Clocks
    private var subscriptions: [ObjectIdentifier: Subscription] = [:]
    /// The newest committed event that went through here.
    private(set) var latest: Int64
    /// Events that are committed and not looked up yet.
    private var waiting: [EventRecord] = []
    /// The last event that was taken from `waiting`.
    private var taken: Int64
    private var isComposing = false
    private var retry: TimerToken?
    /// Called when the first subscriber that shows ringing calls has come, or the last one has gone.
    package var ringsChanged: @ReactorActor () -> Void = {}
    /// The types that live subscriptions want.
    package let wanted = WantedTypes()

    package init(store: Store, composer: ObjectComposer, latest: Int64, clocks: any Clocks, log: Logger) {
        self.clocks = clocks
        self.store = store
        self.composer = composer
        self.latest = latest
        taken = latest
        self.log = log.labelled("events")
    }

    private func add(_ subscription: Subscription) {
        guard subscription.isConnected else { return }
        let rang = rings
        subscriptions[ObjectIdentifier(subscription)] = subscription
        resume(subscription)
        if rings != rang { ringsChanged() }
    }

    /// Begins a subscription at the next turn, so that the client reads the reply that names it before its first event.
    /// - Parameter gap: the events about which the client's knowledge is void, if there are any.
    func addAfterReply(_ subscription: Subscription, gap: ClosedRange<Int64>?) {
        Reactor.shared.post {
            if let gap {
                subscription.deliverGap(from: gap.lowerBound, to: gap.upperBound, at: self.clocks.wallTime)
            }
            self.add(subscription)
        }
    }

    func remove(_ subscription: Subscription) {
        let rang = rings
        subscriptions[ObjectIdentifier(subscription)] = nil
        noteWanted()
        if rings != rang { ringsChanged() }
    }

    /// Whether a subscriber wants events of a type that is not kept.
    func isWanted(_ type: EventType) -> Bool {
        subscriptions.values.contains { $0.wantsEphemeral && $0.wants(type) }
    }

    /// Whether a subscriber shows its user ringing calls.
    package var rings: Bool { subscriptions.values.contains(where: \.rings) }

    /// How many subscribers notify their users of what comes.
    package var notifiers: Int { subscriptions.values.count(where: \.notifies) }

    private func setLive(_ subscription: Subscription, _ isLive: Bool) {
        subscription.isLive = isLive
        noteWanted()
    }

    private func noteWanted() {
        var types: Set<EventType> = []
        for subscription in subscriptions.values where subscription.isLive {
            guard let own = subscription.types else { return wanted.set(nil) }
            types.formUnion(own)
        }
        wanted.set(types)
    }

    // MARK: Live subscriptions

    /// Hands the events of a commit to the subscribers, in order.
    /// - Parameter prompt: the same events with their data, if they were looked up already.
    package func committed(_ events: [EventRecord], _ prompt: PromptComposition?) {
        guard let last = events.last else { return }
        latest = max(latest, last.seq)
        if let prompt, waiting.isEmpty, !isComposing,
            subscriptions.values.allSatisfy({ !$0.isLive || prompt.covers($0.types) })
        {
            taken = last.seq
            return deliver(prompt.events, upTo: last.seq)
        }
        waiting += events
        handOut()
    }

    /// Takes the next events that wait, a page at a time.
    private func handOut() {
        while !isComposing, !waiting.isEmpty {
            let batch = Array(waiting.prefix(ControlLimits.eventPage))
            waiting.removeFirst(batch.count)
            guard let last = batch.last else { return }
            taken = last.seq
            let live = subscriptions.values.filter(\.isLive)
            let wanted = batch.filter { record in live.contains { $0.wants(EventType(record)) } }
            if wanted.isEmpty {
                for subscription in live { subscription.position = max(subscription.position, last.seq) }
            } else {
                compose(wanted, of: batch)
            }
        }
    }

    private func compose(_ wanted: [EventRecord], of batch: [EventRecord]) {
        isComposing = true
        store.read(by: .events) { [composer] transaction in
            try composer.compose(wanted, in: transaction) { _ in true }
        } completion: { [weak self] result in
            Reactor.shared.post {
                guard let self else { return }
                self.isComposing = false
                switch result {
                case .success(let composed):
                    self.deliver(composed.events, upTo: self.putBack(batch, wanted, after: composed.last))
                case .failure(let error):
                    // No client misses an event: all read on from the log.
                    self.log.error("events can't be looked up", [("error", "\(error)")])
                    for subscription in self.subscriptions.values { self.setLive(subscription, false) }
                    self.resumeLater()
                }
                self.handOut()
            }
        }
    }

    /// Puts events that were too many for one time back, before all others that wait. A client that subscribes now may
    /// want them.
    /// - Returns: the last event that was dealt with.
    private func putBack(_ batch: [EventRecord], _ wanted: [EventRecord], after last: Int64?) -> Int64 {
        guard let last, last != wanted.last?.seq else { return taken }
        waiting.insert(contentsOf: batch.drop { $0.seq <= last }, at: 0)
        taken = last
        return last
    }

    private func deliver(_ composed: [ComposedEvent], upTo last: Int64) {
        for subscription in subscriptions.values where subscription.isLive {
            if !deliver(composed, upTo: last, to: subscription) { setLive(subscription, false) }
        }
    }

    /// Gives events to a subscription, and checks before each one whether there is room: one event can be hundreds of
    /// kilobytes.
    /// - Returns: false if the client is full. The subscription then continues after the last event that it was given.
    private func deliver(_ composed: [ComposedEvent], upTo last: Int64, to subscription: Subscription) -> Bool {
        for event in composed where event.seq > subscription.position {
            if subscription.wants(event.type) {
                guard subscription.hasRoom else { return false }
                subscription.deliver(event)
            }
            subscription.position = event.seq
        }
        subscription.position = max(subscription.position, last)
        return true
    }

    /// Sends an event that is not kept. If a client has no room for it, the client never gets it, as the contract says.
    package func ephemeral(_ type: EventType, _ change: ChangeKind, _ data: @autoclosure () -> JSONValue) {
        let interested = subscriptions.values.filter { $0.wantsEphemeral && $0.hasRoom }
        guard !interested.isEmpty else { return }
        let encoded = EventData(data(), of: type)
        let time = clocks.wallTime
        for subscription in interested { subscription.deliver(type: type, change: change, data: encoded, at: time) }
    }

    // MARK: Subscriptions that are behind

    /// Reads on from the log for a subscription that is behind, until it has caught up or its client is full again.
    func resume(_ subscription: Subscription) {
        guard !subscription.isLive, !subscription.isReading, subscription.hasRoom,
            subscriptions[ObjectIdentifier(subscription)] != nil
        else { return }
        // What is being looked up now was chosen before this subscription could want it.
        guard subscription.position < taken else {
            setLive(subscription, true)
            return
        }
        subscription.isReading = true
        let position = subscription.position
        let types = subscription.types
        store.read(by: .events) { [composer] transaction in
            let records = try transaction.events(since: position, limit: ControlLimits.eventPage)
            return (
                first: records.first?.seq, oldest: try transaction.oldestEvent(),
                composed: try composer.compose(records, in: transaction) { types?.contains($0) ?? true }
            )
        } completion: { [weak self, weak subscription] result in
            Reactor.shared.post {
                guard let self, let subscription else { return }
                subscription.isReading = false
                switch result {
                case .success(let page):
                    self.caughtUp(
                        subscription, first: page.first ?? page.oldest, page.composed.events, upTo: page.composed.last)
                case .failure(let error):
                    self.log.error("the event log can't be read", [("error", "\(error)")])
                    self.resumeLater()
                }
            }
        }
    }

    /// - Parameters:
    ///   - first: the first event that the log has for it.
    ///   - last: the last one that was looked at; nil if there was none.
    private func caughtUp(_ subscription: Subscription, first: Int64?, _ composed: [ComposedEvent], upTo last: Int64?) {
        let first = first ?? latest + 1
        if first > subscription.position + 1 {
            subscription.deliverGap(from: subscription.position + 1, to: first - 1, at: clocks.wallTime)
            subscription.position = first - 1
        }
        // A client that is full calls again when it has read.
        if deliver(composed, upTo: last ?? subscription.position, to: subscription) { resume(subscription) }
    }

    /// Tries again after an error: an idle client would never ask again.
    private func resumeLater() {
        guard retry == nil else { return }
        retry = Reactor.shared.schedule(at: Reactor.shared.now + ControlLimits.eventRetry) { [weak self] in
            guard let self else { return }
            retry = nil
            for subscription in subscriptions.values { resume(subscription) }
        }
    }
}
