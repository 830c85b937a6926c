import Basics
import PeerProtocol
import Store
import Threads

/// The membership graphs as values, read from the database once and kept: a graph of a thousand entries costs milliseconds to
/// make, and each message asks it.
///
/// Used inside transactions, on the store's threads. What is kept is compared with the group's row each time, so that a
/// transaction that was undone, or a reader with an older snapshot, gets the graph of its own row.
final class GroupGraphs: Sendable {
    private struct Kept {
        let graph: GroupGraph
        var used: UInt64
    }

    private struct State {
        var graphs: [EntryHash: Kept] = [:]
        var uses: UInt64 = 0
    }

    private let state = Lock(State())

    /// - Throws: ``GroupDamage`` if the database holds no graph of that row.
    func graph(of row: GroupRow, in transaction: ReadTransaction) throws -> GroupGraph {
        guard let root = EntryHash(row.root) else { throw GroupDamage(group: row.id) }
        if let graph = kept(root, row) { return graph }
        var certificates = CertificateReader()
        let entries = try transaction.membershipEntries(of: row.id).map {
            try MembershipEntry(decoding: $0.bytes, certificates: &certificates, isTrusted: true)
        }
        guard !entries.isEmpty else { throw GroupDamage(group: row.id) }
        let graph = try GroupGraph(entries: entries)
        keep(graph)
        return graph
    }

    /// A graph that has just grown.
    func keep(_ graph: GroupGraph) {
        var graph = graph
        graph.meter = nil
        state.withLock { state in
            state.uses += 1
            state.graphs[graph.root] = Kept(graph: graph, used: state.uses)
            guard state.graphs.count > DaemonLimits.keptGraphs,
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

/// The database has a group without the entries that make it.
struct GroupDamage: Error, CustomStringConvertible {
    let group: UUIDv7
    var description: String { "the membership entries of group \(group) are damaged" }
}

/// What it takes to follow groups: whose they are, and what they are made of.
struct GroupScope: Sendable {
    let own: AccountID
    let graphs: GroupGraphs
}

/// The groups in which it is known where our own chain ends: since the start of this daemon somebody was met there and compared with,
/// or the group was made here. In others our data may be an older copy, and what is written gets its place later.
final class SettledGroups: Sendable {
    private let roots = Lock<Set<EntryHash>>([])

    func contains(_ root: EntryHash) -> Bool { roots.withLock { $0.contains(root) } }
    func insert(_ root: EntryHash) { roots.withLock { _ = $0.insert(root) } }
}

/// What it takes to speak in groups: the device's keys, too.
struct GroupVoice: Sendable {
    let account: LocalAccount
    let graphs: GroupGraphs
    let settled: SettledGroups

    var scope: GroupScope { GroupScope(own: account.id, graphs: graphs) }
}

/// What a committed change of groups is to the rooms that don't look at the disk.
struct GroupEffects: Sendable {
    /// As they are now.
    var groups: [GroupIndex.Entry] = []
    /// Roots of groups that have learnt something that others may lack.
    var news: Set<EntryHash> = []
    /// The same for what came live, which most have from its author.
    var live: Set<EntryHash> = []
    /// What held entries wait for, to be asked of who sent them.
    var missing: [EntryHash: GroupMissing] = [:]
    /// Transfers that began or ended.
    var transfers: [TransferRow] = []

    mutating func add(_ other: GroupEffects) {
        groups += other.groups
        news.formUnion(other.news)
        live.formUnion(other.live)
        missing.merge(other.missing) { $0.joined(with: $1) }
        transfers += other.transfers
    }
}

/// What a group lacks.
struct GroupMissing: Sendable, Equatable {
    var entries: Set<LogReference> = []
    /// Membership entries that others build upon.
    var needsMembership = false

    func joined(with other: GroupMissing) -> GroupMissing {
        GroupMissing(
            entries: entries.union(other.entries), needsMembership: needsMembership || other.needsMembership)
    }
}

/// A group as it is after what somebody here wanted of it.
struct GroupOutcome: Sendable {
    let row: GroupRow
    let effects: GroupEffects
}
