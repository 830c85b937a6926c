import Basics
import Reactor

/// Which of the host's network interfaces are used: those named by the user, or all that are up and reach a network.
package struct InterfaceChoice: Sendable {
    /// Nil if the interfaces are chosen by their kind.
    package let names: Set<String>?

    package init(names: [String]?) { self.names = names.map(Set.init) }

    /// The addresses that are used now: IPv4 ones of interfaces that can broadcast, and all IPv6 ones. Without names,
    /// loopback serves only a host that has no other network.
    package func current() -> [NetworkInterface] { choose(of: Self.all()) }

    package func choose(of all: [NetworkInterface]) -> [NetworkInterface] {
        let usable = all.filter {
            if case .v4 = $0.address, !$0.isLoopback, !$0.hasBroadcast { return false }
            return $0.isUp && !$0.isPointToPoint
        }
        if let names { return usable.filter { names.contains($0.name) } }
        let real = usable.filter { !$0.isLoopback }
        return real.isEmpty ? usable : real
    }

    /// All addresses. Empty if the kernel doesn't tell: then nothing is sent, and the next look may succeed.
    private static func all() -> [NetworkInterface] { (try? NetworkInterfaces.list()) ?? [] }

    /// Whether the user keeps everything on this host.
    package var isLoopbackOnly: Bool {
        guard let names, !names.isEmpty else { return false }
        let loopback = Set(Self.all().filter(\.isLoopback).map(\.name))
        return names.isSubset(of: loopback)
    }

    /// How an address may be dialled.
    package enum Way: Equatable, Sendable {
        /// The kernel chooses the interface.
        case free
        /// The address is dialled through this interface, whatever else leads there.
        case through(String)
        /// The address is not dialled, for this reason.
        case barred(String)
    }

    package func way(to address: SocketAddress) -> Way {
        guard names != nil else { return .free }
        return way(to: address.host, of: Self.all(), source: Route.source(to: address))
    }

    /// - Parameter source: the address that a connection would come from if no interface were named; nil if no route
    ///   leads there.
    package func way(to host: IPAddress, of all: [NetworkInterface], source: IPAddress?) -> Way {
        guard let names else { return .free }
        let barred = Way.barred(
            "the way there leads through an interface that is not used; this Kibo is told to use \(names.sorted().joined(separator: ", ")) only"
        )
        // An address of this host counts as it would for a connection that comes in.
        if host.isLoopback || all.contains(where: { $0.isAt(host) }) { return covers(host, of: all) ? .free : barred }
        // Another interface may lead to the same network, and the kernel may choose that one.
        let near = all.first { names.contains($0.name) && $0.isUp && !$0.isLoopback && $0.contains(host) }
        if let near { return .through(near.name) }
        if host.isLinkLocal { return barred }
        guard let source, !covers(source, of: all) else { return .free }
        return barred
    }

    /// Whether a connection that came in at this local address came through a chosen interface.
    package func covers(_ local: IPAddress) -> Bool { names == nil || covers(local, of: Self.all()) }

    private func covers(_ local: IPAddress, of all: [NetworkInterface]) -> Bool {
        guard let names else { return true }
        return all.contains { names.contains($0.name) && ($0.isAt(local) || ($0.isLoopback && local.isLoopback)) }
    }
}

extension NetworkInterface {
    /// Whether this is the interface's address. Link-local ones may be the same on several interfaces.
    fileprivate func isAt(_ host: IPAddress) -> Bool {
        guard address.withoutScope == host.withoutScope else { return false }
        if case .v6(_, _, let scope) = host, host.isLinkLocal, scope != 0 { return scope == index }
        return true
    }
}

extension IPAddress {
    var isFour: Bool { if case .v4 = self { true } else { false } }
}
