import Basics

/// Decides which members to dial, so that everything said in a group reaches all of it. A value without I/O.
///
/// Not every member has a session with every other: a group of 256 would need 32,640. A member that writes dials the
/// recipients of its message. Besides, each member keeps a few sessions in each group, with members chosen at random,
/// and learns through them what it missed. With three sessions each, a thousand random graphs of 256 members were all
/// connected.
struct GroupPeerSelection {
    /// One group, as it is on the network at this moment.
    struct Standing {
        /// Members that can be dialled: they announce themselves, or were seen not long ago.
        var reachable: [AccountID]
        var connected: Set<AccountID>
    }

    /// How many sessions a group should have at least, if so many members can be reached.
    static let sessions = 3

    /// - Returns: the members to dial, of all groups together. A member of several groups counts for all of them.
    static func wanted(
        _ groups: [Standing], using random: inout some RandomNumberGenerator
    ) -> Set<AccountID> {
        var chosen: Set<AccountID> = []
        for group in groups {
            var missing = sessions - group.connected.count - chosen.intersection(group.reachable).count
            guard missing > 0 else { continue }
            for account in group.reachable.shuffled(using: &random) where missing > 0 {
                guard !group.connected.contains(account), chosen.insert(account).inserted else { continue }
                missing -= 1
            }
        }
        return chosen
    }
}
