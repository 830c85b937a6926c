import Basics

/// Where the daemon listens for peers, if the configuration says so.
package enum ListenPlace: Hashable, Sendable {
    /// At this address and port, and nowhere else.
    case exactly(SocketAddress)
    /// At this address, on a port of the user's own: this one, or one of those below it.
    case from(SocketAddress)

    /// Reads `192.0.2.7:15426`, or `192.0.2.7` alone for a port of the user's own. Nil for anything else.
    package init?(_ text: String) {
        if let host = IPAddress(text) {
            self = .from(SocketAddress(host, port: NetworkLimits.standardPort))
        } else if let address = SocketAddress(text) {
            self = .exactly(address)
        } else {
            return nil
        }
    }

    package var address: SocketAddress {
        switch self {
        case .exactly(let address), .from(let address): address
        }
    }

    /// What the same words mean to each of many users: only one of them can have the port.
    package var forAllUsers: ListenPlace { address.port == 0 ? self : .from(address) }

    /// The ports to try, the one of this user first.
    /// - Parameter kept: the port that the user had last; it counts only within the range.
    package static func ports(of place: ListenPlace?, kept: UInt16?) -> [UInt16] {
        let first = place?.address.port ?? NetworkLimits.standardPort
        let range = stride(from: Int(first), to: max(Int(first) - NetworkLimits.hostPorts, 0), by: -1)
            .compactMap(UInt16.init(exactly:))
        guard let kept, range.contains(kept) else { return range }
        return [kept] + range.filter { $0 != kept }
    }
}
