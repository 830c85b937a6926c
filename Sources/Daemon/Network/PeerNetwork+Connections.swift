import Basics
import PeerProtocol

/// How connections begin: with a knock where we have a key for the door, and behind a door of our own where not everybody is let in.
extension PeerNetwork {
    /// - Parameter account: who is expected there; nil: whoever was last met there.
    func dial(
        _ address: SocketAddress, for account: AccountID? = nil, purpose: ChannelPurpose,
        owner: any PeerConnectionOwner
    ) -> PeerConnection {
        PeerConnection(
            dialling: address, purpose: purpose, identity: identity.current, realmKey: context.options.realmKey,
            knock: keys.knock(for: account) ?? keys.knock(at: address), owner: owner, clocks: context.clocks)
    }

    /// Takes over a connection that somebody else opened.
    func take(_ file: CInt, from source: SocketAddress?, owner: any PeerConnectionOwner) -> PeerConnection {
        PeerConnection(
            accepted: file, from: source, identity: identity.current, realmKey: context.options.realmKey,
            doorkeeper: keys.doorkeeper, owner: owner, clocks: context.clocks)
    }
}
