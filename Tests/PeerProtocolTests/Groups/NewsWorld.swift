import Basics
import PeerProtocol
import Testing
import Vocabulary

/// Members with sessions between them, in simulated time. Entries are only numbers: these tests are about when members
/// get them and what that costs.
final class NewsWorld {
    /// One end of a session.
    private final class End {
        let node: Int
        let other: Int
        var sync = GroupSync()
        /// When a tick is due, as last scheduled.
        var armedFor: Instant?

        init(_ node: Int, _ other: Int) { (self.node, self.other) = (node, other) }
    }

    private struct Node {
        var have: Set<Int> = []
        var partners = GroupPartners<Int>()
        var others: [Int] = []
    }

    private let root = hash(9_000_000)
    private let device: DeviceID
    private var nodes: [Node]
    private var ends: [Int: End] = [:]
    private var events: [(at: Instant, what: () -> Void)] = []
    private var random: SeededGenerator
    private(set) var now = someInstant
    /// The number of frames sent in all.
    private(set) var frames = 0
    /// When each entry was written.
    private(set) var written: [Instant] = []
    /// The longest time that any member has waited for an entry.
    private(set) var latest = Duration.zero

    init(_ count: Int, seed: UInt64) throws {
        device = DeviceID(try Person(1).deviceKey.publicKey)
        nodes = [Node](repeating: Node(), count: count)
        random = SeededGenerator(seed: seed)
    }

    /// Connects each node with so many others, chosen at random, or all nodes if there are no more.
    func connect(degree: Int) {
        for one in nodes.indices {
            let others = nodes.indices.filter { $0 != one }.shuffled(using: &random)
            for other in others.prefix(max(1, degree / 2)) { connect(one, other) }
        }
    }

    private func key(_ node: Int, _ other: Int) -> Int { node * nodes.count + other }

    private func connect(_ one: Int, _ other: Int) {
        guard ends[key(one, other)] == nil else { return }
        for (node, peer) in [(one, other), (other, one)] {
            ends[key(node, peer)] = End(node, peer)
            nodes[node].others.append(peer)
        }
        for (node, peer) in [(one, other), (other, one)] {
            feed(.shared(root), node, peer)
            for change in nodes[node].partners.shared(root, with: peer, using: &random) {
                feed(.partner(root, change.isPartner), node, change.session)
            }
        }
    }

    /// Lets a node write an entry that the receivers get directly.
    func write(_ author: Int, to receivers: [Int]) {
        let entry = written.count
        written.append(now)
        nodes[author].have.insert(entry)
        for receiver in receivers where receiver != author {
            after(delay()) { [self] in
                take([entry], receiver)
                news(receiver, but: author, PeerLimits.announceAfterLive)
            }
        }
    }

    var isComplete: Bool { nodes.allSatisfy { $0.have.count == written.count } }

    /// Lets time pass.
    func run(for duration: Duration) {
        let end = now + duration
        while let index = events.indices.last, events[index].at <= end {
            let event = events.removeLast()
            now = event.at
            event.what()
        }
        now = end
    }

    // MARK: What happens

    private func delay() -> Duration { .milliseconds(Int64.random(in: 1...20, using: &random)) }

    /// The list is kept with the next event last.
    private func after(_ pause: Duration, _ what: @escaping () -> Void) {
        let at = now + pause
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].at > at { low = middle + 1 } else { high = middle }
        }
        events.insert((at, what), at: low)
    }

    private func take(_ entries: some Sequence<Int>, _ node: Int) {
        for entry in entries where nodes[node].have.insert(entry).inserted {
            latest = max(latest, now - written[entry])
        }
    }

    private func news(_ node: Int, but source: Int, _ pause: Duration) {
        for other in nodes[node].others where other != source { feed(.news(root, within: pause), node, other) }
    }

    private func feed(_ input: GroupSyncInput, _ node: Int, _ other: Int) {
        guard let end = ends[key(node, other)] else { return }
        for effect in end.sync.receive(input, now: now) {
            if case .send(let frame) = effect {
                frames += 1
                after(delay()) { [self] in feed(.heard(frame), other, node) }
            } else {
                after(delay()) { [self] in carryOut(effect, node, other) }
            }
        }
        guard let due = end.sync.nextDeadline, end.armedFor.map({ $0 > due || $0 <= now }) ?? true else { return }
        end.armedFor = due
        after(max(due - now, .zero)) { [self] in
            if end.armedFor == due { end.armedFor = nil }
            feed(.tick, node, other)
        }
    }

    private func digest(_ entries: Set<Int>) -> EntryHash {
        hash(entries.reduce(UInt64(entries.count)) { $0 &+ UInt64($1 + 1) &* 0x9E37_79B9_7F4A_7C15 })
    }

    private func carryOut(_ effect: GroupSyncEffect, _ node: Int, _ other: Int) {
        let have = nodes[node].have
        func number(_ hash: EntryHash) -> Int? { numbers[hash] }
        switch effect {
        case .send, .consider, .settled: break
        case .readHeads: feed(.heads(GroupHeadsBody(root: root, heads: [root], digest: digest(have))), node, other)
        case .compare(let body):
            feed(.compared(root, isSame: digest(have) == body.digest, questions: []), node, other)
        case .readTops:
            let tops = have.sorted().map {
                LogReference(place: LogPlace(device: device, sequence: UInt64($0 + 1)), hash: name($0))
            }
            feed(.tops(root, tops), node, other)
        case .plan(_, let tops):
            let missing = tops.map(\.hash).filter { number($0).map { !have.contains($0) } ?? false }
            let want = GroupWantBody(root: root, hashes: missing)
            feed(.planned(root, missing.isEmpty ? [] : [GroupQuestion(want, settles: false)]), node, other)
        case .readPage(let want):
            // The entries themselves don't matter; their hashes stand for them.
            let given = want.hashes.filter { number($0).map(have.contains) ?? false }
            feed(.page(root, GroupEntriesBody(root: root, unavailable: given)), node, other)
        case .commit(let page, _):
            let new = page.unavailable.compactMap(number).filter { !have.contains($0) }
            take(new, node)
            let commit = GroupCommit(entries: [], heads: [root], questions: [], hasNews: !new.isEmpty)
            feed(.committed(root, commit), node, other)
            if !new.isEmpty { news(node, but: other, PeerLimits.announceAfterCatchUp) }
        }
    }

    private var numbers: [EntryHash: Int] = [:]
    private var names: [EntryHash] = []

    private func name(_ entry: Int) -> EntryHash {
        while names.count <= entry {
            let name = hash(UInt64(names.count))
            numbers[name] = names.count
            names.append(name)
        }
        return names[entry]
    }
}
