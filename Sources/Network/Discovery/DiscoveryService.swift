import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// The network, as discovery knows it.
@ReactorActor protocol DiscoveryOwner: AnyObject {
    /// A device was heard, or handed on by a peer.
    /// - Parameter isNew: whether it may be dialled for its card.
    func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool)
    func left(_ device: DeviceID, isGoodbye: Bool)
    /// A host announces itself as this device.
    func heardOurselves(at address: SocketAddress)
    /// Others may hear us now, or not any more.
    func discoveryModeChanged(to mode: DiscoveryModeSetting)
}

/// Announcements: joins ``DiscoverySockets`` with a ``DiscoveryMachine``.
@ReactorActor package final class DiscoveryService {
    package let environment: Environment
    private let contacts: ContactIndex
    private let log: Logger
    package let watch: NetworkWatch
    /// The port that all daemons of the network share.
    package let port: UInt16
    private let echoes: EchoWatch
    package private(set) var outsiders: Outsiders
    private var machine: DiscoveryMachine<SodiumGenerator>
    private var sockets: DiscoverySockets?
    private var recent = RecentDatagrams()
    private var timer: TimerToken?
    private let keys: DiscoveryKeyStore
    private let presence: PresencePublisher
    private weak var owner: (any DiscoveryOwner)?
    private var observation: SettingObservation?
    package var mode: DiscoveryModeSetting { environment.settings[SettingsCatalogue.discoveryMode] }
    /// Whether we have greeted peers, so that they are due a goodbye.
    private var isAnnouncing = false
    /// Exchanges cards of other devices with peers.
    package let peerExchange: PeerExchangeService

    package init(
        account: LocalAccount, incarnation: UInt32, listenPort: UInt16, port: UInt16, realmKey: RealmKey?,
        watch: NetworkWatch, environment: Environment, contacts: ContactIndex, keys: DiscoveryKeyStore,
        presence: PresencePublisher, peerExchange: PeerExchangeService
    ) throws(StartError) {
        self.environment = environment
        self.contacts = contacts
        self.watch = watch
        self.port = port
        self.keys = keys
        self.presence = presence
        self.peerExchange = peerExchange
        outsiders = Outsiders(own: account.device)
        echoes = EchoWatch(watch: watch, clocks: environment.clocks)
        log = environment.log.labelled("discovery")
        machine = DiscoveryMachine(
            key: account.deviceKey, incarnation: incarnation, port: listenPort,
            realm: realmKey.map { RealmTag(realm: $0.id) } ?? .none, now: environment.clocks.now,
            random: SodiumGenerator())
        sockets = try DiscoverySockets(port: port, log: log) { [weak self] bytes, source in
            self?.received(bytes, source)
        }
    }

    func start(for owner: any DiscoveryOwner) {
        self.owner = owner
        sockets?.listen(on: watch.current)
        contactsChanged()
        peerExchange.start(discovery: self)
        announce()
        observation = environment.settings.onChange(SettingsCatalogue.discoveryMode) { [weak self] _ in
            self?.modeChanged()
        }
    }

    /// Greets all peers, or contacts under a veil, or none.
    package func announce() {
        switch mode {
        case .open: machine.veil = nil
        case .contacts:
            // This waits until the keys are known: they come in a moment.
            guard let veil = keys.veil else { return }
            machine.veil = veil
        case .silent: return
        }
        isAnnouncing = true
        perform(machine.start(now: now))
    }

    /// Says goodbye to the peers that could hear us, and announces to those of the new mode.
    private func modeChanged() {
        guard let owner else { return }
        owner.discoveryModeChanged(to: mode)
        sayGoodbye()
        announce()
        if mode == .open { peerExchange.networkChanged() }
    }

    private func sayGoodbye() {
        guard isAnnouncing else { return }
        isAnnouncing = false
        perform(machine.stop(now: now))
    }

    /// Call when the keys by which we recognise contacts, or they us, have changed.
    func keysChanged() {
        guard owner != nil else { return }
        machine.setVeils(keys.veils)
        guard mode == .contacts else { return }
        if isAnnouncing { machine.veil = keys.veil } else { announce() }
    }

    /// Says goodbye and goes silent.
    package func stop() {
        sayGoodbye()
        timer?.cancel()
        observation?.cancel()
        peerExchange.stop()
        owner = nil
        sockets?.close()
    }

    /// - Parameter hasNews: whether there may be a peer to be greeted.
    func interfacesChanged(hasNews: Bool) {
        guard owner != nil else { return }
        sockets?.listen(on: watch.current)
        if hasNews, mode != .silent {
            announce()
            peerExchange.networkChanged()
        }
    }

    func contactsChanged() {
        machine.setContacts(Set(contacts.all.values.compactMap(\.device)))
    }

    /// Call when a session has been opened or has ended. While there is one, its keep-alive watches the peer, and
    /// probes are not needed.
    package func setConnected(_ device: DeviceID, _ isConnected: Bool, isLost: Bool = false) {
        if !isConnected { peerExchange.ended(with: device) }
        perform(machine.setConnected(device, isConnected, isLost: isLost, now: now))
    }

    /// Counts of datagrams that were heard and refused.
    package var metrics: DiscoveryMetrics { machine.metrics }

    /// Devices of contacts whose clock is more than twenty minutes from ours, and roughly how many minutes it is ahead.
    package var wrongClocks: [DeviceID: Int] { machine.wrongClocks.mapValues { $0 * 10 } }

    /// Greets the network, and waits for our own announcement to come back. A silent daemon doesn't announce.
    /// - Returns: interfaces and families on which it did not come back.
    package func echo(within limit: Duration) async -> [String] {
        echoes.begin()
        announce()
        return await echoes.missing(within: limit)
    }

    // MARK: Peer exchange

    /// Sets what goes into announcements from now on.
    package func show(_ digest: PeerExchangeDigest, card: UInt16) {
        machine.peerExchange = digest
        machine.card = card
    }

    /// Makes the next announcement come early: a new card doesn't wait for the next beacon.
    package func speakSoon() {
        machine.speakSoon(now: environment.clocks.now)
        arm()
    }

    /// The low bits of the version of a device's card, as it announces them.
    package func card(of device: DeviceID) -> UInt16 { machine.card(of: device) }
    package func announcement(of device: DeviceID) -> Announcement? { machine.announcement(of: device) }
    /// Whether every peer can hear the device. Other devices are not spoken of.
    package func isOpen(_ device: DeviceID) -> Bool { machine.isOpen(device) }

    /// Takes an announcement that a peer has handed on. Only neighbours count, as with what we hear ourselves.
    /// - Parameter teller: the address of the peer.
    package func introduced(_ announcement: Announcement, by teller: IPAddress) {
        guard watch.current.contains(where: { $0.contains(announcement.source.host) }) else { return }
        perform(machine.introduced(announcement, by: teller, now: now))
    }

    /// Whether the device may be dialled because other peers have told us of it. A device that we have heard ourselves
    /// always may.
    package func mayFollow(_ device: DeviceID) -> Bool { machine.mayFollow(device, now: now) }

    private func received(_ bytes: ArraySlice<UInt8>, _ source: Datagram.Source) {
        // Only neighbours on a chosen interface count: an announcement never comes through a router.
        let isNeighbour = watch.current.contains {
            $0.index == source.interfaceIndex && $0.contains(source.address.host)
        }
        guard isNeighbour else {
            outsiders.heard(bytes, source, on: watch.current)
            return
        }
        echoes.received(bytes, from: source)
        let now = now
        WireTrace.shared.datagram(bytes, .received, source.address.description, now: now, to: log)
        switch recent.answer(bytes, from: source.address.host, now: now) {
        case .unknown: break
        case .repeated: return
        case .also(let device, let address):
            machine.heard(device, alsoFrom: source.address)
            presence.heard(device, alsoAt: address)
            return
        }
        let effects = machine.receive(bytes, from: source.address, now: now)
        if let place = machine.drainOwnElsewhere() { owner?.heardOurselves(at: place) }
        for case .heard(let device, let address, _) in effects {
            recent.believed(bytes, of: device, at: address, now: now)
        }
        perform(effects)
    }

    /// The time. The machine gets the wall clock at once too, because that may be set at any moment.
    private var now: Instant {
        let now = environment.clocks.now
        machine.setClock(environment.clocks.wallTime, now: now)
        return now
    }

    private func perform(_ effects: [DiscoveryEffect]) {
        echoes.announced(effects.compactMap { if case .broadcast(let bytes) = $0 { bytes } else { nil } })
        for effect in effects {
            switch effect {
            case .broadcast(let bytes):
                WireTrace.shared.datagram(bytes, .sent, "all", now: environment.clocks.now, to: log)
                sockets?.announce(bytes, on: watch.current, isVeiled: machine.veil != nil)
            case .send(let bytes, let address):
                WireTrace.shared.datagram(bytes, .sent, address.description, now: environment.clocks.now, to: log)
                sockets?.send(bytes, to: address)
            case .heard(let device, let address, let isNew):
                // In a mode that isn't open we look at no stranger: a dial would show that we are here.
                owner?.heard(device, at: address, isNew: isNew && mode == .open)
                if !machine.isOpen(device) {
                    // We don't speak of contacts under a veil.
                    peerExchange.left(device)
                } else if mode != .silent {
                    peerExchange.heard(device, machine.peerExchange(of: device) ?? .empty)
                }
            case .left(let device): left(device, isGoodbye: true)
            case .expired(let device): left(device, isGoodbye: false)
            }
        }
        arm()
    }

    private func left(_ device: DeviceID, isGoodbye: Bool) {
        owner?.left(device, isGoodbye: isGoodbye)
        peerExchange.left(device)
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard owner != nil, let deadline = machine.nextDeadline else { return }
        timer = Reactor.shared.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            perform(machine.tick(now: now))
        }
    }
}
