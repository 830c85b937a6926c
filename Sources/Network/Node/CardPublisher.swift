import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Shows our cards in sessions, and follows what the peers' cards say.
@ReactorActor package final class CardPublisher {
    private let environment: Environment
    private let services: PeerServices
    private let sessions: Sessions
    private let identity: OwnIdentity
    private let presence: PresencePublisher
    private let meetings: AddressLookups
    private weak var discovery: DiscoveryService?

    package init(
        environment: Environment, services: PeerServices, sessions: Sessions, identity: OwnIdentity,
        presence: PresencePublisher, meetings: AddressLookups, discovery: DiscoveryService?
    ) {
        self.environment = environment
        self.services = services
        self.sessions = sessions
        self.identity = identity
        self.presence = presence
        self.meetings = meetings
        self.discovery = discovery
    }

    // MARK: Ours

    /// Call when our cards have changed with the last commit, or go to other peers.
    package func changed() {
        guard let profile = services.account.profile else { return }
        identity.show(profile)
        discovery?.peerExchange.cardChanged()
        for session in sessions.all { show(to: session) }
    }

    /// Shows the peer the card that is for it. A peer that is blocked gets none.
    package func show(to session: PeerSession) {
        guard session.relation != .blocked, let card = identity.card(forFriend: session.relation == .friend) else {
            return
        }
        session.cardChanged(card)
    }

    // MARK: Theirs

    /// Takes the card of a session's peer.
    package func came(_ card: Card, in session: PeerSession) {
        let peer = session.peer
        if !session.isMet { met(session, as: card) }
        discovery?.peerExchange.met(session, as: card)
        presence.change { $0.named(peer.device, displayName: card.profile.displayName, at: $1) }
        services.addressBook.met(
            peer.account, displayName: card.profile.displayName, email: card.profile.email, phone: card.profile.phone)
        if let entry = presence.directory.entry(peer.device) { meetings.succeeded(entry) }
        keep(card)
    }

    /// Handles the peer's first card. Only now do we know that the other side wants the session, and it counts as being
    /// here.
    private func met(_ session: PeerSession, as card: Card) {
        let peer = session.peer
        session.isMet = true
        presence.remember(peer, at: session.dialAddress)
        presence.update(peer.account, sessions.with(peer.account)?.peerPresence ?? .offline)
        services.transfers.peerAppeared(peer.account)
        services.groups.met(session)
        services.calls.met(session)
        let missing = session.expected.filter { sessions.with($0)?.isMet != true }
        session.expected = []
        guard !missing.isEmpty else { return }
        let name = card.profile.displayName
        environment.commits.commit(.met(peer.account, missing)) { transaction in
            let friends = try missing.compactMap { try transaction.contact($0) }
            try ContactTrust.met(peer.account, name: name, device: peer.device, among: friends, in: transaction)
        }
    }

    /// Keeps what a contact's card says with the contact.
    package func keep(_ card: Card) {
        environment.commits.commit(.card(card.account)) {
            try ContactCards.apply(card, in: $0)
        } then: { [avatars = services.avatars] in
            avatars.named(card.profile.avatarDigest, by: card.account)
        }
    }
}
