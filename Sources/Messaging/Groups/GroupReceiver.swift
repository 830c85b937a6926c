import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Stores what a peer says about groups, inside a store transaction. Everything may come twice, from several peers, and in any
/// order: the graph and the log know what they have.
package struct GroupReceiver {
    package let scope: GroupScope
    /// The peer that gives it to us: the author, or a member that hands it on.
    package let peer: AccountID
    package let transaction: WriteTransaction
    private let random: any RandomNumberGenerator & Sendable
    /// Shows what the log delivers.
    private var delivery: LogDelivery
    /// Counts the work of the peer's batch.
    package let meter: GroupMeter
    /// Whether there is room for what comes.
    let intake: Intake
    /// The accounts whose words were put off or taken.
    package internal(set) var news = IntakeNews()
    /// What the transaction means to other parts of the daemon.
    package private(set) var effects = GroupEffects()

    /// - Parameters:
    ///   - choices: what the user has chosen.
    ///   - destination: where files would go; it was looked at before.
    ///   - random: makes the identifiers; simulations have their own.
    package init(
        scope: GroupScope, peer: AccountID, transaction: WriteTransaction, choices: TransactionSettings,
        destination: Destination = Destination(),
        random: any RandomNumberGenerator & Sendable = SodiumGenerator(), meter: GroupMeter = GroupMeter(),
        intake: Intake = .open
    ) {
        self.scope = scope
        self.peer = peer
        self.transaction = transaction
        self.random = random
        self.meter = meter
        self.intake = intake
        delivery = LogDelivery(
            scope: scope, transaction: transaction, choices: choices, destination: destination, random: random)
    }

    private var projection: GroupProjection { GroupProjection(scope: scope, transaction: transaction, random: random) }

    private static func refused(_ reason: Reason, _ detail: String? = nil) -> CommitOutcome {
        .refused(Refusal(reason, detail: detail))
    }

    // MARK: Membership

    /// Takes membership entries. Only a friend can tell us of a group that is not here, or that we are not a member of.
    /// - Parameter isPartial: more of it comes.
    package mutating func membership(
        _ root: EntryHash, _ bytes: [[UInt8]], checked: CheckedEntries? = nil
    ) throws -> CommitOutcome {
        guard !meter.isSpent else { return Self.refused(.busy, Self.tooMuch) }
        // The peer that tells us of changes answers for them: the length of a group is limited for good.
        if let why = obstacle(to: Intake.Payer(peer)) { return .refused(why.refusal) }
        if let refusal = try GroupBounds(transaction).refusal(of: root, from: peer) { return .refused(refusal) }
        let entries: CheckedEntries
        if let checked {
            entries = checked
        } else {
            entries = try CheckedEntries(bytes, of: root, in: transaction)
            meter.checked(signatures: entries.signatures)
        }
        return try ingest(entries, root)
    }

    private mutating func ingest(
        _ checked: CheckedEntries, _ root: EntryHash, isPartial: Bool = false
    ) throws -> CommitOutcome {
        let entries: [MembershipEntry]
        switch checked.entries {
        case .success(let read): entries = read
        case .failure(let error): return .refused(error.refusal)
        }
        guard entries.allSatisfy({ $0.root == root }) else {
            return Self.refused(.invalid, "an entry of another group")
        }
        var outcome = CommitOutcome.stored
        if let row = try transaction.group(root: root.bytes) {
            if try transaction.member(peer, of: row.id)?.isPresent == true {
                try GroupBounds.confirm(row.id, by: [peer], own: scope.own, in: transaction)
            }
            if !entries.isEmpty { outcome = try grow(row, entries, isPartial: isPartial || checked.hasMore) }
        } else {
            outcome = try begin(entries, root, isPartial: isPartial || checked.hasMore)
        }
        return outcome == .stored && checked.hasMore ? Self.refused(.busy, Self.tooMuch) : outcome
    }

    private func graph(of row: GroupRow) throws -> GroupGraph {
        var graph = try scope.graphs.graph(of: row, in: transaction, meter)
        graph.meter = meter
        return graph
    }

    private static let full = "the groups of one friend take too much room"
    private static let tooMuch = "too much at once"

    /// Begins a group that is not here and that a friend tells us of.
    private mutating func begin(
        _ entries: [MembershipEntry], _ root: EntryHash, isPartial: Bool
    ) throws -> CommitOutcome {
        guard let first = entries.first, first.isCreate else {
            // The beginning was sent before this frame and may be put off, so ask for it too.
            effects.missing[root, default: GroupMissing()].needsMembership = true
            return Self.refused(.busy, "the group's beginning is not here")
        }
        guard try transaction.group(first.group) == nil else {
            return Self.refused(.invalid, "another group has this id")
        }
        // The oldest arriving group makes room, so that a peer that begins groups without end doesn't keep others out.
        for oldest in try transaction.groups().filter({ $0.state == .arriving }) {
            let count = try transaction.groups().count { $0.state == .arriving }
            let bytes = try transaction.groupLoad(of: nil, but: first.group, countingAtLeast: 0)
            guard count >= MessagingLimits.arrivingGroups || bytes > MessagingLimits.arrivingBytes / 2 else { break }
            try transaction.forget(group: oldest.id)
        }
        var graph: GroupGraph
        do { graph = try GroupGraph(create: first) } catch { return .refused(error.refusal) }
        return try insert(entries, into: &graph, before: nil, row: nil, isPartial: isPartial)
    }

    private mutating func grow(
        _ row: GroupRow, _ entries: [MembershipEntry], isPartial: Bool
    ) throws -> CommitOutcome {
        let before = try graph(of: row)
        var graph = before
        return try insert(entries, into: &graph, before: before, row: row, isPartial: isPartial)
    }

    private mutating func insert(
        _ entries: [MembershipEntry], into graph: inout GroupGraph, before: GroupGraph?, row: GroupRow?,
        isPartial: Bool
    ) throws -> CommitOutcome {
        var fresh: [MembershipEntry] = before == nil ? Array(entries.prefix(1)) : []
        var outcome = CommitOutcome.stored
        graph.meter = meter
        let room = try GroupBounds(transaction).room(for: graph.group, row, from: peer)
        let waits = Self.refused(.busy, GroupBounds.unconfirmed)
        let isFull = room.isPassing ? waits : Self.refused(.tooLarge, Self.full)
        guard before != nil || graph.byteCount <= room.bytes else { return isFull }
        var members = try row.map { try transaction.memberRows(of: $0.id) } ?? graph.state.members.count
        guard before != nil || members <= room.members else { return waits }
        loop: for entry in before == nil ? entries.dropFirst() : entries[...] {
            if !graph.contains(entry.hash) {
                guard graph.byteCount + entry.bytes.count <= room.bytes || entry.isWayOut else {
                    outcome = isFull
                    break loop
                }
                guard entry.newcomers == 0 || members + entry.newcomers <= room.members else {
                    outcome = waits
                    break loop
                }
            }
            switch graph.insert(entry) {
            case .inserted:
                fresh.append(entry)
                members += entry.newcomers
            case .duplicate: continue
            case .missing:
                // The peer that has this entry also has those before it, so ask for them too.
                effects.missing[graph.root, default: GroupMissing()].needsMembership = true
            case .refused(let refusal):
                outcome = .refused(refusal)
                break loop
            }
        }
        guard !fresh.isEmpty else { return outcome }
        count(fresh.reduce(0) { $0 + Intake.cost(ofContent: $1.bytes.count) }, of: Intake.Payer(peer))
        let obstacle = row?.state == .member ? nil : try obstacle(to: graph)
        if let obstacle, !isPartial { return .refused(obstacle) }
        let settled = try projection.settle(graph, fresh, before: before, isAdmitted: obstacle == nil)
        effects.live.insert(graph.root)
        if row == nil { try transaction.note(giver: peer, of: settled.id) }
        try GroupBounds.confirm(settled.id, by: fresh.map(\.author), own: scope.own, in: transaction)
        guard settled.state == .member else { return outcome }
        var log = GroupLog(root: graph.root, storage: SQLiteGroupLog(settled, transaction))
        try apply(try log.graphGrew(graph), graph, settled)
        return outcome
    }

    /// Why we are not (or not again) in a group although its graph says so; nil if we are.
    private func obstacle(to graph: GroupGraph) throws -> Refusal? {
        guard let own = graph.state.members[scope.own] else { return nil }
        // Only a friend can bring us into a group.
        guard try own.addedBy == scope.own || transaction.contact(own.addedBy)?.relation == .friend else {
            return Refusal(.notFriends, detail: "only a friend can add somebody")
        }
        // After leaving or a removal we stay away until a member that knows of it adds us again.
        if let departure = try transaction.departureEntry(from: graph.root.bytes).flatMap({ EntryHash($0) }),
            !graph.contains(departure)
        {
            return Refusal(.notAllowed, detail: "this account is not in the group any more")
        }
        return nil
    }

    // MARK: The log

    /// - Parameter id: the frame's id, which is also the entry's: a repeat is recognised by it, and the receipt names
    ///   it.
    package mutating func entry(_ body: GroupEntryBody, id: UUIDv7) throws -> CommitOutcome {
        do {
            // The signature is checked last, because that costs more than all the rest.
            let claimed = try LogEntry(
                trusting: body.header, signature: body.signature, content: body.content)
            guard claimed.id == id else { return Self.refused(.invalid, "the frame's id is not the entry's") }
            guard !meter.isSpent else { return Self.refused(.busy, Self.tooMuch) }
            guard let row = try transaction.group(root: claimed.root.bytes) else {
                // A friend that has it is asked for it.
                effects.missing[claimed.root, default: GroupMissing()].needsMembership = true
                return Self.refused(.busy, "this group is not here, or not yet")
            }
            guard row.state == .member else {
                if row.state == .arriving {
                    effects.missing[claimed.root, default: GroupMissing()].needsMembership = true
                }
                return row.state == .arriving
                    ? Self.refused(.busy, "this group is not here yet")
                    : Self.refused(.notAllowed, "no member any more")
            }
            guard let member = try transaction.member(peer, of: row.id) else {
                return Self.refused(.busy, GroupBounds.unknown)
            }
            let graph = try graph(of: row)
            guard member.isPresent else {
                // The author may be a member again, by an entry that is not here yet.
                return claimed.heads.allSatisfy(graph.contains)
                    ? Self.refused(.notAllowed, "no member any more") : Self.refused(.busy, GroupBounds.unknown)
            }
            if let why = try obstacle(to: claimed, graph, row) { return .refused(why.refusal) }
            try GroupBounds.confirm(row.id, by: [peer], own: scope.own, in: transaction)
            meter.checked(signatures: 1)
            return try admit(try body.entry(), graph, row)
        } catch let error as WireError { return .refused(error.refusal) }
    }

    private mutating func admit(_ entry: LogEntry, _ graph: GroupGraph, _ row: GroupRow) throws -> CommitOutcome {
        var log = GroupLog(root: graph.root, storage: SQLiteGroupLog(row, transaction))
        let (admission, outcome) = try log.admit(entry, graph: graph, own: scope.own)
        try apply(outcome, graph, row)
        try count(outcome.taken, graph)
        guard case .refused(let refusal) = admission else { return .stored }
        return .refused(refusal)
    }

    /// Shows the entries that were admitted, tells others of them, and notes what is missing.
    private mutating func apply(_ outcome: LogOutcome, _ graph: GroupGraph, _ row: GroupRow) throws {
        if !outcome.delivered.isEmpty || !outcome.completed.isEmpty { effects.live.insert(graph.root) }
        let authors = outcome.delivered.lazy.compactMap { graph.state.account(of: $0.device) }
        if !outcome.delivered.isEmpty {
            try GroupBounds.confirm(row.id, by: authors, own: scope.own, in: transaction)
        }
        try delivery.deliver(outcome.delivered + outcome.completed, graph, row)
        for fork in outcome.forks { try delivery.tellOfFork(fork, graph, row) }
        guard !outcome.missing.isEmpty || !outcome.membership.isEmpty else { return }
        var lack = effects.missing[graph.root] ?? GroupMissing()
        lack.entries.formUnion(outcome.missing)
        lack.needsMembership = lack.needsMembership || !outcome.membership.isEmpty
        effects.missing[graph.root] = lack
    }

    /// Takes a page of entries that were asked for.
    /// - Returns: what to ask for next; nil if the group is not ours any more.
    package mutating func page(_ checked: CheckedGroupPage) throws -> GroupCommit? {
        let (body, page) = (checked.body, checked.log)
        let changes = try transaction.group(root: body.root.bytes)?.entries
        var refusesMembership = false
        if !body.membership.isEmpty {
            let refusal = try GroupBounds(transaction).refusal(of: body.root, from: peer)
            let outcome =
                try refusal.map { .refused($0) } ?? ingest(checked.membership, body.root, isPartial: body.hasMore)
            // An entry that is refused for good stays refused, and entries after it can't be taken.
            if case .refused(let refusal) = outcome { refusesMembership = !refusal.reason.isPassing }
        }
        guard let row = try transaction.group(root: body.root.bytes) else { return nil }
        let graph = try graph(of: row)
        guard row.state == .member else {
            effects.missing[body.root] = nil
            // The peer has the rest of a group that a friend says we are a member of.
            guard body.hasMore, !refusesMembership else { return nil }
            return GroupCommit(entries: [], heads: graph.heads, questions: [], hasNews: false)
        }
        // From a former member only the membership is taken.
        guard try transaction.member(peer, of: row.id)?.isPresent == true else { return nil }
        try GroupBounds.confirm(row.id, by: [peer], own: scope.own, in: transaction)
        var log = GroupLog(root: graph.root, storage: SQLiteGroupLog(row, transaction))
        // Entries that are put off are asked for again, like everything that is missing.
        let outcome = try log.admit(
            page.keeping { try obstacle(to: $0, graph, row) == nil }, graph: graph, own: scope.own)
        try count(outcome.taken, graph)
        let lack = effects.missing.removeValue(forKey: body.root)
        try apply(outcome, graph, row)
        let later = effects.missing.removeValue(forKey: body.root)
        let hasNews = row.entries != changes || !outcome.delivered.isEmpty || !outcome.completed.isEmpty
        if hasNews { effects.news.insert(body.root) }
        var questions: [GroupQuestion] = []
        if !refusesMembership, lack?.needsMembership == true || later?.needsMembership == true {
            questions.append(GroupQuestion(log.wantMembership(graph), settles: false))
        }
        questions += try log.questions(missing: Array(later?.entries ?? []), graph, own: scope.own)
        return GroupCommit(
            entries: page.entries.map(\.reference), heads: graph.heads, questions: questions, hasNews: hasNews,
            refusesMembership: refusesMembership)
    }

    /// Shows entries that have waited too long, without the entries that they wait for.
    /// - Returns: whether any waited.
    @discardableResult
    package mutating func giveUp(since moment: WallTime, in row: GroupRow) throws -> Bool {
        guard try SQLiteGroupLog(row, transaction).held().entries > 0 else { return false }
        let graph = try graph(of: row)
        var log = GroupLog(root: graph.root, storage: SQLiteGroupLog(row, transaction))
        // These were too many for the batch in which the membership grew.
        try apply(try log.graphGrew(graph), graph, row)
        try apply(try log.giveUp(heldSince: moment), graph, row)
        return true
    }

    package mutating func seen(_ body: GroupSeenBody) throws -> CommitOutcome {
        guard let row = try transaction.group(root: body.root.bytes), row.state == .member,
            let member = try transaction.member(peer, of: row.id)
        else { return Self.refused(.busy, GroupBounds.unknown) }
        guard member.isPresent else { return Self.refused(.notAllowed, "no member any more") }
        try GroupBounds.confirm(row.id, by: [peer], own: scope.own, in: transaction)
        let messages = try body.messages.filter { try transaction.ownMessage($0)?.conversation == row.conversation }
        try transaction.acknowledge(messages, by: peer)
        try transaction.advance(messages, at: peer, to: .read)
        return .stored
    }
}

extension MembershipEntry {
    /// How many people it puts into the group.
    fileprivate var newcomers: Int {
        switch operation {
        case .create(_, _, _, _, let members): members.count + 1
        case .add(let members, _): members.count
        default: 0
        }
    }
}
