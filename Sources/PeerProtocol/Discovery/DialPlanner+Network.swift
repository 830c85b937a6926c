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
}
