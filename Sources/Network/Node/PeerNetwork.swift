import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store

/// Everything that this account does on the network: joins the parts that know which peers are there, connected, or
/// dialled.
@ReactorActor package final class PeerNetwork: PeerSessionOwner, InboundOwner, DialOwner, DiscoveryOwner {
    package let environment: Environment
    package let sessions: Sessions
    package let doorway: ListenEndpoint
    package let presence: PresencePublisher
    package let keys: DiscoveryKeyStore
    package let dialler: Dialler
    let connector: Connector
    package let admission: Admission
    package let copies: CopyNotice
    package let clockNotice: ClockNotice
    package let identity: OwnIdentity
    package let cards: CardPublisher
    package let outbox: OutboxRouter
    package let couriers: CourierService
    package let discovery: DiscoveryService?
    let services: PeerServices
    private let staticPeers: [PeerAddress]
    private let meetings = AddressLookups()
    private let log: Logger
    private var housekeeping: TimerToken?
    private var isStopping = false
    private var contacts: ContactIndex { services.contacts.index }

    package init(
        environment: Environment, services: PeerServices, sessions: Sessions, configuration: NetworkConfiguration,
        doorway: ListenEndpoint, keys account: LocalAccount, profile: AccountRow, incarnation: UInt32
    ) throws(StartError) {
        self.environment = environment
        self.services = services
        self.sessions = sessions
        staticPeers = configuration.peers
        let contacts = services.contacts.index
        log = environment.log.labelled("network")
        self.doorway = doorway
        identity = try OwnIdentity(
            account: account, profile: profile, settings: environment.settings, listenPort: doorway.port,
            at: environment.clocks.wallTime, log: log)
        presence = PresencePublisher(
            environment: environment, contacts: contacts, profiles: services.addressBook, clients: services.clients)
        clockNotice = ClockNotice(contacts: contacts, log: log)
        keys = DiscoveryKeyStore(account, environment: environment, contacts: contacts, sessions: sessions)
        connector = Connector(
            identity: identity, keys: keys, choice: doorway.choice, realmKey: configuration.realmKey,
            meetings: meetings, contacts: contacts, environment: environment)
        copies = CopyNotice(
            environment: environment, contacts: contacts, groups: services.groups.index, connector: connector)
        dialler = Dialler(
            own: account.device, environment: environment, contacts: contacts, connector: connector, presence: presence)
        outbox = OutboxRouter(
            environment: environment, sessions: sessions, presence: presence, dialler: dialler,
            contacts: contacts, groups: services.groups.index)
        couriers = CourierService(account, environment: environment, contacts: contacts, sessions: sessions)
        admission = Admission(
            own: account.device, environment: environment, services: services, sessions: sessions, keys: keys,
            copies: copies, meetings: meetings, dialler: dialler, presence: presence)
        let peerExchange = PeerExchangeService(
            own: account.device, environment: environment, contacts: contacts, groups: services.groups.index,
            profiles: services.addressBook, identity: identity, sessions: sessions, dialler: dialler,
            presence: presence)
        discovery =
            configuration.discovery
            ? try DiscoveryService(
                account: account, incarnation: incarnation, listenPort: doorway.port,
                port: configuration.discoveryPort ?? NetworkLimits.standardPort, realmKey: configuration.realmKey,
                watch: doorway.watch, environment: environment, contacts: contacts, keys: keys, presence: presence,
                peerExchange: peerExchange)
            : nil
        cards = CardPublisher(
            environment: environment, services: services, sessions: sessions, identity: identity, presence: presence,
            meetings: meetings, discovery: discovery)
    }

    // MARK: Coming and going

    package func start() {
        dialler.owner = self
        presence.onRemember = { [weak dialler] in dialler?.met($0, at: $1) }
        copies.start()
        keys.onChange = { [weak discovery] in discovery?.keysChanged() }
        keys.start()
        for (id, contact) in contacts.all { presence.know(id, contact) }
        dialler.start()
        dialler.setStaticPeers(staticPeers)
        discovery?.start(for: self)
        doorway.watch.start { [weak self] in self?.interfacesChanged($0) }
        doorway.open(for: self)
        outbox.onLostParcel = { [weak couriers] in couriers?.heard($0.map { .lost($0) }) }
        outbox.start()
        couriers.start()
        schedule()
    }

    /// Says goodbye to all peers.
    package func stop() {
        isStopping = true
        housekeeping?.cancel()
        discovery?.stop()
        keys.stop()
        copies.stop()
        dialler.stop()
        outbox.stop()
        couriers.stop()
        doorway.close()
        for session in sessions.all { session.close(.goodbye) }
        meetings.failAll(.closed)
    }

    /// Runs now and then: drops what is only kept for a while, keeps the proof of the static key young, and notices that the
    /// host has slept.
    private func schedule() {
        housekeeping = Reactor.shared.schedule(at: environment.clocks.now + NetworkLimits.housekeepingInterval) {
            [weak self] in
            guard let self, !isStopping else { return }
            presence.change { [now = environment.clocks.now] in $0.expire(now: now, at: $1) }
            identity.renew(at: environment.clocks.wallTime)
            doorway.watch.beat()
            schedule()
        }
    }

    // MARK: What other services ask

    package var directory: PeerDirectory { presence.directory }

    /// Opens a session with the peer at an address, or finds the one that is open.
    package func meet(_ address: SocketAddress) async -> Result<PeerDirectory.Entry, ConnectionFailure> {
        if let open = sessions.at(address), let entry = directory.entry(open.peer.device),
            entry.isShown, entry.displayName != nil
        {
            return .success(entry)
        }
        return await withCheckedContinuation { continuation in
            meetings.add(address, continuation)
            dialler.meet(address)
        }
    }

    /// Follows the changes of contacts.
    package var follower: ContactFollower {
        ContactFollower(
            services: services, sessions: sessions, presence: presence, cards: cards, keys: keys, dialler: dialler,
            couriers: couriers, discovery: discovery)
    }

    // MARK: DiscoveryOwner

    package func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool) {
        presence.change { $0.announced(device, from: address, at: $1) }
        // A blocked contact is not even dialled: a dial would show that we are here.
        guard !contacts.isBlocked(device) else { return }
        dialler.heard(device, at: address, isNew: isNew)
        // No other peer is asked for the card of a contact; friends are dialled anyway.
        if isNew, contacts.account(of: device) != nil { dialler.look(at: device) }
    }

    package func left(_ device: DeviceID, isGoodbye: Bool) {
        // A datagram never ends a session; the session's own end tells the rest.
        presence.change { $0.unannounced(device, at: $1) }
        dialler.left(device, isGoodbye: isGoodbye)
    }

    func heardOurselves(at address: SocketAddress) { copies.heardOurselves(at: address) }

    func discoveryModeChanged(to mode: DiscoveryModeSetting) {
        // To strangers this daemon looks as if it had stopped.
        for session in sessions.all where mode != .open && session.relation != .friend { session.close(.goodbye) }
        dialler.modeChanged()
    }

    // MARK: The host

    private func interfacesChanged(_ change: NetworkWatch.Change) {
        discovery?.interfacesChanged(hasNews: !change.came.isEmpty || change.hasSlept)
        // A session from an address that is no longer ours is dead: no need to wait until its keep-alive finds out.
        let lost = Set(change.went.map(\.address)).subtracting(doorway.watch.current.map(\.address))
        for session in sessions.all {
            guard let local = session.connection.localAddress, lost.contains(local.host) else { continue }
            session.connection.end(.interrupted("our address has gone"))
        }
        BulkConnections.shared.cut(lost)
        if !change.came.isEmpty || change.hasSlept { dialler.networkChanged() }
        services.calls.addressesChanged()
    }

    // MARK: Connections

    /// Call when a handshake is complete.
    /// - Parameter dial: what led to it; nil for a peer that dialled us.
    package func established(
        _ connection: PeerConnection, peer: PeerIdentity, purpose: ChannelPurpose, by dial: DialEffect? = nil
    ) {
        guard !isStopping else { return connection.end(.closed) }
        clockNotice.forget(peer.device)
        switch purpose {
        case .session:
            if let session = admission.admit(connection, peer, by: dial, for: self) { opened(session, by: dial) }
        case .bulk: services.transfers.accepted(connection, from: peer)
        }
    }

    private func opened(_ session: PeerSession, by dial: DialEffect?) {
        let peer = session.peer
        outbox.connected(peer.account)
        discovery?.setConnected(peer.device, true)
        let address = session.dialAddress
        // A peer that names no port can't be dialled, but comes from somewhere.
        let from = (address ?? session.connection.remoteAddress)?.description ?? "unknown"
        log.info("session opened", [("peer", peer.account.description), ("address", from)])
        presence.change { $0.sessionOpened(peer.device, account: peer.account, address: address, at: $1) }
        dialler.opened(peer.device, by: dial?.target)
        guard let card = identity.card(forFriend: session.relation == .friend) else { return }
        keys.tell(session)
        couriers.opened(session)
        session.open(card: card, presence: services.profiles.state)
    }

    // MARK: DialOwner

    func dial(_ dial: DialEffect, reached peer: PeerIdentity, by connection: PeerConnection, purpose: ChannelPurpose) {
        established(connection, peer: peer, purpose: purpose, by: dial)
    }

    /// If no host answers where one was announced, the announcement is not true any more.
    func dial(_ dial: DialEffect, failed failure: ConnectionFailure) {
        if failure == .channel(.copy) { copies.found(at: dial.address) }
        clockNotice.failed(failure)
        meetings.failed(dial.address, failure)
        guard case .device(let device) = dial.target else { return }
        discovery?.peerExchange.unreachable(device)
        guard sessions.with(device) == nil, case .unreachable = failure else { return }
        presence.change { $0.gone(device, at: $1) }
    }

    // MARK: InboundOwner

    package func accept(
        _ file: CInt, from source: SocketAddress?, for owner: any PeerConnectionOwner
    ) -> PeerConnection {
        connector.accept(file, from: source, owner: owner)
    }

    package func inbound(_ connection: PeerConnection, established peer: PeerIdentity, purpose: ChannelPurpose) {
        environment.metrics.count(.handshakes, "done")
        established(connection, peer: peer, purpose: purpose)
    }

    package func inbound(_ connection: PeerConnection, failed failure: ConnectionFailure) {
        environment.metrics.count(.handshakes, failure.word)
        clockNotice.failed(failure)
        if failure == .channel(.copy) { copies.found(at: connection.remoteAddress) }
    }

    // MARK: PeerSessionOwner

    package func session(_ session: PeerSession, showed card: Card) { cards.came(card, in: session) }
    package func showCard(in session: PeerSession) { cards.show(to: session) }

    package func settled(_ ids: [UUIDv7], by account: AccountID, _ status: ReceiptBody.Status) {
        outbox.settled(ids, by: account, status)
        couriers.answered(ids)
    }

    package func heard(_ news: [CourierNews]) { couriers.heard(news) }
    package func renew(_ device: DeviceID) { dialler.renew(device) }
    package func displayName(of device: DeviceID) -> String? { directory.entry(device)?.displayName }
    package func link(of address: IPAddress) -> UInt32? { doorway.watch.link(of: address) }

    func updatePresence(of account: AccountID) {
        presence.update(account, sessions.with(account)?.peerPresence ?? .offline)
    }

    package func session(_ session: PeerSession, ended end: SessionEnd) {
        let peer = session.peer
        // A session that was replaced is no longer ours to speak of.
        guard sessions.remove(session) else { return }
        if let other = sessions.with(peer.account) {
            // Items that were handed to the ended session go to the account's other device.
            other.outboxRestart()
        } else {
            outbox.disconnected(peer.account)
            couriers.ended(peer.account)
        }
        environment.metrics.count(.sessionsEnded, end.word)
        environment.metrics.count(session)
        if case .closedByPeer(.copied, let detail) = end { copies.told(by: peer.account, detail) }
        if sessions.with(peer.device) == nil { discovery?.setConnected(peer.device, false, isLost: !end.isClean) }
        log.info("session closed", [("peer", peer.account.description), ("because", end.text)])
        if case .closedByPeer(.goodbye, _) = end {
            presence.change { $0.gone(peer.device, at: $1) }
        } else {
            let now = environment.clocks.now
            presence.change { $0.sessionClosed(peer.device, stays: end.isClean, at: $1, now: now) }
        }
        meetings.failed(peer.device, .ended(.ended))
        services.typing.sessionEnded(peer.account)
        services.avatars.ended(session)
        services.groups.ended(session)
        services.calls.ended(session)
        if !isStopping, session.isMet { presence.remember(peer, at: nil) }
        updatePresence(of: peer.account)
        guard !isStopping else { return }
        environment.store.read {
            try $0.hasOutbox(for: peer.account)
        } then: { [weak self] result in
            // If it can't be read, something may wait: a dial too many does no harm.
            let isPending = (try? result.get()) ?? true
            // There may be another session by now; the planner was told of that one.
            guard let self, sessions.with(peer.device) == nil else { return }
            dialler.closed(peer.device, end, stillPending: isPending)
        }
    }
}
