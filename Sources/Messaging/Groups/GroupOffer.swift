import Basics
import PeerProtocol
import Store
import Vocabulary

/// Decides what to say to a peer that speaks of a group that we don't share with it.
package struct GroupOffer {
    package let scope: GroupScope
    package let peer: AccountID

    package init(scope: GroupScope, peer: AccountID) {
        self.scope = scope
        self.peer = peer
    }

    /// - Returns: nil if there is nothing to say.
    package func answer(to body: GroupHeadsBody, in transaction: ReadTransaction) throws -> GroupSyncInput? {
        guard let row = try transaction.group(root: body.root.bytes) else {
            // Our data may be an older copy that has lost the group.
            return try answer(toUnknown: body.root, in: transaction)
        }
        let membership = StoredMembership(row, scope: scope, in: transaction)
        if row.state == .member {
            guard try !membership.has(peer), let departure = try membership.graph().lastDeparture(of: peer) else {
                return nil
            }
            return .departed(body.root, by: departure.hash)
        }
        if try isFriend(transaction), try body.heads.contains(where: { try !membership.contains($0) }) {
            return .offered(body.root, heads: Array(membership.heads.prefix(PeerLimits.groupHeadsInFrame)))
        }
        // The member believes that we are in the group, and knows nothing that we don't know. So it lacks the entry
        // that took us out: the entry's author may have lost it with an older copy.
        guard try membership.has(peer), let departure = try membership.ownDeparture() else { return nil }
        return .departed(body.root, by: departure)
    }

    /// The answer to a peer that has a group that is not here, or not yet: a friend is asked for its membership. What
    /// we take of it is decided where it is stored.
    /// - Returns: nil if the group is here, or if nothing would be taken.
    package func answer(toUnknown root: EntryHash, in transaction: ReadTransaction) throws -> GroupSyncInput? {
        guard try isFriend(transaction) else { return nil }
        guard let row = try transaction.group(root: root.bytes) else {
            return try GroupBounds(transaction).mayBegin(peer) ? .offered(root, heads: []) : nil
        }
        guard row.state == .arriving else { return nil }
        let heads = StoredMembership(row, scope: scope, in: transaction).heads
        return .offered(root, heads: Array(heads.prefix(PeerLimits.groupHeadsInFrame)))
    }

    private func isFriend(_ transaction: ReadTransaction) throws -> Bool {
        try transaction.contact(peer)?.relation == .friend
    }
}
