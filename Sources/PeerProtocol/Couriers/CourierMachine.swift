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
    /// Parcels of an account that may be lost, each courier's copy counted; then only the direct path is left, until the
    /// account was here.
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
    /// When the last parcel was made for accounts that are away.
    private var last: [AccountID: Instant] = [:]
    /// Parcels that were lost since the account was last here.
    private var lost: [AccountID: Int] = [:]

    /// - Parameter now: when the network begins; nobody was here before.
    public init(now: Instant) { start = now }

    /// Something waits for the account: it was just put into the outbox, was there before, or was in a parcel that is lost.
    /// - Returns: whether nothing waited for it before; otherwise there is nothing new to do.
    @discardableResult public mutating func appended(for account: AccountID, now: Instant) -> Bool {
        guard !here.contains(account) else { return false }
        guard waiting[account] == nil else {
            waiting[account]?.hasMore = true
            return false
        }
        let away = (left[account] ?? start) + Self.patience
        waiting[account] = Waiting(due: max(now, away, last[account].map { $0 + Self.pause } ?? now))
        return true
    }

    /// The account has a session: what waits goes by it.
    public mutating func connected(_ account: AccountID) {
        here.insert(account)
        left[account] = nil
        waiting[account] = nil
        last[account] = nil
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
        lost[account, default: 0] += 1
        appended(for: account, now: now)
    }

    /// The accounts for which a parcel is to be made now.
    /// - Parameter isCarried: whether a courier for the account is here. Tell the machine with this method when one comes.
    public mutating func tick(now: Instant, isCarried: (AccountID) -> Bool) -> [AccountID] {
        let due = waiting.filter { account, state in
            state.due <= now && !state.isBusy && lost[account, default: 0] < Self.tries && isCarried(account)
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
    /// - Parameter isAll: whether nothing is left that is in no parcel.
    public mutating func made(for account: AccountID, isAll: Bool, now: Instant) {
        guard let state = waiting[account], state.isBusy else { return }
        last[account] = now
        waiting[account] = isAll && !state.hasMore ? nil : Waiting(due: now + Self.pause)
    }

    /// When ``tick(now:isCarried:)`` may have something to do; nil while it only waits for a courier.
    public func nextDeadline(after now: Instant) -> Instant? {
        waiting.values.filter { !$0.isBusy && $0.due > now }.map(\.due).min()
    }
}
