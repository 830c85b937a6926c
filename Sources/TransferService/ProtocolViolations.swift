import Basics

/// Counts how often each peer has broken the file protocol lately. A peer that does so again and again is not heard for
/// a while. A value without I/O.
struct ProtocolViolations {
    private var counts: [AccountID: (count: Int, since: Instant)] = [:]

    mutating func note(_ account: AccountID, now: Instant) {
        counts = counts.filter { now - $0.value.since < TransferServiceLimits.trespassTime }
        counts[account, default: (0, now)].count += 1
    }

    /// Whether the account has broken the protocol so often that its connections are closed at once for now.
    func areTooMany(by account: AccountID, now: Instant) -> Bool {
        guard let count = counts[account], now - count.since < TransferServiceLimits.trespassTime else { return false }
        return count.count >= TransferServiceLimits.trespasses
    }
}
