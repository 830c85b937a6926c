// The Typing room: who is typing to us, and how often we say that we are. Hints for people that nobody keeps; both
// machines remember a handful of bytes for each friend who types, and nothing for the others.

import Basics

/// Whether somebody is typing: news of a friend, or word for one.
public struct TypingState: Hashable, Sendable {
    public let account: AccountID
    public let isTyping: Bool

    public init(_ account: AccountID, isTyping: Bool) {
        self.account = account
        self.isTyping = isTyping
    }
}

/// Who of our friends is typing just now: a state ends ``PeerLimits/typingTime`` after its last frame, or when its owner
/// says so. Somebody who begins over and over is shown once in ``PeerLimits/typingPause``.
public struct TypingMachine: Sendable {
    private struct Entry {
        /// Until when the friend is typing, if nothing more is heard; nil: is not.
        var until: Instant?
        var isShown = false
        /// Before this the friend's typing is not shown again.
        var notBefore: Instant
    }

    private var entries: [AccountID: Entry] = [:]

    public init() {}

    /// How many friends something is remembered of.
    public var count: Int { entries.count }

    /// When a tick is due; nil while nobody types.
    public var nextDeadline: Instant? {
        entries.values.map { entry in
            guard let until = entry.until else { return entry.notBefore }
            return entry.isShown ? until : min(until, entry.notBefore)
        }.min()
    }

    /// A friend's frame.
    public mutating func heard(_ account: AccountID, isTyping: Bool, now: Instant) -> [TypingState] {
        guard isTyping else { return ended(account) }
        var entry = entries[account] ?? Entry(notBefore: now)
        entry.until = now + PeerLimits.typingTime
        entries[account] = entry
        return show(account, now)
    }

    /// The friend's session is over, or a message of the friend has come.
    public mutating func ended(_ account: AccountID) -> [TypingState] {
        guard var entry = entries[account] else { return [] }
        let wasShown = entry.isShown
        entry.until = nil
        entry.isShown = false
        entries[account] = entry
        return wasShown ? [TypingState(account, isTyping: false)] : []
    }

    /// Nobody's typing is to be shown any more.
    public mutating func endAll() -> [TypingState] {
        defer { entries = [:] }
        return entries.filter(\.value.isShown).keys.map { TypingState($0, isTyping: false) }
    }

    /// Ends what has lasted long enough, and shows what had to wait.
    public mutating func tick(now: Instant) -> [TypingState] {
        var changes: [TypingState] = []
        for (account, entry) in entries {
            if let until = entry.until, until <= now { changes += ended(account) }
            changes += show(account, now)
            // What still has to wait before it may be shown again is remembered until then.
            if let rest = entries[account], rest.until == nil, rest.notBefore <= now { entries[account] = nil }
        }
        return changes
    }

    private mutating func show(_ account: AccountID, _ now: Instant) -> [TypingState] {
        guard var entry = entries[account], entry.until != nil, !entry.isShown, entry.notBefore <= now else {
            return []
        }
        entry.isShown = true
        entry.notBefore = now + PeerLimits.typingPause
        entries[account] = entry
        return [TypingState(account, isTyping: true)]
    }
}
