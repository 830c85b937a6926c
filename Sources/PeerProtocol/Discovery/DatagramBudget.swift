import Basics

/// A token bucket: each datagram takes a token, time brings them back.
struct DatagramBudget: Sendable {
    private static let unit: UInt64 = 1_000_000_000

    private let allowance: DatagramAllowance
    /// Billionths of a token, so that no fraction of the refill is lost.
    private var tokens: UInt64
    private var filledAt: Instant

    /// A full bucket.
    init(_ allowance: DatagramAllowance, now: Instant) {
        self.allowance = allowance
        tokens = UInt64(allowance.burst) * Self.unit
        filledAt = now
    }

    /// Whether there is no token.
    mutating func isEmpty(now: Instant) -> Bool {
        refill(now: now)
        return tokens < Self.unit
    }

    /// Takes a token, or says that there is none.
    mutating func take(now: Instant) -> Bool {
        refill(now: now)
        guard tokens >= Self.unit else { return false }
        tokens -= Self.unit
        return true
    }

    /// Tokens now, in thousandths.
    fileprivate mutating func thousandths(now: Instant) -> UInt64 {
        refill(now: now)
        return tokens / (Self.unit / 1000)
    }

    private mutating func refill(now: Instant) {
        guard now > filledAt else { return }
        let elapsed = now.nanoseconds - filledAt.nanoseconds
        filledAt = now
        let full = UInt64(allowance.burst) * Self.unit
        let (gain, overflow) = elapsed.multipliedReportingOverflow(by: UInt64(allowance.perSecond))
        tokens = overflow || gain >= full - tokens ? full : tokens + gain
    }
}

/// A token bucket that draws lots when more comes than it holds: each datagram has the same chance, whenever it comes. Whoever
/// floods can't empty the bucket just before somebody else's datagram.
///
/// With F datagrams a second, more than ``DatagramAllowance/burst``, each is taken with the probability ``DatagramAllowance/perSecond`` / F.
struct DatagramLottery: Sendable {
    private let allowance: DatagramAllowance
    private var bucket: DatagramBudget
    /// Datagrams of the window under way, and of the one before.
    private var count: UInt64 = 0
    private var before: UInt64 = 0
    private var windowAt: Instant

    private static let window: Duration = .seconds(1)

    init(_ allowance: DatagramAllowance, now: Instant) {
        self.allowance = allowance
        bucket = DatagramBudget(allowance, now: now)
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
        if rate > UInt64(allowance.burst) {
            // A quarter of a second's tokens is left in the bucket on average, so that it is hardly ever empty.
            let chances = bucket.thousandths(now: now) + UInt64(allowance.perSecond) * 750
            guard UInt64.random(in: 0..<rate * 1000, using: &random) < chances else { return false }
        }
        return bucket.take(now: now)
    }
}

/// A bucket for each source address, in a table of fixed size: addresses that fall into the same slot share it. And one for
/// all IPv6 addresses, because one host can have any number of them.
struct SourceBudgets: Sendable {
    private var slots: [DatagramBudget]
    private var six: DatagramBudget
    private let salt: UInt64
    private let countsLoopback: Bool

    /// - Parameters:
    ///   - six: what all IPv6 addresses have together.
    ///   - countsLoopback: whether loopback needs tokens, too.
    init(
        _ allowance: DatagramAllowance, six: DatagramAllowance = DiscoveryLimits.fromSix, countsLoopback: Bool = false,
        salt: UInt64, now: Instant
    ) {
        slots = Array(repeating: DatagramBudget(allowance, now: now), count: DiscoveryLimits.sourceSlots)
        self.six = DatagramBudget(six, now: now)
        self.salt = salt
        self.countsLoopback = countsLoopback
    }

    /// Takes a token from the source's slot, and from its family's.
    mutating func take(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback, !countsLoopback { return true }
        guard slots[slot(of: source)].take(now: now) else { return false }
        if case .v4 = source { return true }
        return six.take(now: now)
    }

    /// Whether the source has no token left.
    mutating func isEmpty(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback, !countsLoopback { return false }
        if case .v6 = source, six.isEmpty(now: now) { return true }
        return slots[slot(of: source)].isEmpty(now: now)
    }

    /// Salted, so that nobody can aim at a neighbour's slot.
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
