import Basics

/// Decides when what waits for an account goes into a parcel: once the account has been away for a while, a courier of its
/// own is here, and something waits that is in no parcel yet.
///
/// A machine without I/O. Which couriers are here, and what waits, its owner knows.
public struct CourierMachine: Sendable {
    /// How long an account must have been away: a short break of the network needs no courier.
    public static let patience = Duration.seconds(10)
    /// Between two parcels for one account: what is written meanwhile goes together.
    public static let pause = Duration.seconds(2)
    /// How long what was said in a group waits, because the other members hand it on.
    public static let groupPatience = Duration.seconds(60)
    /// How long no parcel is made for an account after one was lost. A courier that has no room, or whose user has dropped
    /// the parcel, isn't given the next one at once.
    public static let lossPause = Duration.seconds(60)
    /// How often parcels of an account may be lost; then only the direct path is left, until the account was here. What is
    /// lost within ``lossPause`` counts once: a user drops several at a time.
    public static let tries = 3

    /// What is known of an account for which something waits.
    private struct Waiting {
        /// When a parcel may be made.
        var due: Instant
        /// Whether one is being made.
        var isBusy = false
        /// Whether more came while it was being made.
        var hasMore = false
    }

    private let start: Instant
    private var here: Set<AccountID> = []
    /// When accounts went away that were here.
    private var left: [AccountID: Instant] = [:]
    private var waiting: [AccountID: Waiting] = [:]
    /// When the next parcel may be made at the earliest, for accounts that are away and had one.
    private var rest: [AccountID: Instant] = [:]
    /// How often parcels were lost since the account was last here, and when this last counted.
    private var lost: [AccountID: (count: Int, at: Instant)] = [:]

    /// - Parameter now: when the network begins; nobody was here before.
    public init(now: Instant) { start = now }

    /// Something waits for the account: it was just put into the outbox, was there before, or was in a parcel that is lost.
    /// - Parameter delay: how long it has to wait in any case.
    /// - Returns: whether a parcel is due sooner than before; otherwise there is nothing new to do.
    @discardableResult public mutating func appended(
        for account: AccountID, now: Instant, delay: Duration = .zero
    ) -> Bool {
        guard !here.contains(account) else { return false }
        let due = max(now + delay, (left[account] ?? start) + Self.patience, rest[account] ?? now)
        guard let state = waiting[account] else {
            waiting[account] = Waiting(due: due)
            return true
        }
        waiting[account]?.hasMore = true
        guard !state.isBusy, due < state.due else { return false }
        waiting[account]?.due = due
        return true
    }

    /// The account has a session: what waits goes by it.
    public mutating func connected(_ account: AccountID) {
        here.insert(account)
        left[account] = nil
        waiting[account] = nil
        rest[account] = nil
        lost[account] = nil
    }

    /// The account's last session has ended; something may wait.
    public mutating func disconnected(_ account: AccountID, now: Instant) {
        guard here.remove(account) != nil else { return }
        left[account] = now
        appended(for: account, now: now)
    }

    /// A parcel for the account is lost: its courier refused or dropped it, or its days are over.
    public mutating func dropped(for account: AccountID, now: Instant) {
        guard !here.contains(account) else { return }
        if let last = lost[account] {
            if now - last.at >= Self.lossPause { lost[account] = (last.count + 1, now) }
        } else {
            lost[account] = (1, now)
        }
        rest[account] = max(rest[account] ?? now, now + Self.lossPause)
        appended(for: account, now: now)
        if let state = waiting[account], !state.isBusy { waiting[account]?.due = max(state.due, now + Self.lossPause) }
    }

    /// Whether so many parcels for the account were lost that only the direct path is left.
    public func hasGivenUp(on account: AccountID) -> Bool { lost[account].map { $0.count >= Self.tries } ?? false }

    /// The accounts for which a parcel is to be made now.
    /// - Parameter isCarried: whether a courier for the account is here. Tell the machine with this method when one comes.
    public mutating func tick(now: Instant, isCarried: (AccountID) -> Bool) -> [AccountID] {
        let due = waiting.filter { account, state in
            state.due <= now && !state.isBusy && !hasGivenUp(on: account) && isCarried(account)
        }.keys.sorted()
        for account in due {
            waiting[account]?.isBusy = true
            waiting[account]?.hasMore = false
        }
        return due
    }

    /// The daemon is about to stop: what waits goes at once.
    public mutating func hurry(now: Instant) {
        for account in waiting.keys { waiting[account]?.due = now }
    }

    /// A parcel was made, or there was nothing to make.
    /// - Parameters:
    ///   - isAll: whether nothing is left that may go into a parcel now and is in none.
    ///   - next: when something more may; nil if nothing waits for that.
    public mutating func made(for account: AccountID, isAll: Bool, next: Instant? = nil, now: Instant) {
        guard let state = waiting[account], state.isBusy else { return }
        let rest = max(self.rest[account] ?? now, now + Self.pause)
        self.rest[account] = rest
        if isAll && !state.hasMore {
            waiting[account] = next.map { Waiting(due: max($0, rest)) }
        } else {
            waiting[account] = Waiting(due: rest)
        }
    }

    /// When ``tick(now:isCarried:)`` may have something to do; nil while it only waits for a courier.
    public func nextDeadline(after now: Instant) -> Instant? {
        waiting.values.filter { !$0.isBusy && $0.due > now }.map(\.due).min()
    }
}
