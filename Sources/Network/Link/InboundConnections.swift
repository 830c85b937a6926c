import Basics
import Glibc
import PeerProtocol
import Reactor

/// The network, as the connections know it that peers open.
@ReactorActor package protocol InboundOwner: AnyObject {
    /// Begins the handshake on a connection that was accepted.
    func accept(_ file: CInt, from source: SocketAddress?, for owner: any PeerConnectionOwner) -> PeerConnection
    /// A peer has shown who it is.
    func inbound(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose)
    /// The connection has ended before.
    func inbound(_ connection: PeerConnection, failed failure: ConnectionFailure)
}

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

    package func start(for owner: any InboundOwner) {
        listener.onAccept = { [weak self, weak owner] file, source, place in
            guard let self, let owner else {
                close(file)
                return
            }
            accept(file, source, place, for: owner)
        }
    }

    private func accept(
        _ file: CInt, _ source: SocketAddress?, _ place: HalfOpenTable.Place, for owner: any InboundOwner
    ) {
        let inbound = PendingInbound(place: place, reception: self, owner: owner)
        let connection = owner.accept(file, from: source, for: inbound)
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
    private weak var owner: (any InboundOwner)?

    package init(place: HalfOpenTable.Place, reception: InboundConnections, owner: any InboundOwner) {
        self.place = place
        self.reception = reception
        self.owner = owner
    }

    package func connection(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        leave()
        guard let owner else { return connection.end(.closed) }
        owner.inbound(connection, established: peer, purpose: purpose)
    }

    package func connection(_ connection: PeerConnection, endedBeforeEstablished failure: ConnectionFailure) {
        owner?.inbound(connection, failed: failure)
        leave()
    }

    private func leave() {
        guard let place else { return }
        self.place = nil
        connection = nil
        reception.left(self, place)
    }
}
