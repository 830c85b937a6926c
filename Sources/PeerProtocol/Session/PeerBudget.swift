import Basics

/// The budgets of one peer.
struct PeerBudget: Sendable {
    private var frames: RateLimiter
    private var bytes: RateLimiter
    private var cards: RateLimiter
    private var requests: RateLimiter

    init(_ relation: PeerRelation, isGroupMate: Bool) {
        let isTrusted = Self.isTrusted(relation, isGroupMate)
        frames = RateLimiter(isTrusted ? PeerLimits.friendFrames : PeerLimits.strangerFrames)
        bytes = RateLimiter(isTrusted ? PeerLimits.friendBytes : PeerLimits.strangerBytes)
        cards = RateLimiter(PeerLimits.cards)
        requests = RateLimiter(Self.requests(relation))
    }

    mutating func change(to relation: PeerRelation, isGroupMate: Bool) {
        let isTrusted = Self.isTrusted(relation, isGroupMate)
        frames.limit = isTrusted ? PeerLimits.friendFrames : PeerLimits.strangerFrames
        bytes.limit = isTrusted ? PeerLimits.friendBytes : PeerLimits.strangerBytes
        requests.limit = Self.requests(relation)
    }

    /// What came of the stream, whole frames or not.
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

    /// Whoever shares a group with us hands on what thousands have written in it.
    private static func isTrusted(_ relation: PeerRelation, _ isGroupMate: Bool) -> Bool {
        relation == .friend || (isGroupMate && relation != .blocked)
    }

    private static func requests(_ relation: PeerRelation) -> RateLimit {
        relation == .friend ? PeerLimits.friendFrames : PeerLimits.strangerRequests
    }
}
