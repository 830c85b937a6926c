/// A hybrid logical time (Kulkarni et al., "Logical Physical Clocks", 2014): 48 bits of milliseconds since 1970 and a
/// 16-bit counter in one integer, so that comparing the integers compares the times.
public struct HybridTime: Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Makes a time. Milliseconds are clamped to 48 bits (the year 10889).
    public init(milliseconds: Int64, counter: UInt16 = 0) {
        rawValue = min(UInt64(clamping: milliseconds), 0xFFFF_FFFF_FFFF) << 16 | UInt64(counter)
    }

    public var milliseconds: Int64 { Int64(rawValue >> 16) }
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    public static func < (left: HybridTime, right: HybridTime) -> Bool { left.rawValue < right.rawValue }
}

/// One device's hybrid logical clock. It never goes back, and follows the peers' clocks by at most ``maximumLead``
/// ahead of its own.
public struct HybridClock: Sendable {
    /// The most by which a peer's clock can pull ours ahead.
    public static let maximumLead: Duration = .seconds(5 * 60)

    public private(set) var latest: HybridTime

    /// - Parameter latest: the greatest time handed out or seen before the restart.
    public init(latest: HybridTime = HybridTime(rawValue: 0)) { self.latest = latest }

    /// The time of an event of our own, greater than every time before.
    public mutating func tick(at wallTime: WallTime) -> HybridTime {
        let physical = HybridTime(milliseconds: wallTime.milliseconds)
        latest = physical > latest ? physical : successor(of: latest)
        return latest
    }

    /// The time of an event of our own that follows another one of ours. The clock may have forgotten that one: the
    /// lead taken from peers is not kept over a restart, and the wall clock may have been set back.
    public mutating func tick(at wallTime: WallTime, after earlier: HybridTime?) -> HybridTime {
        if let earlier { latest = max(latest, earlier) }
        return tick(at: wallTime)
    }

    /// Takes note of a peer's time, clamped to ``maximumLead`` ahead of ours, and returns it: the time under which the
    /// peer's event is filed here.
    public mutating func observe(_ time: HybridTime, at wallTime: WallTime) -> HybridTime {
        let limit = HybridTime(milliseconds: (wallTime + Self.maximumLead).milliseconds, counter: .max)
        let clamped = min(time, limit)
        latest = max(latest, clamped)
        return clamped
    }

    /// The next time. A full counter carries into the milliseconds, and at the greatest time the clock stands still.
    private func successor(of time: HybridTime) -> HybridTime {
        HybridTime(rawValue: time.rawValue == .max ? .max : time.rawValue + 1)
    }
}
