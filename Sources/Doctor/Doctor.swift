import Account
import Basics
import ControlProtocol
import Glibc
import Media
import Messaging
import Network
import PeerProtocol
import Reactor
import Runtime
import Store

/// Looks at all that may keep two people from reaching each other, and says what to do about it.
@ReactorActor package struct Doctor {
    let environment: Environment
    let contacts: ContactIndex
    /// As it counts since the network was opened, or will count then.
    var configuration: NetworkConfiguration { network.configuration }
    let current: CurrentAccount
    let network: NetworkService
    let reach: ReachService
    let socketPath: String
    let examinations = Examinations()

    package init(
        environment: Environment, contacts: ContactIndex, current: CurrentAccount, network: NetworkService,
        reach: ReachService, socketPath: String
    ) {
        self.environment = environment
        self.contacts = contacts
        self.current = current
        self.network = network
        self.reach = reach
        self.socketPath = socketPath
    }

    /// All checks. Who asks while an examination is under way gets its result.
    package func examine() async -> [DoctorCheck] { await examinations.examine { await look() } }

    /// In the order in which a person would go about it. Takes a few seconds; a large database up to half a minute.
    private func look() async -> [DoctorCheck] {
        var checks = [account]
        if let network = network.current {
            checks += [interfaces(network), port(network)]
            let announcements = await announcements(network)
            checks.append(announcements)
            if let company = company(network) { checks.append(company) }
            if let keys = recognition(network) { checks.append(keys) }
            if let copies = copies(network) { checks.append(copies) }
            let friends = await askFriends(network)
            checks.append(reachable(network, friends))
            checks.append(
                await firewall(
                    network, isReached: friends.contains { $0.isReached },
                    isHeard: announcements.ok || network.discovery == nil))
            checks.append(clock(friends, network))
        }
        checks += await disk()
        checks.append(await database())
        checks.append(await permissions())
        return checks
    }

    // MARK: Us

    private var account: DoctorCheck {
        guard current.profile != nil else {
            return .bad("account", .noAccount, .makeAccount)
        }
        return current.isLocked
            ? .bad("account", .accountLocked, .unlock)
            : .good("account", .accountOpen)
    }

    private func interfaces(_ network: PeerNetwork) -> DoctorCheck {
        let used = network.doorway.watch.current
        let found = used.map { interface in
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
                name: "interfaces", ok: advice == nil, findings: found.isEmpty ? [.init(.noInterface)] : found,
                advice: advice.map { [$0] } ?? [])
        }
        let named = configuration.interfaces
        if used.isEmpty {
            return check(named.map { .init(.useOtherInterfaces, ["interfaces": .strings($0)]) } ?? .init(.joinNetwork))
        }
        if used.allSatisfy(\.isLoopback), named == nil { return check(.init(.leaveLoopback)) }
        return check(used.contains(where: \.hasCarrier) ? nil : .init(.plugIn))
    }

    private func port(_ network: PeerNetwork) -> DoctorCheck {
        let addresses = network.doorway.addresses
        guard let port = addresses.first?.port else {
            return .bad("port", .nothingListens, .restart)
        }
        let isOther = configuration.listen == nil && port != NetworkLimits.standardPort
        var check = DoctorCheck.good("port", .listens, ["addresses": .strings(addresses.map(\.description))])
        if isOther { check.findings.append(.init(.portTaken, ["port": .integer(Int64(NetworkLimits.standardPort))])) }
        return check
    }

    // MARK: The network

    /// Whether what we announce comes back to us, as it goes to everybody else.
    private func announcements(_ network: PeerNetwork) async -> DoctorCheck {
        guard let discovery = network.discovery else {
            return .bad("announcements", .announcementsOff, .addByAddress)
        }
        if discovery.announces == .silent {
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
        if discovery.announces == .contacts { check.findings.append(.init(.announcementsVeiled)) }
        if let realm = otherRealm(discovery) { check.findings.append(.init(realm)) }
        return check
    }

    /// A friend that is connected, and what it found out.
    private struct Friend {
        let name: String
        let answer: ReachService.Answer?
        /// It has connected to us by itself, which says it all.
        let hasDialled: Bool
        var isReached: Bool { hasDialled || answer?.body.outcome == .reached }
    }

    private func askFriends(_ network: PeerNetwork) async -> [Friend] {
        var friends: [Friend] = []
        let sessions = network.sessions.all.filter { $0.relation == .friend && $0.isMet }
        for session in sessions.prefix(DoctorLimits.askedFriends) {
            let answer = await reach.ask(session)
            let name = contacts.entry(session.peer.account)?.displayName ?? "a friend"
            friends.append(Friend(name: name, answer: answer, hasDialled: !session.connection.isDialled))
            if answer?.body.outcome == .reached { break }
        }
        return friends
    }

    private func reachable(_ network: PeerNetwork, _ friends: [Friend]) -> DoctorCheck {
        guard !friends.isEmpty else {
            return .good("reachable", .noFriendConnected)
        }
        if let friend = friends.first(where: { $0.answer?.body.outcome == .reached }) {
            return .good(
                "reachable", .reached,
                ["name": .string(friend.name), "address": .string(friend.answer?.body.address.map { "\($0)" } ?? "")])
        }
        if let friend = friends.first(where: \.hasDialled) {
            return .good("reachable", .wasDialled, ["name": .string(friend.name)])
        }
        if let friend = friends.first(where: { $0.answer?.body.outcome == .failed }), let body = friend.answer?.body {
            return .bad(
                "reachable", .notReached,
                [
                    "name": .string(friend.name), "address": .string(body.address.map { "\($0)" } ?? "?"),
                    "detail": .string(body.detail ?? "no answer"),
                ], .letConnectionsIn, ["port": .integer(Int64(network.doorway.addresses.first?.port ?? 0))])
        }
        return .good("reachable", .noFriendCanDial)
    }

    private func clock(_ friends: [Friend], _ network: PeerNetwork) -> DoctorCheck {
        // More than half an hour apart, and they wouldn't be recognised at all.
        if let (device, minutes) = network.discovery?.wrongClocks.min(by: { $0.key < $1.key }) {
            let name = contacts.account(of: device).flatMap { contacts.entry($0)?.displayName }
            return .bad(
                "clock", .clockFarOff,
                [
                    "name": .optional(name), "minutes": .integer(Int64(abs(minutes))), "behind": .bool(minutes < 0),
                ], .setClocks)
        }
        let answered = friends.compactMap { friend in friend.answer.map { (friend.name, $0.clockAhead) } }
        guard let (name, ahead) = answered.max(by: { abs($0.1.milliseconds) < abs($1.1.milliseconds) }) else {
            return .good("clock", .clockNotCompared)
        }
        let seconds = abs(ahead.milliseconds) / 1000
        if seconds < 1 { return .good("clock", .clockAgrees, ["name": .string(name)]) }
        let parameters: JSONObject = [
            "name": .string(name), "seconds": .integer(seconds), "behind": .bool(ahead < .zero),
        ]
        guard ahead > DoctorLimits.clockApart || ahead < .zero - DoctorLimits.clockApart else {
            return .good("clock", .clockApart, parameters)
        }
        return .bad("clock", .clockApart, parameters, .setClocks)
    }

    // MARK: The disk

    private func disk() async -> [DoctorCheck] {
        let data = environment.directory
        let downloads = environment.settings[SettingsCatalogue.filesDownloadDirectory]
        let reserve = UInt64(clamping: environment.settings[SettingsCatalogue.filesFreeSpaceReserveBytes])
        let destinations = try? await environment.workers.files.run {
            (DestinationWatcher.destination(data), DestinationWatcher.destination(downloads))
        }
        guard let (own, received) = destinations else { return [] }
        func check(
            _ name: String, _ what: String, _ path: String, _ destination: Destination, atLeast reserve: UInt64
        ) -> DoctorCheck {
            var about: JSONObject = ["what": .string(what), "path": .string(path)]
            guard destination.isWritable else { return .bad(name, .notWritable, about, .seeOwner) }
            guard let free = destination.freeBytes else { return .good(name, .freeUnknown, about) }
            about["bytes"] = .integer(Int64(clamping: free))
            if free >= reserve { return .good(name, .free, about) }
            return .bad(name, .free, about, .freeSome, ["bytes": .integer(Int64(clamping: reserve))])
        }
        let path: JSONObject = ["path": .string(data)]
        return [
            environment.store.isFull
                ? .bad("disk", .diskFull, path, .freeDisk, path)
                : check("disk", "messages", data, own, atLeast: DoctorLimits.wantedDataBytes),
            check("downloads", "files", downloads, received, atLeast: reserve),
        ]
    }

    private func database() async -> DoctorCheck {
        let directory = environment.directory
        let began = environment.clocks.now
        let isAlone = environment.store.isAlone
        let health = try? await environment.workers.imports.run {
            Store.examine(
                directory: directory, within: DoctorLimits.databaseCheck, clocks: SystemClocks(), isAlone: isAlone)
        }
        let bytes = JSONValue.integer(environment.store.databaseBytes)
        switch health {
        case .sound?:
            let time = (environment.clocks.now - began).milliseconds
            return .good("database", .databaseSound, ["bytes": bytes, "milliseconds": .integer(time)])
        case .damaged(let lines)?:
            return .bad(
                "database", .databaseDamaged, ["detail": .string(lines.joined(separator: "; "))], .recoverDatabase,
                ["path": .string(directory)])
        case .notFinished?:
            return .good(
                "database", .databaseNotFinished,
                ["bytes": bytes, "seconds": .integer(DoctorLimits.databaseCheck.components.seconds)])
        case .failed(let why)?:
            return .bad("database", .databaseUnreadable, ["detail": .string("\(why)")], .examineDisk)
        case nil: return .good("database", .databaseNotChecked)
        }
    }

    private func permissions() async -> DoctorCheck {
        let (data, socket) = (environment.directory, socketPath)
        let found = try? await environment.workers.files.run {
            PermissionLook.problems([data, data + "/keys", data + "/kibo.sqlite", socket])
        }
        guard let problems = found, let first = problems.first else { return .good("permissions", .permissionsFine) }
        return DoctorCheck(
            name: "permissions", ok: false, findings: problems.map(\.finding), advice: [first.advice])
    }
}

extension DoctorCheck {
    static func good(_ name: String, _ finding: DoctorFinding, _ parameters: JSONObject = [:]) -> DoctorCheck {
        DoctorCheck(name: name, ok: true, findings: [.init(finding, parameters)])
    }

    static func bad(_ name: String, _ finding: DoctorFinding, _ advice: DoctorAdvice) -> DoctorCheck {
        bad(name, finding, [:], advice)
    }

    /// - Parameters:
    ///   - parameters: of what was found.
    ///   - more: of the advice.
    static func bad(
        _ name: String, _ finding: DoctorFinding, _ parameters: JSONObject, _ advice: DoctorAdvice,
        _ more: JSONObject = [:]
    ) -> DoctorCheck {
        DoctorCheck(
            name: name, ok: false, findings: [.init(finding, parameters)], advice: [.init(advice, more)])
    }
}
