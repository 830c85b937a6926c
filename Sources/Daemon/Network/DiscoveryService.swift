import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import Reactor

/// Announcements: ``DiscoverySockets`` joined with a ``DiscoveryMachine``.
@ReactorActor final class DiscoveryService {
    private let context: Context
    private let log: Logger
    private let watch: NetworkWatch
    /// Which all daemons of the network share.
    let port: UInt16
    /// What was sent last, and where it came back: `eth0 (IPv4)`.
    private var lastSent: [UInt8] = []
    private var echoes: Set<String> = []
    /// Datagrams from other networks than those that are used.
    private(set) var strayDatagrams: UInt64 = 0
    private var machine: DiscoveryMachine<SodiumGenerator>
    private var sockets: DiscoverySockets?
    private var recent = RecentDatagrams()
    private var timer: TimerToken?
    private weak var network: PeerNetwork?
    private var isSilent: Bool { context.settings[SettingsCatalogue.discoveryMode] == .silent }
    /// Cards of others by others.
    let roster: RosterService

    init(
        account: LocalAccount, incarnation: UInt32, listenPort: UInt16, port: UInt16, watch: NetworkWatch,
        context: Context
    ) throws(StartError) {
        self.context = context
        self.watch = watch
        self.port = port
        log = context.log.labelled("discovery")
        machine = DiscoveryMachine(
            key: account.deviceKey, incarnation: incarnation, port: listenPort,
            realm: context.options.realmKey.map { RealmTag(realm: $0.id) } ?? .none, now: context.clocks.now,
            random: SodiumGenerator())
        roster = RosterService(own: account.device, context: context)
        sockets = try DiscoverySockets(port: port, log: log) { [weak self] bytes, source in
            self?.received(bytes, source)
        }
    }

    func start(network: PeerNetwork) {
        self.network = network
        sockets?.listen(on: watch.current)
        contactsChanged()
        roster.start(network: network, discovery: self)
        if !isSilent { perform(machine.start(now: context.clocks.now)) }
        context.settings.onChange(SettingsCatalogue.discoveryMode) { [weak self] _ in self?.modeChanged() }
    }

    /// From now on silent, after a goodbye, or no longer.
    private func modeChanged() {
        guard let network else { return }
        let now = context.clocks.now
        // To strangers this daemon looks as if it had stopped.
        for session in network.sessions.all where isSilent && session.relation != .friend { session.close(.goodbye) }
        perform(isSilent ? machine.stop(now: now) : machine.start(now: now))
        if !isSilent { roster.networkChanged() }
    }

    /// Says goodbye and goes silent.
    func stop() {
        perform(machine.stop(now: context.clocks.now))
        timer?.cancel()
        roster.stop()
        network = nil
        sockets?.close()
    }

    /// - Parameter hasNews: there is somebody to be greeted, perhaps.
    func interfacesChanged(hasNews: Bool) {
        guard network != nil else { return }
        sockets?.listen(on: watch.current)
        if hasNews, !isSilent {
            perform(machine.start(now: context.clocks.now))
            roster.networkChanged()
        }
    }

    func contactsChanged() {
        machine.setContacts(Set(context.contacts.all.values.compactMap(\.device)))
    }

    /// A session has been opened or has ended: while there is one, its keep-alive watches the peer and probes needn't.
    func setConnected(_ device: DeviceID, _ isConnected: Bool, isLost: Bool = false) {
        if !isConnected { roster.ended(with: device) }
        perform(machine.setConnected(device, isConnected, isLost: isLost, now: context.clocks.now))
    }

    // MARK: Rosters

    /// What goes into announcements from now on.
    func show(_ digest: RosterDigest, card: UInt16) {
        machine.roster = digest
        machine.card = card
    }

    /// Others are to hear of a new card before our next beacon is due.
    func speakSoon() {
        machine.speakSoon(now: context.clocks.now)
        arm()
    }

    /// The low bits of the version of a device's card, as it announces them.
    func card(of device: DeviceID) -> UInt16 { machine.card(of: device) }
    func announcement(of device: DeviceID) -> Announcement? { machine.announcement(of: device) }

    /// A peer has handed on what it heard. Only of neighbours, as with what is heard by ourselves.
    func introduced(_ announcement: Announcement) {
        guard watch.current.contains(where: { $0.contains(announcement.source.host) }) else { return }
        perform(machine.introduced(announcement, now: context.clocks.now))
    }

    private func received(_ bytes: ArraySlice<UInt8>, _ source: Datagram.Source) {
        // Only neighbours on a chosen interface: an announcement never comes through a router.
        let isNeighbour = watch.current.contains {
            $0.index == source.interfaceIndex && $0.contains(source.address.host)
        }
        guard isNeighbour else {
            strayDatagrams += 1
            return
        }
        if bytes.elementsEqual(lastSent) { noteEcho(source) }
        let now = context.clocks.now
        switch recent.answer(bytes, from: source.address.host, now: now) {
        case .unknown: break
        case .repeated: return
        case .also(let device, let address):
            machine.heard(device, alsoFrom: source.address)
            network?.heard(device, alsoAt: address)
            return
        }
        let effects = machine.receive(bytes, from: source.address, now: now)
        for case .heard(let device, let address, _) in effects {
            recent.believed(bytes, of: device, at: address, now: now)
        }
        perform(effects)
    }

    private func perform(_ effects: [DiscoveryEffect]) {
        for effect in effects {
            switch effect {
            case .broadcast(let bytes):
                lastSent = bytes
                sockets?.announce(bytes, on: watch.current)
            case .send(let bytes, let address): sockets?.send(bytes, to: address)
            case .heard(let device, let address, let isNew):
                // Whoever is silent looks at no stranger: a dial would show that we are here.
                network?.heard(device, at: address, isNew: isNew && !isSilent)
                if !isSilent { roster.heard(device, machine.roster(of: device) ?? .empty) }
            case .left(let device): left(device, isGoodbye: true)
            case .expired(let device): left(device, isGoodbye: false)
            }
        }
        arm()
    }

    private func left(_ device: DeviceID, isGoodbye: Bool) {
        network?.left(device, isGoodbye: isGoodbye)
        roster.left(device)
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard network != nil, let deadline = machine.nextDeadline else { return }
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            perform(machine.tick(now: context.clocks.now))
        }
    }

    // MARK: For the doctor

    /// What was heard and refused.
    var metrics: DiscoveryMetrics { machine.metrics }

    private func noteEcho(_ source: Datagram.Source) {
        for interface in watch.current where interface.index == source.interfaceIndex {
            echoes.insert(Self.place(interface, isFour: source.address.host.isFour))
        }
    }

    private static func place(_ interface: NetworkInterface, isFour: Bool) -> String {
        interface.name + (isFour ? " (IPv4)" : " (IPv6)")
    }

    /// Greets the network, and waits for our own announcement to come back.
    /// - Returns: interfaces and families on which it did not.
    func echo(within limit: Duration) async -> [String] {
        let wanted = Set(
            watch.current.filter { $0.broadcast != nil || $0.hasLinkLocalGroup }
                .map { Self.place($0, isFour: $0.address.isFour) })
        echoes = []
        perform(machine.start(now: context.clocks.now))
        let deadline = context.clocks.now + limit
        return await withCheckedContinuation { continuation in
            look(for: wanted, until: deadline) { continuation.resume(returning: $0) }
        }
    }

    private func look(
        for wanted: Set<String>, until deadline: Instant, then: @escaping @ReactorActor ([String]) -> Void
    ) {
        let missing = wanted.subtracting(echoes)
        let now = context.clocks.now
        if missing.isEmpty || now >= deadline { return then(missing.sorted()) }
        _ = Reactor.shared.schedule(at: now + .milliseconds(50)) { [self] in
            look(for: wanted, until: deadline, then: then)
        }
    }
}
