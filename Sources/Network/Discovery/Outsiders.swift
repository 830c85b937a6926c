import Basics
import PeerProtocol
import Reactor

/// Peers that we hear on our cables although they are in none of our subnets, to tell the user. A value without I/O.
package struct Outsiders {
    private let own: DeviceID
    /// Datagrams from other networks than those that are used.
    package private(set) var datagrams: UInt64 = 0
    /// The newest last.
    private var found: [(address: IPAddress, device: DeviceID?)] = []

    init(own: DeviceID) { self.own = own }

    /// Takes a datagram from a subnet that we aren't in. If it went to all hosts of the link, its sender is on our
    /// cable: no router hands those on.
    mutating func heard(_ bytes: ArraySlice<UInt8>, _ source: Datagram.Source, on interfaces: [NetworkInterface]) {
        datagrams += 1
        guard source.destination == DiscoverySockets.everybody || source.destination == DiscoverySockets.groupFour,
            interfaces.contains(where: { $0.index == source.interfaceIndex }), DiscoveryDatagram.isOurs(bytes)
        else { return }
        let host = source.address.host
        found.removeAll { $0.address == host }
        found.append((host, DiscoveryDatagram.openDevice(bytes)))
        if found.count > NetworkLimits.outsiders { found.removeFirst() }
    }

    /// The addresses of peers that can't be met: without our own, and without those of devices that are met elsewhere.
    package func outOfReach(isMet: (DeviceID) -> Bool) -> [IPAddress] {
        found.filter { outsider in
            guard let device = outsider.device else { return true }
            return device != own && !isMet(device)
        }.map(\.address)
    }
}
