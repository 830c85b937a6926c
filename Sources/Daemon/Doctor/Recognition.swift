import ControlProtocol
import Network
import PeerProtocol

extension Doctor {
    /// Where not everybody learns that we are here: which friends can't tell either. Nil where everybody does.
    func recognition(_ network: PeerNetwork) -> DoctorCheck? {
        let mode = environment.settings[SettingsCatalogue.discoveryMode]
        guard mode != .open, let without = network.keys.friendsWithoutOurs else { return nil }
        let friends = contacts.all.values.count { $0.relation == .friend }
        // Where nothing is announced, keys only open the door, to who still knows where it is.
        let use = mode == .silent ? "by which we let them in" : "by which they find us"
        guard !without.isEmpty else {
            return .good(
                "keys", friends == 0 ? "there are no friends yet who could have any" : "all friends have those \(use)")
        }
        let names = without.map { contacts.entry($0)?.displayName ?? "\($0)" }.sorted()
        return .bad(
            "keys",
            "discovery.mode is \(mode.rawValue), and these friends have not said that they have the keys \(use): \(Self.listed(names))",
            "Keys are given when you meet. Be open until you have met: kibo settings discovery.mode open")
    }
}
