import Basics
import Testing

@testable import Daemon

struct ClockWatchTests {
    @Test("Only a clock that was seen to run as time does is believed")
    func steadiness() {
        var watch = ClockWatch(tolerance: .seconds(60))
        // Seconds of time, seconds by the clock, and whether that is believed.
        let looks: [(UInt64, Int64, Bool)] = [
            (0, 1000, false), (3600, 4600, true),
            // Steered a little.
            (7200, 8230, true),
            // Set years ahead, and back: each is noticed, and believed when it holds.
            (7300, 100_000_000, false), (10_900, 100_003_600, true), (11_000, 12_000, false), (14_600, 15_600, true),
            (15_000, .max / 1000, false), (15_001, .min / 1000, false),
        ]
        for (time, clock, isBelieved) in looks {
            let isSteady = watch.isSteady(
                now: Instant(nanoseconds: time * 1_000_000_000), wall: WallTime(milliseconds: clock * 1000))
            #expect(isSteady == isBelieved, "\(time) \(clock)")
        }
    }
}
