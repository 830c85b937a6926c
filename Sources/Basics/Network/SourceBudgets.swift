/// A bucket for each source address, in a table of fixed size: addresses that fall into the same slot share it. And one for
/// all IPv6 addresses, because one host can have any number of them.
public struct SourceBudgets: Sendable {
    /// Slots that source addresses are hashed into; a fixed table can't be made to grow.
    private static let count: UInt64 = 1024
    private var slots: [RateLimiter]
    private var six: RateLimiter
    private let salt: UInt64
    private let countsLoopback: Bool

    /// - Parameters:
    ///   - six: the limit that all IPv6 addresses have together.
    ///   - countsLoopback: whether loopback needs tokens, too.
    ///   - salt: a random number, so that no sender can aim at a neighbour's slot.
    public init(_ limit: RateLimit, six: RateLimit, countsLoopback: Bool = false, salt: UInt64) {
        slots = Array(repeating: RateLimiter(limit), count: Int(Self.count))
        self.six = RateLimiter(six)
        self.salt = salt
        self.countsLoopback = countsLoopback
    }

    /// Takes a token from the source's slot, and from its family's.
    public mutating func acquire(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback, !countsLoopback { return true }
        guard slots[slot(of: source)].acquire(now: now) else { return false }
        if case .v4 = source { return true }
        return six.acquire(now: now)
    }

    /// Whether the source has no token left.
    public func isEmpty(_ source: IPAddress, now: Instant) -> Bool {
        if source.isLoopback, !countsLoopback { return false }
        if case .v6 = source, !six.mayTake(now: now) { return true }
        return !slots[slot(of: source)].mayTake(now: now)
    }

    private func slot(of source: IPAddress) -> Int {
        var mixed = salt
        switch source {
        case .v4(let value): mixed = SeededGenerator.mix(mixed ^ UInt64(value))
        case .v6(let high, let low, _): mixed = SeededGenerator.mix(SeededGenerator.mix(mixed ^ high) ^ low)
        }
        return Int(truncatingIfNeeded: mixed % Self.count)
    }
}

extension SeededGenerator {
    /// One step of SplitMix64 as a hash of a word.
    fileprivate static func mix(_ word: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: word)
        return generator.next()
    }
}
