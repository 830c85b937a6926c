import Basics
import Testing

@testable import Transfer

/// Members of a group that fetch one file from each other, in steps of 10 ms. Members may die, lie or be slow. Only the
/// two machines decide who gives and who asks.
struct SwarmSimulation {
    struct Member {
        var isAlive = true
        var isLiar = false
        /// The number of chunks that it can give in a step.
        var speed = 0.5
        var budget = 0.0
        var have: ChunkSet
        var giver: UploadChooser
        var picker: PiecePicker
        var isAsking: Set<Int> = []
        var sources: Set<Int> = []
        var banned: Set<Int> = []
        /// The number of chunks that it gave, right or wrong.
        var given = 0
        /// The members that have asked it, and what it has yet to give them.
        var orders: [(by: Int, left: [UInt64])] = []
    }

    let chunks: UInt64
    var members: [Member] = []
    var random: SeededGenerator
    var step = 0
    let base = Instant(nanoseconds: 0)
    /// Announcements of indices that a member has got, with the step from which its takers know them.
    var news: [(step: Int, from: Int, chunkIndex: UInt64)] = []
    var reach = TransferLimits.Swarm.sources

    init(chunks: UInt64, members count: Int, seed: UInt64) throws {
        self.chunks = chunks
        random = SeededGenerator(seed: seed)
        for index in 0..<count { add(isAuthor: index == 0) }
    }

    var now: Instant { base + .milliseconds(step * 10) }

    mutating func add(isAuthor: Bool = false) {
        members.append(
            Member(
                have: isAuthor ? ChunkSet(allBelow: chunks) : ChunkSet(limit: chunks),
                giver: UploadChooser(chunks: chunks, isAuthor: isAuthor, seed: random.next(), now: now),
                picker: PiecePicker(
                    lacking: isAuthor ? ChunkSet(limit: chunks) : ChunkSet(allBelow: chunks),
                    seed: random.next(), now: now)))
    }

    mutating func kill(_ index: Int) {
        members[index].isAlive = false
        for other in members.indices {
            disconnect(other, from: index)
            members[index].orders.removeAll { $0.by == other }
        }
        for source in members[index].sources { disconnect(index, from: source) }
    }

    mutating func disconnect(_ taker: Int, from source: Int) {
        guard members[taker].sources.remove(source) != nil else { return }
        members[taker].picker.remove(source)
        members[taker].isAsking.remove(source)
        for order in members[source].orders where order.by == taker {
            for chunkIndex in order.left { members[source].giver.gave(chunkIndex, isWhole: false, now: now) }
        }
        members[source].orders.removeAll { $0.by == taker }
    }

    var isDone: Bool {
        members.dropFirst().allSatisfy { !$0.isAlive || $0.isLiar || $0.picker.isComplete }
    }

    mutating func run(until limit: Int, _ event: (inout SwarmSimulation) -> Void = { _ in }) {
        while step < limit, !isDone {
            event(&self)
            advance()
        }
    }

    mutating func advance() {
        step += 1
        if step % 20 == 1 { for index in members.indices.dropFirst() where members[index].isAlive { connect(index) } }
        for item in news where item.step == step {
            for taker in members.indices where members[taker].sources.contains(item.from) {
                members[taker].picker.has(item.from, item.chunkIndex..<item.chunkIndex + 1)
            }
        }
        news.removeAll { $0.step <= step }
        for taker in members.indices.dropFirst() where members[taker].isAlive { ask(taker) }
        for source in members.indices where members[source].isAlive { give(source) }
    }

    private mutating func connect(_ taker: Int) {
        let others = members.indices.filter {
            $0 != taker && members[$0].isAlive && !members[taker].banned.contains($0)
        }
        for source in others.shuffled(using: &random) where !members[taker].sources.contains(source) {
            let takers = members.count { $0.sources.contains(source) }
            let isFull = members[taker].sources.count { $0 != 0 } >= reach
            guard source == 0 || !isFull, takers < TransferLimits.Swarm.takers else { continue }
            members[taker].sources.insert(source)
            members[taker].picker.add(source, isAuthor: source == 0, now: now)
            for range in members[source].have.ranges() { members[taker].picker.has(source, range) }
        }
    }

    private mutating func ask(_ taker: Int) {
        for source in members[taker].sources.sorted() where !members[taker].isAsking.contains(source) {
            guard let ask = members[taker].picker.next(for: source, now: now) else { continue }
            let chunkIndices: [UInt64]
            switch ask {
            case .chunks(let list): chunkIndices = list.filter { members[source].have.contains($0) }
            case .any(let ranges, let count):
                chunkIndices = members[source].giver.choose(ranges, count: count, have: members[source].have, now: now)
            }
            members[taker].isAsking.insert(source)
            members[source].orders.append((taker, chunkIndices))
        }
    }

    private mutating func give(_ source: Int) {
        members[source].budget = min(members[source].budget + members[source].speed, 8)
        while !members[source].orders.isEmpty {
            var order = members[source].orders.removeFirst()
            if order.left.isEmpty {
                members[order.by].isAsking.remove(source)
                members[order.by].picker.answered(source, now: now)
                continue
            }
            guard members[source].budget >= 1 else {
                members[source].orders.insert(order, at: 0)
                return
            }
            members[source].budget -= 1
            members[source].given += 1
            let chunkIndex = order.left.removeFirst()
            members[source].giver.gave(chunkIndex, isWhole: true, now: now)
            members[order.by].picker.begins(chunkIndex, from: source)
            // Orders are served in rotation.
            members[source].orders.append(order)
            if members[source].isLiar {
                members[order.by].banned.insert(source)
                disconnect(order.by, from: source)
            } else if members[order.by].picker.came(chunkIndex, from: source, now: now) {
                members[order.by].have.insert(chunkIndex)
                news.append((step + 5, order.by, chunkIndex))
            }
        }
    }
}
