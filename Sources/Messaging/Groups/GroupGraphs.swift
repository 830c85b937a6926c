import Basics
import PeerProtocol
import Store
import Threads
import Vocabulary

/// The membership graphs as values, read from the database once and kept: a graph of a thousand entries costs
/// milliseconds to make, and each message asks it.
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
    }

    private let state = Lock(State())

    package init() {}

    /// - Throws: ``GroupDamage`` if the database holds no graph of that row.
    package func graph(of row: GroupRow, in transaction: ReadTransaction) throws -> GroupGraph {
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

/// The database has a group without the entries that make it.
package struct GroupDamage: Error, CustomStringConvertible {
    package let group: UUIDv7
    package var description: String { "the membership entries of group \(group) are damaged" }
}

/// What is needed to follow groups: the account that they belong to, and the graphs.
package struct GroupScope: Sendable {
    package let own: AccountID
    package let graphs: GroupGraphs
}

/// The groups in which it is known where our own chain ends: since the start of this daemon we met a member there and
/// compared with it, or the group was made here. In others our data may be an older copy, and what is written gets its
/// place later.
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

/// What a committed change of groups means to the shells that don't look at the disk.
package struct GroupEffects: Sendable {
    /// The groups as they are now.
    package var groups: [GroupIndex.Entry] = []
    /// Roots of groups that have learnt something that other members may lack.
    package var news: Set<EntryHash> = []
    /// The same for entries that came live, which most members have from the author.
    package var live: Set<EntryHash> = []
    /// Entries that held entries wait for, to be asked of the peers that sent those.
    package var missing: [EntryHash: GroupMissing] = [:]
    /// Transfers that began or ended.
    package var transfers: [TransferRow] = []

    package init(
        groups: [GroupIndex.Entry] = [], news: Set<EntryHash> = [], live: Set<EntryHash> = [],
        missing: [EntryHash: GroupMissing] = [:], transfers: [TransferRow] = []
    ) {
        self.groups = groups
        self.news = news
        self.live = live
        self.missing = missing
        self.transfers = transfers
    }

    package mutating func add(_ other: GroupEffects) {
        groups += other.groups
        news.formUnion(other.news)
        live.formUnion(other.live)
        missing.merge(other.missing) { $0.joined(with: $1) }
        transfers += other.transfers
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

/// A group as it is after a change that the user wanted.
package struct GroupOutcome: Sendable {
    package let row: GroupRow
    package let effects: GroupEffects
}
