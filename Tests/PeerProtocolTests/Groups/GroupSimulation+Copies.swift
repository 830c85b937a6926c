import Basics
import PeerProtocol

extension GroupSimulation {
    /// Restores a node's data from an older copy.
    func putBack(_ node: Int) {
        guard node != 0, node != cheat, let copy = nodes[node].copy else { return }
        crash(node)
        nodes[node].disk = copy
        nodes[node].wasRestored = true
        restored += 1
    }

    /// Whether a node accepts another: friends, and present or former members of the group. Mate 0 is a friend of all.
    func isHeard(_ other: Int, by node: Int) -> Bool {
        let mate = nodes[other].mate
        return node == 0 || other == 0 || nodes[node].isMate(mate)
            || (nodes[node].isMember && nodes[node].graph?.lastDeparture(of: mate.account) != nil)
    }

    /// Decides like the daemon's GroupOffer.
    func consider(_ body: GroupHeadsBody, _ node: Int, _ other: Int) -> GroupSyncInput? {
        guard let graph = nodes[node].graph else { return other == 0 ? .offered(body.root, heads: []) : nil }
        if nodes[node].isMember {
            let account = nodes[other].mate.account
            guard !graph.state.has(account), let last = graph.lastDeparture(of: account) else { return nil }
            return .departed(body.root, by: last.hash)
        }
        if other == 0, body.heads.contains(where: { !graph.contains($0) }) {
            return .offered(body.root, heads: graph.heads)
        }
        guard graph.state.has(nodes[other].mate.account),
            let last = graph.lastDeparture(of: nodes[node].mate.account)
        else { return nil }
        return .departed(body.root, by: last.hash)
    }

    /// Checks that a node gives no entry to an account that, as far as the node knows, is no member.
    func check(_ signal: GroupSignal, _ node: Int, _ other: Int) {
        let gives: Bool
        switch signal {
        case .durable(_, .entry): gives = true
        // A former member is given the entry that removed it, as often as it asks.
        case .frame(.entries(let page)):
            let isFarewell = nodes[node].graph?.lastDeparture(of: nodes[other].mate.account) != nil
            gives = !page.entries.isEmpty || (!page.membership.isEmpty && !isFarewell)
        default: gives = false
        }
        if gives, nodes[node].graph?.state.has(nodes[other].mate.account) != true {
            problems.append("\(node) gives to \(other), who is no member")
        }
    }
}
