/// The rate of a limiter: how many units may pass at once after a rest, and how many in the long run.
public struct RateLimit: Hashable, Sendable {
    /// The number of units that may pass at once; at least 1.
    public let burst: UInt32
    private let count: UInt32
    private let interval: UInt64

    /// - Parameter perSecond: the units that time gives back per second; at least 1.
    public init(burst: UInt32, perSecond: UInt32) {
        self.burst = max(1, burst)
        count = max(1, perSecond)
        interval = 1_000_000_000
    }

    /// - Parameter pause: the time that gives one unit back.
    public init(burst: UInt32, every pause: Duration) {
        self.burst = max(1, burst)
        count = 1
        interval = UInt64(max(0, pause.nanoseconds))
    }

    /// The whole units that time gives back per second.
    public var perSecond: UInt32 { UInt32(clamping: UInt64(count) * 1_000_000_000 / max(1, interval)) }

    /// The nanoseconds after which that many units have been given back.
    fileprivate func time(for units: UInt64) -> Int64 {
        let (product, overflow) = units.multipliedReportingOverflow(by: interval)
        return overflow ? .max : Int64(clamping: product / UInt64(count))
    }
}

/// The one rate limiter: a token bucket in the form of the generic cell rate algorithm (ITU-T I.371), whose whole state
/// is one moment.
///
/// A caller that asks first uses ``acquire(now:)``. A caller that learns of a use afterwards uses ``charge(_:now:)``,
/// which can overdraw, and waits until ``repaid(after:)``. A new limiter is full. A clock that goes back gives nothing.
public struct RateLimiter: Sendable {
    /// The granted rate. When it changes, used units stay used, measured in time.
    public var limit: RateLimit
    /// The moment up to which the grant is used up, in nanoseconds; in the past while some of it is left.
    private var usedUntil = Int64.min

    public init(_ limit: RateLimit) { self.limit = limit }

    /// Lets one unit pass if it may.
    /// - Returns: whether it passed.
    public mutating func acquire(now: Instant) -> Bool {
        guard mayTake(now: now) else { return false }
        charge(1, now: now)
        return true
    }

    /// Whether one unit may pass now.
    public func mayTake(now: Instant) -> Bool { now >= opensAt }

    /// The moment from which one unit may pass.
    public var opensAt: Instant {
        Instant(nanoseconds: UInt64(clamping: usedUntil.addingSaturating(limit.time(for: 1))))
    }

    /// Counts units that have passed, even more than may.
    public mutating func charge(_ units: Int, now: Instant) {
        let rested = Self.signed(now).subtractingSaturating(limit.time(for: UInt64(limit.burst)))
        usedUntil = max(usedUntil, rested).addingSaturating(limit.time(for: UInt64(clamping: units)))
    }

    /// When time will have given back everything beyond the limit; nil if nothing passed beyond it.
    public func repaid(after now: Instant) -> Instant? {
        usedUntil > Self.signed(now) ? Instant(nanoseconds: UInt64(clamping: usedUntil)) : nil
    }

    /// The units left now, as the time that would give them back; zero if overdrawn.
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
