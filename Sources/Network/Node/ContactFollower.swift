import Messaging
import Reactor
import Store

/// Brings the network in line with a contact whose row has changed.
@ReactorActor package struct ContactFollower {
    package let services: PeerServices
    package let sessions: Sessions
    package let presence: PresencePublisher
    package let cards: CardPublisher
    package let keys: DiscoveryKeyStore
    package let dialler: Dialler
    package let couriers: CourierService
    package let discovery: DiscoveryService?
    private var contacts: ContactIndex { services.contacts.index }

    /// Call when a contact's row has changed with the last commit.
    /// - Parameter before: the entry as it was until then.
    package func changed(_ row: ContactRow, before: ContactIndex.Entry?) {
        let wasSuspended = before.map { $0.relation == .friend && $0.trust == .changed } ?? false
        let isOther =
            row.relation != before?.relation || row.device != before?.device || row.trust != before?.trust
        if let entry = contacts.entry(row.account) { presence.know(row.account, entry) }
        if let session = sessions.with(row.account) {
            session.relationChanged()
            // What the friend has sent meanwhile was put off; on a new session it comes at once.
            if services.account.isRecovering, row.relation == .friend, before?.relation != .friend {
                session.renew()
            }
            if wasSuspended, !contacts.isSuspended(row.account) { session.resumed() }
            // When the session began, the contact was a stranger, and its address was not stored.
            if let address = session.dialAddress, row.relation != .none {
                dialler.met(session.peer.device, at: address)
                if row.lastAddress != address.description { presence.remember(session.peer, at: address) }
            }
        }
        // A peer that becomes a contact during a session showed its card before there was a row to store it in.
        if row.card == nil, let card = sessions.with(row.account)?.card { cards.keep(card) }
        if row.relation != .friend {
            services.typing.sessionEnded(row.account)
            services.avatars.named(nil, by: row.account)
        } else if let digest = sessions.with(row.account)?.card?.profile.avatarDigest {
            services.avatars.named(digest, by: row.account)
        }
        if before?.avatar != nil, row.avatar == nil { services.avatars.sweep() }
        presence.update(row.account, sessions.with(row.account)?.peerPresence ?? .offline)
        // Most commits only note when a contact was seen, and these look through all contacts.
        if isOther { discovery?.contactsChanged() }
        keys.contactChanged(row, before: before)
        if isOther { dialler.contactsChanged() }
        if row.relation != before?.relation {
            couriers.relationChanged(row.account, wasFriend: before?.relation == .friend)
        }
        let devices = presence.directory.devices(of: row.account)
        if row.relation == .blocked {
            for device in Set(devices.map(\.device) + [row.device].compactMap { $0 }) { dialler.giveUp(device) }
        } else if before?.relation == .blocked {
            // The friend's announcements were not looked at while it was blocked.
            for entry in devices { entry.address.map { dialler.heard(entry.device, at: $0, isNew: true) } }
        }
        if isOther, row.relation == .friend { services.transfers.peerAppeared(row.account) }
    }
}
