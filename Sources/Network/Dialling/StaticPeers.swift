import Basics
import Glibc
import Reactor
import Runtime

/// Peers from the configuration. Turns their names into addresses, and looks them up again from time to time, because
/// names move.
@ReactorActor final class StaticPeers {
    private let environment: Environment
    private var peers: [PeerAddress] = []
    private var addresses: [PeerAddress: Set<SocketAddress>] = [:]
    private var timer: TimerToken?
    var onChange: @ReactorActor (Set<SocketAddress>) -> Void = { _ in }

    /// How often names are looked up again: about as long as resolvers keep an answer.
    private static let interval: Duration = .seconds(300)
    /// The pause after a look-up that failed.
    private static let retry: Duration = .seconds(15)

    init(environment: Environment) { self.environment = environment }

    func stop() { timer?.cancel() }

    func set(_ peers: [PeerAddress]) {
        self.peers = peers
        addresses = [:]
        for peer in peers {
            if let address = peer.socketAddress { addresses[peer] = [address] }
        }
        onChange(addresses.values.reduce(into: []) { $0.formUnion($1) })
        resolve()
    }

    private func resolve() {
        timer?.cancel()
        let names = peers.filter { $0.socketAddress == nil }
        guard !names.isEmpty else { return }
        let lookups = environment.workers.lookups
        Reactor.shared.task { [weak self] in
            // A look-up may take seconds; it has a thread of its own.
            let addresses = try? await lookups.run { names.map { ($0, Self.lookUp($0)) } }
            self?.resolved(addresses ?? [])
        }
    }

    private func resolved(_ found: [(PeerAddress, Set<SocketAddress>)]) {
        var isComplete = true
        for (peer, result) in found where peers.contains(peer) {
            // If a name can't be looked up just now, keep what was found last.
            if result.isEmpty { isComplete = false } else { addresses[peer] = result }
            if result.isEmpty {
                environment.log.warning("a peer's name can't be looked up", [("peer", peer.description)])
            }
        }
        onChange(addresses.values.reduce(into: []) { $0.formUnion($1) })
        // Two look-ups may have been under way.
        timer?.cancel()
        timer = Reactor.shared.schedule(at: environment.clocks.now + (isComplete ? Self.interval : Self.retry)) {
            [weak self] in
            self?.resolve()
        }
    }

    /// Looks up a name. Blocking. The result is empty if there is no answer.
    private nonisolated static func lookUp(_ peer: PeerAddress) -> Set<SocketAddress> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(peer.host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: Set<SocketAddress> = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            switch CInt(address.pointee.sa_family) {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    _ = addresses.insert(
                        SocketAddress(.v4(UInt32(bigEndian: $0.pointee.sin_addr.s_addr)), port: peer.port))
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    let host = IPAddress.from($0.pointee.sin6_addr, scope: $0.pointee.sin6_scope_id)
                    addresses.insert(SocketAddress(host, port: peer.port))
                }
            default: break
            }
        }
        return addresses
    }
}
