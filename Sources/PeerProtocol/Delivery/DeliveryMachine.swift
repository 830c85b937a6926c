// The Delivery folder decides what becomes of the items in the outbox: which session gets them, when a refusal is only
// for now, when to try again. It may use Wire and Session's values. It has no sockets, store or clock.

import Basics
import Vocabulary

/// An effect that the owner of a ``DeliveryMachine`` has to carry out.
public enum DeliveryEffect: Hashable, Sendable {
    /// Give these, just committed, to the session with the account.
    case hand(AccountID, [OutboxItem])
    /// Read these from the outbox and give them to the session again.
    case again(AccountID, [UUIDv7])
    /// Have the session read the outbox from its beginning again: it knows what is on its way.
    case restart(AccountID)
    /// Something waits and there is no session: look for the account.
    case seek(AccountID)
    /// The account has these: they leave the outbox.
    case delivered(AccountID, [UUIDv7])
    /// A person there has seen these.
    case seen(AccountID, [UUIDv7])
    /// They stay in the outbox; write down why they could not be taken this time.
    case postpone(AccountID, [UUIDv7], Refusal)
    /// They will never be taken: they leave the outbox, their messages have failed.
    case fail(AccountID, [UUIDv7], Refusal)
}

/// Brings the items in the outbox to the accounts they are for.
///
/// The outbox is on disk and has one queue for each account, which is one device in this version. An item in it goes to
/// the account's session as soon as there is one, in order; if it was not answered, the session's window repeats it on
/// the next session. An item that the other side refuses for a passing reason (its disk is full) is tried again within
/// the session, after a wait that grows; one that it refuses for good has failed. Receivers commit before they answer
/// and know items that they have by (device, id), so that a repeat does nothing.
public struct DeliveryMachine<Random: RandomNumberGenerator & Sendable>: Sendable {
    private struct Delay {
        /// Refusals in a row.
        var refusals = 0
        /// When to try again; nil while an attempt is under way or there is no session.
        var due: Instant?

        /// - Parameter share: the share of the jitter, in ``jitterSteps``.
        mutating func refuse(_ now: Instant, _ share: Int) {
            refusals += 1
            let doubled = PeerLimits.firstRedelivery * (1 << min(refusals - 1, 10))
            let round = min(doubled, PeerLimits.longestRedelivery)
            due = now + round * 3 / 4 + round / 2 * share / jitterSteps
        }
    }

    private var connected: Set<AccountID> = []
    private var delays: [AccountID: [UUIDv7: Delay]] = [:]
    /// Delays beyond the number that are remembered one by one: they are found again by reading the outbox from its
    /// beginning.
    private var others: [AccountID: Delay] = [:]
    private var random: Random

    /// - Parameter random: jitter.
    public init(random: Random) { self.random = random }

    /// When ``tick(now:)`` has something to do.
    public var nextDeadline: Instant? {
        let single = delays.values.flatMap { $0.values.compactMap(\.due) }.min()
        return (others.values.compactMap(\.due) + [single].compactMap { $0 }).min()
    }

    /// After a start, these accounts have something in the outbox.
    public func pending(_ accounts: [AccountID]) -> [DeliveryEffect] {
        accounts.filter { !connected.contains($0) }.map { .seek($0) }
    }

    /// These were just committed for an account, in this order.
    public func appended(_ items: [OutboxItem], for account: AccountID) -> [DeliveryEffect] {
        connected.contains(account) ? [.hand(account, items)] : [.seek(account)]
    }

    /// There is a session, which reads the outbox from its beginning: whatever was put off is tried again by that.
    public mutating func connected(_ account: AccountID) {
        connected.insert(account)
        pause(account)
    }

    /// There is no session any more.
    public mutating func disconnected(_ account: AccountID) {
        connected.remove(account)
        pause(account)
    }

    private mutating func pause(_ account: AccountID) {
        others[account]?.due = nil
        guard var delay = delays[account] else { return }
        for id in delay.keys { delay[id]?.due = nil }
        delays[account] = delay
    }

    /// The account has answered for these.
    public mutating func settled(
        _ ids: [UUIDv7], by account: AccountID, _ status: ReceiptBody.Status, now: Instant
    ) -> [DeliveryEffect] {
        switch status {
        case .stored:
            forget(ids, account)
            if others[account]?.due == nil { others[account] = nil }
            return [.delivered(account, ids)]
        case .read: return [.seen(account, ids)]
        case .refused(let refusal):
            guard refusal.isPassing else {
                forget(ids, account)
                return [.fail(account, ids, refusal)]
            }
            // Items that were refused together come again together, in their order.
            let share = Int.random(in: 0..<Self.jitterSteps, using: &random)
            for id in ids { delay(id, account, now, share) }
            return [.postpone(account, ids, refusal)]
        }
    }

    private mutating func forget(_ ids: [UUIDv7], _ account: AccountID) {
        guard delays[account] != nil else { return }
        for id in ids { delays[account]?[id] = nil }
        if delays[account]?.isEmpty == true { delays[account] = nil }
    }

    private static var jitterSteps: Int { 1 << 10 }

    private mutating func delay(_ id: UUIDv7, _ account: AccountID, _ now: Instant, _ share: Int) {
        guard delays[account]?[id] != nil || (delays[account]?.count ?? 0) < PeerLimits.delayedFrames else {
            var delay = others[account] ?? Delay()
            // One wait for all of them: the first that comes back sets it.
            guard delay.due == nil else { return }
            delay.refuse(now, share)
            others[account] = delay
            return
        }
        delays[account, default: [:]][id, default: Delay()].refuse(now, share)
    }

    /// These are not in the outbox any more: what they were about was deleted.
    public mutating func gone(_ ids: [UUIDv7], for account: AccountID) { forget(ids, account) }

    /// A person doesn't want to wait.
    public mutating func retry(_ account: AccountID) -> [DeliveryEffect] {
        guard connected.contains(account) else { return [.seek(account)] }
        return again(account) { $0.due != nil }
    }

    /// ``nextDeadline`` has come.
    public mutating func tick(now: Instant) -> [DeliveryEffect] {
        var effects: [DeliveryEffect] = []
        for account in Set(delays.keys).union(others.keys).sorted(by: {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }) {
            effects += again(account) { $0.due.map { $0 <= now } ?? false }
        }
        return effects
    }

    private mutating func again(_ account: AccountID, where isChosen: (Delay) -> Bool) -> [DeliveryEffect] {
        let chosen = (delays[account] ?? [:]).filter { isChosen($0.value) }.keys.sorted()
        for id in chosen { delays[account]?[id]?.due = nil }
        var effects: [DeliveryEffect] = chosen.isEmpty ? [] : [.again(account, chosen)]
        if let delay = others[account], isChosen(delay) {
            others[account]?.due = nil
            effects.append(.restart(account))
        }
        return effects
    }
}

extension Reason {
    /// Whether the same frame may be taken another time, without a change to it.
    public var isPassing: Bool {
        switch self {
        case .busy, .noSpace, .internal: true
        default: false
        }
    }
}
