import Basics
import Messaging
import PeerProtocol
import Reactor
import Store

/// What people show of themselves: cards, whether they are here, pictures.
extension PeerNetwork {
    // MARK: Ours

    /// Our cards say something else, or are for others, since the last commit.
    func cardChanged() {
        guard let profile = services.account.profile else { return }
        identity.show(profile)
        discovery?.peerExchange.cardChanged()
        for session in sessions.all { showCard(to: session) }
    }

    /// The card that is for whoever is at the other end. One who is not wanted gets none.
    func showCard(to session: PeerSession) {
        guard session.relation != .blocked, let card = identity.card(forFriend: session.relation == .friend) else {
            return
        }
        session.cardChanged(card)
    }

    func presenceChanged() {
        for session in sessions.all { session.tellPresence(services.profiles.state) }
    }

    // MARK: PeerSession tells

    func session(_ session: PeerSession, received card: Card) {
        let peer = session.peer
        if !session.isMet { met(session, as: card) }
        discovery?.peerExchange.met(session, as: card)
        presence.change { $0.named(peer.device, displayName: card.profile.displayName, at: $1) }
        services.addressBook.met(
            peer.account, displayName: card.profile.displayName, email: card.profile.email, phone: card.profile.phone)
        if let entry = directory.entry(peer.device) { meetings.succeeded(entry) }
        keep(card)
    }

    /// What a contact's card says is kept with the contact.
    func keep(_ card: Card) {
        environment.commits.commit(.card(card.account)) {
            try ContactCards.apply(card, in: $0)
        } then: { [contacts = services.contacts, avatars = services.avatars] row in
            let hadPicture = contacts.index.entry(card.account)?.avatar != nil
            if let row { contacts.changed(row) }
            if hadPicture, let row, row.avatar == nil { avatars.sweep() }
            avatars.named(card.profile.avatarDigest, by: card.account)
        }
    }

    func updatePresence(of account: AccountID) {
        presence.update(account, session(with: account)?.peerPresence ?? .offline)
    }
}
