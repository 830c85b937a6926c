// The Typing folder knows which friends are typing to us, and how often we say that we are. These are hints for people
// that are not stored; both machines remember a handful of bytes for each friend who types, and nothing for the others.

import Basics
import Vocabulary

/// Whether an account is typing: news of a friend or of a member of a group, or word for one.
public struct TypingState: Hashable, Sendable {
    public let account: AccountID
    /// The root of the group the group in which they type; nil: to us alone.
    public let group: EntryHash?
    public let isTyping: Bool

    public init(_ account: AccountID, in group: EntryHash? = nil, isTyping: Bool) {
        self.account = account
        self.group = group
        self.isTyping = isTyping
    }
}

/// The conversation in which an account types.
struct TypingPlace: Hashable, Sendable {
    let account: AccountID
    let group: EntryHash?
}

/// Knows which of our friends are typing just now: a state ends ``PeerLimits/typingTime`` after its last frame, or when
/// its owner says so. A friend who begins over and over is shown once in ``PeerLimits/typingPause``.
public struct TypingMachine: Sendable {
    private struct Entry {
        /// Until when the friend is typing, if nothing more is heard; nil if the friend is not.
        var until: Instant?
        var isShown = false
        /// Before this the friend's typing is not shown again.
        var notBefore: Instant
    }

    private var entries: [TypingPlace: Entry] = [:]

    public init() {}

    /// How many friends something is remembered about.
    public var count: Int { entries.count }

    /// When a tick is due; nil while no friend types.
    public var nextDeadline: Instant? {
        entries.values.map { entry in
            guard let until = entry.until else { return entry.notBefore }
            return entry.isShown ? until : min(until, entry.notBefore)
        }.min()
    }

    /// A friend's frame.
    /// - Parameter group: the group in which they type; nil: to us alone.
    public mutating func heard(
        _ account: AccountID, in group: EntryHash? = nil, isTyping: Bool, now: Instant
    ) -> [TypingState] {
        guard isTyping else { return ended(account, in: group) }
        let place = TypingPlace(account: account, group: group)
        var entry = entries[place] ?? Entry(notBefore: now)
        entry.until = now + PeerLimits.typingTime
        entries[place] = entry
        return show(place, now)
    }

    /// A message has come from the account that was typing it.
    public mutating func ended(_ account: AccountID, in group: EntryHash? = nil) -> [TypingState] {
        end(TypingPlace(account: account, group: group))
    }

    /// The session with the account is over.
    public mutating func left(_ account: AccountID) -> [TypingState] {
        entries.keys.filter { $0.account == account }.flatMap { end($0) }
    }

    private mutating func end(_ place: TypingPlace) -> [TypingState] {
        guard var entry = entries[place] else { return [] }
        let wasShown = entry.isShown
        entry.until = nil
        entry.isShown = false
        entries[place] = entry
        return wasShown ? [TypingState(place.account, in: place.group, isTyping: false)] : []
    }

    /// Ends all typing that is shown.
    public mutating func endAll() -> [TypingState] {
        defer { entries = [:] }
        return entries.filter(\.value.isShown).keys.map { TypingState($0.account, in: $0.group, isTyping: false) }
    }

    /// Ends typing that has lasted long enough, and shows typing that had to wait.
    public mutating func tick(now: Instant) -> [TypingState] {
        var changes: [TypingState] = []
        for (place, entry) in entries {
            if let until = entry.until, until <= now { changes += end(place) }
            changes += show(place, now)
            // A friend whose typing may not be shown again yet is remembered until then.
            if let rest = entries[place], rest.until == nil, rest.notBefore <= now { entries[place] = nil }
        }
        return changes
    }

    private mutating func show(_ place: TypingPlace, _ now: Instant) -> [TypingState] {
        guard var entry = entries[place], entry.until != nil, !entry.isShown, entry.notBefore <= now else {
            return []
        }
        entry.isShown = true
        entry.notBefore = now + PeerLimits.typingPause
        entries[place] = entry
        return [TypingState(place.account, in: place.group, isTyping: true)]
    }
}
