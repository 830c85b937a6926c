import Basics

/// How often we tell friends that we are typing: what a client says with every key goes out once in
/// ``PeerLimits/typingPause``, and what it says last goes out in any case.
public struct TypingPace: Sendable {
    private struct Entry {
        var sentAt: Instant
        /// What the friend believes.
        var isTyping: Bool
        /// What is to be said when the pause is over.
        var pending: Bool?

        var mayFollow: Instant { sentAt + PeerLimits.typingPause }
        /// When there is something to do.
        var due: Instant {
            pending == nil && isTyping ? sentAt + PeerLimits.typingTime : mayFollow
        }
    }

    private var entries: [AccountID: Entry] = [:]

    public init() {}

    /// How many friends something is remembered of.
    public var count: Int { entries.count }

    /// When a tick is due; nil while there is nothing to say.
    public var nextDeadline: Instant? { entries.values.map(\.due).min() }

    /// A client says that its person is typing to a friend who has a session, or no more.
    public mutating func set(_ account: AccountID, isTyping: Bool, now: Instant) -> [TypingState] {
        guard var entry = entries[account] else {
            // Nobody believes that we are typing: there is nothing to take back.
            return isTyping ? send(account, true, now) : []
        }
        entry.pending = isTyping || entry.isTyping ? isTyping : nil
        entries[account] = entry
        return say(account, now)
    }

    /// A message to the friend is on its way, or the session is over: the friend forgets by itself that we were typing.
    public mutating func ended(_ account: AccountID) {
        entries[account]?.isTyping = false
        entries[account]?.pending = nil
    }

    /// Takes back what was said, whenever that was.
    public mutating func endAll() -> [TypingState] {
        defer { entries = [:] }
        return entries.filter(\.value.isTyping).keys.map { TypingState($0, isTyping: false) }
    }

    /// Says what had to wait, and forgets what the friends have forgotten.
    public mutating func tick(now: Instant) -> [TypingState] {
        var states: [TypingState] = []
        for account in Array(entries.keys) {
            states += say(account, now)
            if let entry = entries[account], entry.pending == nil, entry.due <= now { entries[account] = nil }
        }
        return states
    }

    private mutating func say(_ account: AccountID, _ now: Instant) -> [TypingState] {
        guard let entry = entries[account], let pending = entry.pending, entry.mayFollow <= now else { return [] }
        return send(account, pending, now)
    }

    private mutating func send(_ account: AccountID, _ isTyping: Bool, _ now: Instant) -> [TypingState] {
        entries[account] = Entry(sentAt: now, isTyping: isTyping)
        return [TypingState(account, isTyping: isTyping)]
    }
}
