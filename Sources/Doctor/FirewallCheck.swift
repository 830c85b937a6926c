import ControlProtocol
import Reactor
import Runtime

/// Whether a firewall on this host lets a service's ports in, as far as this user may see that.
@ReactorActor package struct FirewallCheck {
    private let environment: Environment

    package init(environment: Environment) { self.environment = environment }

    /// - Parameter goesOut: whether our packets are known to get out.
    package func look(_ needs: FirewallNeeds, goesOut: Bool) async -> DoctorCheck {
        let found = try? await environment.workers.commands.run { Firewall.look(needs, goesOut: goesOut) }
        guard let found else { return .good("firewall", .firewallUnknown) }
        return DoctorCheck(
            name: "firewall", ok: found.advice.isEmpty, findings: found.findings, advice: found.advice)
    }
}
