import Basics
import Vocabulary

/// Decides which requests to be friends are announced one by one and which are summed up. Accounts cost a stranger
/// nothing, so a thousand may ask at once. A value without I/O.
package struct RequestNews: Sendable {
    private var single = RateLimiter(NotificationLimits.requests)
    /// The accounts that wait for an answer and were not announced one by one.
    private var more: Set<AccountID> = []
    /// How many of them no sum has included yet.
    private var fresh = 0
    private var sumAt: Instant?
    private var lastSum: Instant?

    package init() {}

    /// Takes a new request.
    /// - Returns: whether to announce it by itself; if not, the next sum includes it.
    package mutating func came(_ account: AccountID, now: Instant) -> Bool {
        if sumAt == nil, single.acquire(now: now) { return true }
        if more.insert(account).inserted { fresh += 1 }
        sumAt =
            sumAt
            ?? max(
                now + NotificationLimits.requestsGather, lastSum.map { $0 + NotificationLimits.requestsPause } ?? now)
        return false
    }

    /// The request waits no longer.
    /// - Returns: whether it was the last of those that were summed up.
    package mutating func went(_ account: AccountID) -> Bool {
        guard more.remove(account) != nil else { return false }
        fresh = min(fresh, more.count)
        return more.isEmpty
    }

    /// Returns the sum to announce now: how many requests are new in it, and how many it covers in all. Nil if none is
    /// due.
    package mutating func sum(now: Instant) -> (fresh: Int, all: Int)? {
        guard let due = sumAt, due <= now else { return nil }
        sumAt = nil
        guard fresh > 0 else { return nil }
        defer { fresh = 0 }
        lastSum = now
        return (fresh, more.count)
    }

    /// The time at which ``sum(now:)`` has something; nil while nothing waits.
    package var nextDeadline: Instant? { sumAt }
}
