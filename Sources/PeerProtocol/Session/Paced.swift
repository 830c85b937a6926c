import Basics

/// Reports the changes of one value, but no more often than allowed. Faster changes are reported later, and only the
/// last of those that wait. What the other side already knows isn't reported again.
struct Paced<Value: Equatable & Sendable>: Sendable {
    private var limiter: RateLimiter
    private var pending: Value?
    private var told: Value?

    /// - Parameter told: the value that the other side believes without being told.
    init(_ limit: RateLimit, told: Value? = nil) {
        limiter = RateLimiter(limit)
        self.told = told
    }

    /// When ``due(now:)`` has something to tell; nil while nothing waits.
    var nextDeadline: Instant? { pending == nil ? nil : limiter.opensAt }

    /// Takes how it is now.
    /// - Returns: the value to tell at once.
    mutating func offer(_ value: Value, now: Instant) -> Value? {
        pending = value == told ? nil : value
        return due(now: now)
    }

    /// Gives what has waited long enough.
    mutating func due(now: Instant) -> Value? {
        guard let value = pending, limiter.acquire(now: now) else { return nil }
        pending = nil
        told = value
        return value
    }

    /// Forgets what waits: it isn't true any more.
    mutating func drop() { pending = nil }

    /// Forgets what was told: the other side may believe anything.
    mutating func forget() {
        pending = nil
        told = nil
    }
}
