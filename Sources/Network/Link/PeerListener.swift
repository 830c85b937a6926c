import Basics
import Glibc
import Messaging
import Reactor
import Runtime

/// The TCP port where peers connect, and the limits on connections whose peers have not proved their identity.
@ReactorActor package final class PeerListener {
    /// One listener for IPv4, and one for IPv6 on the same port where the host has it.
    private var listeners: [StreamListener] = []
    private let contacts: ContactIndex
    private let log: Logger
    package private(set) var table = HalfOpenTable()
    /// The interface on whose network an address lies; nil for one behind a router.
    package var link: @ReactorActor (IPAddress) -> UInt32? = { _ in nil }
    /// Takes an accepted connection with its place among the half-open ones.
    var onAccept: @ReactorActor (CInt, SocketAddress?, HalfOpenTable.Place) -> Void = { file, _, _ in close(file) }

    /// Binds the one address and port that the user has named; otherwise the user's own port, a free one of the host's
    /// range, or any.
    /// - Parameter kept: the port that this user has on this host.
    package init(
        configured: ListenPlace?, isLoopbackOnly: Bool, kept: KeptPort, contacts: ContactIndex, log: Logger
    ) throws(StartError) {
        self.contacts = contacts
        self.log = log.labelled("listener")
        if case .exactly(let address) = configured {
            do {
                listeners = [try bind(address, isDual: true)]
            } catch {
                throw StartError(error, "can't listen on \(address)")
            }
            return
        }
        try listen(from: configured, isLoopbackOnly: isLoopbackOnly, kept: kept)
        kept.keep(port, of: configured)
    }

    private func listen(from place: ListenPlace?, isLoopbackOnly: Bool, kept: KeptPort) throws(StartError) {
        let host = place?.address.host ?? (isLoopbackOnly ? .loopback : .any)
        var failure = SocketError.addressInUse
        for port in ListenPlace.ports(of: place, kept: kept.port) + [0] {
            let four: StreamListener
            do { four = try bind(SocketAddress(host, port: port), isDual: true) } catch {
                failure = error
                continue
            }
            listeners = [four]
            if place != nil || host != .any { return }
            do {
                let six = IPAddress.v6(high: 0, low: 0, scope: 0)
                listeners.append(try bind(SocketAddress(six, port: four.address?.port ?? port)))
                return
            } catch SocketError.addressInUse where port != 0 {
                // Another program has the port for IPv6; announcements name one port for both.
                four.close()
                listeners = []
            } catch {
                self.log.info("connections come by IPv4 only", [("error", "\(error)")])
                return
            }
        }
        throw .failed("no TCP port can be opened on \(host): \(failure)")
    }

    private func bind(_ address: SocketAddress, isDual: Bool = false) throws(SocketError) -> StreamListener {
        try StreamListener(address: address, isDual: isDual, backlog: 128) { [weak self] file, source in
            guard let self else {
                close(file)
                return
            }
            accept(file, source)
        }
    }

    package var addresses: [SocketAddress] { listeners.compactMap(\.address) }
    package var port: UInt16 { addresses.first?.port ?? 0 }

    package func release(_ place: HalfOpenTable.Place) { table.release(place) }

    package func stop() {
        for listener in listeners { listener.close() }
        listeners = []
    }

    private func accept(_ file: CInt, _ source: SocketAddress?) {
        guard let source else {
            close(file)
            return
        }
        let host = source.host
        switch table.admit(host, isFriend: contacts.isFriendAddress(host), link: link(host)) {
        case .success(let place): onAccept(file, source, place)
        case .failure(let refusal):
            log.debug("a connection was refused", [("from", "\(source)"), ("because", refusal.refusal.text)])
            close(file)
        }
    }
}
