import Basics

extension DialPlanner {
    /// The host has another address, is plugged in again, or has slept: what failed before may work now, so all backoff
    /// starts over.
    public mutating func networkChanged(now: Instant) {
        for (target, entry) in entries.sorted(by: { $0.key < $1.key }) {
            entries[target]?.failures = 0
            guard !entry.hasLeft, entry.underWay == nil, entry.due != nil else { continue }
            switch target {
            case .device(let device):
                // Sooner, never later.
                plan(target, after: firstMove(towards: device), now: now)
            case .address: plan(target, after: .zero, now: now)
            }
        }
    }

    /// Whether the device is gone without a goodbye, and not for long: it is tried often.
    public func isLost(_ device: DeviceID, now: Instant) -> Bool {
        guard connected[device] == nil, let entry = entries[.device(device)], !entry.hasLeft else { return false }
        return entry.lostAt.map { now - $0 < DiscoveryLimits.lostTime } ?? false
    }

    /// The wait before the next dial of a target. One that is gone without a goodbye may be back as soon as somebody has
    /// mended a cable, of which neither side hears anything: it is tried often for a while.
    mutating func backoff(_ entry: DialEntry, now: Instant) -> Duration {
        if entry.hasLeft { return backoff(failures: .max) }
        let wait = backoff(failures: entry.failures)
        guard let lostAt = entry.lostAt, now - lostAt < DiscoveryLimits.lostTime else { return wait }
        // From the beginning of the last dial: one that waited in vain for its time was pause enough.
        let spent = entry.beganAt.map { now - $0 } ?? .zero
        return min(wait, max(DiscoveryLimits.lostBackoff - spent, DiscoveryLimits.shortestBackoff))
    }
}
