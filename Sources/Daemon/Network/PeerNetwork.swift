import Basics
import ControlProtocol
import Crypto
import Glibc
import PeerProtocol
import Reactor
import Store

/// Everything that this account does on the network: who is there, who is connected, who is dialled.
@ReactorActor final class PeerNetwork {
    private(set) var directory = PeerDirectory()
    private let context: Context
    private let account: LocalAccount
    private let log: Logger
    private var profile: AccountRow
    private var identity: LocalIdentity
    /// In memory only, for this run of the daemon.
    private let staticKey = AgreementKey()
    private let interfaces: InterfaceChoice
    private let listener: PeerListener
    private let dialler: Dialler
    private var discovery: DiscoveryService?
    private var sessions: [DeviceID: PeerSession] = [:]
    private var meetings = Meetings()
    private var isStopping = false

    init(context: Context, account: LocalAccount, profile: AccountRow, incarnation: UInt32) throws(StartError) {
        self.context = context
        self.account = account
        self.profile = profile
        log = context.log.labelled("network")
        let configuration = context.options.configuration
        let interfaces = InterfaceChoice(names: configuration.interfaces)
        self.interfaces = interfaces
        listener = try PeerListener(
            configured: configuration.listen, isLoopbackOnly: interfaces.isLoopbackOnly, contacts: context.contacts,
            log: context.log)
        identity = try Self.makeIdentity(account, staticKey: staticKey, port: listener.port, at: context.clocks.wallTime)
        dialler = Dialler(own: account.device, context: context)
        if configuration.discovery ?? true {
            discovery = try DiscoveryService(
                account: account, incarnation: incarnation, listenPort: listener.port,
                port: configuration.discoveryPort ?? DaemonLimits.standardPort, interfaces: interfaces, context: context)
        }
    }

    // MARK: Coming and going

    private static func makeIdentity(
        _ account: LocalAccount, staticKey: AgreementKey, port: UInt16, at time: WallTime
    ) throws(StartError) -> LocalIdentity {
        do {
            return try LocalIdentity.make(
                deviceKey: account.deviceKey, certificate: account.certificate, staticKey: staticKey, now: time,
                listenPort: port, softwareVersion: "kibo \(Kibod.version)")
        } catch {
            throw .failed("the device's identity can't be made: \(error)")
        }
    }

    func start() {
        listener.onAccept = { [weak self] file, source, place in self?.accept(file, source, place) }
        dialler.network = self
        for (id, contact) in context.contacts.all { know(id, contact) }
        dialler.start()
        setStaticPeers(context.options.configuration.peers ?? [])
        discovery?.start(network: self)
        pendOutboxes()
        schedule()
    }

    /// What was in the outbox before the restart is a reason to dial.
    private func pendOutboxes() {
        context.store.submitRead({ try $0.pendingAccounts() }) { [weak self] result in
            guard case .success(let accounts) = result else { return }
            Reactor.shared.post { for account in accounts { self?.pend(account) } }
        }
    }

    /// Says goodbye to everybody.
    func stop() {
        isStopping = true
        housekeeping?.cancel()
        discovery?.stop()
        dialler.stop()
        listener.stop()
        for session in sessions.values { session.close(.goodbye) }
    }

    private var housekeeping: TimerToken?

    /// Once a second: what is only kept for a while goes, and the proof of the static key stays young.
    private func schedule() {
        housekeeping = Reactor.shared.schedule(at: context.clocks.now + .seconds(1)) { [weak self] in
            guard let self, !isStopping else { return }
            tell(directory.expire(now: context.clocks.now, at: context.clocks.wallTime))
            let time = context.clocks.wallTime
            if identity.notAfter < time + (PeerLimits.staticKeyValidity - PeerLimits.staticKeyRenewal),
                let renewed = try? Self.makeIdentity(account, staticKey: staticKey, port: listener.port, at: time)
            {
                identity = renewed
            }
            schedule()
        }
    }

    // MARK: What others ask

    var listenAddresses: [SocketAddress] { listener.address.map { [$0] } ?? [] }
    var interfaceNames: [String] { interfaces.current().map(\.name) }
    var sessionCount: Int { sessions.count }

    func session(with account: AccountID) -> PeerSession? { sessions.values.first { $0.peer.account == account } }

    func setStaticPeers(_ peers: [PeerAddress]) { dialler.setStaticPeers(peers) }

    /// What one commit put into the outbox, in its order: sessions send it, or are opened for it.
    func outboxGrew(_ rows: [OutboxRow]) {
        var rest = rows[...]
        while let account = rest.first?.account {
            let items = rest.prefix { $0.account == account }
            rest = rest.dropFirst(items.count)
            if let session = session(with: account) {
                session.outboxAppended(
                    items.map {
                        OutboxItem(sequence: $0.seq, id: $0.id, kind: FrameKind(rawValue: $0.kind), body: $0.body)
                    })
            } else {
                pend(account)
            }
        }
    }

    /// Something waits for an account without a session: wherever it is known to be, it is dialled.
    private func pend(_ account: AccountID) {
        let devices = Set(directory.devices(of: account).map(\.device))
        for device in devices.union([context.contacts.entry(account)?.device].compactMap { $0 }) { dialler.pend(device) }
    }

    func contactChanged(_ row: ContactRow) {
        if let entry = context.contacts.entry(row.account) { know(row.account, entry) }
        session(with: row.account)?.relationChanged()
        updatePresence(of: row.account)
        discovery?.contactsChanged()
        dialler.contactsChanged()
        if row.relation == .friend { context.transfers.peerAppeared(row.account) }
    }

    private func know(_ id: AccountID, _ contact: ContactBook.Entry) {
        guard let device = contact.device, contact.relation != .none else { return }
        tell(directory.know(device, account: id, displayName: contact.displayName, at: context.clocks.wallTime))
    }

    /// Opens a session with whoever is at an address, or finds the one that is open.
    func meet(_ address: SocketAddress) async -> Result<PeerDirectory.Entry, ConnectionFailure> {
        if let open = sessions.values.first(where: { $0.dialAddress == address }), let entry = directory.entry(open.peer.device),
            entry.isShown, entry.displayName != nil
        {
            return .success(entry)
        }
        return await withCheckedContinuation { continuation in
            meetings.add(address, continuation)
            dialler.meet(address)
        }
    }

    // MARK: Announcements

    func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool) {
        tell(directory.announced(device, from: address, at: context.clocks.wallTime))
        dialler.heard(device, at: address, isNew: isNew)
    }

    func left(_ device: DeviceID) {
        // A datagram never ends a session; the session's own end tells the rest.
        tell(directory.unannounced(device, at: context.clocks.wallTime))
        dialler.left(device)
    }

    // MARK: Connections

    func dial(_ address: SocketAddress, purpose: ChannelPurpose, owner: any PeerConnectionOwner) -> PeerConnection {
        PeerConnection(dialling: address, purpose: purpose, identity: identity, owner: owner, clocks: context.clocks)
    }

    private func accept(_ file: CInt, _ source: SocketAddress?, _ place: HalfOpenTable.Place) {
        let visitor = Visitor(place: place, listener: listener, network: self)
        let connection = PeerConnection(
            accepted: file, from: source, identity: identity, owner: visitor, clocks: context.clocks)
        visitor.connection = connection
        visitors[ObjectIdentifier(visitor)] = visitor
        if let local = connection.localAddress, !interfaces.covers(local.host) {
            log.debug("a connection through an interface that is not used was refused", [("local", "\(local)")])
            connection.end(.closed)
        }
    }

    private var visitors: [ObjectIdentifier: Visitor] = [:]
    func forget(_ visitor: Visitor) { visitors[ObjectIdentifier(visitor)] = nil }

    /// A handshake is through.
    /// - Parameter dial: what led to it; nil for a peer that dialled us.
    func established(_ connection: PeerConnection, peer: PeerIdentity, purpose: ChannelPurpose, by dial: DialEffect? = nil) {
        guard !isStopping else {
            connection.end(.closed)
            return
        }
        switch purpose {
        case .session: openSession(connection, peer, by: dial)
        case .bulk: context.transfers.accepted(connection, from: peer)
        }
    }

    private func openSession(_ connection: PeerConnection, _ peer: PeerIdentity, by dial: DialEffect?) {
        if case .address(let address)? = dial?.target {
            meetings.answered(address, by: peer.device)
        } else if dial != nil, dial?.target != .device(peer.device) {
            log.info("another device than expected answered", [("address", dial?.address.description ?? "")])
        }
        if let other = sessions[peer.device] {
            let keepsNew = SessionTieBreak.keepsNew(
                own: account.device, peer: peer.device, newIsDialledByUs: connection.isDialled,
                oldIsDialledByUs: other.connection.isDialled, oldAge: context.clocks.now - other.openedAt)
            guard keepsNew else {
                log.debug("a second session was closed", [("peer", peer.account.description)])
                dialler.opened(peer.device, by: dial?.target)
                if let entry = directory.entry(peer.device), entry.displayName != nil { meetings.succeeded(entry) }
                connection.closeAfterFlush()
                return
            }
            sessions[peer.device] = nil
            other.replaced()
        }
        guard makeRoom(for: peer) else {
            log.warning("too many sessions are open; one was refused")
            connection.end(.closed)
            return
        }
        let session = PeerSession(connection: connection, peer: peer, network: self, context: context)
        sessions[peer.device] = session
        let address = session.dialAddress
        log.info("session opened", [("peer", peer.account.description), ("address", address?.description ?? "?")])
        tell(directory.sessionOpened(peer.device, account: peer.account, address: address, at: context.clocks.wallTime))
        dialler.opened(peer.device, by: dial?.target)
        guard let card = makeCard() else { return }
        session.open(card: card)
        if context.contacts.entry(peer.account) != nil { remember(peer, at: address) }
        updatePresence(of: peer.account)
        context.transfers.peerAppeared(peer.account)
    }

    /// Whether one more session may be opened. Of too many with strangers the oldest is closed, so that nobody who opens
    /// sessions by the hundred keeps friends or newcomers out.
    private func makeRoom(for peer: PeerIdentity) -> Bool {
        if context.contacts.relation(peer.account) != .friend, sessions.count >= DaemonLimits.strangerSessions {
            let strangers = sessions.values.filter { $0.relation != .friend }
            if strangers.count >= DaemonLimits.strangerSessions {
                strangers.min { $0.openedAt < $1.openedAt }?.close(.busy)
            }
        }
        return sessions.count < DaemonLimits.sessions
    }

    /// The session's keys are old: the one that dialled opens another.
    func renew(_ session: PeerSession) { dialler.renew(session.peer.device) }

    /// Our own face.
    private func makeCard() -> Card? {
        do {
            return try Card.issue(
                by: account.deviceKey, certificate: account.certificate,
                profile: Card.Profile(displayName: profile.displayName, statusText: profile.statusText),
                version: UInt64(clamping: profile.cardVersion))
        } catch {
            log.error("our own card can't be made", [("error", "\(error)")])
            return nil
        }
    }

    // MARK: PeerSession tells

    func session(_ session: PeerSession, received card: Card) {
        let peer = session.peer
        tell(directory.named(peer.device, displayName: card.profile.displayName, at: context.clocks.wallTime))
        if let entry = directory.entry(peer.device) { meetings.succeeded(entry) }
        context.store.submit({ try ContactCards.apply(card, in: $0) }) { [weak context] result in
            guard case .success(let row?) = result else { return }
            Reactor.shared.post { context?.changed(row) }
        }
    }

    func session(_ session: PeerSession, ended end: SessionEnd) {
        let peer = session.peer
        // One that was replaced is no longer ours to speak of.
        guard sessions[peer.device] === session else { return }
        sessions[peer.device] = nil
        log.info("session closed", [("peer", peer.account.description), ("because", "\(end)")])
        let time = context.clocks.wallTime
        if case .closedByPeer(.goodbye, _) = end {
            tell(directory.gone(peer.device, at: time))
        } else {
            tell(directory.sessionClosed(peer.device, stays: end.isClean, at: time, now: context.clocks.now))
        }
        meetings.failed(peer.device, .interrupted("the session ended"))
        updatePresence(of: peer.account)
        guard !isStopping else { return }
        if context.contacts.entry(peer.account) != nil { remember(peer, at: nil) }
        context.store.submitRead({ try $0.outboxCount(for: peer.account) }) { [weak dialler] result in
            let isPending = (try? result.get()) ?? 0 > 0
            Reactor.shared.post { dialler?.closed(peer.device, isClean: end.isClean, stillPending: isPending) }
        }
    }

    /// Nobody answers where a dial went: what was announced there is not true any more.
    func unreachable(_ dial: DialEffect, _ failure: ConnectionFailure) {
        meetings.failed(dial.address, failure)
        guard case .device(let device) = dial.target, sessions[device] == nil, case .unreachable = failure else { return }
        tell(directory.gone(device, at: context.clocks.wallTime))
    }

    // MARK: Telling clients

    private func tell(_ changes: [PeerDirectory.Change]) {
        for change in changes {
            switch change {
            case .appeared(let entry): context.events.ephemeral(.peerAppeared, .insert, context.peer(entry).json)
            case .vanished(let entry): context.events.ephemeral(.peerVanished, .delete, context.peer(entry).json)
            }
        }
    }

    private func updatePresence(of account: AccountID) {
        let isOnline = session(with: account) != nil && context.contacts.relation(account) == .friend
        guard context.contacts.setOnline(account, isOnline) else { return }
        let composer = context.composer
        context.store.submitRead({ try $0.contact(account).map(composer.contact) }) { [weak context] result in
            guard case .success(let contact?) = result else { return }
            Reactor.shared.post { context?.events.ephemeral(.presenceChanged, .update, contact.json) }
        }
    }

    /// Writes down when and where a contact was seen.
    private func remember(_ peer: PeerIdentity, at address: SocketAddress?) {
        let now = context.clocks.wallTime
        context.store.submit({ transaction -> ContactRow? in
            guard
                try transaction.noteSeen(peer.account, device: peer.device, at: now, address: address?.description)
            else { return nil }
            return try transaction.contact(peer.account)
        }) { [weak context] result in
            guard case .success(let row?) = result else { return }
            Reactor.shared.post { context?.contacts.update(row) }
        }
    }
}
