import Basics

/// A token bucket that draws lots when more comes than it holds: each datagram has the same chance, whenever it comes.
/// A sender that floods can't empty the bucket just before another's datagram.
///
/// With F datagrams a second, more than ``Basics/RateLimit/burst``, each is taken with the probability ``Basics/RateLimit/perSecond`` / F.
struct DatagramLottery: Sendable {
    private var bucket: RateLimiter
    /// Datagrams of the window under way, and of the one before.
    private var count: UInt64 = 0
    private var before: UInt64 = 0
    private var windowAt: Instant

    private static let window: Duration = .seconds(1)

    init(_ limit: RateLimit, now: Instant) {
        bucket = RateLimiter(limit)
        windowAt = now
    }

    /// Whether the datagram that has come now is taken.
    mutating func draw(now: Instant, using random: inout some RandomNumberGenerator) -> Bool {
        if now - windowAt >= Self.window {
            before = now - windowAt >= Self.window * 2 ? 0 : count
            count = 0
            windowAt = now
        }
        count += 1
        let rate = max(before, count)
        if rate > UInt64(bucket.limit.burst) {
            // A quarter of a second's tokens is left in the bucket on average, so that it is hardly ever empty.
            let milliseconds = UInt64((bucket.left(now: now) + .milliseconds(750)).milliseconds)
            let chances = milliseconds * UInt64(bucket.limit.perSecond)
            guard UInt64.random(in: 0..<rate * 1000, using: &random) < chances else { return false }
        }
        return bucket.acquire(now: now)
    }
}
