import Basics

/// The number of a start or an unlock, which peers tell a restart by: greater each time.
enum Incarnation {
    /// The seconds since 1970: so an older copy of the data speaks of itself as newer than what peers have heard. A clock that is far
    /// ahead leaves room for more.
    static func least(at time: WallTime) -> UInt32 {
        UInt32(clamping: min(max(0, time.milliseconds / 1000), DaemonLimits.leastIncarnation))
    }
}
