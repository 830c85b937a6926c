import PeerProtocol

/// What the configuration says of the network.
package struct NetworkConfiguration: Sendable {
    /// Nil for the user's own port on all addresses.
    package var listen: ListenPlace?
    /// The names of the interfaces that are used; nil for all.
    package var interfaces: [String]?
    package var discovery = true
    package var discoveryPort: UInt16?
    /// Peers by address or name.
    package var peers: [PeerAddress] = []
    package var realmKey: RealmKey?

    package init(
        listen: ListenPlace? = nil, interfaces: [String]? = nil, discovery: Bool = true,
        discoveryPort: UInt16? = nil, peers: [PeerAddress] = [], realmKey: RealmKey? = nil
    ) {
        self.listen = listen
        self.interfaces = interfaces
        self.discovery = discovery
        self.discoveryPort = discoveryPort
        self.peers = peers
        self.realmKey = realmKey
    }
}
