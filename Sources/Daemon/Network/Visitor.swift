import PeerProtocol
import Reactor

/// A connection that somebody else opened, until it is known who that is.
@ReactorActor final class Visitor: PeerConnectionOwner {
    var connection: PeerConnection?
    private var place: HalfOpenTable.Place?
    private let listener: PeerListener
    private unowned let network: PeerNetwork

    init(place: HalfOpenTable.Place, listener: PeerListener, network: PeerNetwork) {
        self.place = place
        self.listener = listener
        self.network = network
    }

    func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        leave()
        network.established(connection, peer: peer, purpose: purpose)
    }

    func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        leave()
    }

    private func leave() {
        guard let place else { return }
        self.place = nil
        listener.release(place)
        network.forget(self)
        connection = nil
    }
}
