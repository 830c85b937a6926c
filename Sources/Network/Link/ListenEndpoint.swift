import Basics
import Messaging
import Reactor
import Runtime

/// Where peers find this host: the interfaces in use, and the ports on which connections come in.
@ReactorActor package final class ListenEndpoint {
    package let choice: InterfaceChoice
    package let watch: NetworkWatch
    private let listener: PeerListener
    private let reception: InboundConnections

    package init(
        configuration: NetworkConfiguration, environment: Environment, contacts: ContactIndex
    ) throws(StartError) {
        let log = environment.log.labelled("network")
        choice = InterfaceChoice(names: configuration.interfaces)
        watch = NetworkWatch(choice: choice, clocks: environment.clocks, log: log)
        listener = try PeerListener(
            configured: configuration.listen, isLoopbackOnly: choice.isLoopbackOnly,
            kept: KeptPort(environment: environment), contacts: contacts, log: environment.log)
        reception = InboundConnections(listener: listener, interfaces: choice, log: log)
        listener.link = { [watch] in watch.link(of: $0) }
    }

    /// Lets peers in.
    package func open(for owner: any InboundOwner) { reception.start(for: owner) }

    package func close() {
        watch.stop()
        listener.stop()
        reception.stop()
    }

    package var addresses: [SocketAddress] { listener.addresses }
    package var port: UInt16 { listener.port }
    /// The connections whose peers have not proved their identity.
    package var halfOpen: HalfOpenTable { listener.table }
    /// The interfaces that are used, each once. One whose cable is pulled keeps its addresses and is left out: nobody is
    /// reached by it.
    package var interfaceNames: [String] { Set(watch.current.filter(\.hasCarrier).map(\.name)).sorted() }

    /// The addresses at which peers can dial us, with the host's own addresses where we listen on all of them.
    package var reachableAddresses: [SocketAddress] {
        guard let listen = addresses.first else { return [] }
        guard listen.host == .any else { return [listen] }
        // IPv4 first; a link-local address means nothing without its interface.
        let usable = watch.current.filter { !$0.hasLinkLocalGroup }.map(\.address)
        let hosts = usable.filter(\.isFour) + usable.filter { !$0.isFour }
        return hosts.prefix(NetworkLimits.linkAddresses).map { SocketAddress($0, port: listen.port) }
    }
}
