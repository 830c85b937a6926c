import Basics

/// How many pages of the roster are given: to each source and in all, for a session costs nobody anything.
public struct RosterMeter: Sendable {
    /// Whose share it is.
    public enum Asker: Sendable {
        /// A friend, or a member of a group of ours.
        case friend(AccountID)
        /// Anybody else, by their address.
        case stranger(IPAddress?)
    }

    private var sources: SourceBudgets
    private var strangers: DatagramBudget
    private var friends: [AccountID: DatagramBudget] = [:]
    private var allFriends: DatagramBudget

    /// - Parameter salt: unpredictable, so that nobody can aim at a neighbour's share.
    public init(salt: UInt64, now: Instant) {
        let limit = DiscoveryLimits.rosterPagesOfSource
        sources = SourceBudgets(
            limit, six: DiscoveryLimits.rosterPagesOfSix, countsLoopback: true, salt: salt, now: now)
        strangers = DatagramBudget(DiscoveryLimits.rosterPagesOfStrangers, now: now)
        allFriends = DatagramBudget(DiscoveryLimits.rosterPagesOfFriends, now: now)
    }

    /// Whether another page may be given.
    public mutating func pass(_ asker: Asker, now: Instant) -> Bool {
        switch asker {
        case .friend(let account):
            if friends.count >= DiscoveryLimits.rosterFriends { friends = [:] }
            return friends[account, default: DatagramBudget(DiscoveryLimits.rosterPagesOfSource, now: now)].take(
                now: now) && allFriends.take(now: now)
        case .stranger(let source):
            return sources.take(source ?? .any, now: now) && strangers.take(now: now)
        }
    }
}
