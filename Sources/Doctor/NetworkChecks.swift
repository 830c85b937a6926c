import ControlProtocol
import Network
import Reactor
import Runtime

/// Whether packets go out and come in on this host: interfaces, the port, announcements, the firewall.
@ReactorActor struct NetworkChecks {
    let network: PeerNetwork
    /// The configuration since the network was opened.
    let configuration: NetworkConfiguration
    let environment: Environment

    func interfaces() -> DoctorCheck {
        let used = network.doorway.watch.current
        var findings = used.map { interface in
            Remark(
                DoctorFinding.interface,
                [
                    "name": .string(interface.name),
                    "address": .string("\(interface.address)/\(interface.prefixLength)"),
                    "broadcast": .optional(interface.broadcast.map { "\($0)" }),
                    "group": .optional(interface.hasLinkLocalGroup ? "\(DiscoverySockets.group)" : nil),
                    "carrier": .bool(interface.hasCarrier),
                ])
        }
        func check(_ advice: Remark<DoctorAdvice>?) -> DoctorCheck {
            DoctorCheck(
                name: "interfaces", ok: advice == nil, findings: findings.isEmpty ? [.init(.noInterface)] : findings,
                advice: advice.map { [$0] } ?? [])
        }
        let named = configuration.interfaces
        // One that carries no announcements is not watched, but is still used.
        let there = Set(((try? NetworkInterfaces.list()) ?? []).filter(\.isUp).map(\.name))
        let missing = (named ?? []).filter { !there.contains($0) }
        if !missing.isEmpty { findings.append(Remark(.interfacesMissing, ["names": .strings(missing)])) }
        if used.isEmpty {
            return check(named.map { .init(.useOtherInterfaces, ["interfaces": .strings($0)]) } ?? .init(.joinNetwork))
        }
        if used.allSatisfy(\.isLoopback), named == nil { return check(.init(.leaveLoopback)) }
        guard used.contains(where: \.hasCarrier) else { return check(.init(.plugIn)) }
        let alone = used.filter { $0.isAlone && !$0.isLoopback }
        findings += alone.map {
            Remark(.alone, ["name": .string($0.name), "address": .string("\($0.address)/\($0.prefixLength)")])
        }
        if !alone.isEmpty, used.allSatisfy({ $0.isAlone || $0.isLoopback }) { return check(.init(.setMask)) }
        let outside =
            network.discovery?.outsiders.outOfReach { network.directory.entry($0)?.isPresent == true } ?? []
        guard !outside.isEmpty else { return check(nil) }
        findings.append(Remark(.otherSubnet, ["addresses": .strings(outside.map(\.description).sorted())]))
        return check(.init(.setMask))
    }

    func port() -> DoctorCheck {
        let addresses = network.doorway.addresses
        guard let port = addresses.first?.port else {
            return .nothingListens(because: "no TCP port is open")
        }
        let usual = configuration.listen?.address.port ?? NetworkLimits.standardPort
        var check = DoctorCheck.good("port", .listens, ["addresses": .strings(addresses.map(\.description))])
        if port != usual, usual != 0 { check.findings.append(.init(.portTaken, ["port": .integer(Int64(usual))])) }
        return check
    }

    /// Whether our announcements come back to us, as they go to all other peers.
    func announcements() async -> DoctorCheck {
        guard let discovery = network.discovery else {
            return .bad("announcements", .announcementsOff, .addByAddress)
        }
        if discovery.mode == .silent {
            return .good("announcements", .announcementsSilent)
        }
        let missing = await discovery.echo(within: DoctorLimits.echo)
        let port = JSONValue.integer(Int64(discovery.port))
        guard missing.isEmpty else {
            return .bad(
                "announcements", .announcementsLost, ["interfaces": .strings(missing), "port": port],
                .letAnnouncementsThrough, ["port": port])
        }
        var check = DoctorCheck.good("announcements", .announcementsBack, ["port": port])
        if discovery.mode == .contacts { check.findings.append(.init(.announcementsVeiled)) }
        if let realm = otherRealm(discovery) { check.findings.append(.init(realm)) }
        return check
    }

    /// Whether there are peers with another realm key, or with one while we have none.
    private func otherRealm(_ discovery: DiscoveryService) -> DoctorFinding? {
        guard discovery.metrics.otherRealm > 0 else { return nil }
        return configuration.realmKey == nil ? .realmWithoutKey : .otherRealm
    }

    /// - Parameters:
    ///   - isReached: whether connections come in.
    ///   - isHeard: whether our own announcements come back.
    func firewall(isReached: Bool, isHeard: Bool) async -> DoctorCheck {
        let tcp = network.doorway.addresses.first?.port ?? NetworkLimits.standardPort
        var check = await FirewallCheck(environment: environment)
            .look(.kibo(udp: network.discovery?.port, tcp: tcp), goesOut: isHeard)
        if !check.ok, isReached, isHeard {
            check.findings.append(.init(.reachedAllTheSame))
            (check.ok, check.advice) = (true, [])
        }
        return check
    }
}
