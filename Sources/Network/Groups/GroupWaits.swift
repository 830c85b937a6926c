import Basics
import Vocabulary

/// How long we have waited for the first comparison of a group with a member.
struct GroupWait: Equatable {
    /// The time in all sessions of the run together.
    let waited: Duration
    /// Whether the member has spoken, and what it has is being compared or asked for.
    let isBusy: Bool
    /// The time since the member's last page that brought something, or since the first that our disk has refused,
    /// while more of the group is asked for; nil where nothing is coming in.
    let sinceProgress: Duration?

    /// How much longer we wait for the member.
    /// - Parameter hasAnswer: whether we have compared with another member.
    func rest(hasAnswer: Bool) -> Duration {
        let isShort = hasAnswer && !isBusy
        let usual = (isShort ? NetworkLimits.groupSettleTimeOfOthers : NetworkLimits.groupSettleTime) - waited
        guard let sinceProgress else { return usual }
        // Our own chain may be in what is still coming.
        let coming = min(
            NetworkLimits.groupSettleTimeOfPage - sinceProgress, NetworkLimits.groupSettleTimeInAll - waited)
        return max(usual, coming)
    }
}

/// How long we have waited for each member in earlier sessions of this run: no member gets more time by opening session
/// after session.
struct GroupWaits {
    private var waited: [EntryHash: [AccountID: Duration]] = [:]

    func time(of account: AccountID, in root: EntryHash) -> Duration { waited[root]?[account] ?? .zero }

    mutating func note(_ time: Duration, of account: AccountID, in root: EntryHash) {
        waited[root, default: [:]][account] = max(self.time(of: account, in: root), time)
    }

    /// Forgets the waits of a group in which we may write now.
    mutating func forget(_ root: EntryHash) { waited[root] = nil }
}
