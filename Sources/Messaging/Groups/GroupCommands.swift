import Basics
import Crypto
import PeerProtocol
import Store
import Vocabulary

/// What a user wants a new group to be.
package struct GroupFounding: Sendable {
    package var name: String
    package var description = ""
    /// How many of the last messages a new member is given.
    package var history = 0
    /// The digest of an avatar that is in the data directory.
    package var avatar: [UInt8]?

    package init(name: String, description: String = "", history: Int = 0, avatar: [UInt8]? = nil) {
        self.name = name
        self.description = description
        self.history = history
        self.avatar = avatar
    }
}

/// What this account says and changes in its groups. It runs inside a store transaction, with the frames that tell the
/// others.
package struct GroupCommands {
    package let voice: GroupVoice
    package let transaction: WriteTransaction
    /// Makes the identifiers; simulations have their own.
    package var random: any RandomNumberGenerator & Sendable

    /// - Parameter voice: nil while the account is locked.
    /// - Throws: `locked`.
    package init(
        _ voice: GroupVoice?, _ transaction: WriteTransaction,
        random: any RandomNumberGenerator & Sendable = SodiumGenerator()
    ) throws {
        guard let voice else { throw MessagingError.locked }
        self.voice = voice
        self.transaction = transaction
        self.random = random
    }

    private var own: AccountID { voice.account.id }
    private var projection: GroupProjection {
        GroupProjection(scope: voice.scope, transaction: transaction, random: random)
    }

    private func freshID() -> UUIDv7 {
        var random = random
        return UUIDv7(at: transaction.wallTime, using: &random)
    }

    // MARK: Saying

    /// The conversation in which people read the group; it is made again if it was deleted.
    package func conversation(of group: GroupRow) throws -> UUIDv7 {
        if let conversation = group.conversation { return conversation }
        return try transaction.openConversation(of: group.id, newID: freshID()).id
    }

    /// The accounts to which messages go: all members except ourselves and those that the user has blocked.
    package func recipients(of group: GroupRow) throws -> [AccountID] {
        try transaction.members(of: group.id).map(\.account).filter { account in
            try account != own && transaction.contact(account)?.relation != .blocked
        }
    }

    /// Puts an entry at the end of our own chain, and queues it for all members. While we don't know where that chain
    /// ends, the entry is kept as a draft.
    /// - Parameters:
    ///   - id: what the others call a message, else a fresh one.
    ///   - about: the message that the entry speaks of, by its id on this host; for a message the message itself.
    package func say(_ kind: LogKind, id: UUIDv7, _ content: [UInt8], in group: GroupRow, about: UUIDv7?) throws {
        try transaction.confirm(group: group.id)
        let graph = try graphWithOwnDevice(of: group)
        let draft = LogDraftRow(
            id: id, kind: Int64(clamping: kind.rawValue), about: about,
            time: transaction.clock.tick(at: transaction.wallTime), at: transaction.wallTime, content: content)
        // A member who is alone in the group has no peer to ask.
        guard voice.settled.contains(graph.root) || graph.state.members.count == 1,
            try !transaction.hasLogDrafts(of: group.id)
        else { return try transaction.add(draft, in: group.id) }
        try say(draft, graph, in: group)
    }

    /// Gives kept entries their place in our chain, the oldest first.
    /// - Returns: whether there is more.
    package func sayDrafts(of group: GroupRow, limit: Int = MessagingLimits.draftsAtOnce) throws -> Bool {
        let drafts = try transaction.logDrafts(of: group.id, limit: limit)
        guard group.state == .member, !drafts.isEmpty else { return false }
        let graph = try graphWithOwnDevice(of: group)
        let members = Set(graph.state.members.keys)
        for draft in drafts {
            try transaction.remove(draft)
            if let message = draft.message {
                try transaction.fail(
                    message, besides: members, reason: .notAllowed,
                    detail: "they are no member of the group any more")
            }
            try say(draft, graph, in: group)
        }
        return try transaction.hasLogDrafts(of: group.id)
    }

    /// The group's membership with this device in it. A device that has come to its account later (when an account was
    /// restored) makes itself known before its first entry, which the others would otherwise refuse.
    private func graphWithOwnDevice(of group: GroupRow) throws -> GroupGraph {
        let graph = try voice.graphs.graph(of: group, in: transaction)
        guard group.state == .member, graph.state.members[own] != nil,
            graph.state.account(of: voice.account.device) == nil
        else { return graph }
        _ = try change([.device], in: group.id)
        return try voice.graphs.graph(of: try self.group(group.id), in: transaction)
    }

    private func say(_ draft: LogDraftRow, _ graph: GroupGraph, in group: GroupRow) throws {
        let kind = LogKind(rawValue: UInt64(clamping: draft.kind))
        var entry: LogEntry
        // The entry has its place already: this device lost the entry and got it back.
        if let row = try transaction.log.logEntries(id: draft.id, of: group.id).first(where: {
            $0.device == voice.account.device
        }) {
            entry = try LogEntry(trusting: row.header, signature: row.signature, content: row.content ?? draft.content)
        } else {
            var log = GroupLog(root: graph.root, storage: SQLiteGroupLog(group, transaction))
            entry = try log.append(
                kind, id: draft.id, content: draft.content, graph: graph, key: voice.account.deviceKey,
                time: draft.time, at: draft.at)
        }
        try send(
            entry, to: try recipients(of: group), in: group, carrying: draft.message,
            about: draft.message == nil ? draft.about : nil)
    }

    /// Sends an entry again to the members that it failed to reach.
    package func sayAgain(_ row: MessageRow, in group: GroupRow) throws {
        let message = row.id
        let members = Set(try recipients(of: group))
        let failed = try transaction.recipients(of: message).filter { $0.state == .failed }.map(\.account)
        let accounts = failed.filter(members.contains)
        guard !accounts.isEmpty else {
            let present = Set(try transaction.members(of: group.id).map(\.account))
            let blocked = try failed.filter(present.contains).compactMap { try transaction.contact($0) }.filter {
                $0.relation == .blocked
            }
            if let one = blocked.first, blocked.count == failed.count {
                throw MessagingError.recipientsBlocked(name: blocked.count == 1 ? one.shownName : nil)
            }
            throw MessagingError.recipientsGone(isBlocked: !blocked.isEmpty, group: group.name)
        }
        let entries = try transaction.log.logEntries(id: row.wireID, of: group.id)
        guard let row = entries.first(where: { $0.device == voice.account.device }) else {
            throw MessagingError.notResendable
        }
        let entry = try LogEntry(trusting: row.header, signature: row.signature, content: row.content)
        try transaction.requeue(message, for: accounts)
        try send(entry, to: accounts, in: group, carrying: message, about: nil)
    }

    private func send(
        _ entry: LogEntry, to accounts: [AccountID], in group: GroupRow, carrying message: UUIDv7?, about: UUIDv7?
    ) throws {
        try transaction.appendOutbox(
            for: accounts, in: group.id, id: entry.id, kind: FrameKind.groupEntry.rawValue,
            body: try GroupEntryBody(entry).encoded(), message: message, about: about)
    }

    /// Tells authors which of their messages were read here; no other member learns of it.
    package func tellSeen(_ read: [ReadMessage], in group: GroupRow) throws {
        guard group.state == .member, let root = EntryHash(group.root) else { return }
        let members = Set(try recipients(of: group))
        var authors: [AccountID: [UUIDv7]] = [:]
        for message in read where members.contains(message.sender) {
            authors[message.sender, default: []].append(message.wireID)
        }
        for (author, ids) in authors.sorted(by: { $0.value[0] < $1.value[0] }) {
            try transaction.appendOutbox(
                for: [author], in: group.id, id: freshID(), kind: FrameKind.groupSeen.rawValue,
                body: try GroupSeenBody(root: root, messages: ids).encoded())
        }
    }

    // MARK: Changing

    package func create(_ founding: GroupFounding, members: [AccountID]) throws -> GroupRow {
        let seeds = try others(members).map(seed)
        guard seeds.count < SharedLimits.groupMembers else { throw MessagingError.tooManyMembers }
        let profile = try transaction.ownAccount()
        let entry = try make(
            .create(
                name: founding.name, description: founding.description, history: founding.history,
                creator: profile?.displayName ?? Names.placeholder(for: own), members: seeds), in: nil)
        var graph = try GroupGraph(create: entry)
        // No other account can have anything of the group.
        voice.settled.insert(graph.root)
        var fresh = [entry]
        if let avatar = founding.avatar {
            let change = try make(.avatar(avatar), in: graph)
            guard case .inserted = graph.insert(change) else { throw MessagingError.ownEntryRefused }
            fresh.append(change)
        }
        var row = try projection.settle(graph, fresh, before: nil)
        if let avatar = founding.avatar { row = try show(avatar, of: row) }
        try invite(try others(members), to: graph, row)
        return row
    }

    /// Carries out one change or several, or none of them.
    package func change(_ operations: [GroupOperation], in id: UUIDv7) throws -> GroupRow {
        var row = try group(id)
        guard row.state == .member else { throw Audience.notMember(row) }
        let before = try voice.graphs.graph(of: row, in: transaction)
        var graph = before
        var fresh: [MembershipEntry] = []
        for operation in operations where try isNews(operation, graph.state) {
            if let refusal = graph.permits(operation, by: own) { throw self.refusal(refusal, row) }
            let entry = try make(operation, in: graph)
            guard case .inserted = graph.insert(entry) else { throw MessagingError.ownEntryRefused }
            fresh.append(entry)
        }
        guard !fresh.isEmpty else { return row }
        // Leaving a group doesn't count as taking part in it.
        if operations != [.leave] { try transaction.confirm(group: id) }
        // Read the recipients before the change is settled, so that a removed member hears of it. Tell them after it,
        // because settling drops what waits for a removed member.
        let everybody = try recipients(of: row)
        row = try projection.settle(graph, fresh, before: before)
        for operation in operations {
            if case .avatar(let digest) = operation { row = try show(digest, of: row) }
        }
        let (then, now) = (Set(before.state.members.keys), Set(graph.state.members.keys))
        let newcomers = now.subtracting(then).subtracting([own])
        // A removed member gets everything that led to its removal at once: no other member will give it what it may
        // have missed.
        let gone = then.subtracting(now).subtracting([own])
        try tell(fresh, to: everybody.filter { !newcomers.contains($0) && !gone.contains($0) }, in: row)
        try invite(everybody.filter(gone.contains), to: graph, row)
        try invite(newcomers.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }, to: graph, row)
        return row
    }

    /// Whether the change is news. A change to what is already so needs no entry.
    private func isNews(_ operation: GroupOperation, _ state: PeerProtocol.GroupState) throws -> Bool {
        switch operation {
        case .rename(let name): name != state.name
        case .describe(let text): text != state.description
        case .avatar(let digest): digest != state.avatar
        case .history(let count): count != state.history
        case .role(let account, let role): state.members[account]?.role != role
        default: true
        }
    }

    package func add(_ accounts: [AccountID], to id: UUIDv7) throws -> GroupRow {
        let row = try group(id)
        guard row.state == .member else { throw Audience.notMember(row) }
        let graph = try voice.graphs.graph(of: row, in: transaction)
        let new = try others(accounts).filter { graph.state.members[$0] == nil }
        guard !new.isEmpty else { return row }
        guard graph.state.members.count + new.count <= SharedLimits.groupMembers else {
            throw MessagingError.tooManyMembers
        }
        // Entries that were written before the newcomers came must lie before the beginning of the newcomers' view.
        while try sayDrafts(of: row) {}
        let floors = try self.floors(of: row, graph.state)
        return try change([.add(try new.map(seed), floors: floors)], in: id)
    }

    /// Where a newcomer's view of each chain begins: after what is here, or as many messages earlier as the group gives
    /// newcomers.
    private func floors(of row: GroupRow, _ state: PeerProtocol.GroupState) throws -> [LogPlace] {
        var floors: [DeviceID: UInt64] = [:]
        for end in try transaction.log.logEnds(of: row.id) {
            // A member that skipped numbers may have brought its chain to the last number.
            floors[end.device] = max(floors[end.device] ?? 1, min(end.sequence, PeerLimits.logSequence - 1) + 1)
        }
        if state.history > 0 {
            for entry in try transaction.log.lastLogMessages(of: row.id, limit: state.history) {
                floors[entry.device] = min(floors[entry.device] ?? .max, entry.sequence)
            }
        }
        return Self.named(floors, of: Set(state.members.values.flatMap { $0.certificates.map(\.device) }))
    }

    /// Picks as many floors as an entry may name. If there are more chains, those of members come first, since they go
    /// on, then those that say that they are longest. Newcomers see all of the other chains.
    package static func named(_ floors: [DeviceID: UInt64], of members: Set<DeviceID>) -> [LogPlace] {
        let places = floors.filter { $0.value > 1 }.map { LogPlace(device: $0.key, sequence: $0.value) }
        guard places.count > PeerLimits.groupFloors else { return places.sorted() }
        func goesOn(_ place: LogPlace) -> Bool { place.sequence < PeerLimits.logSequence }
        let ranked = places.sorted { one, other in
            let (first, second) = (members.contains(one.device), members.contains(other.device))
            if first != second { return first }
            if goesOn(one) != goesOn(other) { return goesOn(one) }
            return (one.sequence, one.device) > (other.sequence, other.device)
        }
        return ranked.prefix(PeerLimits.groupFloors).sorted()
    }

    package func remove(_ account: AccountID, from id: UUIDv7) throws -> GroupRow {
        guard account != own else {
            throw MessagingError.removesSelf(group: try group(id).name)
        }
        return try change([.remove(account)], in: id)
    }

    /// Makes this avatar, which is in the data directory, the one that is shown.
    private func show(_ avatar: [UInt8]?, of row: GroupRow) throws -> GroupRow {
        var row = row
        row.shownAvatar = avatar
        try transaction.update(row)
        return row
    }

    private func make(_ operation: GroupOperation, in graph: GroupGraph?) throws -> MembershipEntry {
        let (certificate, key) = (voice.account.certificate, voice.account.deviceKey)
        let time = transaction.clock.tick(at: transaction.wallTime)
        do {
            guard let graph else {
                return try MembershipEntry.make(
                    operation, group: nil, parents: [], by: own, certificate: certificate, key: key, time: time,
                    at: transaction.wallTime)
            }
            return try graph.make(
                operation, certificate: certificate, key: key, time: time, at: transaction.wallTime)
        } catch {
            throw MessagingError.badGroup(detail: error.refusal.detail ?? error.refusal.reason.rawValue)
        }
    }

    // MARK: Telling

    /// Sends membership entries, parents first, to the members that have what came before.
    private func tell(_ entries: [MembershipEntry], to accounts: [AccountID], in row: GroupRow) throws {
        guard let root = EntryHash(row.root), !accounts.isEmpty else { return }
        var rest = entries[...]
        while !rest.isEmpty {
            var bytes = 0
            let page = rest.prefix { entry in
                bytes += entry.bytes.count
                return bytes <= MessagingLimits.groupFrameBytes || bytes == entry.bytes.count
            }.prefix(PeerLimits.groupPageEntries)
            rest = rest.dropFirst(page.count)
            let body = GroupChangeBody(root: root, entries: page.map(\.bytes))
            try transaction.appendOutbox(
                for: accounts, in: row.id, id: freshID(), kind: FrameKind.groupChange.rawValue,
                body: try body.encoded())
        }
    }

    /// Sends the whole graph to the members that have nothing of it.
    private func invite(_ accounts: [AccountID], to graph: GroupGraph, _ row: GroupRow) throws {
        try tell(graph.entries(lackedBy: [], maximumBytes: .max).entries, to: accounts, in: row)
    }

    // MARK: People

    private func others(_ accounts: [AccountID]) throws -> [AccountID] {
        var seen: Set<AccountID> = [own]
        return accounts.filter { seen.insert($0).inserted }
    }

    /// Makes a newcomer from a friend. Strangers can't be added to a group.
    private func seed(_ account: AccountID) throws -> GroupSeed {
        guard case .friend = try Audience.of(.contact(account), in: transaction),
            let contact = try transaction.contact(account)
        else { throw MessagingError.onlyFriendsAreAdded }
        guard let card = try contact.card.map({ try Card(decoding: $0) }) else {
            throw MessagingError.notMet(name: contact.shownName)
        }
        // The name is the one that they use themselves; our own name for them stays here.
        return GroupSeed(certificate: card.certificate, name: contact.displayName)
    }

    // MARK: Refusals

    /// Returns a group that the user knows of.
    private func group(_ id: UUIDv7) throws -> GroupRow {
        guard let row = try transaction.group(id), row.state != .arriving else { throw MessagingError.noGroup(id) }
        return row
    }

    private func refusal(_ refusal: Refusal, _ row: GroupRow) -> MessagingError {
        .notPermitted(refusal, group: row.name, isMember: row.ownRole == .member)
    }
}

extension LogDraftRow {
    /// The message that it is, by its id on this host; nil for what speaks of one.
    fileprivate var message: UUIDv7? {
        switch LogKind(rawValue: UInt64(clamping: kind)) {
        case .message, .call: about
        default: nil
        }
    }
}
