import Basics
import ControlProtocol
import Messaging
import Reactor
import Store

/// Says what a name means: the same for every client.
@ReactorActor struct NameHandlers: MethodArea {
    let base: MethodBase
    let network: any NetworkAccess

    var methods: [String: Method] {
        [
            "name.resolve": { parameters, _ in try await resolve(parameters) }
        ]
    }

    private func resolve(_ parameters: Parameters) async throws -> JSONValue {
        let own = try requireAccount().id
        let word = parameters.string("name")
        let isStrict = parameters.bool("strict")
        guard let purpose = parameters.choice("for", as: NamePurpose.self) else {
            throw ControlError(.invalid, "for is not a purpose", field: "for")
        }
        let group = parameters.uuid("group")
        guard (purpose == .member) == (group != nil) else {
            throw ControlError(.invalid, "group goes with members, and only with them", field: "group")
        }
        let peers = purpose == .anybody || purpose == .chat ? network.open?.shown ?? [] : []
        let (shown, now) = (peers.map(composer.peer), clocks.wallTime)
        return try await store.read { transaction in
            let question = NameQuestion(
                word: word, purpose: purpose, group: group, isStrict: isStrict, own: own, shown: shown, now: now)
            return try question.answer(in: transaction).json
        }
    }
}

/// Asks what a name means.
struct NameQuestion: Sendable {
    let word: String
    let purpose: NamePurpose
    /// The group whose members are meant.
    var group: UUIDv7?
    let isStrict: Bool
    let own: AccountID
    /// The people nearby.
    var shown: [Peer] = []
    let now: WallTime

    /// - Throws: a refusal with the candidates if the name means nobody or several.
    func answer(in transaction: ReadTransaction) throws -> Named {
        let candidates = NameCandidates(own: own, now: now, hint: hint, transaction: transaction)
        let id = AccountID(word)
        var lookup =
            switch purpose {
            case .chat: try candidates.chats(with: id)
            case .member: try candidates.members(of: transaction.shownGroup(group ?? .zero), withOwn: false)
            case .group: try candidates.groups()
            case .contact: try candidates.people(id) { $0.relation != .none || $0.conversation != nil }
            case .anybody: try candidates.people(id, and: shown) { _ in true }
            case .request:
                try candidates.people(id) { [.requested, .incoming].contains($0.relation) || $0.isRefused }
            case .blocked: try candidates.people(id) { $0.relation == .blocked }
            }
        // If only groups are looked for, the sign is not needed.
        let isUnsigned = purpose == .group && word.first != NameRule.groupSign
        let asked = isUnsigned ? "\(NameRule.groupSign)\(word)" : word
        if lookup.has(asked) { return try lookup.resolve(asked, isStrict: isStrict) }
        switch purpose {
        case .chat:
            // The word may mean a person who can't be written to yet.
            let people = try candidates.people(and: shown) { $0.relation != .none }
            if let refusal = try people.noFriend(word) { throw refusal }
        case .request:
            // The word may mean a person who hasn't asked for anything.
            let people = try candidates.people { $0.relation != .none || $0.conversation != nil }
            if let refusal = try people.noRequest(word) { throw refusal }
        case .member:
            // The word means the user only if it means no other member.
            lookup = try candidates.members(of: transaction.shownGroup(group ?? .zero), withOwn: true)
        default: break
        }
        return try lookup.resolve(asked, isStrict: isStrict)
    }

    /// Where to look if no candidate fits.
    private var hint: HintCode {
        switch purpose {
        case .chat: .seeChatsAndPeople
        case .contact: .seeContactsAndRequests
        case .anybody: .seeContactsAndPeers
        case .request: .seeOpenRequests
        case .blocked: .seeBlocked
        case .group: .seeOrMakeGroups
        case .member: .seeGroupMembers
        }
    }
}

/// Reads the candidates for one purpose.
private struct NameCandidates {
    let own: AccountID
    let now: WallTime
    let hint: HintCode
    let transaction: ReadTransaction

    /// - Parameter id: an account that was named by its id, which is always clear.
    func people(
        _ id: AccountID? = nil, and peers: [Peer] = [], withNotes: Bool = false,
        where isMeant: (ContactNameRow) -> Bool
    ) throws -> NameLookup {
        var lookup = NameLookup(hint: hint)
        if withNotes {
            lookup.add(notesOf: own, conversation: try transaction.conversation(with: own)?.id.description)
        }
        for row in try transaction.contactNames()
        where row.account == id || row.account != own && isMeant(row) { lookup.add(row) }
        for peer in peers where !peer.account.isEmpty {
            lookup.add(stranger: peer.account, name: peer.displayName, isKnown: false, since: now)
        }
        if let id { lookup.addUnknown(id) }
        return lookup
    }

    func chats(with id: AccountID?) throws -> NameLookup {
        var lookup = try people(id, withNotes: true) { $0.relation == .friend || $0.conversation != nil }
        try addGroups(to: &lookup) { $0.state == .member || $0.conversation != nil }
        return lookup
    }

    func groups() throws -> NameLookup {
        var lookup = NameLookup(hint: hint)
        try addGroups(to: &lookup) { _ in true }
        return lookup
    }

    private func addGroups(to lookup: inout NameLookup, where isMeant: (GroupRow) -> Bool) throws {
        for row in try transaction.groups() where row.state != .arriving && isMeant(row) {
            let adder = try row.addedBy.map { account in
                try transaction.contact(account)?.shownName ?? transaction.member(account, of: row.id)?.name
                    ?? Names.placeholder(for: account)
            }
            lookup.add(
                row, conversation: row.conversation?.description, members: try transaction.memberCount(of: row.id),
                addedBy: adder)
        }
    }

    func members(of group: GroupRow, withOwn: Bool) throws -> NameLookup {
        var lookup = NameLookup(hint: hint)
        let members = try transaction.members(of: group.id)
        let present = Set(members.map(\.account))
        for row in try transaction.contactNames() where present.contains(row.account) { lookup.add(row) }
        for member in members where withOwn || member.account != own {
            lookup.add(
                stranger: member.account.description, name: member.name, isKnown: true, since: member.joinedAt)
        }
        return lookup
    }
}
