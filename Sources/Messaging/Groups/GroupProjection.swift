import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// Brings what the database has of a group up to date with its membership graph: its row and members, the lines that
/// people read, and what waits to be sent. It runs inside a store transaction.
package struct GroupProjection {
    package let scope: GroupScope
    package let transaction: WriteTransaction
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable = SodiumGenerator()

    /// Stores entries that a graph has just taken, and what follows from them.
    /// - Parameters:
    ///   - fresh: the entries that are new, parents first.
    ///   - before: the graph without them; nil for a group that was not here.
    ///   - isAdmitted: false if only this part of a graph would put us into the group, and it may not.
    /// - Returns: the group as it is now.
    package func settle(
        _ graph: GroupGraph, _ fresh: [MembershipEntry], before: GroupGraph?, isAdmitted: Bool = true
    ) throws -> GroupRow {
        let state = graph.state
        var row = try transaction.group(graph.group) ?? newRow(graph)
        let old = before == nil ? nil : row
        refresh(&row, graph, isAdmitted: isAdmitted)
        if old == nil { try transaction.insert(row) } else { try transaction.update(row) }
        try transaction.append(fresh.map { GroupEntryRow(hash: $0.hash.bytes, bytes: $0.bytes) }, to: row.id)
        try transaction.setMembers(of: row.id, to: state.members.values.map(memberRow), devices: devices(of: state))
        scope.graphs.keep(graph)
        let wasMember = old?.state == .member
        if row.state == .left || row.state == .removed, let departure = graph.lastDeparture(of: scope.own) {
            try transaction.setDeparture(from: row.root, by: departure.hash.bytes)
        }
        if row.state == .member, !wasMember {
            var random = random
            _ = try transaction.openConversation(of: row.id, newID: UUIDv7(at: transaction.wallTime, using: &random))
        }
        row = try transaction.group(row.id) ?? row
        try tell(graph, fresh, before: wasMember ? before : nil, in: row, wasMember: wasMember)
        try dropWhatIsForThoseWhoWent(before?.state, state, row)
        return row
    }

    private func newRow(_ graph: GroupGraph) -> GroupRow {
        GroupRow(
            id: graph.group, root: graph.root.bytes, name: graph.state.name, createdAt: graph.state.createdAt)
    }

    private func refresh(_ row: inout GroupRow, _ graph: GroupGraph, isAdmitted: Bool) {
        let state = graph.state
        row.name = state.name
        row.description = state.description
        row.avatar = state.avatar
        if state.avatar == nil { row.shownAvatar = nil }
        row.history = Int64(state.history)
        row.heads = graph.heads.map(\.bytes)
        row.entries = Int64(graph.count)
        let own = isAdmitted ? state.members[scope.own] : nil
        row.ownRole = own.map { $0.role }
        if let own {
            row.state = .member
            row.addedBy = own.addedBy == scope.own ? nil : own.addedBy
        } else if row.state == .member {
            row.state = hasLeft(graph) ? .left : .removed
        }
    }

    /// Whether we left by ourselves: if several entries took us out, our own counts first.
    private func hasLeft(_ graph: GroupGraph) -> Bool {
        graph.lastDeparture(of: scope.own).map { $0.author == scope.own } ?? false
    }

    private func memberRow(_ member: GroupMember) -> GroupMemberRow {
        GroupMemberRow(
            account: member.account, role: member.role, name: member.name, addedBy: member.addedBy,
            joinedAt: member.addedAt)
    }

    private func devices(of state: PeerProtocol.GroupState) -> [GroupDeviceRow] {
        state.members.values.flatMap { member in
            member.certificates.map { GroupDeviceRow(device: $0.device, account: member.account) }
        }
    }

    /// Drops everything that was written for members that are gone, except the membership entry that says so.
    private func dropWhatIsForThoseWhoWent(
        _ before: PeerProtocol.GroupState?, _ now: PeerProtocol.GroupState, _ row: GroupRow
    ) throws {
        guard let before else { return }
        if row.state == .removed, before.has(scope.own) {
            try transaction.emptyOutbox(
                ofGroup: row.id, reason: .notAllowed, detail: "you were removed from the group")
        }
        if row.state != .member, before.has(scope.own) {
            try transaction.failLogDrafts(
                of: row.id, reason: .notAllowed, detail: "you are no member of the group any more")
        }
        let gone = before.members.keys.filter { now.members[$0] == nil && $0 != scope.own }
        for account in gone {
            try transaction.emptyOutbox(
                ofGroup: row.id, for: account, reason: .notAllowed,
                detail: "they are no member of the group any more")
        }
    }

    // MARK: What people read

    private func tell(
        _ graph: GroupGraph, _ fresh: [MembershipEntry], before: GroupGraph?, in row: GroupRow, wasMember: Bool
    ) throws {
        guard let conversation = row.conversation, row.state == .member || wasMember else { return }
        let news = GroupNews(own: scope.own) { (try? name($0, in: row.id)) ?? Names.placeholder(for: $0) }
        func tell(_ line: SystemMessage, _ entry: MembershipEntry, _ salt: String, isNews: Bool = false) throws {
            try say(line, about: entry, salt, in: conversation, isNews: isNews)
        }
        guard wasMember, let before else {
            // Of the time before we came, only how we came is news.
            guard let own = graph.state.members[scope.own], let entry = graph.entry(own.since),
                let line = news.line(of: entry)
            else { return }
            // The user did not do it, and may not be there.
            return try tell(line, entry, "", isNews: entry.author != scope.own)
        }
        for entry in fresh where graph.isEffective(entry.hash) == true {
            if let line = news.line(of: entry) { try tell(line, entry, "") }
        }
        for entry in graph.undone(since: before) {
            if let line = news.undone(entry) { try tell(line, entry, "undone") }
        }
        guard let last = fresh.last else { return }
        let owners = graph.state.members.values.filter { $0.role == .owner }.map(\.account)
        for account in owners where before.state.members[account]?.role != .owner {
            let wasMade = fresh.contains { if case .role(account, .owner) = $0.operation { true } else { false } }
            if !wasMade { try tell(news.inherited(by: account), last, "heir") }
        }
    }

    /// Stores a line. Its id follows from what it is about, so telling it twice stores it once.
    private func say(
        _ line: SystemMessage, about entry: MembershipEntry, _ salt: String, in conversation: UUIDv7, isNews: Bool
    ) throws {
        let row = MessageRow(
            id: Self.id(of: entry, salt), conversation: conversation, sender: entry.author,
            senderDevice: entry.certificate.device, kind: .system, text: line.searchText, sentAt: entry.at,
            receivedAt: transaction.wallTime, hlc: entry.time, state: .received, detail: line.stored)
        _ = try transaction.insertSystem(row, isNews: isNews)
    }

    package static func id(of entry: MembershipEntry, _ salt: String) -> UUIDv7 {
        var words = HashWords(Blake2b.hash(entry.hash.bytes + Array("kibo-group-line".utf8) + Array(salt.utf8)))
        return UUIDv7(at: entry.at, using: &words)
    }

    /// What an account is called here: the name that the user gave it, else its own, else the one by which the member
    /// who added it knew it.
    private func name(_ account: AccountID, in group: UUIDv7) throws -> String {
        if let contact = try transaction.contact(account) { return contact.shownName }
        if let member = try transaction.member(account, of: group) { return member.name }
        return Names.placeholder(for: account)
    }
}
