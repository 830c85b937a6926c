import Basics

/// So many at once, and then one after each pause.
typealias Pace = (atOnce: Int, pause: Duration)

/// Lets so many things through at once, and then one in each interval: the generic cell rate algorithm (ITU-T I.371).
struct Meter: Sendable {
    private let burst: Int64
    private let pause: Duration
    /// The share is used up until then.
    private var usedUntil: Instant?

    init(_ pace: Pace) {
        burst = Int64(pace.atOnce)
        pause = pace.pause
    }

    /// When the next one may pass.
    var opensAt: Instant {
        guard let usedUntil else { return Instant(nanoseconds: 0) }
        return usedUntil + .nanoseconds(-(burst - 1) * pause.nanoseconds)
    }

    /// Whether one may pass now; then it has.
    mutating func pass(now: Instant) -> Bool {
        guard now >= opensAt else { return false }
        usedUntil = max(usedUntil ?? now, now) + pause
        return true
    }
}

/// Tells of the changes of one thing, no more often than it should. What changes faster is told later, and only the last of the
/// changes that wait. What the other side knows already isn't told again.
struct Paced<Value: Equatable & Sendable>: Sendable {
    private var meter: Meter
    private var pending: Value?
    private var told: Value?

    /// - Parameter told: what the other side believes without being told.
    init(_ pace: Pace, told: Value? = nil) {
        meter = Meter(pace)
        self.told = told
    }

    /// When ``take(now:)`` has something to tell; nil while nothing waits.
    var nextDeadline: Instant? { pending == nil ? nil : meter.opensAt }

    /// Takes how it is now.
    /// - Returns: what is to be told at once.
    mutating func offer(_ value: Value, now: Instant) -> Value? {
        pending = value == told ? nil : value
        return take(now: now)
    }

    /// Gives what has waited long enough.
    mutating func take(now: Instant) -> Value? {
        guard let value = pending, meter.pass(now: now) else { return nil }
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
