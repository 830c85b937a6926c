import Glibc

/// A moment of the monotonic clock, which nothing sets or stops. Only differences between moments have a meaning.
public struct Instant: Hashable, Comparable, Sendable {
    public let nanoseconds: UInt64

    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Adds, and saturates at both ends.
    public static func + (left: Instant, right: Duration) -> Instant {
        let delta = right.nanoseconds
        if delta >= 0 {
            let (sum, overflow) = left.nanoseconds.addingReportingOverflow(UInt64(delta))
            return Instant(nanoseconds: overflow ? .max : sum)
        }
        let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(delta.magnitude)
        return Instant(nanoseconds: overflow ? 0 : difference)
    }

    /// Time from `right` to `left`; negative if `left` is earlier.
    public static func - (left: Instant, right: Instant) -> Duration {
        left >= right
            ? .nanoseconds(Int64(clamping: left.nanoseconds - right.nanoseconds))
            : .nanoseconds(-Int64(clamping: right.nanoseconds - left.nanoseconds))
    }
}

extension Duration {
    /// Whole nanoseconds, clamped to 64 bits (292 years).
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, again) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return again ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 { nanoseconds / 1_000_000 }
}

/// A moment of the wall clock: milliseconds since 1970 UTC. It may jump; machines take it as data.
public struct WallTime: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }

    /// Adds, and saturates at both ends.
    public static func + (left: WallTime, right: Duration) -> WallTime {
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(right.milliseconds)
        return WallTime(milliseconds: overflow ? (right < .zero ? .min : .max) : sum)
    }
}

/// Both clocks. They are injected, so that tests control the time.
public protocol Clocks: Sendable {
    var now: Instant { get }
    var wallTime: WallTime { get }
}

/// The host's clocks: CLOCK_BOOTTIME, which counts the time of a suspended host so that deadlines pass, and
/// CLOCK_REALTIME.
public struct SystemClocks: Clocks {
    public init() {}

    public var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    public var wallTime: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
