import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// Who is here, for clients and for the database: keeps the ``PeerDirectory``, and makes events of its changes and of
/// contacts that come online or go.
@ReactorActor final class PresencePublisher {
    private(set) var directory = PeerDirectory()
    private let context: Context

    init(context: Context) { self.context = context }

    /// Changes the directory and tells clients what that changed for them.
    func change(_ body: (inout PeerDirectory, WallTime) -> [PeerDirectory.Change]) {
        for change in body(&directory, context.clocks.wallTime) {
            switch change {
            case .appeared(let entry):
                tellAddressBook(entry)
                context.events.ephemeral(.peerAppeared, .insert, context.peer(entry).json)
            case .vanished(let entry):
                tellAddressBook(entry)
                context.events.ephemeral(.peerVanished, .delete, context.peer(entry).json)
            }
        }
    }

    /// Somebody else than the device answered there.
    func wrong(_ address: SocketAddress?, of device: DeviceID) {
        if let address { directory.forget(address, of: device) }
    }

    /// Tells clients that all are gone, for who is on the network is not known any more.
    func nobodyIsHere() {
        for entry in directory.shown {
            context.events.ephemeral(.peerVanished, .delete, context.peer(entry).json)
            if let account = entry.account { context.addressBook.setHere(account, false) }
        }
    }

    private func tellAddressBook(_ entry: PeerDirectory.Entry) {
        guard let account = entry.account else { return }
        context.addressBook.setHere(account, directory.devices(of: account).contains(where: \.isShown))
    }

    /// A contact's device, known from the database.
    func know(_ id: AccountID, _ contact: ContactIndex.Entry) {
        guard let device = contact.device, contact.relation != .none else { return }
        change { $0.know(device, account: id, displayName: contact.displayName, at: $1) }
    }

    /// - Parameter presence: as the account's session knows it. Only friends tell each other.
    func update(_ account: AccountID, _ presence: Presence) {
        let shown = context.contacts.relation(account) == .friend ? presence : .offline
        guard context.contacts.setPresence(account, shown) else { return }
        let composer = context.composer
        // On the writing thread, behind what was just written down of when they were seen.
        context.commits.commit(.presence(account), readsOnly: true) {
            try $0.contact(account).map(composer.contact)
        } then: { [weak context] contact in
            if let contact { context?.events.ephemeral(.presenceChanged, .update, contact.json) }
        }
    }

    /// Writes down when and where a contact was seen.
    ///
    /// - Parameter address: nil leaves the one that is known.
    func remember(_ peer: PeerIdentity, at address: SocketAddress?) {
        guard context.contacts.entry(peer.account) != nil else { return }
        let now = context.clocks.wallTime
        context.commits.commit(.seen(peer.account, hasAddress: address != nil)) { transaction -> ContactRow? in
            guard
                try transaction.noteSeen(peer.account, device: peer.device, at: now, address: address?.description)
            else { return nil }
            return try transaction.contact(peer.account)
        } then: { [weak context] row in
            guard let row else { return }
            context?.contacts.update(row)
            if let address, row.relation != .none { context?.network?.met(peer.device, at: address) }
        }
    }
}
