import Basics
import Vocabulary

/// How much a peer may take of something per second: a token bucket that can be overdrawn, in the form of the generic
/// cell rate algorithm (ITU-T I.371), which needs one number of state.
struct RateBudget: Sendable {
    /// What a kind of peer is granted.
    struct Rate: Hashable, Sendable {
        /// Units a second.
        let perSecond: Int64
        /// Units that may come at once after a rest.
        let burst: Int64
    }

    private var rate: Rate
    /// Up to when the peer has used up its share.
    private var usedUntil: Instant

    init(_ rate: Rate, now: Instant) {
        self.rate = rate
        usedUntil = now + (.zero - Self.time(for: rate.burst, rate))
    }

    /// Grants another rate from now on; what was used stays used, measured in time.
    mutating func change(to rate: Rate) { self.rate = rate }

    mutating func charge(_ units: Int, now: Instant) {
        let rested = now + (.zero - Self.time(for: rate.burst, rate))
        usedUntil = max(usedUntil, rested) + Self.time(for: Int64(clamping: units), rate)
    }

    /// When the overdraft is repaid; nil if there is none.
    func repaid(after now: Instant) -> Instant? { usedUntil > now ? usedUntil : nil }

    private static func time(for units: Int64, _ rate: Rate) -> Duration {
        let (product, overflow) = units.multipliedReportingOverflow(by: 1_000_000_000)
        return .nanoseconds(overflow ? .max : product / max(1, rate.perSecond))
    }
}

/// The budgets of one peer.
struct PeerBudget: Sendable {
    private var frames: RateBudget
    private var bytes: RateBudget
    private var cards: RateBudget
    private var requests: RateBudget

    init(_ peer: PeerStanding, now: Instant) {
        frames = RateBudget(peer.isTrusted ? PeerLimits.friendFrames : PeerLimits.strangerFrames, now: now)
        bytes = RateBudget(peer.isTrusted ? PeerLimits.friendBytes : PeerLimits.strangerBytes, now: now)
        cards = RateBudget(PeerLimits.cards, now: now)
        requests = RateBudget(Self.requests(peer), now: now)
    }

    mutating func change(to peer: PeerStanding) {
        frames.change(to: peer.isTrusted ? PeerLimits.friendFrames : PeerLimits.strangerFrames)
        bytes.change(to: peer.isTrusted ? PeerLimits.friendBytes : PeerLimits.strangerBytes)
        requests.change(to: Self.requests(peer))
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

    private static func requests(_ peer: PeerStanding) -> RateBudget.Rate {
        peer.relation == .friend ? PeerLimits.friendFrames : PeerLimits.strangerRequests
    }
}
