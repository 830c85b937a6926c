import Basics
import Vocabulary

/// The budgets of one peer.
struct PeerBudget: Sendable {
    private var frames: RateLimiter
    private var bytes: RateLimiter
    private var cards: RateLimiter
    private var requests: RateLimiter

    init(_ peer: PeerStanding) {
        frames = RateLimiter(peer.isTrusted ? PeerLimits.friendFrames : PeerLimits.strangerFrames)
        bytes = RateLimiter(peer.isTrusted ? PeerLimits.friendBytes : PeerLimits.strangerBytes)
        cards = RateLimiter(PeerLimits.cards)
        requests = RateLimiter(Self.requests(peer))
    }

    mutating func change(to peer: PeerStanding) {
        frames.limit = peer.isTrusted ? PeerLimits.friendFrames : PeerLimits.strangerFrames
        bytes.limit = peer.isTrusted ? PeerLimits.friendBytes : PeerLimits.strangerBytes
        requests.limit = Self.requests(peer)
    }

    /// Charges what came of the stream, whole frames or not.
    mutating func charge(bytes count: Int, now: Instant) { bytes.charge(count, now: now) }

    mutating func charge(_ frame: Frame, now: Instant) {
        frames.charge(1, now: now)
        if frame.kind == .card { cards.charge(1, now: now) }
        if frame.kind == .contactRequest { requests.charge(1, now: now) }
    }

    /// When all is repaid; nil if nothing is owed.
    func repaid(after now: Instant) -> Instant? {
        [frames, bytes, cards, requests].compactMap { $0.repaid(after: now) }.max()
    }

    private static func requests(_ peer: PeerStanding) -> RateLimit {
        peer.relation == .friend ? PeerLimits.friendFrames : PeerLimits.strangerRequests
    }
}
