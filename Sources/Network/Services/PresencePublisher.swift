import Basics
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Vocabulary

/// Tells clients and the database which peers are here. It keeps the ``PeerDirectory``, and makes events of its changes
/// and of contacts that come online or go.
@ReactorActor package final class PresencePublisher {
    package private(set) var directory = PeerDirectory()
    private let environment: Environment
    private let contacts: ContactIndex
    private let profiles: any ProfileObserver
    private let clients: any NetworkObserver
    /// Called with the place where a contact was seen, once that is stored.
    var onRemember: @ReactorActor (DeviceID, SocketAddress) -> Void = { _, _ in }

    package init(
        environment: Environment, contacts: ContactIndex, profiles: any ProfileObserver, clients: any NetworkObserver
    ) {
        self.environment = environment
        self.contacts = contacts
        self.profiles = profiles
        self.clients = clients
    }

    /// Changes the directory and tells clients what that changed for them.
    package func change(_ body: (inout PeerDirectory, WallTime) -> [PeerDirectory.Change]) {
        for change in body(&directory, environment.clocks.wallTime) {
            switch change {
            case .appeared(let entry):
                tellAddressBook(entry)
                clients.appeared(entry)
            case .vanished(let entry):
                tellAddressBook(entry)
                clients.vanished(entry)
            }
        }
    }

    /// The device answers at another address too.
    package func heard(_ device: DeviceID, alsoAt address: SocketAddress) { directory.heard(device, alsoAt: address) }

    /// Call when another device answered at the address.
    func wrong(_ address: SocketAddress?, of device: DeviceID) {
        if let address { directory.forget(address, of: device) }
    }

    /// Tells clients that everybody is gone, because we don't know any more which devices are on the network.
    func nobodyIsHere() {
        for entry in directory.shown {
            clients.vanished(entry)
            if let account = entry.account { profiles.setHere(account, false) }
        }
    }

    private func tellAddressBook(_ entry: PeerDirectory.Entry) {
        guard let account = entry.account else { return }
        profiles.setHere(account, directory.devices(of: account).contains(where: \.isShown))
    }

    /// Takes a contact's device that is known from the database.
    package func know(_ id: AccountID, _ contact: ContactIndex.Entry) {
        guard let device = contact.device, contact.relation != .none else { return }
        change { $0.know(device, account: id, displayName: contact.displayName, at: $1) }
    }

    /// - Parameter presence: the presence as the account's session knows it. Only friends tell each other.
    package func update(_ account: AccountID, _ presence: Presence) {
        let shown = contacts.relation(account) == .friend ? presence : .offline
        guard contacts.setPresence(account, shown) else { return }
        // Read the contact on the writing thread, after the commit that says when it was seen.
        environment.commits.commit(.presence(account), readsOnly: true) {
            try $0.contact(account)
        } then: { [clients] contact in
            if let contact { clients.presenceChanged(contact) }
        }
    }

    /// Stores when and where a contact was seen.
    ///
    /// - Parameter address: nil leaves the one that is known.
    package func remember(_ peer: PeerIdentity, at address: SocketAddress?) {
        guard contacts.entry(peer.account) != nil else { return }
        let now = environment.clocks.wallTime
        environment.commits.commit(.seen(peer.account, hasAddress: address != nil)) {
            try $0.noteSeen(peer.account, device: peer.device, at: now, address: address?.description)
        } then: { [weak self, contacts] isKnown in
            if isKnown, let address, contacts.relation(peer.account) != .none { self?.onRemember(peer.device, address) }
        }
    }
}
