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

    private mutating func refill(now: Instant) {
        guard now > filledAt else { return }
        let elapsed = now.nanoseconds - filledAt.nanoseconds
        filledAt = now
        let full = UInt64(allowance.burst) * Self.unit
        let (gain, overflow) = elapsed.multipliedReportingOverflow(by: UInt64(allowance.perSecond))
        tokens = overflow || gain >= full - tokens ? full : tokens + gain
    }
}

/// A bucket for each source address, in a table of fixed size: addresses that fall into the same slot share it. And one for
/// all IPv6 addresses, because one host can have any number of them.
struct SourceBudgets: Sendable {
    private var slots: [DatagramBudget]
    private var six: DatagramBudget
    private let salt: UInt64

    init(_ allowance: DatagramAllowance, salt: UInt64, now: Instant) {
        slots = Array(repeating: DatagramBudget(allowance, now: now), count: DiscoveryLimits.sourceSlots)
        six = DatagramBudget(DiscoveryLimits.fromSix, now: now)
        self.salt = salt
    }

    /// Takes a token from the source's slot, and from its family's. Loopback needs none.
    mutating func take(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback { return true }
        guard slots[slot(of: source)].take(now: now) else { return false }
        if case .v4 = source { return true }
        return six.take(now: now)
    }

    /// Whether the source has no token left.
    mutating func isEmpty(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback { return false }
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
