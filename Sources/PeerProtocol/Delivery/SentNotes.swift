import Basics

/// The frames that were handed to a connection and are not written down as sent yet.
///
/// On a local network the receipt comes within a millisecond, and "delivered" says all that "sent" would: waiting for it a
/// moment spares a commit for each message.
public struct SentNotes: Sendable {
    private var waiting: [UUIDv7] = []
    private var since: Instant?

    public init() {}

    /// When ``due(now:)`` has something.
    public var deadline: Instant? { since.map { $0 + PeerLimits.sentNoteDelay } }

    public mutating func sent(_ ids: [UUIDv7], now: Instant) {
        if waiting.isEmpty { since = now }
        waiting += ids
    }

    /// These were answered: there is nothing to write down any more.
    public mutating func settled(_ ids: [UUIDv7]) {
        guard !waiting.isEmpty else { return }
        // Answers come in the order of sending.
        if waiting.starts(with: ids) {
            waiting.removeFirst(ids.count)
        } else {
            let gone = Set(ids)
            waiting.removeAll { gone.contains($0) }
        }
        if waiting.isEmpty { since = nil }
    }

    /// Takes all frames for one commit, if the first has waited long enough.
    public mutating func due(now: Instant) -> [UUIDv7] {
        guard let deadline, deadline <= now else { return [] }
        return drain()
    }

    /// Takes all frames, at the end of the connection.
    public mutating func drain() -> [UUIDv7] {
        defer {
            waiting = []
            since = nil
        }
        return waiting
    }
}
