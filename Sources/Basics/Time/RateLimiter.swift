/// How many things may pass at once after a rest, and how many in the long run.
public struct RateLimit: Hashable, Sendable {
    /// Things that may pass at once; at least 1.
    public let burst: UInt32
    private let count: UInt32
    private let interval: UInt64

    /// - Parameter perSecond: things that time gives back in a second; at least 1.
    public init(burst: UInt32, perSecond: UInt32) {
        self.burst = max(1, burst)
        count = max(1, perSecond)
        interval = 1_000_000_000
    }

    /// - Parameter every: the time that gives one thing back.
    public init(burst: UInt32, every pause: Duration) {
        self.burst = max(1, burst)
        count = 1
        interval = UInt64(max(0, pause.nanoseconds))
    }

    /// Whole things that time gives back in a second.
    public var perSecond: UInt32 { UInt32(clamping: UInt64(count) * 1_000_000_000 / max(1, interval)) }

    /// Nanoseconds in which time gives so many things back.
    fileprivate func time(for units: UInt64) -> Int64 {
        let (product, overflow) = units.multipliedReportingOverflow(by: interval)
        return overflow ? .max : Int64(clamping: product / UInt64(count))
    }
}

/// The one rate limiter: a token bucket in the form of the generic cell rate algorithm (ITU-T I.371), whose whole state is one moment.
///
/// A caller that asks first uses ``take(now:)``. A caller that learns of a use afterwards uses ``charge(_:now:)``, which can overdraw,
/// and waits until ``repaid(after:)``. A new limiter is full. A clock that goes back gives nothing.
public struct RateLimiter: Sendable {
    /// What is granted. What is used already stays used when this changes, measured in time.
    public var limit: RateLimit
    /// The moment up to which the share is used up, in nanoseconds; in the past while some of it is left.
    private var usedUntil = Int64.min

    public init(_ limit: RateLimit) { self.limit = limit }

    /// Lets one thing pass, if it may pass now.
    /// - Returns: whether it has passed.
    public mutating func take(now: Instant) -> Bool {
        guard mayTake(now: now) else { return false }
        charge(1, now: now)
        return true
    }

    /// Whether one thing may pass now.
    public func mayTake(now: Instant) -> Bool { now >= opensAt }

    /// The moment from which one thing may pass.
    public var opensAt: Instant {
        Instant(nanoseconds: UInt64(clamping: usedUntil.addingSaturating(limit.time(for: 1))))
    }

    /// Counts things that have passed, also more than may.
    public mutating func charge(_ units: Int, now: Instant) {
        let rested = Self.signed(now).subtractingSaturating(limit.time(for: UInt64(limit.burst)))
        usedUntil = max(usedUntil, rested).addingSaturating(limit.time(for: UInt64(clamping: units)))
    }

    /// When all that passed beyond the limit has been given back by time; nil if nothing did.
    public func repaid(after now: Instant) -> Instant? {
        usedUntil > Self.signed(now) ? Instant(nanoseconds: UInt64(clamping: usedUntil)) : nil
    }

    /// What is left now, as the time that would give it back; zero when it is overdrawn.
    public func left(now: Instant) -> Duration {
        let full = limit.time(for: UInt64(limit.burst))
        return .nanoseconds(min(full, max(0, Self.signed(now).subtractingSaturating(usedUntil))))
    }

    private static func signed(_ moment: Instant) -> Int64 { Int64(clamping: moment.nanoseconds) }
}

extension Int64 {
    fileprivate func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
