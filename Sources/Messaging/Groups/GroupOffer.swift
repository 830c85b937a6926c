import Basics
import PeerProtocol
import Store

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
            // The group may have been lost with an older copy of our data. What is taken of it is decided where it is
            // stored.
            return try isFriend(transaction) ? .offered(body.root, heads: []) : nil
        }
        let graph = try scope.graphs.graph(of: row, in: transaction)
        if row.state == .member {
            guard !graph.state.has(peer), let departure = graph.lastDeparture(of: peer) else { return nil }
            return .departed(body.root, by: departure.hash)
        }
        if try isFriend(transaction), body.heads.contains(where: { !graph.contains($0) }) {
            return .offered(body.root, heads: Array(graph.heads.prefix(PeerLimits.groupHeadsInFrame)))
        }
        // The member believes us to be in the group and knows nothing that we don't know: it lacks the entry that took
        // us out, which its author may have lost with an older copy.
        guard graph.state.has(peer), let departure = graph.lastDeparture(of: scope.own) else { return nil }
        return .departed(body.root, by: departure.hash)
    }

    private func isFriend(_ transaction: ReadTransaction) throws -> Bool {
        try transaction.contact(peer)?.relation == .friend
    }
}
