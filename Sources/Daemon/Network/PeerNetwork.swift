import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store

/// Everything that this account does on the network: who is there, who is connected, who is dialled.
@ReactorActor final class PeerNetwork {
    let environment: Environment
    let services: NetworkServices
    let configuration: NetworkConfiguration
    var contacts: ContactIndex { services.contacts.index }
    private let log: Logger
    let identity: OwnIdentity
    let keys: KeyRing
    let watch: NetworkWatch
    let listener: PeerListener
    private let reception: Reception
    let interfaces: InterfaceChoice
    let dialler: Dialler
    var discovery: DiscoveryService?
    let presence: PresencePublisher
    let copies: CopyNotice
    let sessions: Sessions
    private var lanes = CommitLanes()
    private let own: DeviceID
    var meetings = Meetings()
    private(set) lazy var outbox = OutboxRouter(
        network: self, dialler: dialler, environment: environment, contacts: services.contacts,
        groups: services.groups.index)
    private var housekeeping: TimerToken?
    private var isStopping = false

    init(
        environment: Environment, services: NetworkServices, sessions: Sessions, configuration: NetworkConfiguration,
        keys account: LocalAccount, profile: AccountRow, incarnation: UInt32
    ) throws(StartError) {
        self.environment = environment
        self.services = services
        self.sessions = sessions
        self.configuration = configuration
        let contacts = services.contacts.index
        log = environment.log.labelled("network")
        interfaces = InterfaceChoice(names: configuration.interfaces)
        watch = NetworkWatch(choice: interfaces, clocks: environment.clocks, log: log)
        listener = try PeerListener(
            configured: configuration.listen, isLoopbackOnly: interfaces.isLoopbackOnly, contacts: contacts,
            log: environment.log)
        reception = Reception(listener: listener, interfaces: interfaces, log: log)
        identity = try OwnIdentity(
            account: account, profile: profile, settings: environment.settings, listenPort: listener.port,
            at: environment.clocks.wallTime, log: log)
        presence = PresencePublisher(
            environment: environment, contacts: contacts, profiles: services.addressBook, clients: services.clients)
        copies = CopyNotice(environment: environment, contacts: contacts)
        keys = KeyRing(account, environment: environment, contacts: contacts)
        own = account.device
        dialler = Dialler(own: account.device, environment: environment, contacts: contacts)
        if configuration.discovery {
            discovery = try DiscoveryService(
                account: account, incarnation: incarnation, listenPort: listener.port,
                port: configuration.discoveryPort ?? DaemonLimits.standardPort, realmKey: configuration.realmKey,
                watch: watch, environment: environment, contacts: contacts, profiles: services.addressBook)
        }
    }

    // MARK: Coming and going

    func start() {
        dialler.network = self
        presence.onRemember = { [dialler] in dialler.met($0, at: $1) }
        copies.start(network: self)
        keys.start(network: self)
        for (id, contact) in contacts.all { presence.know(id, contact) }
        dialler.start()
        setStaticPeers(configuration.peers)
        discovery?.start(network: self)
        watchInterfaces()
        reception.start(network: self)
        outbox.start()
        schedule()
    }

    /// Says goodbye to everybody.
    func stop() {
        isStopping = true
        housekeeping?.cancel()
        watch.stop()
        discovery?.stop()
        keys.stop()
        copies.stop()
        dialler.stop()
        outbox.stop()
        listener.stop()
        reception.stop()
        for session in sessions.all { session.close(.goodbye) }
        meetings.failAll(.closed)
    }

    /// Once a second: what is only kept for a while goes, and the proof of the static key stays young.
    private func schedule() {
        housekeeping = Reactor.shared.schedule(at: environment.clocks.now + .seconds(1)) { [weak self] in
            guard let self, !isStopping else { return }
            presence.change { [now = environment.clocks.now] in $0.expire(now: now, at: $1) }
            identity.renew(at: environment.clocks.wallTime)
            watch.beat()
            schedule()
        }
    }

    // MARK: What others ask

    var listenAddresses: [SocketAddress] { listener.addresses }
    var sessionCount: Int { sessions.count }

    var directory: PeerDirectory { presence.directory }

    func session(with account: AccountID) -> PeerSession? { sessions.with(account) }

    /// A contact was met at this address.
    func met(_ device: DeviceID, at address: SocketAddress) { dialler.met(device, at: address) }

    func setStaticPeers(_ peers: [PeerAddress]) { dialler.setStaticPeers(peers) }

    /// What one commit put into the outbox, in its order.
    func outboxGrew(_ rows: [OutboxRow]) { outbox.grew(rows) }

    /// An account has answered for what it was sent.
    func settled(_ ids: [UUIDv7], by account: AccountID, _ status: ReceiptBody.Status) {
        outbox.settled(ids, by: account, status)
    }

    // MARK: Connections

    /// A handshake is through.
    /// - Parameter dial: what led to it; nil for a peer that dialled us.
    func established(
        _ connection: PeerConnection, peer: PeerIdentity, purpose: ChannelPurpose, by dial: DialEffect? = nil
    ) {
        guard !isStopping else {
            connection.end(.closed)
            return
        }
        switch purpose {
        case .session: openSession(connection, peer, by: dial)
        case .bulk: services.transfers.accepted(connection, from: peer)
        }
    }

    private func openSession(_ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?) {
        guard contacts.relation(peer.account) != .blocked, !keys.isFromBefore(connection, with: peer.account)
        else { return turnAway(connection, peer, by: dial) }
        if case .address(let address)? = dial?.target {
            meetings.answered(address, by: peer.device)
        } else if dial != nil, dial?.target != .device(peer.device) {
            log.info("another device than expected answered", [("address", dial?.address.description ?? "")])
        }
        if isOneOfOurs(peer.account), copies.mustGo(connection, peer, besides: sessions.with(peer.device)) {
            return turnAwayCopy(connection, peer, by: dial)
        }
        var replaced: PeerSession?
        switch sessions.judge(connection, with: peer, own: own, now: environment.clocks.now) {
        case .keepsOther:
            log.debug("a second session was closed", [("peer", peer.account.description)])
            dialler.opened(peer.device, by: dial?.target)
            if let entry = directory.entry(peer.device), entry.displayName != nil { meetings.succeeded(entry) }
            connection.closeAfterFlush()
            return
        case .full:
            log.warning("too many sessions are open; one was refused")
            environment.metrics.count("kibo_sessions_refused_total", ("reason", "full"))
            connection.end(.closed)
            // The dial is over, and whoever waits for its outcome hears of it.
            if let dial { dialler.failed(dial) }
            meetings.failed(peer.device, .interrupted("too many sessions are open here"))
            return
        case .opens(let other):
            if let other, sessions.remove(other) { replace(other) }
            replaced = other
        }
        if !isOneOfOurs(peer.account) { sessions.crowdedOut()?.close(.busy) }
        sessions.crowdedOut(of: peer.account)?.close(.busy)
        let session = PeerSession(
            connection: connection, peer: peer, network: self, lane: lane(for: peer.account), environment: environment,
            services: services)
        // Who changes from one session to the next is not away in between.
        session.peerPresence = sessions.with(peer.account)?.peerPresence ?? replaced?.peerPresence
        sessions.insert(session)
        environment.metrics.count("kibo_sessions_opened_total")
        outbox.connected(peer.account)
        discovery?.setConnected(peer.device, true)
        let address = session.dialAddress
        // Whoever names no port can't be dialled, but comes from somewhere.
        let from = (address ?? connection.remoteAddress)?.description ?? "unknown"
        log.info("session opened", [("peer", peer.account.description), ("address", from)])
        presence.change { $0.sessionOpened(peer.device, account: peer.account, address: address, at: $1) }
        dialler.opened(peer.device, by: dial?.target)
        guard let card = identity.card(forFriend: session.relation == .friend) else { return }
        session.expected = expected(by: dial, besides: peer.account)
        keys.tell(session)
        session.open(card: card, presence: services.profiles.state)
    }

    private func lane(for account: AccountID) -> CommitLane {
        lanes.lane(for: account) {
            CommitLane(environment: environment, contacts: services.contacts, groups: services.groups)
        }
    }

    /// The session's keys are old: the one that dialled opens another.
    func renew(_ session: PeerSession) { dialler.renew(session.peer.device) }

    // MARK: PeerSession tells

    func session(_ session: PeerSession, ended end: SessionEnd) {
        let peer = session.peer
        // One that was replaced is no longer ours to speak of.
        guard sessions.remove(session) else { return }
        if sessions.with(peer.account) == nil { outbox.disconnected(peer.account) }
        count(session, end)
        if case .closedByPeer(.copied, let detail) = end { copies.told(by: peer.account, detail) }
        if sessions.with(peer.device) == nil { discovery?.setConnected(peer.device, false, isLost: !end.isClean) }
        log.info("session closed", [("peer", peer.account.description), ("because", "\(end)")])
        if case .closedByPeer(.goodbye, _) = end {
            presence.change { $0.gone(peer.device, at: $1) }
        } else {
            let now = environment.clocks.now
            presence.change { $0.sessionClosed(peer.device, stays: end.isClean, at: $1, now: now) }
        }
        meetings.failed(peer.device, .interrupted("the session ended"))
        lost(session)
        if !isStopping, session.isMet { presence.remember(peer, at: nil) }
        updatePresence(of: peer.account)
        guard !isStopping else { return }
        environment.store.look {
            try $0.outboxCount(for: peer.account)
        } then: { [weak self] result in
            // What can't be read may be there: a dial too many does no harm.
            let isPending = (try? result.get()) ?? 1 > 0
            // There may be another session by now; the planner was told of that one.
            guard let self, sessions.with(peer.device) == nil else { return }
            dialler.closed(peer.device, end, stillPending: isPending)
        }
    }
}
