import Basics
import Vocabulary

/// Decides which requests to be friends the user is told of one by one, and which are summed up: accounts cost a stranger nothing, so
/// that a thousand may come at once. A value without I/O.
package struct RequestNews: Sendable {
    private var single = RateLimiter(NotificationLimits.requests)
    /// Those that wait for an answer and were not told of one by one.
    private var more: Set<AccountID> = []
    /// How many of them the user has not been told of at all.
    private var fresh = 0
    private var sumAt: Instant?
    private var lastSum: Instant?

    package init() {}

    /// Takes a new request.
    /// - Returns: whether the user is to be told of it by itself; else it is part of the next sum.
    package mutating func came(_ account: AccountID, now: Instant) -> Bool {
        if sumAt == nil, single.take(now: now) { return true }
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

    /// Returns how many requests the user is to be told of now in one, and how many of those were not told of one by one; nil if none.
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
