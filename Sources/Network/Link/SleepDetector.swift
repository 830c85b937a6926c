import Basics
import Glibc

/// Notices that the host has slept, by comparing two clocks: only one of them goes on during sleep. A value without
/// I/O.
struct SleepDetector {
    private var ahead: Duration

    /// A smaller difference doesn't count as sleep, because the two clocks are not read at the same moment.
    static let shortest: Duration = .seconds(2)

    /// - Parameters:
    ///   - boot: the clock that counts a sleep.
    ///   - waking: the clock that doesn't.
    init(boot: Instant, waking: Instant) { ahead = boot - waking }

    /// How long the host has slept since the last look; nil if it hasn't.
    mutating func look(boot: Instant, waking: Instant) -> Duration? {
        let before = ahead
        ahead = boot - waking
        let slept = ahead - before
        return slept >= Self.shortest ? slept : nil
    }

    /// CLOCK_MONOTONIC, which stands still while the host sleeps.
    static var wakingTime: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
}
