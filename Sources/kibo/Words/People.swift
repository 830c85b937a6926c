import Basics
import ControlProtocol

/// The people that are known: contacts, peers nearby and this account, for finding people by name and for showing
/// names.
struct People {
    private(set) var contacts: [String: Contact] = [:]
    private(set) var peers: [String: Peer] = [:]
    /// By their ids.
    private(set) var groups: [String: Group] = [:]
    /// Conversations with contacts.
    private var directs: Set<String> = []
    /// The titles of other conversations, as far as they were asked for.
    private var titles: [String: String] = [:]
    /// The names of people that only groups know.
    private var strangers: [String: String] = [:]
    /// The conversation with ourselves, if it was asked for.
    private var notes: String?
    /// This account.
    let own: String?

    /// No people yet.
    init(own: String?) { self.own = own }

    /// Asks the daemon. One round trip: the requests go out together.
    init(_ client: ControlClient, withPeers: Bool = false) throws(ClientError) {
        let hello = try client.send(
            "system.hello", ["client": "kibo", "version": .string(ControlProtocol.productVersion)])
        let contacts = try client.send("contact.list")
        let peers = withPeers ? try client.send("peer.list") : nil
        own = try client.reply(to: hello)["account"]?.string
        do {
            for json in try client.reply(to: contacts)["contacts"]?.array ?? [] { update(try Contact(json: json)) }
            guard let peers else { return }
            for json in try client.reply(to: peers)["peers"]?.array ?? [] { update(try Peer(json: json)) }
        } catch let error as ShapeError {
            throw ClientError.broken("\(error)")
        } catch let error as ClientError {
            throw error
        } catch {
            throw ClientError.broken("\(error)")
        }
    }

    /// Asks for the contact of a conversation, or the members of its group, unless they are known.
    mutating func learn(conversation id: String?, _ client: ControlClient) throws(ClientError) {
        guard let id, !directs.contains(id), titles[id] == nil, group(ofConversation: id) == nil else { return }
        do {
            let conversation = try client.call("conversation.get", ["id": .string(id)], as: Conversation.init(json:))
            titles[id] = conversation.title
            if conversation.kind == .notes { notes = id }
            // A person who is no contact any more keeps the name.
            if let contact = conversation.contact { strangers[contact] = conversation.title }
            if let group = conversation.group { try learn(group: group, client) }
        } catch {
            // It may be gone by now.
            guard case .refused = error else { throw error }
            titles[id] = ""
        }
    }

    /// Asks who and what is needed to name the two ends of transfers.
    mutating func learn(_ transfers: [Transfer], _ client: ControlClient) throws(ClientError) {
        for transfer in transfers where contacts[transfer.peer] == nil {
            try learn(conversation: transfer.conversation, client)
        }
    }

    /// With those at the ends of transfers.
    init(_ client: ControlClient, of transfers: [Transfer]) throws(ClientError) {
        try self.init(client)
        try learn(transfers, client)
    }

    /// Also knows the members of a conversation, if it is one of a group.
    init(_ client: ControlClient, in conversation: String?) throws(ClientError) {
        try self.init(client)
        try learn(conversation: conversation, client)
    }

    /// Asks who is in a group.
    mutating func learn(group id: String, _ client: ControlClient) throws(ClientError) {
        update(try client.call("group.get", ["id": .string(id)], as: Group.init(json:)))
    }

    /// The title of a conversation that ``learn(conversation:_:)`` has asked for, or that a contact has.
    func title(ofConversation id: String) -> String {
        if let group = group(ofConversation: id) { return Words.title(of: group) }
        if let contact = contacts.values.first(where: { $0.conversation == id }) { return name(contact.id) }
        return Words.name(titles[id] ?? "")
    }

    /// The name of the other end of a transfer: for a file that goes out to a group, the group; for one of a note, the notes.
    func other(of transfer: Transfer) -> String {
        guard transfer.peer == own else { return name(transfer.peer) }
        if let notes, transfer.conversation == notes { return Words.notes }
        return transfer.conversation.flatMap(group(ofConversation:)).map(Words.title(of:)) ?? "a group"
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
    mutating func update(_ contact: Contact) {
        contacts[contact.id] = contact
        if let conversation = contact.conversation { directs.insert(conversation) }
    }

    /// Takes a newer state in, as events bring it.
    mutating func update(_ peer: Peer) { peers[peer.account] = peer }

    /// Whether an account has a name here without asking for its groups.
    func knows(_ account: String) -> Bool { account == own || contacts[account] != nil || strangers[account] != nil }

    /// The name of an account, fit for a terminal.
    func name(_ account: String) -> String {
        if account == own { return "you" }
        if let contact = contacts[account], !contact.shownName.isEmpty { return Words.name(contact.shownName) }
        if let peer = peers[account], !peer.displayName.isEmpty { return Words.name(peer.displayName) }
        if let name = strangers[account], !name.isEmpty { return Words.name(name) }
        return ShortID.account(account)
    }

    /// Whether a friend is known to be offline. Nothing is known of other people.
    func isOffline(_ account: String) -> Bool {
        contacts[account].map { $0.relation == .friend && $0.presence == .offline } ?? false
    }

    /// Whether nobody is here who may have the file of a transfer, as far as is known: neither the other side nor a courier.
    func isOutOfReach(_ transfer: Transfer) -> Bool { isOffline(transfer.peer) && courier(of: transfer) == nil }

    /// A courier that is here and may have the file of a transfer whose sender is offline.
    func courier(of transfer: Transfer) -> String? {
        guard isOffline(transfer.peer) else { return nil }
        return transfer.keptBy?.first { contacts[$0].map { $0.presence != .offline } ?? false }.map(name)
    }

    /// Whether an account can be reached, as far as a friendship or a group tells.
    func isHere(_ account: String) -> Bool {
        if let contact = contacts[account], contact.relation == .friend { return contact.presence != .offline }
        return groups.values.contains { group in
            group.members.contains { $0.id == account && $0.presence != .offline }
        }
    }
}
