import Basics

/// Decides who gets one of the connections over which we give files. Receivers, friendly or not, decide how many they open,
/// so when all are taken, a newcomer replaces a connection of the account that has the most.
struct ServingPlaces {
    enum Answer: Hashable {
        case free, busy
        /// The newcomer gets the place of one of this account's connections, which we close.
        case instead(of: AccountID)
    }

    private var counts: [AccountID: Int] = [:]
    private let total: Int

    /// - Parameter peers: the account at the other end of each open connection.
    init(_ peers: [AccountID]) {
        for peer in peers { counts[peer, default: 0] += 1 }
        total = peers.count
    }

    /// Whether an account can open one more connection.
    func answer(to account: AccountID) -> Answer {
        let own = counts[account] ?? 0
        guard own < TransferServiceLimits.activeTransfersPerPeer * 2 else { return .busy }
        guard total >= TransferServiceLimits.activeTransfers * 2 else { return .free }
        // With a difference of one, the two accounts would take the place from each other for ever.
        guard let most = counts.max(by: { $0.value < $1.value }), most.value >= own + 2 else { return .busy }
        return .instead(of: most.key)
    }
}
