import Basics
import Messaging
import PeerProtocol
import Reactor
import Store

/// Who it is that was met: somebody expected, somebody else in their place, or somebody not wanted.
extension PeerNetwork {
    /// Somebody who is blocked, or a stranger for whom the door has just been closed: not a byte more than the handshake, which came before it was known who that is. So they see
    /// what they would see of a daemon that is killed at this moment.
    func turnAway(_ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?) {
        environment.metrics.count("kibo_sessions_refused_total", ("reason", "blocked"))
        connection.end(.closed)
        guard let dial else { return }
        dialler.failed(dial)
        guard case .address(let address) = dial.target else { return }
        if let entry = directory.entry(peer.device), entry.displayName != nil {
            meetings.answered(address, by: peer.device)
            meetings.succeeded(entry)
        } else {
            meetings.failed(address, .interrupted("somebody answers there whom you have blocked, or who is no friend"))
        }
    }

    /// Another copy of a friend's device, while one is connected: the other one is told, and stays away for a while.
    func turnAwayCopy(_ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?) {
        environment.metrics.count("kibo_sessions_refused_total", ("reason", "copy"))
        let body = CloseBody(reason: .copied, detail: copies.detail(for: peer.device))
        connection.send(Frame(kind: .close, body: body.encoded()).encoded())
        connection.closeAfterFlush()
        dialler.opened(peer.device, by: dial?.target)
        if let entry = directory.entry(peer.device), entry.displayName != nil { meetings.succeeded(entry) }
    }

    /// A session makes way for another one with the same device, which begins afresh what groups were doing with it.
    func replace(_ session: PeerSession) {
        services.groups.ended(session)
        session.replaced()
    }

    /// What others were doing with a session ends with it.
    func lost(_ session: PeerSession) {
        services.typing.sessionEnded(session.peer.account)
        services.avatars.sessionEnded(session.peer.account)
        services.groups.ended(session)
    }

    /// Friends, and members of our groups: nobody else's sessions push out theirs.
    func isOneOfOurs(_ account: AccountID) -> Bool {
        contacts.relation(account) == .friend || services.groups.index.isMate(account)
    }

    /// Friends whom a dial was for, or who were last seen where it went.
    func expected(by dial: DialEffect?, besides account: AccountID) -> [AccountID] {
        guard let dial else { return [] }
        var friends = Set(contacts.friends(at: dial.address))
        if case .device(let device) = dial.target, let owner = contacts.account(of: device),
            contacts.relation(owner) == .friend
        {
            friends.insert(owner)
        }
        friends.remove(account)
        return Array(friends)
    }

    /// The card has come: only now it is sure that the other side wants the session, and it counts as being here.
    func met(_ session: PeerSession, as card: Card) {
        let peer = session.peer
        session.isMet = true
        presence.remember(peer, at: session.dialAddress)
        updatePresence(of: peer.account)
        services.transfers.peerAppeared(peer.account)
        services.groups.met(session)
        let missing = session.expected.filter { self.session(with: $0)?.isMet != true }
        session.expected = []
        guard !missing.isEmpty else { return }
        let name = card.profile.displayName
        environment.commits.commit(.met(peer.account, missing)) { transaction in
            let friends = try missing.compactMap { try transaction.contact($0) }
            return try ContactTrust.met(peer.account, name: name, device: peer.device, among: friends, in: transaction)
        } then: { [contacts = services.contacts] rows in
            for row in rows { contacts.changed(row) }
        }
    }

    /// Nobody answers where a dial went: what was announced there is not true any more.
    func unreachable(_ dial: DialEffect, _ failure: ConnectionFailure) {
        meetings.failed(dial.address, failure)
        if case .device(let device) = dial.target { discovery?.peerExchange.unreachable(device) }
        guard case .device(let device) = dial.target, sessions.with(device) == nil, case .unreachable = failure else {
            return
        }
        presence.change { $0.gone(device, at: $1) }
    }
}
