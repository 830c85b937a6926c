import ControlProtocol
import Network

extension Doctor {
    /// Whether our data directory, or a friend's, is in use twice. Nil where nothing says so.
    func copies(_ network: PeerNetwork) -> DoctorCheck? {
        if let place = network.copies.ownCopy {
            return .bad("copies", .ownCopy, ["place": .string("\(place)")], .setUpAnew)
        }
        let friends = network.copies.friends
        guard !friends.isEmpty else { return nil }
        let texts = friends.map { friend in
            let name = contacts.entry(friend.account)?.displayName ?? "\(friend.account)"
            return "\(name) at \(friend.places.map(\.description).joined(separator: " and "))"
        }
        return .bad(
            "copies", .copiesOfContacts, ["names": .strings(texts)], .tellOfCopy)
    }
}
