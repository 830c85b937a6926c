import Basics
import ControlProtocol
import PeerProtocol
import Store

/// How connections begin: with a knock where we have a key for the door, and behind a door of our own where not everybody is let in.
extension PeerNetwork {
    /// - Parameters:
    ///   - account: who is expected there; nil: whoever was last met there.
    ///   - isExpected: who else may be told that it is we who dial; nil: everybody.
    func dial(
        _ address: SocketAddress, for account: AccountID? = nil, purpose: ChannelPurpose,
        isExpected: PeerCheck? = nil, owner: any PeerConnectionOwner
    ) -> PeerConnection {
        PeerConnection(
            dialling: address, purpose: purpose, identity: identity.current, realmKey: configuration.realmKey,
            knock: keys.knock(for: account) ?? keys.knock(at: address), isExpected: isExpected,
            way: interfaces.way(to: address), owner: owner, clocks: environment.clocks)
    }

    /// A bulk connection, which is for one account and nobody else.
    func dial(for account: AccountID, at address: SocketAddress, _ owner: any PeerConnectionOwner) -> PeerConnection {
        dial(address, for: account, purpose: .bulk, isExpected: { $0.account == account }, owner: owner)
    }

    /// Who may hear from a dial who we are. In the open everybody does, so that somebody in a friend's place is noticed; else only
    /// the one it is for: an address that was a friend's yesterday may be a stranger's today, who waits for just that.
    func expectation(of target: DialTarget) -> PeerCheck? {
        guard environment.settings[SettingsCatalogue.discoveryMode] != .open else { return nil }
        switch target {
        case .device(let device):
            let account = contacts.account(of: device)
            return { $0.device == device || $0.account == account }
        case .address(let address):
            // The person wants to meet whoever is there.
            if meetings.isAwaited(address) { return nil }
            let known = Set(contacts.all.filter { $1.relation.isGivenDiscoveryKeys }.keys)
            return { known.contains($0.account) }
        }
    }

    /// Takes over a connection that somebody else opened.
    func take(_ file: CInt, from source: SocketAddress?, owner: any PeerConnectionOwner) -> PeerConnection {
        PeerConnection(
            accepted: file, from: source, identity: identity.current, realmKey: configuration.realmKey,
            doorkeeper: keys.doorkeeper, owner: owner, clocks: environment.clocks)
    }
}
