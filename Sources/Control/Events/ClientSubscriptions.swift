import ControlProtocol
import Reactor

/// The subscriptions of one connection, by number.
@ReactorActor package final class ClientSubscriptions {
    private let events: EventHub
    private var all: [Int64: Subscription] = [:]
    private var next: Int64 = 1

    init(events: EventHub) { self.events = events }

    /// Adds a subscription, which has not begun yet.
    func add(_ make: (Int64) -> Subscription) throws -> Subscription {
        guard all.count < ControlLimits.subscriptions else {
            throw ControlError(.busy, "this connection has \(ControlLimits.subscriptions) subscriptions already")
        }
        let subscription = make(next)
        all[next] = subscription
        next += 1
        return subscription
    }

    func has(_ subscription: Subscription) -> Bool { all[subscription.number] === subscription }

    /// - Returns: false if there is none of that number.
    func end(_ number: Int64) -> Bool {
        guard let subscription = all.removeValue(forKey: number) else { return false }
        events.remove(subscription)
        return true
    }

    func endAll() {
        for subscription in all.values { events.remove(subscription) }
        all = [:]
    }

    /// Call when the client has read what it was given.
    func resume() {
        for subscription in all.values { events.resume(subscription) }
    }
}
