import Basics

/// Bounds how many pages of the peer exchange are given, to each source and in all, for a session costs a stranger
/// nothing.
public struct PeerExchangeMeter: Sendable {
    /// The peer whose share it is.
    public enum Asker: Sendable {
        /// A friend, or a member of a group of ours.
        case friend(AccountID)
        /// Any other peer, by its address.
        case stranger(IPAddress?)
    }

    private var sources: SourceBudgets
    private var strangers: RateLimiter
    private var friends: [AccountID: RateLimiter] = [:]
    private var allFriends: RateLimiter

    /// - Parameter salt: unpredictable, so that no peer can aim at a neighbour's share.
    public init(salt: UInt64) {
        let limit = DiscoveryLimits.peerExchangePagesOfSource
        sources = SourceBudgets(
            limit, six: DiscoveryLimits.peerExchangePagesOfSix, countsLoopback: true, salt: salt)
        strangers = RateLimiter(DiscoveryLimits.peerExchangePagesOfStrangers)
        allFriends = RateLimiter(DiscoveryLimits.peerExchangePagesOfFriends)
    }

    /// Whether another page may be given.
    public mutating func pass(_ asker: Asker, now: Instant) -> Bool {
        switch asker {
        case .friend(let account):
            if friends.count >= DiscoveryLimits.peerExchangeFriends { friends = [:] }
            return friends[account, default: RateLimiter(DiscoveryLimits.peerExchangePagesOfSource)].acquire(
                now: now) && allFriends.acquire(now: now)
        case .stranger(let source):
            return sources.acquire(source ?? .any, now: now) && strangers.acquire(now: now)
        }
    }
}
