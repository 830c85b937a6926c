import ControlProtocol
import Network
import PeerProtocol

extension Doctor {
    /// Where not everybody learns that we are here: which friends can't tell either. Nil where everybody does.
    func recognition(_ network: PeerNetwork) -> DoctorCheck? {
        let mode = environment.settings[SettingsCatalogue.discoveryMode]
        guard mode != .open, let without = network.keys.friendsWithoutOurs else { return nil }
        let friends = contacts.all.values.count { $0.relation == .friend }
        let about: JSONObject = ["mode": .string(mode.rawValue)]
        guard !without.isEmpty else { return .good("keys", friends == 0 ? .keysForNobody : .keysGiven, about) }
        let names = without.map { contacts.entry($0)?.displayName ?? "\($0)" }.sorted()
        return .bad(
            "keys", .keysMissing, ["mode": .string(mode.rawValue), "names": .strings(names)], .beOpen)
    }
}
