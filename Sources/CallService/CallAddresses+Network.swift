import Basics
import Crypto
import Network
import PeerProtocol
import Reactor

extension NetworkNode {
    /// Returns the addresses that a call with this device may use. Without a session, those of this host are named all the
    /// same: what a window says right after its host's address has changed goes out with the next session.
    func callAddresses(of device: DeviceID) -> CallAddresses {
        guard let open = current else { return CallAddresses() }
        let connection = sessions.with(device)?.connection
        let interfaces = open.doorway.watch.current
        let local = connection?.localAddress?.host
        // The watch leaves out 127.0.0.1, which has no broadcast address; it counts where the peer is on this host.
        let own = Set(interfaces.map(\.address)).union([local].compactMap(\.self))
        var addresses = Set((open.directory.entry(device)?.addresses ?? []).map(\.host))
        if let remote = connection?.remoteAddress?.host { addresses.insert(remote) }
        // A session by link-local addresses says on which link the peer is, and its other addresses are there, too.
        let link = local.flatMap { open.doorway.watch.link(of: $0) }
        let near = interfaces.filter { $0.index == link }
        return CallAddresses(own: own, local: local, known: addresses) { address in
            near.contains { $0.contains(address) }
        }
    }
}
