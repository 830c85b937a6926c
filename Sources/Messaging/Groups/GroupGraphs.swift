import Basics
import PeerProtocol
import Store
import Threads
import Vocabulary

/// The membership graphs as values, read from the database once and kept: a graph of a thousand entries takes
/// milliseconds to make, and each message needs it. ``StoredMembership`` is enough for heads, single entries and
/// floors.
///
/// Transactions use it, on the store's threads. A kept graph is compared with the group's row each time, so that a
/// transaction that was undone, or a reader with an older snapshot, gets the graph of its own row.
package final class GroupGraphs: Sendable {
    private struct Kept {
        let graph: GroupGraph
        var used: UInt64
    }

    private struct State {
        var graphs: [EntryHash: Kept] = [:]
        var uses: UInt64 = 0
        var reads: UInt64 = 0
        var floors: [EntryHash: Floors] = [:]
        var floorCount = 0
    }

    /// An account's floors at these heads. In many groups our heads differ from those of other members for ever, and
    /// then each session asks for floors.
    private struct Floors {
        let account: AccountID
        let heads: [[UInt8]]
        let floors: [DeviceID: UInt64]
    }

    private let state = Lock(State())

    package init() {}

    /// How many graphs were made from the database so far: each costs milliseconds.
    package var reads: UInt64 { state.withLock { $0.reads } }

    /// - Parameter meter: counts what is read.
    /// - Throws: ``GroupDamage`` if the database holds no graph of that row.
    package func graph(
        of row: GroupRow, in transaction: ReadTransaction, _ meter: GroupMeter? = nil
    ) throws -> GroupGraph {
        guard let root = EntryHash(row.root) else { throw GroupDamage(group: row.id) }
        if let graph = kept(root, row) { return graph }
        state.withLock { $0.reads &+= 1 }
        var certificates = CertificateReader(isTrusted: true)
        var entries: [MembershipEntry] = []
        for stored in try transaction.membershipEntries(of: row.id) {
            let entry = try MembershipEntry(decoding: stored.bytes, certificates: &certificates)
            // Signatures aren't checked again; the hash shows whether the disk has kept what was signed.
            guard entry.hash.bytes == stored.hash else { throw GroupDamage(group: row.id) }
            entries.append(entry)
        }
        guard !entries.isEmpty else { throw GroupDamage(group: row.id) }
        let graph = try GroupGraph(entries: entries)
        meter?.read(bytes: graph.byteCount)
        keep(graph)
        return graph
    }

    /// Whether a graph of the group is in memory, which may be an older one.
    package func isKept(_ root: EntryHash) -> Bool { state.withLock { $0.graphs[root] != nil } }

    /// Makes the graph of a group of ours so that the writing thread finds it in memory. Correctness doesn't depend on
    /// it.
    package func warm(_ root: EntryHash, in transaction: ReadTransaction) {
        guard let row = try? transaction.group(root: root.bytes), row.state == .member else { return }
        _ = try? graph(of: row, in: transaction)
    }

    /// The place from which on an account sees each chain: ``MembershipView/floors(of:)``.
    /// - Throws: ``GroupDamage``.
    package func floors(
        of account: AccountID, by row: GroupRow, in transaction: ReadTransaction
    ) throws -> [DeviceID: UInt64] {
        guard let root = EntryHash(row.root) else { throw GroupDamage(group: row.id) }
        let kept = state.withLock { $0.floors[root] }
        if let kept, kept.account == account, kept.heads == row.heads { return kept.floors }
        let floors = try graph(of: row, in: transaction).floors(of: account)
        state.withLock { state in
            state.floorCount += floors.count + 1 - (state.floors[root].map { $0.floors.count + 1 } ?? 0)
            if state.floorCount > MessagingLimits.keptFloors {
                (state.floors, state.floorCount) = ([:], floors.count + 1)
            }
            state.floors[root] = Floors(account: account, heads: row.heads, floors: floors)
        }
        return floors
    }

    /// Keeps a graph that has just grown.
    package func keep(_ graph: GroupGraph) {
        var graph = graph
        graph.meter = nil
        state.withLock { state in
            state.uses += 1
            state.graphs[graph.root] = Kept(graph: graph, used: state.uses)
            guard state.graphs.count > MessagingLimits.keptGraphs,
                let oldest = state.graphs.min(by: { $0.value.used < $1.value.used })
            else { return }
            state.graphs[oldest.key] = nil
        }
    }

    private func kept(_ root: EntryHash, _ row: GroupRow) -> GroupGraph? {
        state.withLock { state in
            guard var kept = state.graphs[root], kept.graph.count == row.entries,
                kept.graph.heads.map(\.bytes) == row.heads
            else { return nil }
            state.uses += 1
            kept.used = state.uses
            state.graphs[root] = kept
            return kept.graph
        }
    }
}

/// Thrown if the database has a group without the entries that make it.
package struct GroupDamage: Error, CustomStringConvertible {
    package let group: UUIDv7
    package var description: String { "the membership entries of group \(group) are damaged" }
}

/// What is needed to follow groups: the account that they belong to, and the graphs.
package struct GroupScope: Sendable {
    package let own: AccountID
    package let graphs: GroupGraphs
}

/// The groups in which we know where our own chain ends: since this daemon started we have met a member there and
/// compared with it, or the group was made here. In other groups our data may be an older copy, and what is written
/// gets its place later.
package final class SettledGroups: Sendable {
    private let roots = Lock<Set<EntryHash>>([])

    package init() {}

    package func contains(_ root: EntryHash) -> Bool { roots.withLock { $0.contains(root) } }
    package func insert(_ root: EntryHash) { roots.withLock { _ = $0.insert(root) } }
}

/// The keys and projections with which this account writes in groups.
package struct GroupVoice: Sendable {
    package let account: LocalAccount
    package let graphs: GroupGraphs
    package let settled: SettledGroups

    package init(account: LocalAccount, graphs: GroupGraphs, settled: SettledGroups) {
        self.account = account
        self.graphs = graphs
        self.settled = settled
    }

    package var scope: GroupScope { GroupScope(own: account.id, graphs: graphs) }
}

/// What entries of groups that came mean for the talk with other members.
package struct GroupEffects: Sendable {
    /// Roots of groups that have learnt something that other members may lack.
    package var news: Set<EntryHash> = []
    /// The same for entries that came live, which most members have from the author.
    package var live: Set<EntryHash> = []
    /// Entries that held entries wait for. The peers that sent the held entries are asked for them.
    package var missing: [EntryHash: GroupMissing] = [:]

    package init(
        news: Set<EntryHash> = [], live: Set<EntryHash> = [],
        missing: [EntryHash: GroupMissing] = [:]
    ) {
        self.news = news
        self.live = live
        self.missing = missing
    }

    package mutating func add(_ other: GroupEffects) {
        news.formUnion(other.news)
        live.formUnion(other.live)
        missing.merge(other.missing) { $0.joined(with: $1) }
    }
}

/// What a group lacks.
package struct GroupMissing: Sendable, Equatable {
    package var entries: Set<LogReference> = []
    /// Membership entries that others build upon.
    package var needsMembership = false

    package init(entries: Set<LogReference> = [], needsMembership: Bool = false) {
        self.entries = entries
        self.needsMembership = needsMembership
    }

    package func joined(with other: GroupMissing) -> GroupMissing {
        GroupMissing(
            entries: entries.union(other.entries), needsMembership: needsMembership || other.needsMembership)
    }
}
