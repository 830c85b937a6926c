import Basics

/// When to say something so that the peer knows that we live, and when to stop believing that it does.
///
/// Each side says something every three seconds by itself, and doesn't only answer: on a slow link our ping may wait
/// behind a megabyte of ours, but what the peer says on its own still reaches us in time.
struct KeepAlive: Sendable {
    private var lastSent: Instant
    private var lastHeard: Instant
    private var lastPing: Instant

    init(now: Instant) {
        lastSent = now
        lastHeard = now
        lastPing = now
    }

    mutating func sent(now: Instant) { lastSent = now }
    mutating func heard(now: Instant) { lastHeard = now }
    mutating func pinged(now: Instant) { lastPing = now }

    /// Whether the peer has missed two of its turns to say something.
    func isSilent(now: Instant) -> Bool { now >= lastHeard + PeerLimits.pingInterval + PeerLimits.pingInterval }

    /// When the next ping is due.
    var pingAt: Instant { max(min(lastSent, lastHeard), lastPing) + PeerLimits.pingInterval }

    /// When the peer is dead unless something is heard before.
    var deadAt: Instant { lastHeard + PeerLimits.silenceLimit }
}
