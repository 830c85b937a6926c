import Basics
import Vocabulary

/// Limits how often we tell friends that we are typing: a client's word with every key goes out once in
/// ``PeerLimits/typingPause``, and its last word always goes out.
public struct TypingPace: Sendable {
    private struct Entry {
        var sentAt: Instant
        /// Whether the friend believes that we are typing.
        var isTyping: Bool
        /// Our word for when the pause is over.
        var pending: Bool?

        var mayFollow: Instant { sentAt + PeerLimits.typingPause }
        /// When there is something to do.
        var due: Instant {
            pending == nil && isTyping ? sentAt + PeerLimits.typingTime : mayFollow
        }
    }

    private var entries: [TypingPlace: Entry] = [:]

    public init() {}

    /// How many friends something is remembered about.
    public var count: Int { entries.count }

    /// When a tick is due; nil while there is nothing to say.
    public var nextDeadline: Instant? { entries.values.map(\.due).min() }

    /// Takes a client's report that its user is typing to a friend with a session, or has stopped.
    /// - Parameter group: the group in which they type; nil: to that one alone.
    public mutating func set(
        _ account: AccountID, in group: EntryHash? = nil, isTyping: Bool, now: Instant
    ) -> [TypingState] {
        let place = TypingPlace(account: account, group: group)
        guard var entry = entries[place] else {
            // The friend doesn't believe that we are typing: there is nothing to take back.
            return isTyping ? send(place, true, now) : []
        }
        entry.pending = isTyping || entry.isTyping ? isTyping : nil
        entries[place] = entry
        return say(place, now)
    }

    /// A message is on its way: its receiver forgets by itself that we were typing.
    public mutating func ended(_ account: AccountID, in group: EntryHash? = nil) {
        end(TypingPlace(account: account, group: group))
    }

    /// The session with the account is over.
    public mutating func left(_ account: AccountID) {
        for place in entries.keys where place.account == account { end(place) }
    }

    private mutating func end(_ place: TypingPlace) {
        entries[place]?.isTyping = false
        entries[place]?.pending = nil
    }

    /// Takes back all typing that friends believe in, without waiting for pauses.
    public mutating func endAll() -> [TypingState] {
        defer { entries = [:] }
        return entries.filter(\.value.isTyping).keys.map { TypingState($0.account, in: $0.group, isTyping: false) }
    }

    /// Says what had to wait, and forgets what the friends have forgotten.
    public mutating func tick(now: Instant) -> [TypingState] {
        var states: [TypingState] = []
        for place in Array(entries.keys) {
            states += say(place, now)
            if let entry = entries[place], entry.pending == nil, entry.due <= now { entries[place] = nil }
        }
        return states
    }

    private mutating func say(_ place: TypingPlace, _ now: Instant) -> [TypingState] {
        guard let entry = entries[place], let pending = entry.pending, entry.mayFollow <= now else { return [] }
        return send(place, pending, now)
    }

    private mutating func send(_ place: TypingPlace, _ isTyping: Bool, _ now: Instant) -> [TypingState] {
        entries[place] = Entry(sentAt: now, isTyping: isTyping)
        return [TypingState(place.account, in: place.group, isTyping: isTyping)]
    }
}
