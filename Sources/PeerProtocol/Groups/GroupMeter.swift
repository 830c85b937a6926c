import Threads

/// The cost of saying what a group is: it is counted, not timed, so that the same entries always cost the same.
public struct GroupWork: Hashable, Sendable {
    /// Sets of entries whose state was computed and not remembered.
    public var states = 0
    /// Entries that were folded into those states.
    public var entries = 0
    /// Entries that were compared with removals and demotions made at the same time, without those that only repeat one.
    public var judged = 0
    /// Words of 64 conflicts each that were looked at.
    public var words = 0
    /// Signatures that were checked.
    public var signatures = 0
    /// Bytes of entries from which graphs were made.
    public var bytes = 0

    /// About as many microseconds.
    public var cost: Int { 4 * states + entries + judged + words / 512 + 50 * signatures + bytes / 32 }

    public init() {}

    mutating func add(_ other: GroupWork) {
        states += other.states
        entries += other.entries
        judged += other.judged
        words += other.words
        signatures += other.signatures
        bytes += other.bytes
    }
}

/// Counts the work that one batch of a peer causes. A caller that sets it in a ``GroupGraph`` finds in it what that
/// graph did since.
public final class GroupMeter: Sendable {
    private let state = Lock(GroupWork())
    private let limit: Int

    /// - Parameter limit: the ``GroupWork/cost`` from which on nothing more is begun.
    public init(limit: Int = PeerLimits.groupWorkInBatch) { self.limit = limit }

    public var work: GroupWork { state.withLock { $0 } }
    public var isSpent: Bool { state.withLock { $0.cost >= limit } }

    func add(_ work: GroupWork) { state.withLock { $0.add(work) } }

    /// A graph was made from entries of the disk.
    public func read(bytes: Int) { state.withLock { $0.bytes += bytes } }

    /// Signatures were checked beside the graph.
    public func checked(signatures: Int) { state.withLock { $0.signatures += signatures } }
}
