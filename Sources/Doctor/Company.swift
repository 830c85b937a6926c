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
            return .good("company", .friendLost, ["name": .string(names[0])])
        }
        return .bad(
            "company", .friendsLost, ["names": .strings(names)], .examineNetwork,
            ["host": .optional(lost.compactMap(\.lastAddress).first.map { "\($0.host)" })])
    }

    /// Whether there are others with another realm key, or with one where we have none.
    func otherRealm(_ discovery: DiscoveryService) -> DoctorFinding? {
        guard discovery.metrics.otherRealm > 0 else { return nil }
        return configuration.realmKey == nil ? .realmWithoutKey : .otherRealm
    }

    /// - Parameters:
    ///   - isReached: whether connections come in.
    ///   - isHeard: whether our own announcements come back.
    func firewall(_ network: PeerNetwork, isReached: Bool, isHeard: Bool) async -> DoctorCheck {
        let tcp = network.doorway.addresses.first?.port ?? NetworkLimits.standardPort
        let udp = network.discovery?.port
        let found = try? await environment.workers.commands.run { Firewall.look(udp: udp, tcp: tcp, goesOut: isHeard) }
        guard let found else { return .good("firewall", .firewallUnknown) }
        var check = DoctorCheck(
            name: "firewall", ok: found.advice.isEmpty, findings: found.findings, advice: found.advice)
        if !check.ok, isReached, isHeard {
            check.findings.append(.init(.reachedAllTheSame))
            (check.ok, check.advice) = (true, [])
        }
        return check
    }
}
