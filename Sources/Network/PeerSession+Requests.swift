import PeerProtocol

/// Small things that other services want of a session.
extension PeerSession {
    /// Another session with the same device takes this one's place; the network forgets this one first.
    package func replaced() { feed(.close(.replaced)) }

    /// Asks the peer which devices it knows on its network.
    func askPeerExchange(_ request: PeerExchangeRequestBody) { tell(.peerExchangeRequest(request)) }
    func sendPeerExchange(_ page: PeerExchangeBody) { tell(.peerExchange(page)) }
}
