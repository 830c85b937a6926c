// The Avatars folder decides when a friend is asked for the avatar that their card names. It has a value without I/O:
// the shell says what is here already, and what came.

import Basics

/// A friend is to be asked for an avatar.
public struct AvatarQuestion: Hashable, Sendable {
    public let account: AccountID
    /// BLAKE2b-256 of the avatar's file.
    public let digest: [UInt8]

    public init(_ account: AccountID, _ digest: [UInt8]) {
        self.account = account
        self.digest = digest
    }
}

/// Decides which avatars are asked for: few at a time, each friend rarely, and none that has proved bad.
///
/// A question that brings nothing is asked again after a wait that doubles; an avatar that is not what its card says, or
/// that can't be shown, isn't asked for again as long as the card names it.
public struct AvatarFetches: Sendable {
    private struct Entry {
        /// The digest that the card names; nil for none.
        var digest: [UInt8]?
        /// There is a session with the friend.
        var isPresent = true
        /// It is here, or it is bad: there is nothing to ask for.
        var isDone = false
        /// Questions that brought nothing.
        var attempts = 0
        var notBefore: Instant
        var lastAsked: Instant?
        /// The time until which the answer may come; nil while none is awaited.
        var askedUntil: Instant?
        /// When the avatar was wanted, compared with others.
        var order: UInt64 = 0

        func isWaiting(_ now: Instant) -> Bool { canWait && notBefore <= now }
        var canWait: Bool { isPresent && !isDone && digest != nil && askedUntil == nil }
        /// When the next avatar may be asked for, whatever it is.
        func pauseEnd(_ now: Instant) -> Instant {
            max(now, lastAsked.map { $0 + PeerLimits.avatarPause.first } ?? now)
        }
    }

    private var entries: [AccountID: Entry] = [:]
    private var lastOrder: UInt64 = 0

    public init() {}

    /// How many friends something is remembered about.
    public var count: Int { entries.count }

    /// When a tick is due; nil while nothing is wanted.
    public var nextDeadline: Instant? {
        let hasPlace = asked < PeerLimits.avatarFetches
        return entries.values.compactMap { $0.askedUntil ?? (hasPlace && $0.canWait ? $0.notBefore : nil) }.min()
    }

    private var asked: Int { entries.values.count { $0.askedUntil != nil } }

    // MARK: Inputs

    /// A friend with a session has an avatar that isn't here.
    public mutating func want(_ digest: [UInt8], of account: AccountID, now: Instant) -> [AvatarQuestion] {
        var entry = entries[account] ?? Entry(notBefore: now)
        if entry.digest != digest {
            // The pause since the last question stays: a friend who changes their avatar all the time is not asked all
            // the time.
            lastOrder += 1
            entry = Entry(
                digest: digest, notBefore: entry.pauseEnd(now), lastAsked: entry.lastAsked, order: lastOrder)
        }
        entry.isPresent = true
        entries[account] = entry
        return questions(now)
    }

    /// Nothing is wanted of this account: the avatar is here, there is none, or they are no friend.
    public mutating func forget(_ account: AccountID, now: Instant) -> [AvatarQuestion] {
        if let entry = entries[account] {
            let isResting = entry.pauseEnd(now) > now
            entries[account] = isResting ? Entry(notBefore: now, lastAsked: entry.lastAsked) : nil
        }
        return questions(now)
    }

    /// The session in which the account was asked, or the last one with it, is over.
    /// - Parameter isPresent: whether there is another one.
    public mutating func left(_ account: AccountID, isPresent: Bool, now: Instant) -> [AvatarQuestion] {
        guard var entry = entries[account] else { return [] }
        entry.isPresent = isPresent
        if entry.askedUntil != nil { Self.fail(&entry, now) }
        entries[account] = entry.digest == nil ? nil : entry
        return questions(now)
    }

    /// Whether an answer is waited for.
    public func isAwaited(_ account: AccountID, _ digest: [UInt8]) -> Bool {
        guard let entry = entries[account], let until = entry.askedUntil else { return false }
        return entry.digest == digest && until != Self.never
    }

    /// An answer has come.
    /// - Returns: whether it was asked for; if not, or if it is the second, it is nothing. Otherwise say with
    ///   ``settle(_:_:_:now:)`` what became of it.
    public mutating func answered(_ account: AccountID, _ digest: [UInt8]) -> Bool {
        guard isAwaited(account, digest) else { return false }
        // It keeps its place while it is looked at, however long that takes.
        entries[account]?.askedUntil = Self.never
        return true
    }

    private static let never = Instant(nanoseconds: .max)

    /// The answer to a question is here for good, or there was nothing to come, or it is not to be shown.
    public mutating func settle(
        _ account: AccountID, _ digest: [UInt8], _ outcome: AvatarOutcome, now: Instant
    ) -> [AvatarQuestion] {
        guard var entry = entries[account], entry.digest == digest else { return questions(now) }
        switch outcome {
        case .stored:
            entry.askedUntil = nil
            entry.isDone = true
        case .nothing: Self.fail(&entry, now)
        case .bad:
            Self.fail(&entry, now)
            entry.isDone = true
        }
        entries[account] = entry
        return questions(now)
    }

    /// Gives up questions that take too long, and asks for avatars that have waited.
    public mutating func tick(now: Instant) -> [AvatarQuestion] {
        for (account, entry) in entries {
            guard let until = entry.askedUntil, until <= now else { continue }
            var entry = entry
            Self.fail(&entry, now)
            entries[account] = entry
        }
        return questions(now)
    }

    // MARK: Turns

    private static func fail(_ entry: inout Entry, _ now: Instant) {
        entry.askedUntil = nil
        let doubled = PeerLimits.avatarPause.first.nanoseconds << Int64(min(entry.attempts, 20))
        entry.attempts += 1
        entry.notBefore = now + .nanoseconds(min(doubled, PeerLimits.avatarPause.longest.nanoseconds))
    }

    private mutating func questions(_ now: Instant) -> [AvatarQuestion] {
        let free = PeerLimits.avatarFetches - asked
        guard free > 0 else { return [] }
        let next = entries.filter { $0.value.isWaiting(now) }.sorted { $0.value.order < $1.value.order }.prefix(free)
        return next.compactMap { account, entry in
            entries[account]?.askedUntil = now + PeerLimits.avatarTime
            entries[account]?.lastAsked = now
            return entry.digest.map { AvatarQuestion(account, $0) }
        }
    }
}

/// The outcome of an answer.
public enum AvatarOutcome: Hashable, Sendable {
    /// The avatar is here.
    case stored
    /// The friend doesn't have it, or it could not be kept here; it may be asked for later.
    case nothing
    /// It is not what the card says, or nothing that can be shown.
    case bad
}
