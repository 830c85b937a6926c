import Basics
import Glibc
import PeerProtocol
import Reactor

/// Takes in the connections that peers open, until it is known which peers they are.
@ReactorActor package final class InboundConnections {
    private let listener: PeerListener
    private let interfaces: InterfaceChoice
    private let log: Logger
    private var pending: [ObjectIdentifier: PendingInbound] = [:]

    package init(listener: PeerListener, interfaces: InterfaceChoice, log: Logger) {
        self.listener = listener
        self.interfaces = interfaces
        self.log = log
    }

    package func start(network: PeerNetwork) {
        listener.onAccept = { [weak self, weak network] file, source, place in
            guard let self, let network else {
                close(file)
                return
            }
            accept(file, source, place, for: network)
        }
    }

    private func accept(_ file: CInt, _ source: SocketAddress?, _ place: HalfOpenTable.Place, for network: PeerNetwork)
    {
        let inbound = PendingInbound(place: place, reception: self, network: network)
        let connection = network.connector.take(file, from: source, owner: inbound)
        inbound.connection = connection
        pending[ObjectIdentifier(inbound)] = inbound
        if let local = connection.localAddress, !interfaces.covers(local.host) {
            log.debug("a connection through an interface that is not used was refused", [("local", "\(local)")])
            connection.end(.closed)
        }
    }

    /// Lets no peer in any more, and closes the connections of those that are not in yet.
    package func stop() {
        for inbound in pending.values { inbound.connection?.end(.closed) }
    }

    fileprivate func left(_ inbound: PendingInbound, _ place: HalfOpenTable.Place) {
        listener.release(place)
        pending[ObjectIdentifier(inbound)] = nil
    }
}

/// A connection that a peer opened, until it is known which peer it is.
@ReactorActor package final class PendingInbound: PeerConnectionOwner {
    package var connection: PeerConnection?
    private var place: HalfOpenTable.Place?
    private let reception: InboundConnections
    private weak var network: PeerNetwork?

    package init(place: HalfOpenTable.Place, reception: InboundConnections, network: PeerNetwork) {
        self.place = place
        self.reception = reception
        self.network = network
    }

    package func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        leave()
        guard let network else { return connection.end(.closed) }
        network.environment.metrics.count(.handshakes, "done")
        network.established(connection, peer: peer, purpose: purpose)
    }

    package func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        network?.environment.metrics.count(.handshakes, failure.word)
        network?.clockNotice.failed(failure)
        if failure == .channel(.copy) { network?.copies.found(at: connection.remoteAddress) }
        leave()
    }

    private func leave() {
        guard let place else { return }
        self.place = nil
        connection = nil
        reception.left(self, place)
    }
}
