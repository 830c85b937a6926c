import Basics

/// Who may have one of the connections over which files are given here. Receivers, friendly or not, decide how many there
/// are; so where all are taken, those who have most give way to those who have few.
struct ServingPlaces {
    enum Answer: Hashable {
        case free, busy
        /// One of this account's connections has to end for it.
        case instead(of: AccountID)
    }

    private var counts: [AccountID: Int] = [:]
    private let total: Int

    /// - Parameter peers: for each connection, with whom it is.
    init(_ peers: [AccountID]) {
        for peer in peers { counts[peer, default: 0] += 1 }
        total = peers.count
    }

    /// Whether an account can have one more.
    func answer(to account: AccountID) -> Answer {
        let own = counts[account] ?? 0
        guard own < TransferServiceLimits.activeTransfersPerPeer * 2 else { return .busy }
        guard total >= TransferServiceLimits.activeTransfers * 2 else { return .free }
        // Nobody takes a place from somebody who would then want it back.
        guard let most = counts.max(by: { $0.value < $1.value }), most.value >= own + 2 else { return .busy }
        return .instead(of: most.key)
    }
}
