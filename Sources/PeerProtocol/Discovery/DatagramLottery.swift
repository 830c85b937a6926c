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

/// A bucket for each source address, in a table of fixed size: addresses that fall into the same slot share it. And one for
/// all IPv6 addresses, because one host can have any number of them.
struct SourceBudgets: Sendable {
    private var slots: [RateLimiter]
    private var six: RateLimiter
    private let salt: UInt64
    private let countsLoopback: Bool

    /// - Parameters:
    ///   - six: the limit that all IPv6 addresses have together.
    ///   - countsLoopback: whether loopback needs tokens, too.
    init(
        _ limit: RateLimit, six: RateLimit = DiscoveryLimits.fromSix, countsLoopback: Bool = false, salt: UInt64
    ) {
        slots = Array(repeating: RateLimiter(limit), count: DiscoveryLimits.sourceSlots)
        self.six = RateLimiter(six)
        self.salt = salt
        self.countsLoopback = countsLoopback
    }

    /// Takes a token from the source's slot, and from its family's.
    mutating func acquire(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback, !countsLoopback { return true }
        guard slots[slot(of: source)].acquire(now: now) else { return false }
        if case .v4 = source { return true }
        return six.acquire(now: now)
    }

    /// Whether the source has no token left.
    func isEmpty(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback, !countsLoopback { return false }
        if case .v6 = source, !six.mayTake(now: now) { return true }
        return !slots[slot(of: source)].mayTake(now: now)
    }

    /// It is salted, so that no sender can aim at a neighbour's slot.
    private func slot(of source: IPAddress) -> Int {
        var mixed = salt
        switch source {
        case .v4(let value): mixed = SeededGenerator.mix(mixed ^ UInt64(value))
        case .v6(let high, let low, _): mixed = SeededGenerator.mix(SeededGenerator.mix(mixed ^ high) ^ low)
        }
        return Int(truncatingIfNeeded: mixed % UInt64(DiscoveryLimits.sourceSlots))
    }
}

extension SeededGenerator {
    /// One step of SplitMix64 as a hash of a word.
    fileprivate static func mix(_ word: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: word)
        return generator.next()
    }
}
