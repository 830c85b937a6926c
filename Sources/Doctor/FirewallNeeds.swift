/// What a firewall has to let in for one service, and what the package installs so that it does.
package struct FirewallNeeds: Equatable, Sendable {
    /// The port of announcements; nil where they are off.
    let udp: UInt16?
    /// The port where we listen.
    let tcp: UInt16
    /// What firewalld calls the ports.
    let service: String
    /// What ufw calls them. If it is set, the advice is to let in all of the profile (with firewalld: of the service) where it is
    /// installed; without it, each port that is missing.
    let profile: String?

    /// The ports of Kibo itself. `listen` in the configuration may name any, so that the advice is about the ports in use.
    static func kibo(udp: UInt16?, tcp: UInt16) -> FirewallNeeds {
        FirewallNeeds(udp: udp, tcp: tcp, service: "kibo", profile: nil)
    }

    /// The ports of the bridge to LocalSend devices, which are always those of its profile.
    package static func localSend(udp: UInt16, tcp: UInt16) -> FirewallNeeds {
        FirewallNeeds(udp: udp, tcp: tcp, service: "kibo-localsend", profile: "Kibo LocalSend")
    }

    /// Such as `15426/udp`, with the port of announcements first.
    var ports: [String] { [udp.map { "\($0)/udp" }, "\(tcp)/tcp"].compactMap(\.self) }
}
