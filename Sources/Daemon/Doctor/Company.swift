import Basics
import ControlProtocol
import Network

extension Doctor {
    /// Whether friends were here a moment ago, and nobody is now: if there were several, the network is cut beyond this host, of
    /// which it sees nothing. Nil where there is nothing to say.
    func company(_ network: PeerNetwork) -> DoctorCheck? {
        guard !network.sessions.all.contains(where: \.isMet), network.directory.shown.isEmpty else { return nil }
        let lost = contacts.all.values.filter { contact in
            contact.relation == .friend && contact.device.map { network.dialler.isLost($0) } == true
        }
        guard !lost.isEmpty else { return nil }
        let names = lost.map(\.displayName).sorted()
        guard names.count > 1 else {
            return .good(
                "company",
                "\(names[0]) went without a goodbye, and nobody else is heard; if they should be here, look at switch and router"
            )
        }
        return .bad(
            "company", "gone without a goodbye: \(Self.listed(names)); and nobody else is heard",
            "Perhaps the network is cut beyond this host: look at the switch, the router and its client isolation, and try: ping"
                + (lost.compactMap(\.lastAddress).first.map { " \($0.host)" } ?? " a friend's host"))
    }

    /// The first of some names, and how many more there are.
    static func listed(_ names: [String]) -> String {
        let shown = names.prefix(DaemonLimits.friendsNamed).joined(separator: ", ")
        return shown
            + (names.count > DaemonLimits.friendsNamed ? " and \(names.count - DaemonLimits.friendsNamed) more" : "")
    }

    /// Whether there are others with another realm key, or with one where we have none.
    func otherRealm(_ discovery: DiscoveryService) -> String {
        guard discovery.metrics.otherRealm > 0 else { return "" }
        return configuration.realmKey == nil
            ? "; announcements of a realm came since the start, whose members can't be met without its key"
            : "; announcements of another realm, or of none, came since the start"
    }

    /// - Parameters:
    ///   - isReached: whether connections come in.
    ///   - isHeard: whether our own announcements come back.
    func firewall(_ network: PeerNetwork, isReached: Bool, isHeard: Bool) async -> DoctorCheck {
        let tcp = network.doorway.addresses.first?.port ?? NetworkLimits.standardPort
        let udp = network.discovery?.port
        let found = try? await environment.workers.commands.run { Firewall.look(udp: udp, tcp: tcp, goesOut: isHeard) }
        guard let found, let hint = found.hint else {
            return .good("firewall", found?.detail ?? "it can't be looked at")
        }
        if isReached, isHeard { return .good("firewall", found.detail + "; friends reach us all the same") }
        return .bad("firewall", found.detail, hint)
    }
}
