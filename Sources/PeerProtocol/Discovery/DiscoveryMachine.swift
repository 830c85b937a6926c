import Basics
import Crypto

/// What a ``DiscoveryMachine`` wants done.
public enum DiscoveryEffect: Hashable, Sendable {
    /// Send these bytes from the daemon's own socket to the broadcast address of every chosen interface.
    case broadcast([UInt8])
    /// Send these bytes from the daemon's own socket to this address only.
    case send([UInt8], to: SocketAddress)
    /// The device has announced itself; `address` is where the datagram came from, with the TCP port that it names.
    /// `isNew`: not heard before, restarted since then, or back after it was given up.
    case heard(device: DeviceID, address: SocketAddress, isNew: Bool)
    /// The device has said goodbye. A hint: it ends no session.
    case left(device: DeviceID)
    /// The device has been silent for too long, or had to make room for others. A hint too.
    case expired(device: DeviceID)
}

/// Announces one daemon on its network segment and hears the others.
///
/// Feed it with every datagram whose source is in the subnet of the interface it came by, and with ``tick(now:)`` when
/// ``nextDeadline`` comes; carry out the effects in their order. Broadcasts are never answered. A probe of a known device is
/// answered with as many bytes as it had, so a daemon can't be used as an amplifier.
///
/// ```swift
/// var machine = DiscoveryMachine(key: deviceKey, incarnation: 7, port: 4000, now: now, random: SodiumGenerator())
/// perform(machine.start(now: now))
/// perform(machine.receive(bytes, from: source, now: now))
/// ```
public struct DiscoveryMachine<Random: RandomNumberGenerator & Sendable>: Sendable {
    /// Counters since the machine was made.
    public private(set) var metrics = DiscoveryMetrics()

    private var announcer: Announcer
    private(set) var table = SightingTable()
    private(set) var prober = Prober()
    private var veils: VeilListener
    private var hearing: HearingBudgets
    private var hearsay: HearsayBudgets
    private var clock: (time: WallTime, at: Instant)
    private var random: Random
    /// Draws lots among the datagrams of a flood: a generator without a system call, whose seed stays secret.
    private var lots: SeededGenerator
    /// The earliest moment at which a device may expire.
    private var sweepAt: Instant?
    /// The address from which another daemon announces itself as this device.
    private var ownElsewhere: SocketAddress?
    private let isProbing: Bool

    /// A silent machine.
    /// - Parameters:
    ///   - key: the device's key pair.
    ///   - incarnation: one more than at the last start, from the store: peers believe nothing older.
    ///   - port: where the daemon takes TCP connections; not 0.
    ///   - realm: from the realm key, if there is one.
    ///   - isProbing: whether the machine probes devices that may have crashed.
    ///   - random: jitter, nonces and the salt of a table; unpredictable in the daemon, seeded in tests.
    public init(
        key: SigningKey, incarnation: UInt32, port: UInt16, realm: RealmTag = .none, isProbing: Bool = true,
        now: Instant, random: Random
    ) {
        self.init(
            own: DeviceID(key.publicKey), signer: .ed25519(key), incarnation: incarnation, port: port, realm: realm,
            isProbing: isProbing, now: now, random: random)
    }

    package init(
        own: DeviceID, signer: DatagramSigner, incarnation: UInt32, port: UInt16, realm: RealmTag = .none,
        isProbing: Bool = true, now: Instant, random: Random
    ) {
        announcer = Announcer(own: own, signer: signer, incarnation: incarnation, port: port, realm: realm)
        self.random = random
        self.isProbing = isProbing
        let salt: UInt64 = self.random.next()
        lots = SeededGenerator(seed: ~salt)
        hearing = HearingBudgets(salt: salt, now: now)
        veils = VeilListener(salt: salt, now: now)
        hearsay = HearsayBudgets(salt: salt)
        clock = (WallTime(milliseconds: 0), now)
    }

    /// When ``tick(now:)`` has something to do next; nil for never.
    public var nextDeadline: Instant? {
        [announcer.nextDeadline, sweepAt, prober.nextDeadline].compactMap(\.self).min()
    }

    // MARK: Input of the daemon

    /// The digest of our cards; it goes out with each datagram from now on.
    public var peerExchange: PeerExchangeDigest {
        get { announcer.peerExchange }
        set { announcer.peerExchange = newValue }
    }

    /// The low bits of the version of our card for all peers; they go out, too.
    public var card: UInt16 {
        get { announcer.card }
        set { announcer.card = newValue }
    }

    /// The veil under which announcements go out from now on; nil to announce openly. Its keys may change at any time; other changes
    /// come after ``stop(now:)`` and before ``start(now:)``.
    public var veil: Veil? {
        get { announcer.veil }
        set { announcer.veil = newValue }
    }

    /// Contacts are remembered whatever a flood of strangers does.
    public mutating func setContacts(_ devices: Set<DeviceID>) { table.setContacts(devices) }

    /// The keys by which contacts are recognised under their veils.
    public mutating func setVeils(_ keys: [SharedKey: [VeilOwner]]) { veils.set(keys) }

    /// The wall clock's time. The caller sets it before each call if the clock may have been set meanwhile.
    public mutating func setClock(_ time: WallTime, now: Instant) { clock = (time, now) }

    func epoch(_ now: Instant) -> VeilEpoch { VeilEpoch(clock.time + (now - clock.at)) }

    /// A session with the device is open, or no longer. While there is one, its keep-alive watches the device, and no
    /// probe does.
    /// - Parameter isLost: the session broke instead of being closed.
    public mutating func setConnected(
        _ device: DeviceID, _ isConnected: Bool, isLost: Bool = false, now: Instant
    ) -> [DiscoveryEffect] {
        let isLost = isLost && table.isOpen(device)
        return perform(
            prober.setConnected(device, isConnected, isLost: isLost, now: now, using: &random), now: now)
    }

    // MARK: Devices

    /// The devices on the network, as far as they were heard.
    public var presentCount: Int { table.presentCount }

    /// The last announcement of a device on the network.
    public func announcement(of device: DeviceID) -> Announcement? {
        guard let sighting = table[device], sighting.isPresent else { return nil }
        return sighting.announcement
    }

    /// Whether the device is on the network and was heard openly. Other devices' announcements are not handed on.
    public func isOpen(_ device: DeviceID) -> Bool { table.isOpen(device) }

    /// Devices on the network whose clock is more than twenty minutes from ours, and how many epochs of ten minutes it is ahead.
    public var wrongClocks: [DeviceID: Int] { table.veiled.filter { abs($0.value) >= DiscoveryLimits.veilEpochsWrong } }

    /// What a device's last announcement says of its peer exchange.
    public func peerExchange(of device: DeviceID) -> PeerExchangeDigest? { table[device]?.peerExchange }

    /// The low bits of the version of a device's card, from its last announcement; 0 if it does not say them.
    public func card(of device: DeviceID) -> UInt16 { table[device]?.card ?? 0 }

    /// The address from which another daemon has announced itself as this device since the last call. It may use a copy of our data
    /// directory, or have sent an old datagram of ours again. No signature was checked.
    public mutating func drainOwnElsewhere() -> SocketAddress? { ownElsewhere.take() }

    // MARK: Speaking

    /// Begins to announce: HELLO three times, then beacons. Call it again when the network has changed (a new interface
    /// or address): the HELLOs start over.
    public mutating func start(now: Instant) -> [DiscoveryEffect] {
        announcer.start(now: now, using: &random)
        prober.setOn(isProbing && veil == nil, now: now, using: &random)
        return tick(now: now)
    }

    /// Says goodbye three times and goes silent. It still hears others.
    public mutating func stop(now: Instant) -> [DiscoveryEffect] {
        announcer.stop()
        prober.setOn(false, now: now, using: &random)
        let epoch = epoch(now)
        return (0..<DiscoveryLimits.byes).flatMap { _ in announcer.announce(.bye, in: epoch, &metrics, using: &random) }
    }

    /// Makes the next beacon come soon: what we show has changed.
    public mutating func speakSoon(now: Instant) { announcer.speakSoon(now: now, using: &random) }

    /// Does what is due: announces, and gives up devices that have been silent.
    public mutating func tick(now: Instant) -> [DiscoveryEffect] {
        var effects = announcer.tick(
            every: beaconInterval, in: epoch(now), now: now, &metrics, using: &random)
        effects += perform(prober.tick(now: now, table: table, using: &random), now: now)
        if let due = sweepAt, due <= now {
            let (expired, next) = table.sweep(interval: beaconInterval, now: now)
            effects += expired.map { .expired(device: $0) }
            sweepAt = next
        }
        return effects
    }

    /// Time between two beacons, before jitter. It grows with the number of devices on the network, so that all of them together
    /// send ``DiscoveryLimits/beaconsPerSecond``.
    public var beaconInterval: Duration {
        let fair = Duration.seconds(table.presentCount + 1) / DiscoveryLimits.beaconsPerSecond
        return min(max(fair, DiscoveryLimits.shortestBeaconInterval), DiscoveryLimits.longestBeaconInterval)
    }

    // MARK: Hearing

    /// Takes a datagram of any sender. The shell has checked that the source belongs to the interface's subnet.
    ///
    /// The checks go from cheap to expensive, and the signature is the last. A datagram that fails one is counted and forgotten.
    public mutating func receive(
        _ bytes: ArraySlice<UInt8>, from source: SocketAddress, now: Instant
    ) -> [DiscoveryEffect] {
        metrics.received += 1
        if VeiledDatagram.isVersion(of: bytes) { return receiveVeiled(bytes, from: source, now: now) }
        let received: ReceivedDatagram
        do {
            received = try ReceivedDatagram(decoding: bytes)
        } catch {
            switch error {
            case .length, .magic, .port: metrics.malformed += 1
            case .version, .kind: metrics.unknown += 1
            }
            return []
        }
        return receive(received, from: source, now: now)
    }

    private mutating func receiveVeiled(
        _ bytes: ArraySlice<UInt8>, from source: SocketAddress, now: Instant
    ) -> [DiscoveryEffect] {
        switch veils.read(bytes, from: source, in: epoch(now), now: now, using: &lots) {
        case .read(let received, let isForUs): return receive(received, from: source, isForUs: isForUs, now: now)
        case .malformed: metrics.malformed += 1
        case .unknownTag(let tag) where announcer.hasSent(under: tag): metrics.own += 1
        case .unknownTag: metrics.unknownVeils += 1
        case .overBudget: metrics.overBudget += 1
        case .broken: metrics.brokenVeils += 1
        case .unknownKind: metrics.unknown += 1
        }
        return []
    }

    /// Does the same for a datagram that is decoded already: a simulation decodes it once for all receivers.
    /// - Parameter isForUs: it came under a key that is for us alone.
    package mutating func receive(
        _ received: ReceivedDatagram, from source: SocketAddress, isForUs: Bool = false, now: Instant
    ) -> [DiscoveryEffect] {
        let content = received.content
        guard content.device != announcer.own else {
            metrics.own += 1
            if !announcer.isEcho(content) { ownElsewhere = SocketAddress(source.host, port: content.port) }
            return []
        }
        guard content.realm == announcer.realm else {
            metrics.otherRealm += 1
            return []
        }
        if let sighting = table[content.device] {
            guard content.isNewer(than: sighting) else {
                metrics.stale += 1
                return []
            }
        } else if content.kind == .bye {
            metrics.idleByes += 1
            return []
        }
        guard
            prober.isAwaited(content)
                || hearing.acquire(content.device, in: &table, from: source, now: now, using: &lots)
        else {
            metrics.overBudget += 1
            return perform(prober.question(content.device, in: table, now: now, using: &random), now: now)
        }
        return believe(received, from: source, isForUs: isForUs, now: now)
    }

    /// Another copy of the datagram that was just believed has come from this address.
    public mutating func heard(_ device: DeviceID, alsoFrom source: SocketAddress) { table.add(source, of: device) }

    /// Takes an announcement that a peer has handed on at our request. It tells nothing new about a known device. An unknown device
    /// is believed like any other, and probes find out whether it is still there. Until the device is heard itself, only the peer
    /// says where it is: ``mayFollow(_:now:)`` bounds what we do because of that. Such strangers never push out other devices.
    /// - Parameter teller: the address of the peer.
    public mutating func introduced(
        _ announcement: Announcement, by teller: IPAddress, now: Instant
    ) -> [DiscoveryEffect] {
        guard let received = try? ReceivedDatagram(decoding: announcement.bytes[...]) else { return [] }
        let content = received.content
        guard content.kind == .hello || content.kind == .beacon, content.device != announcer.own,
            content.realm == announcer.realm
        else { return [] }
        if let sighting = table[content.device] {
            guard !sighting.isPresent, content.isNewer(than: sighting) else { return [] }
        } else if !table.hasRoom, !table.isContact(content.device) {
            return []
        }
        guard hearsay.acquireIntroduction(now: now) else {
            metrics.overBudget += 1
            return []
        }
        return believe(received, from: announcement.source, toldBy: teller, now: now)
    }

    /// Whether the device may be dialled, or probed for others, at the address that is known: always if it was heard itself; else
    /// within a budget for its teller, and for all. A peer that lies about addresses makes us dial few of them.
    public mutating func mayFollow(_ device: DeviceID, now: Instant) -> Bool {
        guard let teller = table[device]?.toldBy else { return true }
        if hearsay.acquire(by: teller, now: now) { return true }
        metrics.hearsayLeftOut += 1
        return false
    }

    /// Checks the signature, the last check of all, and takes the datagram for true.
    private mutating func believe(
        _ received: ReceivedDatagram, from source: SocketAddress, isForUs: Bool = false, toldBy: IPAddress? = nil,
        now: Instant
    ) -> [DiscoveryEffect] {
        guard announcer.isAuthentic(received) else {
            metrics.forged += 1
            return []
        }
        metrics.believed += 1
        let content = received.content
        let device = content.device
        if content.kind == .bye {
            let wasPresent = table.isPresent(device)
            table.leave(device, incarnation: content.incarnation, sequence: content.sequence, now: now)
            return wasPresent ? [.left(device: device)] : []
        }
        let noted = table.note(
            received, from: source, isForUs: isForUs, toldBy: toldBy, interval: beaconInterval, in: epoch(now),
            now: now)
        metrics.evicted += UInt64(noted.evicted.count)
        sweepAt = sweepAt.map { min($0, noted.deadline) } ?? noted.deadline
        prober.heard(device, isNew: noted.isNew, now: now, table: table, using: &random)
        var effects: [DiscoveryEffect] = []
        // A probe is not reported as an announcement: one comes each second.
        if !content.kind.hasSubject || noted.isNew || !noted.isKnown {
            effects.append(.heard(device: device, address: noted.address, isNew: noted.isNew))
        }
        effects += noted.evicted.present.map { .expired(device: $0) }
        if let subject = content.subject {
            // Only known devices are obeyed, at a known address: a device has to introduce itself before it asks for something.
            effects += noted.isKnown ? probing(content, about: subject, from: source, now: now) : []
            if !noted.isKnown { metrics.idleProbes += 1 }
        }
        return effects
    }

    // MARK: Probes

    /// A known device has sent a datagram about a subject; it is authentic and new.
    private mutating func probing(
        _ content: DiscoveryDatagram, about subject: ProbeSubject, from source: SocketAddress, now: Instant
    ) -> [DiscoveryEffect] {
        let actions: [DiscoveryEffect]? =
            switch content.kind {
            case .probe where subject.device == announcer.own, .probeRequest where subject.device == announcer.own:
                answer(subject, to: source)
            case .probe, .hello, .beacon, .bye: nil
            case .probeRequest: help(content.device, subject, now: now)
            case .probeAck: acknowledged(by: content.device, subject)
            case .suspect: suspected(subject, now: now)
            }
        if actions == nil { metrics.idleProbes += 1 }
        return actions ?? []
    }

    /// Answers with as many bytes as the question had, to the address that it came from.
    private mutating func answer(_ subject: ProbeSubject, to source: SocketAddress) -> [DiscoveryEffect]? {
        guard announcer.isSpeakingOpenly else { return nil }
        metrics.answers += 1
        let about = announcer.subject(answering: subject.nonce)
        return [.send(announcer.datagram(.probeAck, about: about, &metrics), to: source)]
    }

    private mutating func help(_ asker: DeviceID, _ subject: ProbeSubject, now: Instant) -> [DiscoveryEffect]? {
        guard announcer.isSpeakingOpenly, table.isOpen(subject.device) else { return nil }
        guard mayFollow(subject.device, now: now) else { return [] }
        let indirectProbe = prober.indirectProbe(
            for: asker, askerNonce: subject.nonce, about: subject.device, now: now, using: &random)
        guard let indirectProbe else {
            if prober.isOn { metrics.indirectProbesLeftOut += 1 }
            return nil
        }
        return perform([indirectProbe], now: now)
    }

    private mutating func acknowledged(by device: DeviceID, _ subject: ProbeSubject) -> [DiscoveryEffect]? {
        guard subject.device == device else {
            return prober.vouched(for: subject.device, by: device, nonce: subject.nonce) ? [] : nil
        }
        // The datagram itself has shown already that the device lives.
        guard let (asker, nonce) = prober.answered(device, nonce: subject.nonce) else { return [] }
        guard let there = table[asker], there.isPresent else { return nil }
        metrics.answers += 1
        let about = ProbeSubject(device: device, incarnation: subject.incarnation, nonce: nonce)
        return [.send(announcer.datagram(.probeAck, about: about, &metrics), to: there.source)]
    }

    private mutating func suspected(_ subject: ProbeSubject, now: Instant) -> [DiscoveryEffect]? {
        if subject.device == announcer.own {
            return announcer.suspected(incarnation: subject.incarnation, now: now).map { $0 ? tick(now: now) : [] }
        }
        guard let sighting = table[subject.device], sighting.isPresent, sighting.isOpen,
            subject.incarnation >= sighting.incarnation,
            prober.wouldSuspect(subject.device)
        else { return nil }
        guard mayFollow(subject.device, now: now) else { return [] }
        guard hearsay.acquireSuspicion(now: now) else {
            metrics.suspicionsLeftOut += 1
            return []
        }
        metrics.suspicionsOfOthers += 1
        prober.lookInto(subject.device, among: table.presentCount, now: now, using: &random)
        return []
    }

    /// Carries out the prober's effects.
    private mutating func perform(_ actions: [Prober.Action], now: Instant) -> [DiscoveryEffect] {
        actions.compactMap { action in
            guard case .giveUp(let device) = action else { return announcer.probe(action, among: table, &metrics) }
            guard let sighting = table[device], sighting.isPresent else { return nil }
            metrics.givenUp += 1
            table.leave(device, incarnation: sighting.incarnation, sequence: sighting.sequence, now: now)
            return .expired(device: device)
        }
    }
}

extension DiscoveryDatagram {
    /// Whether the datagram is of a later start, or a later one of the same start. A device that has said BYE may speak again, in
    /// another mode.
    func isNewer(than known: SightingTable.Sighting) -> Bool {
        (incarnation, sequence) > (known.incarnation, known.sequence)
    }
}

extension Duration {
    /// A random length from 0 to `longest`.
    static func random(in longest: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        .nanoseconds(Int64.random(in: 0...max(0, longest.nanoseconds), using: &random))
    }
}
