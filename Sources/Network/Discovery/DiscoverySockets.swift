import Basics
import Reactor
import Runtime

/// The UDP sockets of announcements, for IPv4, and for IPv6 where the host has it. One is bound to the port that every
/// daemon of the network shares. The other is this daemon's own, from which everything is sent, so that several daemons
/// on one host have addresses of their own.
@ReactorActor package final class DiscoverySockets {
    package typealias Receive = @ReactorActor (ArraySlice<UInt8>, Datagram.Source) -> Void

    /// The address of announcements by IPv4 multicast: a group of the local scope (RFC 2365), sent with a time to live of 1.
    package nonisolated static let groupFour = IPAddress.v4(0xEFFF_626F)
    /// All hosts of the link, whatever they think of its masks (RFC 919).
    package nonisolated static let everybody = IPAddress.v4(.max)
    /// The address of announcements by IPv6: a group of the link (ff12, transient: RFC 4291, section 2.7; the rest is
    /// our own choice within what RFC 3307 leaves to hosts).
    package static let group = IPAddress.v6(high: 0xFF12_0000_0000_0000, low: 0x0000_0000_EB69_626F, scope: 0)

    private let port: UInt16
    private let log: Logger
    private var shared: DatagramSocket?
    private var own: DatagramSocket?
    private var sharedSix: DatagramSocket?
    private var ownSix: DatagramSocket?
    private var joined: Set<UInt32> = []
    private var joinedFour: Set<UInt32> = []
    /// Interfaces that refused what was last sent there: an unplugged cable is no news every half minute.
    private var failing: Set<String> = []

    /// Opens the sockets.
    /// - Throws: ``StartError`` if IPv4 fails; without IPv6 there are two sockets.
    package init(port: UInt16, log: Logger, receive: @escaping Receive) throws(StartError) {
        self.port = port
        self.log = log
        do {
            shared = try DatagramSocket(
                bind: SocketAddress(.any, port: port), reuseAddress: true, broadcast: true, receive: receive)
            own = try DatagramSocket(bind: SocketAddress(.any, port: 0), broadcast: true, receive: receive)
        } catch {
            shared?.close()
            throw StartError(error, "announcements can't be sent or heard on UDP port \(port)")
        }
        do {
            let any = IPAddress.v6(high: 0, low: 0, scope: 0)
            sharedSix = try DatagramSocket(
                bind: SocketAddress(any, port: port), reuseAddress: true, isDual: false, receive: receive)
            ownSix = try DatagramSocket(bind: SocketAddress(any, port: 0), isDual: false, receive: receive)
        } catch {
            log.info("announcements go by IPv4 only", [("error", "\(error)")])
            sharedSix?.close()
            sharedSix = nil
        }
    }

    package func close() {
        for socket in [shared, own, sharedSix, ownSix] { socket?.close() }
    }

    /// Listens to the groups on these interfaces and on no other.
    package func listen(on interfaces: [NetworkInterface]) {
        let four = interfaces.filter(\.hasGroupFour)
        let six = interfaces.filter(\.hasLinkLocalGroup)
        if let shared { join(Self.groupFour, of: shared, on: four, &joinedFour) }
        if let sharedSix { join(Self.group, of: sharedSix, on: six, &joined) }
    }

    private func join(
        _ group: IPAddress, of socket: DatagramSocket, on interfaces: [NetworkInterface], _ joined: inout Set<UInt32>
    ) {
        let wanted = Set(interfaces.map(\.index))
        for index in joined.subtracting(wanted) {
            // An interface that has gone took the membership with it.
            try? socket.leave(group, interfaceIndex: index)
            joined.remove(index)
        }
        for index in wanted.subtracting(joined) {
            do {
                try socket.join(group, interfaceIndex: index)
                joined.insert(index)
            } catch {
                log.warning(
                    "announcements to a group can't be heard",
                    [("group", "\(group)"), ("interface", "\(index)"), ("error", "\(error)")])
            }
        }
    }

    /// Sends an announcement to all hosts on these interfaces. By IPv4 it goes to the subnet, to the link and to a group, from
    /// each address: a host with another mask knows another broadcast address than ours, an address may have none, and
    /// some networks carry one kind only. By IPv6 it goes to the group.
    /// - Parameter isVeiled: whether it is sent from the port that all share, by which no daemon is known. Our own port
    ///   is for peers that may probe us.
    package func announce(_ bytes: [UInt8], on interfaces: [NetworkInterface], isVeiled: Bool) {
        let (four, six) = isVeiled ? (shared, sharedSix) : (own, ownSix)
        for interface in interfaces {
            if interface.address.isFour {
                for (host, way) in interface.everybodyFour {
                    attempt(interface, "IPv4 " + way) { () throws(SocketError) in
                        try four?.send(
                            bytes, to: SocketAddress(host, port: port), interfaceIndex: interface.index,
                            from: interface.address)
                    }
                }
            } else if interface.hasLinkLocalGroup {
                attempt(interface, "IPv6") { () throws(SocketError) in
                    try six?.send(bytes, to: SocketAddress(Self.group, port: port), interfaceIndex: interface.index)
                }
            }
        }
    }

    /// Sends to one address; a datagram that can't be sent is lost.
    package func send(_ bytes: [UInt8], to address: SocketAddress) {
        switch address.host {
        case .v4: try? own?.send(bytes, to: address)
        case .v6: try? ownSix?.send(bytes, to: address)
        }
    }

    private func attempt(_ interface: NetworkInterface, _ family: String, _ send: () throws(SocketError) -> Void) {
        let place = interface.name + " " + family
        do {
            try send()
            failing.remove(place)
        } catch {
            guard failing.insert(place).inserted else { return }
            log.warning("an announcement could not be sent", [("interface", place), ("error", "\(error)")])
        }
    }
}

extension NetworkInterface {
    /// Whether announcements go to the IPv4 group here. Loopback has no part in it: its broadcasts reach all that is there.
    var hasGroupFour: Bool { address.isFour && hasMulticast && !isLoopback }

    /// Where an announcement from this IPv4 address is sent, and a word for each way.
    fileprivate var everybodyFour: [(IPAddress, String)] {
        var all: [(IPAddress, String)] = []
        if let broadcast { all.append((broadcast, "broadcast")) }
        if hasBroadcast, !isLoopback { all.append((DiscoverySockets.everybody, "limited broadcast")) }
        if hasGroupFour { all.append((DiscoverySockets.groupFour, "multicast")) }
        return all
    }

    /// Whether this is the address with which the host takes part in the link's IPv6 groups: the interface's one
    /// address of fe80::/10.
    package var hasLinkLocalGroup: Bool {
        guard case .v6(let high, _, _) = address else { return false }
        return high >> 54 == 0xFE80 >> 6 && !isLoopback
    }
}
