import Basics

/// How long a dial waits.
struct DialPauses<Random: RandomNumberGenerator & Sendable>: Sendable {
    private let own: DeviceID
    private var random: Random

    init(own: DeviceID, random: Random) {
        self.own = own
        self.random = random
    }

    /// The wait that gives the device with the smaller key the first move.
    /// - Parameter count: how many devices announce themselves.
    mutating func firstMove(towards device: DeviceID, among count: Int) -> Duration {
        let spread = min(
            max(DiscoveryLimits.dialJitter, DiscoveryLimits.dialJitterPerPeer * count),
            DiscoveryLimits.longestDialJitter)
        if own < device { return .random(in: spread, using: &random) }
        return max(DiscoveryLimits.largerKeyWaits, spread) + .random(in: DiscoveryLimits.dialJitter, using: &random)
    }

    /// The wait before the next dial of a target. A device that went without a goodbye may be back as soon as somebody
    /// has mended a cable, and neither side hears about that: it is tried often for a while.
    mutating func backoff(_ entry: DialEntry, now: Instant) -> Duration {
        if entry.hasLeft { return backoff(failures: .max) }
        let wait = backoff(failures: entry.failures)
        guard entry.isLost(now: now) else { return wait }
        // The pause counts from the beginning of the last dial: if that one waited until its time was over, that was
        // pause enough.
        let spent = entry.beganAt.map { now - $0 } ?? .zero
        return min(wait, max(DiscoveryLimits.lostBackoff - spent, DiscoveryLimits.shortestBackoff))
    }

    /// The wait after so many failures in a row, which doubles with each.
    private mutating func backoff(failures: Int) -> Duration {
        // Seven doublings reach the longest wait.
        let doubled = DiscoveryLimits.firstBackoff * (1 << min(max(failures - 1, 0), 7))
        return about(min(doubled, DiscoveryLimits.longestBackoff))
    }

    /// Between 75 % and 125 % of the round number.
    mutating func about(_ round: Duration) -> Duration { round * 3 / 4 + .random(in: round / 2, using: &random) }
}
