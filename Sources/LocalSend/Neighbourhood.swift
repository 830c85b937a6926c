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

    /// RFC 1918 and RFC 3927.
    private static func isPrivate(_ address: IPAddress) -> Bool {
        guard case .v4(let value) = address else { return address.isLinkLocal }
        return value >> 24 == 10 || value >> 20 == 0xAC1 || value >> 16 == 0xC0A8 || value >> 16 == 0xA9FE
    }
}

extension BridgeOrder.Link {
    fileprivate func contains(_ other: IPAddress) -> Bool {
        guard case .v4(let ours) = address, case .v4(let theirs) = other, 1...32 ~= prefix else { return false }
        return (ours ^ theirs) >> UInt32(32 - prefix) == 0
    }
}
