import ControlProtocol
import Network

extension Doctor {
    /// Whether our data directory, or a friend's, is in use twice. Nil where nothing says so.
    func copies(_ network: PeerNetwork) -> DoctorCheck? {
        if let place = network.copies.ownCopy {
            return .bad(
                "copies", "this device's data is in use by another Kibo, too (\(place))",
                "The data directory was copied. Stop Kibo on one of the two hosts, remove the copied data directory there, and set that host up anew: kibo setup. Until then messages reach one of the two only."
            )
        }
        let friends = network.copies.friends
        guard !friends.isEmpty else { return nil }
        let texts = friends.map { friend in
            let name = contacts.entry(friend.account)?.displayName ?? "\(friend.account)"
            return "\(name) at \(friend.places.map(\.description).joined(separator: " and "))"
        }
        return .bad(
            "copies", "these contacts' data are in use at two places at once: \(Self.listed(texts))",
            "Their data directory was copied. Tell them to stop Kibo on one of the two hosts; what you send reaches the one that is connected."
        )
    }
}
