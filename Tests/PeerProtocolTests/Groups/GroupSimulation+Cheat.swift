import Basics
import Crypto
import PeerProtocol
import Vocabulary

extension GroupSimulation {
    /// Cheats in one of four ways.
    func cheat(_ node: Int) throws {
        guard let graph = nodes[node].graph, let log = nodes[node].disk.log, nodes[node].isMember else { return }
        let mate = nodes[node].mate
        let receivers = mates(node)
        guard receivers.count > 1 else { return }
        let wall = nodes[node].wall(time)
        let hybrid = HybridTime(milliseconds: wall.milliseconds)
        nextID += 1
        let content = try MessageBody(kind: .text, text: "c", time: hybrid, sentAt: wall).encoded(conversation: .group)
        let position = LogEntry.Position(
            root: graph.root, sequence: 1, previous: nil, heads: graph.parentsForNext(by: mate.account),
            dependencies: [])
        switch pick(4) {
        case 0:
            // The entry is in another member's name, with the cheat's signature.
            let victim = nodes[receivers[pick(receivers.count)]].mate
            let own = try LogEntry.make(
                .message, id: id(nextID), content: content, at: position, key: victim.key, time: hybrid, at: wall)
            let signature = mate.key.sign(own.header, label: LogEntry.label)
            let body = GroupEntryBody(header: own.header, signature: signature, content: content)
            forbidden.insert(own.hash)
            forgeries += 1
            queue(.entry(body), &nodes[node], receivers)
        case 1:
            // The cheat does more than it may, as every member can see.
            let operation = GroupOperation.role(mate.account, .owner)
            guard graph.permits(operation, by: mate.account) != nil else { return }
            let entry = try MembershipEntry.make(
                operation, group: (graph.group, graph.root), parents: graph.parentsForNext(by: mate.account),
                by: mate.account, certificate: mate.certificate, key: mate.key, time: hybrid, at: wall)
            forbidden.insert(entry.hash)
            forgeries += 1
            queue(.change([entry.bytes]), &nodes[node], receivers)
        case 2:
            // The cheat signs two entries for one place.
            guard log.storage.lastSequence(of: mate.device) == 0 else { return }
            for (number, half) in [receivers.prefix(receivers.count / 2), receivers.suffix(1)].enumerated() {
                let entry = try LogEntry.make(
                    .message, id: id(nextID << 8 | UInt64(number)), content: content, at: position, key: mate.key,
                    time: hybrid, at: wall)
                queue(.entry(GroupEntryBody(entry)), &nodes[node], Array(half))
                guard var own = nodes[node].disk.log else { return }
                _ = try own.admit(entry, graph: graph, own: mate.account)
                nodes[node].disk.log = own
            }
            forked.append(LogPlace(device: mate.device, sequence: 1))
        default:
            // The entry follows an old state, in which the cheat was allowed to do this.
            let operation = GroupOperation.remove(nodes[receivers[pick(receivers.count)]].mate.account)
            let old = graph.entries[pick(graph.count)]
            guard operation != .remove(nodes[0].mate.account) else { return }
            let entry = try MembershipEntry.make(
                operation, group: (graph.group, graph.root), parents: [old.hash], by: mate.account,
                certificate: mate.certificate, key: mate.key, time: old.time, at: old.at)
            var copy = graph
            if copy.insert(entry) == .inserted { nodes[node].disk.graph = copy } else { forgeries += 1 }
            queue(.change([entry.bytes]), &nodes[node], receivers)
        }
        for receiver in receivers { push(node, receiver) }
    }
}
