import Basics
import Threads

/// Clocks that stand still until a test moves them.
public final class ManualClocks: Clocks {
    private struct Hands {
        var now: Instant
        var wallTime: WallTime
    }

    private let hands: Lock<Hands>

    /// - Parameters:
    ///   - now: the monotonic clock; not zero by default, so that it can go back a little.
    ///   - wallTime: 2025-01-01 00:00 UTC by default.
    public init(
        now: Instant = Instant(nanoseconds: 1_000_000_000_000),
        wallTime: WallTime = WallTime(milliseconds: 1_735_689_600_000)
    ) {
        hands = Lock(Hands(now: now, wallTime: wallTime))
    }

    public var now: Instant { hands.withLock { $0.now } }
    public var wallTime: WallTime { hands.withLock { $0.wallTime } }

    /// Lets time go by on both clocks.
    public func advance(by duration: Duration) {
        hands.withLock {
            $0.now = $0.now + duration
            $0.wallTime = $0.wallTime + duration
        }
    }

    /// Sets the wall clock alone, as a user who corrects it does.
    public func setWallTime(_ time: WallTime) { hands.withLock { $0.wallTime = time } }
}
