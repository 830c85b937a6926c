import Basics
import ControlProtocol
import Reactor
import Store

/// Hands events to subscribers.
///
/// This room (`Events`) turns what the store committed into what clients read. A subscription is a place in the durable
/// log: while its client keeps up, it is fed with what was just committed; when the client is slow, it waits and later
/// reads on from the log. So a slow client loses nothing that the log still holds and holds up nobody.
@ReactorActor final class EventHub {
    private let store: Store
    private let log: Logger
    private let clocks: any Clocks
    private var subscriptions: [ObjectIdentifier: Subscription] = [:]
    /// The newest committed event that went through here.
    private(set) var latest: Int64

    init(store: Store, latest: Int64, clocks: any Clocks, log: Logger) {
        self.clocks = clocks
        self.store = store
        self.latest = latest
        self.log = log.labelled("events")
    }

    private func add(_ subscription: Subscription) {
        guard subscription.isConnected else { return }
        subscriptions[ObjectIdentifier(subscription)] = subscription
        resume(subscription)
    }

    /// Begins at the next turn, so that the client reads the reply that names the subscription before its first event.
    func addAfterReply(_ subscription: Subscription) {
        Reactor.shared.post { self.add(subscription) }
    }

    func remove(_ subscription: Subscription) {
        subscriptions[ObjectIdentifier(subscription)] = nil
    }

    /// What one commit added to the log, in order.
    func committed(_ events: [EventRecord]) {
        guard let last = events.last else { return }
        latest = max(latest, last.seq)
        for subscription in subscriptions.values where subscription.isLive {
            guard subscription.hasRoom else {
                subscription.isLive = false
                continue
            }
            for event in events where event.seq > subscription.position { subscription.deliver(event) }
            subscription.position = max(subscription.position, last.seq)
        }
    }

    /// An event that is not kept. One that a client has no room for is gone, as the contract says.
    func ephemeral(_ type: EventType, _ change: EventChange, _ data: @autoclosure () -> JSONValue) {
        let interested = subscriptions.values.filter { $0.wantsEphemeral && $0.hasRoom }
        guard !interested.isEmpty else { return }
        var encoded: [UInt8] = []
        data().append(to: &encoded)
        let time = clocks.wallTime
        for subscription in interested { subscription.deliver(type: type, change: change, data: encoded, at: time) }
    }

    /// Reads on from the log for a subscription that is behind, until it has caught up or its client is full again.
    func resume(_ subscription: Subscription) {
        guard !subscription.isLive, !subscription.isReading, subscription.hasRoom,
            subscriptions[ObjectIdentifier(subscription)] != nil
        else { return }
        guard subscription.position < latest else {
            subscription.isLive = true
            return
        }
        subscription.isReading = true
        let position = subscription.position
        store.submitRead { transaction in
            (try transaction.events(since: position, limit: DaemonLimits.eventPage), try transaction.oldestEvent())
        } completion: { [weak self, weak subscription] result in
            Reactor.shared.post {
                guard let self, let subscription else { return }
                subscription.isReading = false
                switch result {
                case .success(let (events, oldest)): self.caughtUp(subscription, events, oldest: oldest)
                case .failure(let error): self.log.error("the event log can't be read", [("error", "\(error)")])
                }
            }
        }
    }

    private func caughtUp(_ subscription: Subscription, _ events: [EventRecord], oldest: Int64?) {
        let first = events.first?.seq ?? oldest ?? latest + 1
        if first > subscription.position + 1 {
            subscription.deliverGap(from: subscription.position + 1, to: first - 1, at: clocks.wallTime)
        }
        for event in events { subscription.deliver(event) }
        subscription.position = events.last?.seq ?? max(subscription.position, first - 1)
        resume(subscription)
    }
}
