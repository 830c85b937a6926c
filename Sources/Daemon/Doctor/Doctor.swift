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
@ReactorActor struct Doctor {
    let environment: Environment
    let contacts: ContactIndex
    /// As it counts since the network was opened, or will count then.
    var configuration: NetworkConfiguration { network.configuration }
    let current: CurrentAccount
    let network: NetworkService
    let reach: ReachService
    let socketPath: String
    let examinations = Examinations()

    /// All checks. Who asks while an examination is under way gets its result.
    func examine() async -> [DoctorCheck] { await examinations.examine { await look() } }

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
            return .bad("account", "there is no account yet, so nothing listens or speaks", "Make one: kibo setup")
        }
        return current.isLocked
            ? .bad("account", "it is locked, so nothing listens or speaks", "Open it: kibo unlock")
            : .good("account", "it is there, and open")
    }

    private func interfaces(_ network: PeerNetwork) -> DoctorCheck {
        let used = network.doorway.watch.current
        let texts = used.map { interface in
            let broadcast = interface.broadcast.map { ", broadcast \($0)" } ?? ""
            let group = interface.hasLinkLocalGroup ? ", group \(DiscoverySockets.group)" : ""
            return "\(interface.name) \(interface.address)/\(interface.prefixLength)\(broadcast)\(group)"
                + (interface.hasCarrier ? "" : ", without a carrier")
        }
        let detail = texts.isEmpty ? "none" : texts.joined(separator: "; ")
        let named = configuration.interfaces
        if used.isEmpty {
            let hint =
                named.map { "It is told to use \($0.joined(separator: ", ")) only; see: ip address" }
                ?? "Plug in a cable or join a wireless network; see: ip address"
            return .bad("interfaces", detail, hint)
        }
        if used.allSatisfy(\.isLoopback), named == nil {
            return .bad("interfaces", detail, "This host has no network but itself; see: ip address")
        }
        if !used.contains(where: \.hasCarrier) {
            return .bad("interfaces", detail, "No cable is plugged in, or the other end is off; see: ip link")
        }
        return .good("interfaces", detail)
    }

    private func port(_ network: PeerNetwork) -> DoctorCheck {
        let addresses = network.doorway.addresses
        let detail = "TCP " + addresses.map(\.description).joined(separator: ", ")
        guard let port = addresses.first?.port else {
            return .bad("port", "nothing listens", "Restart it: systemctl --user restart kibod")
        }
        let isOther = configuration.listen == nil && port != NetworkLimits.standardPort
        let text = isOther ? "; \(NetworkLimits.standardPort) is taken, by another user's Kibo perhaps" : ""
        return .good("port", detail + text)
    }

    // MARK: The network

    /// Whether what we announce comes back to us, as it goes to everybody else.
    private func announcements(_ network: PeerNetwork) async -> DoctorCheck {
        guard let discovery = network.discovery else {
            return .bad(
                "announcements", "they are switched off (discovery in the configuration, or --no-discovery)",
                "Nobody finds this host by itself; friends can be added by address: kibo add ADDRESS")
        }
        if discovery.announces == .silent {
            return .good(
                "announcements", "there are none: discovery.mode is silent; friends are called where they are heard")
        }
        let missing = await discovery.echo(within: DaemonLimits.echo)
        let port = discovery.port
        if missing.isEmpty {
            let toWhom =
                discovery.announces == .contacts
                ? "; discovery.mode is contacts: only friends who have our keys can tell whose they are" : ""
            return .good(
                "announcements",
                "our own came back on every interface, UDP port \(port)\(toWhom)\(otherRealm(discovery))")
        }
        return .bad(
            "announcements", "our own did not come back on \(missing.joined(separator: ", ")), UDP port \(port)",
            "A firewall of this host drops them, most likely: UDP port \(port) must get in and out; see the check of the firewall."
        )
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
        for session in sessions.prefix(DaemonLimits.askedFriends) {
            let answer = await reach.ask(session)
            let name = contacts.entry(session.peer.account)?.displayName ?? "a friend"
            friends.append(Friend(name: name, answer: answer, hasDialled: !session.connection.isDialled))
            if answer?.body.outcome == .reached { break }
        }
        return friends
    }

    private func reachable(_ network: PeerNetwork, _ friends: [Friend]) -> DoctorCheck {
        guard !friends.isEmpty else {
            return .good("reachable", "not tried: no friend is connected who could dial us")
        }
        if let friend = friends.first(where: { $0.answer?.body.outcome == .reached }) {
            return .good("reachable", "\(friend.name) reached us at \(friend.answer?.body.address ?? "our address")")
        }
        if let friend = friends.first(where: \.hasDialled) {
            return .good("reachable", "\(friend.name) is connected by a dial of their own")
        }
        if let friend = friends.first(where: { $0.answer?.body.outcome == .failed }), let body = friend.answer?.body {
            return .bad(
                "reachable", "\(friend.name) can't reach us at \(body.address ?? "?"): \(body.detail ?? "no answer")",
                "Let TCP port \(network.doorway.addresses.first?.port ?? 0) in; the check of the firewall says how.")
        }
        return .good("reachable", "not tried: no friend whose Kibo can do this is connected")
    }

    private func clock(_ friends: [Friend], _ network: PeerNetwork) -> DoctorCheck {
        // More than half an hour apart, and they wouldn't be recognised at all.
        if let (device, minutes) = network.discovery?.wrongClocks.min(by: { $0.key < $1.key }) {
            let name = contacts.account(of: device).flatMap { contacts.entry($0)?.displayName }
            return .bad(
                "clock",
                "\(name ?? "a friend")'s is about \(abs(minutes)) minutes \(minutes < 0 ? "behind" : "ahead of") ours; "
                    + "much more, and announcements to contacts only are not recognised",
                "Set both hosts' clocks by the network: timedatectl set-ntp true; see: timedatectl status")
        }
        let answered = friends.compactMap { friend in friend.answer.map { (friend.name, $0.clockAhead) } }
        guard let (name, ahead) = answered.max(by: { abs($0.1.milliseconds) < abs($1.1.milliseconds) }) else {
            return .good("clock", "not compared: no friend is connected who could tell the time")
        }
        let seconds = abs(ahead.milliseconds) / 1000
        let text =
            seconds < 1
            ? "it agrees with \(name)'s" : "\(name)'s is \(seconds) s \(ahead < .zero ? "behind" : "ahead of") ours"
        guard ahead > DaemonLimits.clockApart || ahead < .zero - DaemonLimits.clockApart else {
            return .good("clock", text)
        }
        return .bad(
            "clock", text, "Set both hosts' clocks by the network: timedatectl set-ntp true; see: timedatectl status")
    }

    // MARK: The disk

    private func disk() async -> [DoctorCheck] {
        let data = environment.directory
        let downloads = environment.settings[SettingsCatalogue.filesDownloadDirectory]
        let floor = UInt64(clamping: environment.settings[SettingsCatalogue.filesFreeSpaceFloorBytes])
        let places = try? await environment.workers.files.run {
            (PlaceWatcher.place(data), PlaceWatcher.place(downloads))
        }
        guard let (own, received) = places else { return [] }
        func check(_ name: String, _ what: String, _ place: ReceivingPlace, atLeast floor: UInt64) -> DoctorCheck {
            guard place.isWritable else {
                return .bad(
                    name, "\(what) can't be written to", "See who owns it: ls -ld, and whether its disk is there")
            }
            guard let free = place.freeBytes else { return .good(name, "how much is free can't be told") }
            let text = "\(SizeText.text(free)) are free for \(what)"
            return free >= floor
                ? .good(name, text) : .bad(name, text, "Free some: \(SizeText.text(floor)) are wanted; see: df -h")
        }
        let messages =
            environment.store.isFull
            ? DoctorCheck.bad(
                "disk", "it is full: nothing is stored in \(data), and nothing is taken from anybody",
                "Free some space; Kibo goes on by itself. See: df -h \(data)")
            : check("disk", "messages, in \(data)", own, atLeast: DaemonLimits.wantedDataBytes)
        return [
            messages,
            check("downloads", "files, in \(downloads)", received, atLeast: floor),
        ]
    }

    private func database() async -> DoctorCheck {
        let directory = environment.directory
        let began = environment.clocks.now
        let isAlone = environment.store.isAlone
        let health = try? await environment.workers.imports.run {
            Store.examine(
                directory: directory, within: DaemonLimits.databaseCheck, clocks: SystemClocks(), isAlone: isAlone)
        }
        let size = SizeText.text(UInt64(clamping: environment.store.databaseBytes))
        switch health {
        case .sound?:
            return .good("database", "\(size), sound, checked in \((environment.clocks.now - began).milliseconds) ms")
        case .damaged(let lines)?:
            return .bad(
                "database", "it is damaged: \(lines.joined(separator: "; "))",
                "Stop kibod, copy \(directory) to a safe place, then: "
                    + "sqlite3 \(directory)/kibo.sqlite .recover | sqlite3 recovered.sqlite")
        case .notFinished?:
            return .good(
                "database", "\(size); not all could be checked in \(DaemonLimits.databaseCheck.components.seconds) s")
        case .failed(let why)?:
            return .bad("database", "it can't be checked: \(why)", "See whether the disk is well: dmesg | tail")
        case nil: return .good("database", "it can't be checked just now")
        }
    }

    private func permissions() async -> DoctorCheck {
        let (data, socket) = (environment.directory, socketPath)
        let found = try? await environment.workers.files.run {
            PermissionLook.problems([data, data + "/keys", data + "/kibo.sqlite", socket])
        }
        guard let problems = found, let first = problems.first else {
            return .good("permissions", "data, keys and control socket are yours, and closed to others")
        }
        return .bad("permissions", problems.map(\.text).joined(separator: "; "), first.hint)
    }
}

extension DoctorCheck {
    static func good(_ name: String, _ detail: String) -> DoctorCheck {
        DoctorCheck(name: name, ok: true, detail: detail, hint: nil)
    }

    static func bad(_ name: String, _ detail: String, _ hint: String) -> DoctorCheck {
        DoctorCheck(name: name, ok: false, detail: detail, hint: hint)
    }
}
