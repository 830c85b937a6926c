import Basics
import Testing

@Suite("Time") struct TimeTests {
    @Test("moments and durations add up, and saturate at the ends of time")
    func instants() {
        let moment = Instant(nanoseconds: 1_000)
        #expect(moment + .nanoseconds(5) == Instant(nanoseconds: 1_005))
        #expect(moment + .nanoseconds(-5) == Instant(nanoseconds: 995))
        #expect(moment + .seconds(-1) == Instant(nanoseconds: 0))
        #expect(Instant(nanoseconds: .max) + .nanoseconds(1) == Instant(nanoseconds: .max))
        #expect(Instant(nanoseconds: 7) - Instant(nanoseconds: 10) == .nanoseconds(-3))
        #expect(Instant(nanoseconds: 10) - Instant(nanoseconds: 7) == .nanoseconds(3))
        #expect(Instant(nanoseconds: .max) - Instant(nanoseconds: 0) == .nanoseconds(Int64.max))
        #expect(Instant(nanoseconds: 0) - Instant(nanoseconds: .max) == .nanoseconds(-Int64.max))
    }

    @Test("durations give whole nanoseconds and milliseconds, rounded towards zero, clamped to 64 bits")
    func durations() {
        #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
        #expect(Duration.milliseconds(-1500).nanoseconds == -1_500_000_000)
        #expect(Duration.microseconds(1999).milliseconds == 1 && Duration.microseconds(-1999).milliseconds == -1)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max && Duration.seconds(Int64.min).nanoseconds == .min)
    }

    @Test("sums of the wall clock saturate")
    func wallTime() {
        #expect(WallTime(milliseconds: 5) + .seconds(-1) == WallTime(milliseconds: -995))
        #expect(WallTime(milliseconds: .max) + .seconds(1) == WallTime(milliseconds: .max))
        #expect(WallTime(milliseconds: .min) + .seconds(-1) == WallTime(milliseconds: .min))
    }

    @Test("the host's clocks run forward and show this century")
    func systemClocks() {
        let clocks = SystemClocks()
        let first = clocks.now
        #expect(first <= clocks.now && first.nanoseconds > 0)
        #expect(clocks.wallTime > WallTime(milliseconds: 1_700_000_000_000))
    }

    @Test("a hybrid time keeps milliseconds and counter, and compares by them")
    func hybridTime() {
        let time = HybridTime(milliseconds: 0x0123_4567_89AB, counter: 0xCDEF)
        #expect(time.rawValue == 0x0123_4567_89AB_CDEF)
        #expect(time.milliseconds == 0x0123_4567_89AB && time.counter == 0xCDEF)
        #expect(time < HybridTime(milliseconds: 0x0123_4567_89AC))
        #expect(HybridTime(milliseconds: -1) == HybridTime(rawValue: 0))
        // Beyond 48 bits the time stands still; it does not wrap around.
        #expect(HybridTime(milliseconds: .max).milliseconds == 0xFFFF_FFFF_FFFF)
    }

    @Test("the hybrid clock follows the wall clock and never goes back, even when the wall clock does")
    func ticks() {
        var clock = HybridClock()
        #expect(clock.tick(at: WallTime(milliseconds: 100)) == HybridTime(milliseconds: 100))
        #expect(clock.tick(at: WallTime(milliseconds: 100)) == HybridTime(milliseconds: 100, counter: 1))
        #expect(clock.tick(at: WallTime(milliseconds: 50)) == HybridTime(milliseconds: 100, counter: 2))
        #expect(clock.tick(at: WallTime(milliseconds: 101)) == HybridTime(milliseconds: 101))
        var full = HybridClock(latest: HybridTime(milliseconds: 100, counter: .max))
        #expect(full.tick(at: WallTime(milliseconds: 100)) == HybridTime(milliseconds: 101, counter: 0))
        var ended = HybridClock(latest: HybridTime(rawValue: .max))
        #expect(ended.tick(at: WallTime(milliseconds: 100)) == HybridTime(rawValue: .max))
    }

    @Test("a peer's time is followed, but by no more than five minutes ahead")
    func observations() {
        let now = WallTime(milliseconds: 1_000_000)
        var clock = HybridClock()
        let near = HybridTime(milliseconds: 1_000_000 + 299_000, counter: 9)
        #expect(clock.observe(near, at: now) == near)
        #expect(clock.tick(at: now) == HybridTime(milliseconds: 1_000_000 + 299_000, counter: 10))
        let clamped = clock.observe(HybridTime(rawValue: .max), at: now)
        #expect(clamped == HybridTime(milliseconds: 1_000_000 + 300_000, counter: .max))
        #expect(clock.tick(at: now) > clamped)
        #expect(clock.observe(HybridTime(milliseconds: 5), at: now) == HybridTime(milliseconds: 5))
        #expect(clock.latest > clamped)
    }

    @Test("a time after an event of our own is later than it, even if the clock has forgotten the event")
    func after() {
        let now = WallTime(milliseconds: 1000)
        var clock = HybridClock()
        let forgotten = HybridTime(milliseconds: 500_000, counter: 3)
        #expect(clock.tick(at: now, after: forgotten) == HybridTime(milliseconds: 500_000, counter: 4))
        #expect(
            clock.tick(at: now, after: HybridTime(milliseconds: 1)) == HybridTime(milliseconds: 500_000, counter: 5))
        #expect(clock.tick(at: now, after: nil) == HybridTime(milliseconds: 500_000, counter: 6))
    }

    @Test(
        "clocks within the limit file all events alike; beyond it each side keeps the other's events in their order",
        arguments: 0..<20 as Range<UInt64>)
    func orderUnderSkew(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let isWithin = seed % 2 == 0
        let reach: Int64 = isWithin ? 149_000 : 2_000_000
        let skews = (0..<2).map { _ in Int64.random(in: -reach...reach, using: &random) }
        var clocks = [HybridClock](repeating: HybridClock(), count: 2)
        // For each side, the times under which it files the events, its own and the other's.
        var filed: [[HybridTime]] = [[], []]
        var senders: [Int] = []
        var now: Int64 = 10_000_000
        for _ in 0..<500 {
            now += Int64.random(in: 0...3, using: &random)
            let sender = Int.random(in: 0...1, using: &random)
            let time = clocks[sender].tick(at: WallTime(milliseconds: now + skews[sender]))
            // The event is on its way for a while, during which nothing else happens.
            now += Int64.random(in: 0...20, using: &random)
            filed[sender].append(time)
            filed[1 - sender].append(
                clocks[1 - sender].observe(time, at: WallTime(milliseconds: now + skews[1 - sender])))
            senders.append(sender)
        }
        if isWithin { #expect(filed[0] == filed[1]) }
        for side in 0...1 {
            let others = zip(filed[side], senders).filter { $0.1 != side }.map(\.0)
            // Times are equal only where both were clamped in the same millisecond.
            #expect(others == others.sorted())
            let own = zip(filed[side], senders).filter { $0.1 == side }.map(\.0)
            #expect(zip(own, own.dropFirst()).allSatisfy { $0 < $1 })
            #expect(clocks[side].latest.milliseconds <= now + skews[side] + 300_000 + 1)
        }
    }

    @Test("an effect is later than its cause, even between clocks that are wrong", arguments: 0..<10 as Range<UInt64>)
    func causality(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var clocks = [HybridClock](repeating: HybridClock(), count: 4)
        let skews = (0..<4).map { _ in Int64.random(in: -120_000...120_000, using: &random) }
        for step in 0..<2000 as Range<Int64> {
            let from = Int.random(in: 0..<4, using: &random)
            let to = Int.random(in: 0..<4, using: &random)
            let sent = clocks[from].tick(at: WallTime(milliseconds: 10_000_000 + step + skews[from]))
            let time = WallTime(milliseconds: 10_000_000 + step + skews[to])
            #expect(clocks[to].observe(sent, at: time) == sent)
            #expect(clocks[to].tick(at: time) > sent)
        }
    }
}
