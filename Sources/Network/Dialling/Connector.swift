import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Dials peers, and takes connections that peers open. Sends a knock if we hold the peer's pair key, and asks for one
/// if we don't let in every peer.
@ReactorActor package final class Connector {
    private let identity: OwnIdentity
    private let keys: DiscoveryKeyStore
    private let choice: InterfaceChoice
    private let realmKey: RealmKey?
    private let meetings: AddressLookups
    private let contacts: ContactIndex
    private let environment: Environment

    package init(
        identity: OwnIdentity, keys: DiscoveryKeyStore, choice: InterfaceChoice, realmKey: RealmKey?,
        meetings: AddressLookups,
        contacts: ContactIndex, environment: Environment
    ) {
        self.identity = identity
        self.keys = keys
        self.choice = choice
        self.realmKey = realmKey
        self.meetings = meetings
        self.contacts = contacts
        self.environment = environment
    }

    /// - Parameters:
    ///   - account: the account that is expected there; nil for the one that was last met there.
    ///   - isExpected: which other peers may learn that it is we who dial; nil for all.
    package func dial(
        _ address: SocketAddress, for account: AccountID? = nil, purpose: ChannelPurpose,
        isExpected: PeerCheck? = nil, owner: any PeerConnectionOwner
    ) -> PeerConnection {
        PeerConnection(
            dialling: address, purpose: purpose, identity: identity.current, realmKey: realmKey,
            knock: keys.knock(for: account) ?? keys.knock(at: address), isExpected: isExpected,
            way: choice.way(to: address), owner: owner, clocks: environment.clocks)
    }

    /// Dials a session with the device or address of a target.
    package func dial(
        _ address: SocketAddress, for target: DialTarget, owner: any PeerConnectionOwner
    ) -> PeerConnection {
        var account: AccountID?
        if case .device(let device) = target { account = contacts.account(of: device) }
        return dial(
            address, for: account, purpose: .session, isExpected: expectation(of: target), owner: owner)
    }

    /// Dials a connection for files, which is for this account only.
    func dialBulk(
        for account: AccountID, at address: SocketAddress, _ owner: any PeerConnectionOwner
    ) -> PeerConnection {
        dial(address, for: account, purpose: .bulk, isExpected: { $0.account == account }, owner: owner)
    }

    /// Which peers may learn from a dial who we are. In the open mode all may, so that a stranger in a friend's place
    /// is noticed. In the other modes only the peer that the dial is for may: yesterday's address of a friend may today
    /// be that of a stranger who waits for just that.
    private func expectation(of target: DialTarget) -> PeerCheck? {
        guard environment.settings[SettingsCatalogue.discoveryMode] != .open else { return nil }
        switch target {
        case .device(let device):
            let account = contacts.account(of: device)
            return { $0.device == device || $0.account == account }
        case .address(let address):
            // The user wants to meet the peer at that address, whatever account it has.
            if meetings.isAwaited(address) { return nil }
            let friends = Set(contacts.all.filter { $1.relation.isGivenDiscoveryKeys }.keys)
            return { friends.contains($0.account) }
        }
    }

    /// Takes over a connection that a peer has opened.
    package func accept(_ file: CInt, from source: SocketAddress?, owner: any PeerConnectionOwner) -> PeerConnection {
        PeerConnection(
            accepted: file, from: source, identity: identity.current, realmKey: realmKey,
            doorkeeper: keys.doorkeeper, owner: owner, clocks: environment.clocks)
    }
}
