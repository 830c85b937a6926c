import Basics
import Crypto
import PeerProtocol
import Vocabulary

/// What two daemons send each other in the simulation.
enum GroupSignal {
    case frame(GroupFrame)
    /// A frame that needs a receipt: membership entries, or an entry of the log.
    case durable(id: Int, GroupParcel)
    case receipt(Int)
}

/// What is sent until its receipt comes.
enum GroupParcel {
    case change([[UInt8]])
    case entry(GroupEntryBody)
}

/// One member's daemon: what is on its disk, and what a crash takes away.
struct GroupNode {
    /// State that changes as a whole, or not at all.
    struct Disk {
        var graph: GroupGraph?
        var log: GroupLog<MemoryLog>?
        /// The waiting items by receiver, in order.
        var outbox: [Int: [(id: Int, parcel: GroupParcel)]] = [:]
        var clock = HybridClock()
        /// The number of messages that have no place in the own chain yet.
        var drafts = 0
    }

    /// What a transaction leads to once it is committed.
    enum Effect {
        case sync(GroupSyncInput)
        case reply(GroupSignal)
        case told(Duration)
    }

    let mate: Mate
    var disk = Disk()
    /// By how much its wall clock is wrong.
    let skew: Int64
    /// The synchronisation machine of each open session.
    var syncs: [Int: GroupSync] = [:]
    var inFlight: [Int: Int] = [:]
    /// The nodes with which the group was compared in the open session.
    var settled: Set<Int> = []
    /// Whether the end of the own chain is known since the start.
    var isSettled = false
    /// The end of the own chain as others show it, in the open session.
    var shown: [Int: UInt64] = [:]
    /// An old copy of the disk.
    var copy: Disk?
    var wasRestored = false
    /// The number of forbidden entries of others that this node found.
    var exposed = 0
    /// Whether a node reported that something can't be had; entries that refer to it are then shown without it.
    var hasWithheld = false

    init(_ mate: Mate, skew: Int64) {
        self.mate = mate
        self.skew = skew
    }

    var graph: GroupGraph? { disk.graph }
    func isMate(_ other: Mate) -> Bool {
        guard let state = graph?.state else { return false }
        return state.has(mate.account) && state.has(other.account)
    }
    /// Whether it is a member.
    var isMember: Bool { graph?.state.has(mate.account) ?? false }

    func wall(_ time: Int64) -> WallTime { WallTime(milliseconds: time + skew) }

    // MARK: Transactions

    /// Takes membership entries in any order.
    /// - Returns: the hashes of missing entries.
    mutating func take(_ changes: [[UInt8]], _ entries: GroupEntryCache) throws -> [EntryHash] {
        var lacking: [EntryHash] = []
        for bytes in changes {
            guard let entry = try? entries.change(bytes) else {
                exposed += 1
                continue
            }
            guard var graph = disk.graph else {
                // An unknown group is taken from a friend, and only if we are in it.
                guard entry.isCreate else { continue }
                disk.graph = try GroupGraph(create: entry)
                disk.log = GroupLog(root: entry.root, storage: MemoryLog())
                continue
            }
            disk.graph = nil
            switch graph.insert(entry) {
            case .inserted, .duplicate: break
            case .missing(let hashes): lacking += hashes
            case .refused: exposed += 1
            }
            disk.graph = graph
        }
        return lacking
    }

    /// Takes a frame that needs a receipt.
    mutating func take(
        _ id: Int, _ parcel: GroupParcel, _ entries: GroupEntryCache, time: Int64
    ) throws -> [Effect] {
        let had = disk.graph?.count ?? 0
        var effects: [Effect] = [.reply(.receipt(id))]
        var lacksMembership = false
        var missing: [LogReference] = []
        switch parcel {
        case .change(let changes): lacksMembership = try !take(changes, entries).isEmpty
        case .entry(let body):
            guard let graph, var log = disk.log else { return effects }
            guard let entry = try? entries.entry(body) else {
                exposed += 1
                return effects
            }
            let (admission, outcome) = try log.admit(entry, graph: graph, own: mate.account)
            if case .refused(let refusal) = admission, !refusal.reason.isPassing { exposed += 1 }
            (missing, lacksMembership) = (outcome.missing, !outcome.membership.isEmpty)
            observe(outcome, time)
            disk.log = log
        }
        try grow(from: had, time)
        guard let graph, let log = disk.log else { return effects }
        var questions = try log.questions(missing: missing, graph, own: mate.account)
        if lacksMembership { questions.append(GroupQuestion(log.wantMembership(graph), settles: false)) }
        if !questions.isEmpty { effects.append(.sync(.lacking(graph.root, questions))) }
        effects.append(.told(PeerLimits.announceAfterLive))
        return effects
    }

    /// Takes a page that was requested.
    mutating func take(
        _ body: GroupEntriesBody, asked: GroupQuestion, _ entries: GroupEntryCache, time: Int64
    ) throws -> [Effect] {
        let had = (disk.graph?.count ?? 0, disk.log?.storage.rows.count ?? 0)
        let lacking = try take(body.membership, entries)
        try grow(from: had.0, time)
        guard let graph, var log = disk.log else { return [] }
        let page = LogPage(checking: body, asked: asked)
        exposed += page.errors.count
        if !page.withheld.isEmpty || !page.unavailable.isEmpty { hasWithheld = true }
        let outcome = try log.admit(page, graph: graph, own: mate.account)
        exposed += outcome.refused.count { !$0.refusal.reason.isPassing }
        observe(outcome, time)
        disk.log = log
        var questions = try log.questions(missing: outcome.missing, graph, own: mate.account)
        if !outcome.membership.isEmpty || !lacking.isEmpty {
            questions.append(GroupQuestion(log.wantMembership(graph), settles: false))
        }
        let hasNews = had != (graph.count, log.storage.rows.count)
        let commit = GroupCommit(
            entries: page.entries.map(\.reference), heads: graph.heads, questions: questions, hasNews: hasNews)
        return [.sync(.committed(graph.root, commit))] + (hasNews ? [.told(PeerLimits.announceAfterCatchUp)] : [])
    }

    private mutating func grow(from had: Int, _ time: Int64) throws {
        guard let graph, graph.count > had, var log = disk.log else { return }
        let outcome = try log.graphGrew(graph)
        exposed += outcome.refused.count
        observe(outcome, time)
        disk.log = log
    }

    /// Shows entries that were held for long without what they wait for.
    mutating func giveUp(_ time: Int64) throws {
        guard var log = disk.log else { return }
        let outcome = try log.giveUp(heldSince: WallTime(milliseconds: time))
        if !outcome.delivered.isEmpty { hasWithheld = true }
        observe(outcome, time)
        disk.log = log
    }

    private mutating func observe(_ outcome: LogOutcome, _ time: Int64) {
        for entry in outcome.delivered { _ = disk.clock.observe(entry.time, at: wall(time)) }
    }
}

/// Checks each entry's signatures once for all members, because the simulation has thousands of them.
final class GroupEntryCache {
    private var changes: [[UInt8]: MembershipEntry] = [:]
    private var entries: [[UInt8]: LogEntry] = [:]
    private var certificates = CertificateReader()

    func change(_ bytes: [UInt8]) throws -> MembershipEntry {
        if let known = changes[bytes] { return known }
        let entry = try MembershipEntry(decoding: bytes, certificates: &certificates)
        changes[bytes] = entry
        return entry
    }

    func entry(_ body: GroupEntryBody) throws -> LogEntry {
        let key = body.header + body.signature
        if let known = entries[key] { return known }
        let entry = try body.entry()
        entries[key] = entry
        return entry
    }
}
