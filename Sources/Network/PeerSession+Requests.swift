import PeerProtocol

/// Small things that other services want of a session.
extension PeerSession {
    /// Closes this session in favour of another one with the same device. The network forgets this one first.
    package func replaced() { feed(.close(.replaced)) }

    /// Asks the peer which devices it knows on its network.
    func askPeerExchange(_ request: PeerExchangeRequestBody) { tell(.peerExchangeRequest(request)) }
    func sendPeerExchange(_ page: PeerExchangeBody) { tell(.peerExchange(page)) }
}
