import Basics
import ControlProtocol

/// Who is who: contacts, peers nearby and this account, for finding people by name and for showing names.
struct People {
    private(set) var contacts: [String: Contact] = [:]
    private(set) var peers: [String: Peer] = [:]
    /// This account.
    let own: String?

    /// Nobody yet.
    init(own: String?) { self.own = own }

    /// Asks the daemon. One round trip: the requests go out together.
    /// - Parameter withRefused: with those who are nothing to us but have refused a request.
    init(_ client: ControlClient, withPeers: Bool = false, withRefused: Bool = false) throws(ClientError) {
        let hello = try client.send(
            "system.hello", ["client": "kibo", "version": .string(ControlProtocol.productVersion)])
        let contacts = try client.send("contact.list")
        let peers = withPeers ? try client.send("peer.list") : nil
        let refused =
            withRefused ? try client.send("contact.list", ["relation": .string(Relation.none.rawValue)]) : nil
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
        } catch let error as ShapeError {
            throw ClientError.broken("\(error)")
        } catch let error as ClientError {
            throw error
        } catch {
            throw ClientError.broken("\(error)")
        }
    }

    /// Takes a newer state in, as events bring it.
    mutating func update(_ contact: Contact) { contacts[contact.id] = contact }

    /// Takes a newer state in, as events bring it.
    mutating func update(_ peer: Peer) { peers[peer.account] = peer }

    /// What to call an account; fit for a terminal.
    func name(_ account: String) -> String {
        if account == own { return "you" }
        if let contact = contacts[account], !contact.shownName.isEmpty { return Words.name(contact.shownName) }
        if let peer = peers[account], !peer.displayName.isEmpty { return Words.name(peer.displayName) }
        return ShortID.account(account)
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
