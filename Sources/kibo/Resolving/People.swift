import Basics
import ControlProtocol

/// Who is who: contacts, peers nearby and this account, for finding people by name and for showing names.
struct People {
    private(set) var contacts: [String: Contact] = [:]
    private(set) var peers: [String: Peer] = [:]
    /// By their ids.
    private(set) var groups: [String: Group] = [:]
    /// What those are called whom only groups know.
    private var strangers: [String: String] = [:]
    /// This account.
    let own: String?

    /// Nobody yet.
    init(own: String?) { self.own = own }

    /// Asks the daemon. One round trip: the requests go out together.
    /// - Parameters:
    ///   - withRefused: with those who are nothing to us but have refused a request.
    ///   - withGroups: with groups and those who are in them, or were.
    init(
        _ client: ControlClient, withPeers: Bool = false, withRefused: Bool = false, withGroups: Bool = false
    ) throws(ClientError) {
        let hello = try client.send(
            "system.hello", ["client": "kibo", "version": .string(ControlProtocol.productVersion)])
        let contacts = try client.send("contact.list")
        let peers = withPeers ? try client.send("peer.list") : nil
        let refused =
            withRefused ? try client.send("contact.list", ["relation": .string(Relation.none.rawValue)]) : nil
        let groups = withGroups ? try client.send("group.list") : nil
        own = try client.reply(to: hello)["account"]?.string
        do {
            for json in try client.reply(to: contacts)["contacts"]?.array ?? [] {
                let contact = try Contact(json: json)
                self.contacts[contact.id] = contact
            }
            if let refused {
                for json in try client.reply(to: refused)["contacts"]?.array ?? [] {
                    let contact = try Contact(json: json)
                    if contact.reason != nil { self.contacts[contact.id] = contact }
                }
            }
            if let peers {
                for json in try client.reply(to: peers)["peers"]?.array ?? [] {
                    let peer = try Peer(json: json)
                    self.peers[peer.account] = peer
                }
            }
            if let groups { for json in try Self.list(groups, client) { update(try Group(json: json)) } }
        } catch let error as ShapeError {
            throw ClientError.broken("\(error)")
        } catch let error as ClientError {
            throw error
        } catch {
            throw ClientError.broken("\(error)")
        }
    }

    /// Who is at the other end of a transfer: for what goes out to a group, the group.
    func other(of transfer: Transfer) -> String {
        guard transfer.peer == own else { return name(transfer.peer) }
        let group = groups.values.first { $0.conversation != nil && $0.conversation == transfer.conversation }
        return group.map { Words.name($0.name) } ?? "a group"
    }

    /// The groups; none of a daemon that has no groups yet.
    private static func list(_ request: Int64, _ client: ControlClient) throws(ClientError) -> [JSONValue] {
        do {
            return try client.reply(to: request)["groups"]?.array ?? []
        } catch {
            guard case .refused(let refusal) = error, refusal.code == RPCError.methodNotFoundCode else { throw error }
            return []
        }
    }

    /// Takes a newer state in, as events bring it.
    mutating func update(_ group: Group) {
        groups[group.id] = group
        for member in group.members { strangers[member.id] = member.displayName }
        for member in group.former { strangers[member.id] = member.displayName }
    }

    /// The group that a conversation belongs to.
    func group(ofConversation id: String) -> Group? { groups.values.first { $0.conversation == id } }

    /// Takes a newer state in, as events bring it.
    mutating func update(_ contact: Contact) { contacts[contact.id] = contact }

    /// Takes a newer state in, as events bring it.
    mutating func update(_ peer: Peer) { peers[peer.account] = peer }

    /// What to call an account; fit for a terminal.
    func name(_ account: String) -> String {
        if account == own { return "you" }
        if let contact = contacts[account], !contact.shownName.isEmpty { return Words.name(contact.shownName) }
        if let peer = peers[account], !peer.displayName.isEmpty { return Words.name(peer.displayName) }
        if let name = strangers[account], !name.isEmpty { return Words.name(name) }
        return ShortID.account(account)
    }

    /// Whether somebody can be reached, as far as their friendship or a group tells.
    func isHere(_ account: String) -> Bool {
        if let contact = contacts[account], contact.relation == .friend { return contact.presence != .offline }
        return groups.values.contains { group in
            group.members.contains { $0.id == account && $0.presence != .offline }
        }
    }

    /// Everybody, as candidates.
    ///
    /// - Parameter likely: whom the command at hand is about.
    func candidates(likely: (Relation) -> Bool) -> [Candidate] {
        let known = contacts.values.map { contact in
            Candidate(
                id: contact.id, names: [contact.alias, contact.displayName].filter { !$0.isEmpty },
                label: label(contact.shownName, contact.id, contact.relation), isLikely: likely(contact.relation))
        }
        let others = peers.values.filter { contacts[$0.account] == nil }.map { peer in
            Candidate(
                id: peer.account, names: [peer.displayName].filter { !$0.isEmpty },
                label: label(peer.displayName, peer.account, peer.relation), isLikely: likely(peer.relation))
        }
        return (known + others).sorted { ($0.names.first ?? "", $0.id) < ($1.names.first ?? "", $1.id) }
    }

    private func label(_ name: String, _ id: String, _ relation: Relation) -> String {
        "\(Words.name(name))  \(ShortID.account(id))" + (relation == .none ? "" : "  \(Words.cell(relation).text)")
    }

    /// The account that a person means by a word. A whole id need not be known here: the daemon may know better.
    func account(_ word: String, likely: (Relation) -> Bool) throws(Failure) -> String {
        let candidates = candidates(likely: likely)
        if let id = AccountID(word)?.description, !candidates.contains(where: { $0.id == id }) { return id }
        return try Resolver.resolve(
            word, among: candidates, kind: "people", hint: "See whom you know: kibo contacts; who is there: kibo peers"
        ).id
    }
}
