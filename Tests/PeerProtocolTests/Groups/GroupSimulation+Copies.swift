import Basics
import PeerProtocol

extension GroupSimulation {
    /// The data are put back to an older copy.
    func putBack(_ node: Int) {
        guard node != 0, node != cheat, let copy = nodes[node].copy else { return }
        crash(node)
        nodes[node].disk = copy
        nodes[node].wasRestored = true
        restored += 1
    }

    /// Friends are heard, and everybody who is or was in the group. Mate 0 is everybody's friend.
    func isHeard(_ other: Int, by node: Int) -> Bool {
        let mate = nodes[other].mate
        return node == 0 || other == 0 || nodes[node].isMate(mate)
            || (nodes[node].isMember && nodes[node].graph?.lastDeparture(of: mate.account) != nil)
    }

    /// As the daemon's GroupOffer.
    func consider(_ body: GroupHeadsBody, _ node: Int, _ other: Int) -> GroupSyncInput? {
        guard let graph = nodes[node].graph else { return other == 0 ? .offered(body.root, heads: []) : nil }
        if nodes[node].isMember {
            let account = nodes[other].mate.account
            guard !graph.state.has(account), let last = graph.lastDeparture(of: account) else { return nil }
            return .departed(body.root, by: last.hash)
        }
        guard other == 0, body.heads.contains(where: { !graph.contains($0) }) else { return nil }
        return .offered(body.root, heads: graph.heads)
    }

    /// Nobody gives an entry to somebody who is no member as far as they know.
    func check(_ signal: GroupSignal, _ node: Int, _ other: Int) {
        let gives: Bool
        switch signal {
        case .durable(_, .entry): gives = true
        // Who is out is given how they went, as often as they ask.
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
