import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// The network, as the dialler knows it.
@ReactorActor protocol DialOwner: AnyObject {
    /// A peer has answered, perhaps another one than expected.
    func dial(_ dial: DialEffect, reached peer: PeerIdentity, by connection: PeerConnection, purpose: ChannelPurpose)
    /// No peer that counts has answered.
    func dial(_ dial: DialEffect, failed failure: ConnectionFailure)
}

/// Opens session connections as a ``DialPlanner`` wants them.
@ReactorActor package final class Dialler {
    weak var owner: (any DialOwner)?
    private let environment: Environment
    private let contacts: ContactIndex
    private let connector: Connector
    private let presence: PresencePublisher
    private var planner: DialPlanner<SodiumGenerator>
    private var underWay: [ObjectIdentifier: DialRace] = [:]
    private var timer: TimerToken?
    private var willDial = false
    private var isStopped = false
    private let names: StaticPeers
    /// Devices for which something waits. They are dialled as soon as we are open to all.
    private var shelved: Set<DeviceID> = []
    /// How the last dial of a device went wrong.
    private var failures: [DeviceID: (at: WallTime, dial: FailedDial)] = [:]

    package init(
        own: DeviceID, environment: Environment, contacts: ContactIndex, connector: Connector,
        presence: PresencePublisher
    ) {
        self.environment = environment
        self.contacts = contacts
        self.connector = connector
        self.presence = presence
        planner = DialPlanner(own: own, random: SodiumGenerator())
        names = StaticPeers(environment: environment)
    }

    package func start() {
        names.onChange = { [weak self] addresses in
            self?.plan { $0.setStaticPeers(addresses, now: $1) }
        }
        for contact in contacts.all.values {
            // Contacts that are no friends are dialled too: something may wait for them, such as a request.
            guard contact.relation != .blocked, let device = contact.device, let address = contact.lastAddress else {
                continue
            }
            plan { $0.setLastAddress(address, of: device, now: $1) }
        }
        contactsChanged()
    }

    package func stop() {
        isStopped = true
        timer?.cancel()
        names.stop()
        for race in underWay.values { race.stop() }
        underWay = [:]
    }

    // MARK: What it is told

    package func setStaticPeers(_ peers: [PeerAddress]) { names.set(peers) }

    func contactsChanged() {
        let friends = contacts.all.values.filter { $0.relation == .friend }.compactMap(\.device)
        plan { $0.setFriends(Set(friends), now: $1) }
        sortOut()
    }

    package func heard(_ device: DeviceID, at address: SocketAddress, isNew: Bool) {
        plan { $0.heard(device, at: address, isNew: isNew, now: $1) }
    }

    /// Call when the host's own network has changed, perhaps for the better.
    package func networkChanged() { plan { $0.networkChanged(now: $1) } }

    /// Dials a stranger for its card, or for the cards that it has.
    package func look(at device: DeviceID, atOnce: Bool = false) {
        plan { $0.look(at: device, atOnce: atOnce, now: $1) }
    }

    /// Call when the device's card has come from another peer.
    package func spare(_ device: DeviceID) { plan { $0.spare(device, now: $1) } }

    /// Call when the mode has changed: of our own accord we then dial only friends, or all peers again.
    func modeChanged() {
        if !isOpen { plan { planner, _ in planner.lookAtNobody() } }
        sortOut()
    }

    private var isOpen: Bool { environment.settings[SettingsCatalogue.discoveryMode] == .open }

    /// Whether items that wait for a device are a reason to dial it. A dial shows that we are here. So in a mode that
    /// isn't open we dial only peers that get the keys to know that: neither mere members of groups nor former friends.
    package func mayDial(_ device: DeviceID) -> Bool {
        if isOpen { return true }
        let account = contacts.account(of: device) ?? presence.directory.entry(device)?.account
        return account.map { contacts.relation($0).isGivenDiscoveryKeys } ?? false
    }

    private func sortOut() {
        let free = shelved.filter { mayDial($0) }
        plan { planner, now in
            for device in free.sorted() { planner.setPending(true, for: device, now: now) }
            shelved.formUnion(planner.unpend { mayDial($0) })
        }
        shelved.subtract(free)
    }

    package func left(_ device: DeviceID, isGoodbye: Bool) { plan { $0.left(device, isGoodbye: isGoodbye, now: $1) } }

    /// Call when a session is open, or lost the tie break against one that is open.
    package func opened(_ device: DeviceID, by target: DialTarget?) {
        failures[device] = nil
        shelved.remove(device)
        plan { planner, now in
            planner.sessionOpened(device, by: target, now: now)
            planner.setPending(false, for: device, now: now)
        }
    }

    package func closed(_ device: DeviceID, _ end: SessionEnd, stillPending: Bool) {
        let mayDial = mayDial(device)
        if stillPending, !mayDial { shelved.insert(device) }
        // An account that we have asked may be able to answer only while we are connected.
        let waits = contacts.account(of: device).map(contacts.relation) == .requested
        plan { planner, now in
            // The order matters: waiting items are a reason to dial, but not to skip the pause. Otherwise a peer that
            // hangs up each time would be dialled without end.
            if stillPending, mayDial { planner.setPending(true, for: device, now: now) }
            planner.sessionClosed(device, isClean: end.isClean, isIdle: end.isIdle && !waits, now: now)
            // Another copy of our data is connected there, and we would push each other out in turn.
            if case .closedByPeer(.copied, _) = end { planner.putOff(device, now: now) }
        }
    }

    /// Call when a dial reached a peer for which there is no room for a session.
    package func failed(_ dial: DialEffect) { plan { $0.dialFailed(dial.target, now: $1) } }

    /// Call when a contact was met at an address. From now on we dial it there, even if it dialled us.
    package func met(_ device: DeviceID, at address: SocketAddress) {
        plan { $0.setLastAddress(address, of: device, now: $1) }
    }

    /// Call when the device is not wanted any more, whatever waited for it.
    package func giveUp(_ device: DeviceID) {
        shelved.remove(device)
        plan { planner, now in
            planner.setPending(false, for: device, now: now)
            planner.left(device, now: now)
        }
    }

    /// Call when something waits for this device.
    func pend(_ device: DeviceID) {
        guard mayDial(device) else {
            shelved.insert(device)
            return
        }
        plan { $0.setPending(true, for: device, now: $1) }
    }

    /// A client asks for this device now, whatever failed before.
    package func request(_ device: DeviceID) { plan { $0.request(.device(device), now: $1) } }

    /// What was tried for a device, and what comes next.
    package func outlook(_ device: DeviceID) -> DialOutlook? {
        planner.outlook(.device(device)).map {
            DialOutlook(
                address: $0.address, isUnderWay: $0.isUnderWay,
                next: $0.due.map { environment.clocks.wallTime + ($0 - environment.clocks.now) }, last: failures[device]
            )
        }
    }

    /// Opens a new session with a device that has one, for fresh keys.
    func renew(_ device: DeviceID) { plan { $0.request(.device(device), now: $1) } }

    /// Opens a session with the peer at an address.
    package func meet(_ address: SocketAddress) { plan { $0.request(.address(address), now: $1) } }

    private func plan(_ change: (inout DialPlanner<SodiumGenerator>, Instant) -> Void) {
        guard !isStopped else { return }
        change(&planner, environment.clocks.now)
        // One walk serves everything that is reported in a turn: looking through the plans takes time, and a flood of
        // announcements comes by the thousand.
        guard !willDial else { return }
        willDial = true
        Reactor.shared.afterThisTurn { [weak self] in
            self?.willDial = false
            self?.dial()
        }
    }

    // MARK: Dialling

    private func dial() {
        guard !isStopped else { return }
        for effect in planner.tick(now: environment.clocks.now) {
            var further: [SocketAddress] = []
            if case .device(let device) = effect.target { further = presence.directory.entry(device)?.addresses ?? [] }
            let race = DialRace(
                effect, further: further, connector: connector, presence: presence, clocks: environment.clocks
            ) {
                [weak self] in
                self?.won($0, $1, $2, $3)
            } lost: { [weak self] in
                self?.lost($0, $1)
            }
            underWay[ObjectIdentifier(race)] = race
            race.start()
        }
        timer?.cancel()
        timer = planner.nextDeadline.map { Reactor.shared.schedule(at: $0) { [weak self] in self?.dial() } }
    }

    package var dialsUnderWay: Int { planner.dialsUnderWay }
    /// Whether the device went silent a short while ago without a goodbye.
    package func isLost(_ device: DeviceID) -> Bool { planner.isLost(device, now: environment.clocks.now) }
    package var strangersLeftOut: UInt64 { planner.strangersLeftOut }

    private func won(_ race: DialRace, _ connection: PeerConnection, _ peer: PeerIdentity, _ purpose: ChannelPurpose) {
        guard underWay.removeValue(forKey: ObjectIdentifier(race)) != nil else { return connection.end(.closed) }
        environment.metrics.count(.dials, "connected")
        let dial = DialEffect(target: race.dial.target, address: connection.remoteAddress ?? race.dial.address)
        owner?.dial(dial, reached: peer, by: connection, purpose: purpose)
    }

    private func lost(_ race: DialRace, _ failure: ConnectionFailure) {
        guard underWay.removeValue(forKey: ObjectIdentifier(race)) != nil else { return }
        let dial = race.dial
        environment.metrics.count(.dials, failure.word)
        if case .device(let device) = dial.target,
            contacts.account(of: device).map(contacts.relation) == .friend
        {
            failures[device] = (environment.clocks.wallTime, failure.dial)
        }
        let reason: DialFailure =
            switch failure {
            case .channel(.ourselves), .channel(.copy): .ourselves
            case .channel(.unexpected): .wrongDevice
            default: .unreachable
            }
        plan { $0.dialFailed(dial.target, reason, now: $1) }
        owner?.dial(dial, failed: failure)
    }
}
