import Basics
import Reactor

/// Which of the host's network interfaces are used: those named by the user, or all that are up and reach a network.
struct InterfaceChoice: Sendable {
    /// Nil: chosen by what they are.
    let names: Set<String>?

    init(names: [String]?) { self.names = names.map(Set.init) }

    /// The addresses that are used now: IPv4 ones with a broadcast address, and those of IPv6. Without names, loopback
    /// serves only a host that has no other network.
    func current() -> [NetworkInterface] { choose(of: Self.all()) }

    func choose(of all: [NetworkInterface]) -> [NetworkInterface] {
        let usable = all.filter {
            if case .v4 = $0.address, $0.broadcast == nil { return false }
            return $0.isUp && !$0.isPointToPoint
        }
        if let names { return usable.filter { names.contains($0.name) } }
        let real = usable.filter { !$0.isLoopback }
        return real.isEmpty ? usable : real
    }

    /// None if the kernel doesn't say: then nothing is sent, and the next look may succeed.
    private static func all() -> [NetworkInterface] { (try? NetworkInterfaces.list()) ?? [] }

    /// Whether the user keeps everything on this host.
    var isLoopbackOnly: Bool {
        guard let names, !names.isEmpty else { return false }
        let loopback = Set(Self.all().filter(\.isLoopback).map(\.name))
        return names.isSubset(of: loopback)
    }

    /// Why an address may not be dialled; nil if it may: the way there leads through an interface that is used, or nowhere.
    func obstacle(to address: SocketAddress) -> String? {
        guard let names, let source = Route.source(to: address), !covers(source) else { return nil }
        return
            "the way there leads through an interface that is not used; this Kibo is told to use \(names.sorted().joined(separator: ", ")) only"
    }

    /// Whether a connection that came in at this local address came through a chosen interface.
    func covers(_ local: IPAddress) -> Bool {
        guard let names else { return true }
        return Self.all().contains {
            names.contains($0.name)
                && ($0.address.withoutScope == local.withoutScope || ($0.isLoopback && local.isLoopback))
        }
    }
}

extension IPAddress {
    var isFour: Bool { if case .v4 = self { true } else { false } }

    /// The address alone: one and the same host may be named with and without its interface.
    var withoutScope: IPAddress {
        if case .v6(let high, let low, _) = self { .v6(high: high, low: low, scope: 0) } else { self }
    }
}
