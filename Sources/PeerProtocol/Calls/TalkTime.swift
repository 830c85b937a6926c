import Basics

/// How long a side has talked in a call. What its host has slept through doesn't count: the monotonic clock goes on meanwhile, and no
/// tick comes.
struct TalkTime: Sendable {
    /// The milliseconds that were counted before ``since``.
    private var before: Int64
    private var since: Instant?
    /// When the time has to be written to disk; nil while nobody talks.
    private(set) var keepAt: Instant?

    /// - Parameter before: milliseconds that were counted by an earlier run of the daemon.
    init(before: Int64 = 0) { self.before = before }

    /// Notes that both sides take part from now on.
    mutating func begin(now: Instant) {
        guard since == nil else { return }
        since = now
        keepAt = now + PeerLimits.callKeepTime
    }

    mutating func end(now: Instant) {
        before = milliseconds(at: now)
        (since, keepAt) = (nil, nil)
    }

    /// Notes that the time is written to disk.
    mutating func keep(now: Instant) {
        guard since != nil else { return }
        end(now: now)
        begin(now: now)
    }

    /// Returns the milliseconds in which both sides took part.
    func milliseconds(at now: Instant) -> Int64 {
        guard let since, let keepAt else { return before }
        let end = min(now, keepAt + PeerLimits.callLateTick)
        return before + max(0, (end - since).milliseconds)
    }
}
