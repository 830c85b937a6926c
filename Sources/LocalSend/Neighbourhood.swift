import Basics

/// The hosts with which LocalSend is spoken: those on a network of ours, and those with a private address, which no router of the
/// internet leads to.
public struct Neighbourhood: Hashable, Sendable {
    private let links: [BridgeOrder.Link]

    public init(_ links: [BridgeOrder.Link]) { self.links = links }

    public func contains(_ address: IPAddress) -> Bool {
        if address.isLoopback { return links.contains { $0.address.isLoopback } }
        return Self.isPrivate(address) || links.contains { $0.contains(address) }
    }

    /// The addresses that a scan asks: of each of our networks the 256 around our own address at most, without those that no host
    /// has, and without our own.
    public var scanned: [IPAddress] {
        let own = Set(links.map(\.address))
        var seen: Set<IPAddress> = []
        return links.flatMap(\.around).filter { !own.contains($0) && seen.insert($0).inserted }
            .prefix(LocalSendLimits.scanned).map { $0 }
    }

    /// RFC 1918 and RFC 3927.
    private static func isPrivate(_ address: IPAddress) -> Bool {
        guard case .v4(let value) = address else { return address.isLinkLocal }
        return value >> 24 == 10 || value >> 20 == 0xAC1 || value >> 16 == 0xC0A8 || value >> 16 == 0xA9FE
    }
}

extension BridgeOrder.Link {
    fileprivate var around: [IPAddress] {
        guard case .v4(let own) = address, 0...31 ~= prefix else { return [] }
        let bits = UInt32(32 - max(prefix, 24))
        let first = (own >> bits) << bits
        // A network of two hosts has neither an address of its own nor one for all.
        let hosts = bits == 1 ? 0...1 : 1...((UInt32(1) << bits) - 2)
        return hosts.map { .v4(first + $0) }
    }

    fileprivate func contains(_ other: IPAddress) -> Bool {
        guard case .v4(let ours) = address, case .v4(let theirs) = other, 1...32 ~= prefix else { return false }
        return (ours ^ theirs) >> UInt32(32 - prefix) == 0
    }
}
