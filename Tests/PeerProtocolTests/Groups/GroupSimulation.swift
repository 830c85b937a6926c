import Basics
import Crypto
import PeerProtocol
import Vocabulary

/// A group of 3 to 32 daemons on a network that splits and joins, with crashes, wrong clocks, old copies and a cheat.
///
/// A transaction is on a member's disk as a whole or not at all. A crash may come before a commit, or between a commit
/// and its effects. Live entries are repeated until their receipt comes; catching up has to repair what that leaves.
final class GroupSimulation {
    var nodes: [GroupNode] = []
    var problems: [String] = []
    /// The places at which the cheat wrote two entries.
    var forked: [LogPlace] = []
    /// The hashes of entries that no node may have.
    var forbidden: Set<EntryHash> = []
    /// The number of the cheat's forgeries that must have been noticed.
    var forgeries = 0
    /// The number of old copies that were restored.
    var restored = 0
    let cheat: Int?
    private let cache = GroupEntryCache()
    private var random: SeededGenerator
    private var wires: [Wire: [GroupSignal]] = [:]
    var time = someTime.milliseconds
    private var now = someInstant
    var nextID: UInt64 = 0
    private var isStormy = false

    private struct Wire: Hashable, Comparable {
        let from: Int
        let to: Int

        static func < (left: Wire, right: Wire) -> Bool { (left.from, left.to) < (right.from, right.to) }
    }

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let isBig = seed % 50 == 49
        let count = Int.random(in: isBig ? 9...32 : 3...8, using: &random)
        cheat = Int.random(in: 0..<3, using: &random) == 0 ? 1 : nil
        for mate in Mate.all[..<count] {
            nodes.append(GroupNode(mate, skew: Int64.random(in: -900_000...900_000, using: &random)))
        }
        let first = Int.random(in: 2...count, using: &random)
        try commit(0) { node in
            let create = try Workshop.create(node.mate, with: Mate.all[1..<first].map { $0 })
            node.disk.graph = try GroupGraph(create: create)
            node.disk.log = GroupLog(root: create.root, storage: MemoryLog())
            return []
        }
        spread([nodes[0].graph?.entries.map(\.bytes) ?? []], from: 0, to: Array(1..<first))
        nodes[0].isSettled = true
        isStormy = true
        for _ in 0..<Int.random(in: 150...400, using: &random) { try step() }
        try heal()
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// - Returns: nil if the daemon crashed.
    @discardableResult
    private func commit<Result>(_ node: Int, _ body: (inout GroupNode) throws -> Result) throws -> Result? {
        let disk = nodes[node].disk
        var copy = nodes[node]
        let result = try body(&copy)
        nodes[node] = copy
        guard isStormy, pick(200) == 0 else { return result }
        // Half of the crashes come before the commit.
        if chance(50) { nodes[node].disk = disk }
        crash(node)
        return nil
    }

    func crash(_ node: Int) {
        for other in Array(nodes[node].syncs.keys) { cut(node, other) }
        nodes[node].isSettled = false
    }

    // MARK: The network

    private func connect(_ one: Int, _ other: Int) throws {
        guard one != other, nodes[one].syncs[other] == nil else { return }
        nodes[one].syncs[other] = GroupSync()
        nodes[other].syncs[one] = GroupSync()
        for (from, to) in [(one, other), (other, one)] {
            try share(from, to)
            push(from, to)
        }
    }

    private func cut(_ one: Int, _ other: Int) {
        for (from, to) in [(one, other), (other, one)] {
            nodes[from].syncs[to] = nil
            nodes[from].settled.remove(to)
            nodes[from].shown[to] = nil
            nodes[from].inFlight[to] = nil
            wires[Wire(from: from, to: to)] = nil
        }
    }

    /// Tells the session whether both are in the group, as committed here.
    private func share(_ node: Int, _ other: Int) throws {
        guard let root = nodes[node].graph?.root else { return }
        try feed(node, other, nodes[node].isMate(nodes[other].mate) ? .shared(root) : .unshared(root))
    }

    func push(_ node: Int, _ other: Int) {
        guard nodes[node].syncs[other] != nil, nodes[node].inFlight[other] == nil else { return }
        while let item = nodes[node].disk.outbox[other]?.first {
            if case .entry = item.parcel, !nodes[node].isMate(nodes[other].mate) {
                nodes[node].disk.outbox[other]?.removeFirst()
                continue
            }
            nodes[node].inFlight[other] = item.id
            send(.durable(id: item.id, item.parcel), node, other)
            return
        }
    }

    private func send(_ signal: GroupSignal, _ node: Int, _ other: Int) {
        check(signal, node, other)
        wires[Wire(from: node, to: other), default: []].append(signal)
    }

    private func deliver(_ wire: Wire) throws {
        guard var queue = wires[wire], !queue.isEmpty else { return }
        let signal = queue.removeFirst()
        wires[wire] = queue.isEmpty ? nil : queue
        let (node, other) = (wire.to, wire.from)
        switch signal {
        case .receipt(let id):
            nodes[node].inFlight[other] = nil
            nodes[node].disk.outbox[other]?.removeAll { $0.id == id }
            push(node, other)
        case .frame(let frame):
            guard isHeard(other, by: node) else { return }
            if case .tops(let body) = frame {
                let own = nodes[node].mate.device
                let end = body.tops.filter { $0.device == own }.map(\.sequence).max() ?? 0
                nodes[node].shown[other] = max(nodes[node].shown[other] ?? 0, end)
            }
            try feed(node, other, .heard(frame))
        case .durable(let id, let parcel):
            // A node that is no mate may bring only the group itself, or the entry that removed a member.
            if case .entry = parcel, !nodes[node].isMate(nodes[other].mate) {
                send(.receipt(id), node, other)
                return
            }
            try run(node, other) { [cache, time] in try $0.take(id, parcel, cache, time: time) }
        }
    }

    /// Runs one transaction of a session and its effects.
    private func run(_ node: Int, _ other: Int, _ body: (inout GroupNode) throws -> [GroupNode.Effect]) throws {
        let had = nodes[node].graph?.count
        guard let effects = try commit(node, body) else { return }
        if nodes[node].graph?.count != had {
            for peer in nodes[node].syncs.keys.sorted() { try share(node, peer) }
        }
        for effect in effects {
            switch effect {
            case .reply(let signal): send(signal, node, other)
            case .sync(let input): try feed(node, other, input)
            case .told(let pause):
                guard let root = nodes[node].graph?.root else { continue }
                for peer in nodes[node].syncs.keys.sorted() where peer != other {
                    try feed(node, peer, .changed(root, within: pause))
                }
            }
        }
    }

    private func feed(_ node: Int, _ other: Int, _ input: GroupSyncInput) throws {
        guard let effects = nodes[node].syncs[other]?.receive(input, now: now) else { return }
        for effect in effects {
            // The effect may concern a group that is not here.
            switch effect {
            case .send(let frame): send(.frame(frame), node, other)
            case .consider(let body):
                if let input = consider(body, node, other) { try feed(node, other, input) }
            case .commit(let body, let asked):
                try run(node, other) { [cache, time] in try $0.take(body, asked: asked, cache, time: time) }
            default: break
            }
            guard let graph = nodes[node].graph, let log = nodes[node].disk.log else { return }
            let (own, root) = (nodes[node].mate.account, graph.root)
            switch effect {
            case .send, .consider, .commit: break
            case .settled:
                nodes[node].settled.insert(other)
                try settle(node)
            case .readHeads: try feed(node, other, .heads(log.heads(graph)))
            case .compare(let body):
                let result = try log.compare(body, graph, own: own)
                try feed(node, other, .compared(root, isSame: result.isSame, questions: result.questions))
            case .readTops: try feed(node, other, .tops(root, log.storage.tops()))
            case .plan(_, let tops):
                try feed(node, other, .planned(root, log.questions(tops: tops, graph, own: own)))
            case .readPage(let want):
                // Pages are small, so that there are several.
                let page = try LogServing(log).page(
                    for: want, to: nodes[other].mate.account, graph: graph, maximumBytes: 4096)
                try feed(node, other, .page(root, page))
            }
            // A crash ended the session.
            guard nodes[node].syncs[other] != nil else { return }
        }
    }

    // MARK: What happens

    private func step() throws {
        time += Int64(pick(400))
        now = now + .milliseconds(Int64(pick(400)))
        switch pick(100) {
        case 0..<12: try write(pick(nodes.count))
        case 12..<17: try change(pick(nodes.count))
        case 17..<26: try connect(pick(nodes.count), pick(nodes.count))
        case 26..<29:
            let (one, other) = (pick(nodes.count), pick(nodes.count))
            if one != other { cut(one, other) }
        case 29: crash(pick(nodes.count))
        case 30..<34:
            if let cheat { try self.cheat(cheat) }
        case 34..<38: try tick(pick(nodes.count))
        case 38..<40:
            let node = pick(nodes.count)
            nodes[node].copy = nodes[node].disk
        case 40:
            if let node = nodes.indices.filter({ nodes[$0].copy != nil }).randomElement(using: &random) {
                putBack(node)
            }
        default:
            if let wire = wires.keys.sorted().randomElement(using: &random) { try deliver(wire) }
        }
    }

    private func tick(_ node: Int) throws {
        for other in nodes[node].syncs.keys.sorted() {
            guard let due = nodes[node].syncs[other]?.nextDeadline, due <= now else { continue }
            try feed(node, other, .tick)
        }
    }

    func queue(_ parcel: GroupParcel, _ node: inout GroupNode, _ receivers: [Int]) {
        for receiver in receivers {
            nextID += 1
            node.disk.outbox[receiver, default: []].append((Int(nextID), parcel))
        }
    }

    /// The other members, as far as a member knows.
    func mates(_ node: Int) -> [Int] {
        nodes.indices.filter { $0 != node && nodes[node].isMate(nodes[$0].mate) }
    }

    /// What is written before the end of the own chain is known gets its place later.
    private func write(_ author: Int) throws {
        guard nodes[author].isMember else { return }
        if !nodes[author].isSettled, nodes[author].graph?.state.members.count ?? 0 > 1 {
            nodes[author].disk.drafts += 1
        } else {
            try say(author)
        }
    }

    /// The end of the own chain is known once all met members have shown what they have of it.
    private func settle(_ node: Int) throws {
        let met = nodes[node].syncs.keys.filter { nodes[node].isMate(nodes[$0].mate) }
        guard !nodes[node].isSettled, met.allSatisfy(nodes[node].settled.contains) else { return }
        nodes[node].isSettled = true
        while nodes[node].isSettled, nodes[node].disk.drafts > 0 {
            nodes[node].disk.drafts -= 1
            try say(node)
        }
    }

    private func say(_ author: Int) throws {
        guard let graph = nodes[author].graph, nodes[author].isMember else { return }
        let receivers = mates(author)
        nextID += 1
        let (id, moment) = (id(nextID), time)
        let shown = nodes[author].shown.values.max() ?? 0
        let written: UInt64? =
            try commit(author) { node -> UInt64? in
                guard var log = node.disk.log else { return nil }
                let wall = node.wall(moment)
                let hybrid = node.disk.clock.tick(at: wall)
                let body = MessageBody(kind: .text, text: "m", time: hybrid, sentAt: wall)
                let entry = try log.append(
                    .message, id: id, content: try body.encoded(conversation: .group), graph: graph,
                    key: node.mate.key, time: hybrid, at: wall)
                node.disk.log = log
                queue(.entry(GroupEntryBody(entry)), &node, receivers)
                return entry.sequence
            } ?? nil
        guard let written else { return }
        if written <= shown, author != cheat {
            problems.append("\(author) wrote at \(written), and was shown its own entries up to \(shown)")
        }
        for receiver in receivers { push(author, receiver) }
    }

    private func change(_ author: Int) throws {
        guard let graph = nodes[author].graph, nodes[author].isMember else { return }
        let other = pick(nodes.count)
        let (account, mate) = (nodes[other].mate.account, nodes[other].mate)
        var operation: GroupOperation
        switch pick(12) {
        case 0..<3: operation = .remove(account)
        case 3..<6: operation = .role(account, GroupRole.allCases[pick(3)])
        case 6..<10: operation = .add([mate.seed], floors: floors(author))
        case 10: operation = .rename("name \(time)")
        default: operation = author == 0 || chance(70) ? .history(Int(time % 1000)) : .leave
        }
        // Mate 0 stays owner, because its group is the one that counts.
        if other == 0, [.remove(account), .role(account, .member), .role(account, .admin)].contains(operation) {
            operation = .rename("name \(time)")
        }
        guard graph.permits(operation, by: nodes[author].mate.account) == nil else { return }
        try make(operation, by: author)
    }

    private func floors(_ author: Int) -> [LogPlace] {
        guard chance(60), let log = nodes[author].disk.log else { return [] }
        let tops = Dictionary(grouping: log.storage.tops(), by: \.device).mapValues { $0.map(\.sequence).max() ?? 0 }
        return tops.map { LogPlace(device: $0.key, sequence: $0.value + 1) }.sorted()
    }

    private func make(_ operation: GroupOperation, by author: Int) throws {
        let before = mates(author)
        let moment = time
        let entry: MembershipEntry? =
            try commit(author) { node -> MembershipEntry? in
                guard var graph = node.disk.graph, let log = node.disk.log else { return nil }
                let entry = try graph.make(
                    operation, certificate: node.mate.certificate, key: node.mate.key,
                    time: node.disk.clock.tick(at: node.wall(moment)), at: node.wall(moment))
                guard graph.insert(entry) == .inserted else { return nil }
                node.disk.graph = graph
                node.disk.log = log
                queue(.change([entry.bytes]), &node, before)
                if case .add(let seeds, _) = operation {
                    let added = nodes.indices.filter { index in
                        seeds.contains { $0.account == nodes[index].mate.account }
                    }
                    queue(.change(graph.entries.map(\.bytes)), &node, added)
                }
                return entry
            } ?? nil
        guard entry != nil else { return }
        for peer in nodes[author].syncs.keys.sorted() {
            try share(author, peer)
            push(author, peer)
        }
    }

    private func spread(_ changes: [[[UInt8]]], from node: Int, to receivers: [Int]) {
        for change in changes { queue(.change(change), &nodes[node], receivers) }
        for receiver in receivers { push(node, receiver) }
    }

    // MARK: The end

    /// Lets all nodes meet each other, often enough.
    private func heal() throws {
        isStormy = false
        for round in 0..<6 {
            // Mate 0 is a friend of all, and brings the group to members that were not told.
            for other in mates(0) where nodes[other].graph == nil && !nodes[other].wasRestored {
                spread([nodes[0].graph?.entries.map(\.bytes) ?? []], from: 0, to: [other])
            }
            // Half an hour later, entries that no met member had are no longer awaited.
            if round == 3 { for node in nodes.indices { try nodes[node].giveUp(time) } }
            for node in nodes.indices {
                for other in 0..<node where isLinked(node, other, round) { try connect(node, other) }
            }
            try settle()
            for node in nodes.indices { crash(node) }
        }
    }

    /// With many members not all are linked at once: each is linked with some, in each round with others.
    private func isLinked(_ node: Int, _ other: Int, _ round: Int) -> Bool {
        nodes.count <= 8 || other == 0 || (node + other + round) % 5 == 0
    }

    private func settle() throws {
        for _ in 0..<4 {
            while let wire = wires.keys.min() { try deliver(wire) }
            now = now + .seconds(12)
            time += 12_000
            for node in nodes.indices { try tick(node) }
            if wires.isEmpty { return }
        }
        while let wire = wires.keys.min() { try deliver(wire) }
    }
}
