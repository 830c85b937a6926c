import ControlProtocol
import Messaging

extension ObjectComposer {
    /// A peer as clients see it.
    package func peer(_ entry: NearbyDevice) -> Peer {
        Peer(
            account: entry.account?.description ?? "", device: entry.device.description,
            displayName: entry.displayName ?? entry.account.map(Names.placeholder) ?? "",
            address: entry.address?.description ?? "",
            relation: entry.account.map { contacts.relation($0) } ?? .none,
            lastHeard: entry.lastHeard.milliseconds, entry: entry.account.flatMap(self.entry))
    }
}
