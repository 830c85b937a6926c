import Basics
import Testing

@Suite("The rate limiter: a burst, then as many as time gives back")
struct RateLimiterTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    @Test("the burst passes, then as many as time brings, without losing fractions")
    func fractions() {
        var limiter = RateLimiter(RateLimit(burst: 5, perSecond: 3))
        #expect((0..<9).count { _ in limiter.acquire(now: start) } == 5)
        #expect((1...1000).count { limiter.acquire(now: start + .milliseconds($0 * 10)) } == 30)
        #expect((0..<99).count { _ in limiter.acquire(now: start + .seconds(1_000_000_000)) } == 5)
        let backwards = limiter.acquire(now: start)
        #expect(!backwards, "time that goes back brings nothing")
    }

    @Test("one unit passes in each interval, and the time of the next is known")
    func interval() {
        var limiter = RateLimiter(RateLimit(burst: 2, every: .seconds(10)))
        #expect(limiter.opensAt == Instant(nanoseconds: 0))
        #expect((0..<3).map { _ in limiter.acquire(now: start) } == [true, true, false])
        #expect(limiter.opensAt == start + .seconds(10))
        #expect(!limiter.mayTake(now: start + .nanoseconds(9_999_999_999)))
        #expect((0..<2).map { _ in limiter.acquire(now: start + .seconds(10)) } == [true, false])
        #expect((0..<3).map { _ in limiter.acquire(now: start + .seconds(30)) } == [true, true, false])
    }

    @Test("a charge may overdraw, and is repaid after its time")
    func overdraft() {
        var limiter = RateLimiter(RateLimit(burst: 1_000, perSecond: 100))
        limiter.charge(1_000, now: start)
        #expect(limiter.repaid(after: start) == nil)
        #expect(!limiter.mayTake(now: start))
        limiter.charge(200, now: start)
        #expect(limiter.repaid(after: start) == start + .seconds(2))
        #expect(limiter.repaid(after: start + .seconds(2)) == nil)
        #expect(limiter.left(now: start + .seconds(1)) == .zero)
        #expect(limiter.left(now: start + .seconds(5)) == .seconds(3))
        #expect(limiter.left(now: start + .seconds(500)) == .seconds(10), "no more than the burst")
    }

    @Test("a rate of hundreds of millions a second counts single units")
    func fast() {
        let limit = RateLimit(burst: 256 << 20, perSecond: 256 << 20)
        var limiter = RateLimiter(limit)
        limiter.charge(512 << 20, now: start)
        #expect(limiter.repaid(after: start) == start + .seconds(1))
        #expect(limit.perSecond == 256 << 20)
        #expect(RateLimit(burst: 1, every: .milliseconds(1250)).perSecond == 0)
    }

    @Test("a changed limit keeps what is owed, measured in time")
    func change() {
        var limiter = RateLimiter(RateLimit(burst: 100, perSecond: 100))
        limiter.charge(400, now: start)
        limiter.limit = RateLimit(burst: 20, perSecond: 1)
        #expect(limiter.repaid(after: start) == start + .seconds(3))
        limiter.charge(2, now: start)
        #expect(limiter.repaid(after: start) == start + .seconds(5))
    }

    @Test("a limiter is full at the clock's zero, and no number overflows")
    func ends() {
        let zero = Instant(nanoseconds: 0)
        var young = RateLimiter(RateLimit(burst: 3, every: .seconds(3600)))
        #expect((0..<4).count { _ in young.acquire(now: zero) } == 3)
        #expect(young.opensAt == zero + .seconds(3600))
        var huge = RateLimiter(RateLimit(burst: .max, every: .seconds(1 << 40)))
        huge.charge(.max, now: Instant(nanoseconds: .max))
        huge.charge(.max, now: zero)
        _ = huge.acquire(now: Instant(nanoseconds: .max))
        _ = huge.left(now: Instant(nanoseconds: .max))
        var free = RateLimiter(RateLimit(burst: 0, every: .zero))
        let passed = free.acquire(now: start)
        #expect(passed, "no pause is no limit")
        var least = RateLimiter(RateLimit(burst: 0, perSecond: 0))
        #expect(
            (0..<3).map { _ in least.acquire(now: start) } == [true, false, false],
            "a limit is at least 1 and 1 a second")
    }
}
