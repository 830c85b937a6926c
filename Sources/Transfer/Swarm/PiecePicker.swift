import Basics

/// Decides which source the receiver of a group's file asks for which chunks. It is a value without I/O.
///
/// Two rules matter most. The author is asked only for what no other reachable member has, and chooses itself what it
/// gives of that (``UploadChooser``), so it gives each chunk about once. All others are asked for the chunks that are
/// rarest among the reachable members, at random where they are equally rare, so that not all members fetch the same
/// chunk from the same member.
public struct PiecePicker: Sendable {
    /// A source, by the caller's number.
    public typealias Source = Int

    /// What to ask a source for.
    public enum Ask: Hashable, Sendable {
        /// Exactly these chunks, by index.
        case chunks([UInt64])
        /// That many of these, chosen by the source from those it has given least.
        case any([Range<UInt64>], count: Int)
    }

    private struct State {
        let isAuthor: Bool
        var have: ChunkSet
        var asked: Set<UInt64> = []
        var isAsked = false
        var askedAt: Instant
        var batch = 1
        var came = 0
        /// The time until which an author that had nothing to give is not asked.
        var pause: Instant?
    }

    private var sources: [Source: State] = [:]
    /// Indices that are not here yet, whether requested or not.
    private var lacking: ChunkSet
    /// Indices that some source was asked for.
    private var flying: ChunkSet
    private var lastCame: Instant
    private var random: SeededGenerator

    /// - Parameter lacking: the indices to fetch.
    public init(lacking: ChunkSet, seed: UInt64, now: Instant) {
        self.lacking = lacking
        flying = ChunkSet(limit: lacking.limit)
        random = SeededGenerator(seed: seed)
        lastCame = now
    }

    /// Whether everything is here.
    public var isComplete: Bool { lacking.isEmpty }

    public func lacks(_ index: UInt64) -> Bool { lacking.contains(index) }

    public mutating func add(_ source: Source, isAuthor: Bool, now: Instant) {
        sources[source] = State(isAuthor: isAuthor, have: ChunkSet(limit: lacking.limit), askedAt: now)
    }

    /// Adds indices that the source reports to have.
    public mutating func has(_ source: Source, _ range: Range<UInt64>) { sources[source]?.have.insert(range) }

    /// Removes a source. Other sources may be asked for what it was asked for.
    public mutating func remove(_ source: Source) {
        guard let state = sources.removeValue(forKey: source) else { return }
        release(state.asked)
    }

    /// Forgets chunks that are not wanted any more, because their file is left out.
    public mutating func forget(_ range: Range<UInt64>) {
        for index in range { lacking.remove(index) }
    }

    /// A chunk's record begins. If the author chooses the chunks, this is the first sign of which one it is.
    public mutating func begins(_ index: UInt64, from source: Source) {
        guard sources[source] != nil, index < lacking.limit else { return }
        sources[source]?.asked.insert(index)
        flying.insert(index)
    }

    /// A chunk has come and was right. False if it is here already, or not wanted any more.
    public mutating func came(_ index: UInt64, from source: Source, now: Instant) -> Bool {
        if sources[source]?.asked.remove(index) != nil { release([index]) }
        sources[source]?.came += 1
        guard lacking.remove(index) else { return false }
        lastCame = now
        return true
    }

    /// The source has answered. It doesn't have the requested chunks that it didn't give.
    public mutating func answered(_ source: Source, now: Instant) {
        guard var state = sources[source] else { return }
        let missed = state.asked
        for index in missed { state.have.remove(index) }
        state.asked = []
        state.isAsked = false
        // The next batch is as much as comes in half a second, so that a slow source holds nothing back.
        let took = max(1, (now - state.askedAt).milliseconds)
        let pace = Int64(state.came) * ProtocolLimits.batchMilliseconds / took
        state.batch = max(1, min(Int(clamping: pace), min(state.batch * 2, ProtocolLimits.batch)))
        if state.came == 0 { state.pause = now + ProtocolLimits.pause }
        state.came = 0
        sources[source] = state
        release(missed)
    }

    /// What to ask this source for now; nil if there is nothing, or an answer is under way.
    public mutating func next(for source: Source, now: Instant) -> Ask? {
        guard var state = sources[source], !state.isAsked, !isComplete, state.pause.map({ $0 <= now }) ?? true else {
            return nil
        }
        let ask = state.isAuthor ? authorsNext(source, state, now) : othersNext(source, state, now)
        guard let ask else { return nil }
        state.isAsked = true
        state.askedAt = now
        state.pause = nil
        if case .chunks(let indices) = ask {
            state.asked = Set(indices)
            for index in indices { flying.insert(index) }
        }
        sources[source] = state
        return ask
    }

    private func authorsNext(_ source: Source, _ state: State, _ now: Instant) -> Ask? {
        var wanted = lacking
        wanted.formIntersection(state.have)
        // If nothing has come from any source for a while, sparing the author would stop the fetch.
        if now - lastCame < ProtocolLimits.stillness {
            wanted.subtract(flying)
            for (other, state) in sources where other != source && !state.isAuthor { wanted.subtract(state.have) }
        }
        let ranges = wanted.ranges(limit: TransferLimits.rangesPerMessage)
        return ranges.isEmpty ? nil : .any(ranges, count: state.batch)
    }

    private mutating func othersNext(_ source: Source, _ state: State, _ now: Instant) -> Ask? {
        var wanted = lacking
        wanted.formIntersection(state.have)
        var free = wanted
        free.subtract(flying)
        if free.isEmpty {
            // At the end, chunks that a slower source was asked for a while ago may come from here too.
            for (other, state) in sources where other != source && now - state.askedAt < ProtocolLimits.patience {
                for index in state.asked { wanted.remove(index) }
            }
            free = wanted
        }
        var indices: [(index: UInt64, holders: Int, chance: UInt64)] = []
        // A look at some hundred indices from a random one on is enough to find rare ones, however long the sequence is.
        let start = lacking.limit > 0 ? random.next() % lacking.limit : 0
        var index = free.next(from: start) ?? free.next(from: 0)
        var hasWrapped = false
        while let piece = index, indices.count < ProtocolLimits.looked {
            if hasWrapped && piece >= start { break }
            let holders = sources.values.reduce(0) { $0 + ($1.have.contains(piece) ? 1 : 0) }
            indices.append((piece, holders, random.next()))
            index = free.next(from: piece + 1)
            if index == nil, !hasWrapped, indices.first.map({ $0.index >= start }) ?? false {
                hasWrapped = true
                index = free.next(from: 0)
            }
        }
        guard !indices.isEmpty else { return nil }
        indices.sort { ($0.holders, $0.chance) < ($1.holders, $1.chance) }
        return .chunks(indices.prefix(state.batch).map(\.index).sorted())
    }

    private mutating func release(_ indices: some Sequence<UInt64>) {
        // At the end two sources may have been asked for the same index.
        for index in indices where !sources.values.contains(where: { $0.asked.contains(index) }) {
            flying.remove(index)
        }
    }

    private typealias ProtocolLimits = TransferLimits.Swarm
}
