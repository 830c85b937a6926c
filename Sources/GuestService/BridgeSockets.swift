import Basics
import LocalSend
import Reactor
import Runtime

/// The sockets of the bridge, which the daemon makes: on the interfaces that it uses, and on no others.
struct BridgeSockets {
    let port: UInt16
    let listeners: [Descriptor]
    /// For datagrams, with the interfaces on which it hears; nil where none can.
    let datagrams: (socket: Descriptor, joined: [UInt32])?
    /// The interfaces on which it can't hear multicast, though it has a socket for it.
    let unjoined: Set<UInt32>
    let links: [BridgeOrder.Link]

    /// Takes the usual port, or the next one that is free on all addresses. LocalSend knows IPv4 only.
    init(_ interfaces: [NetworkInterface]) throws {
        links = Self.links(interfaces)
        guard !links.isEmpty else {
            throw StartError.failed("there is no network that LocalSend could use: it needs an IPv4 address")
        }
        var port = DeviceInfo.usualPort
        while true {
            do throws(SocketError) {
                listeners = try Self.listen(links, port)
                break
            } catch {
                guard case .addressInUse = error, port < DeviceInfo.usualPort + GuestLimits.ports - 1 else {
                    throw error
                }
                port += 1
            }
        }
        self.port = port
        let group = SocketAddress(.v4(0xE000_00A7), port: DeviceInfo.usualPort)
        // In their order: which of too many are refused is not left to chance.
        var used: [UInt32] = []
        for link in links where !used.contains(link.index) { used.append(link.index) }
        let datagrams = try? BoundSocket.multicast(group, on: used)
        unjoined = datagrams.map { Set(used).subtracting($0.joined) } ?? []
        self.datagrams = datagrams.flatMap { $0.joined.isEmpty ? nil : $0 }
    }

    /// The addresses that are used.
    static func links(_ interfaces: [NetworkInterface]) -> [BridgeOrder.Link] {
        interfaces.compactMap { interface in
            guard case .v4 = interface.address else { return nil }
            return BridgeOrder.Link(index: interface.index, address: interface.address, prefix: interface.prefixLength)
        }
    }

    private static func listen(_ links: [BridgeOrder.Link], _ port: UInt16) throws(SocketError) -> [Descriptor] {
        var listeners: [Descriptor] = []
        // Two interfaces may have the same one.
        for address in Set(links.map(\.address)) {
            listeners.append(try BoundSocket.listener(at: SocketAddress(address, port: port)))
        }
        return listeners
    }
}
