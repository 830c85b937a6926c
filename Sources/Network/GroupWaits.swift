import Basics
import Vocabulary

/// How long the first comparison of a group with a member has been waited for.
struct GroupWait: Equatable {
    /// The time in all sessions of the run together.
    let waited: Duration
    /// The member has spoken, and what it has is being compared or asked for.
    let isBusy: Bool
    /// The time since the member's last page that brought something, or since the first that our disk has refused,
    /// while more of the group is asked for; nil where nothing is coming in.
    let sinceProgress: Duration?

    /// How much longer the member is waited for.
    /// - Parameter hasAnswer: whether another member has been compared with.
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

/// How long each member has been waited for in earlier sessions of the run: no member gets more time by opening session
/// after session.
struct GroupWaits {
    private var waited: [EntryHash: [AccountID: Duration]] = [:]

    func time(of account: AccountID, in root: EntryHash) -> Duration { waited[root]?[account] ?? .zero }

    mutating func note(_ time: Duration, of account: AccountID, in root: EntryHash) {
        waited[root, default: [:]][account] = max(self.time(of: account, in: root), time)
    }

    /// The group can be written in, so its waits are forgotten.
    mutating func forget(_ root: EntryHash) { waited[root] = nil }
}
