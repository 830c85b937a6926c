import Basics

/// How much is done on others' word alone: it makes us check signatures, dial and probe where they say.
struct HearsayBudgets: Sendable {
    private var introductions = RateLimiter(DiscoveryLimits.introductions)
    private var all = RateLimiter(DiscoveryLimits.hearsay)
    private var sources: SourceBudgets
    private var suspicions = RateLimiter(DiscoveryLimits.suspicionsOfOthers)

    /// - Parameter salt: unpredictable, so that no sender can aim at a neighbour's share.
    init(salt: UInt64) {
        sources = SourceBudgets(
            DiscoveryLimits.hearsayOfSource, six: DiscoveryLimits.hearsayOfSix, countsLoopback: true, salt: salt)
    }

    /// Whether an announcement that was handed on may be checked.
    mutating func acquireIntroduction(now: Instant) -> Bool { introductions.acquire(now: now) }

    /// Whether a device may be dialled or probed where this one has said that it is.
    mutating func acquire(by teller: IPAddress, now: Instant) -> Bool {
        sources.acquire(teller, now: now) && all.acquire(now: now)
    }

    /// Whether another device's suspicion may be looked into.
    mutating func acquireSuspicion(now: Instant) -> Bool { suspicions.acquire(now: now) }
}
