import Basics
import Crypto

/// What a ``DiscoveryMachine`` wants done.
public enum DiscoveryEffect: Hashable, Sendable {
    /// Send these bytes from the daemon's own socket to the broadcast address of every chosen interface.
    case broadcast([UInt8])
    /// Send these bytes from the daemon's own socket to this address only.
    case send([UInt8], to: SocketAddress)
    /// The device has announced itself; `address` is where the datagram came from, with the TCP port that it names.
    /// `isNew`: not heard before, started anew since then, or back after it was given up.
    case heard(device: DeviceID, address: SocketAddress, isNew: Bool)
    /// The device has said goodbye. A hint: it ends no session.
    case left(device: DeviceID)
    /// The device has been silent for too long, or had to make room for others. A hint too.
    case expired(device: DeviceID)
}

/// Announces one daemon on its network segment and hears the others.
///
/// Feed it with every datagram whose source is in the subnet of the interface it came by, and with ``tick(now:)`` when
/// ``nextDeadline`` comes; carry out the effects in their order. What is broadcast is never answered; a probe is, if it
/// comes from a known device, and by as many bytes as it had: nobody can use a daemon as an amplifier.
///
/// ```swift
/// var machine = DiscoveryMachine(key: deviceKey, incarnation: 7, port: 4000, now: now, random: SodiumGenerator())
/// perform(machine.start(now: now))
/// perform(machine.receive(bytes, from: source, now: now))
/// ```
public struct DiscoveryMachine<Random: RandomNumberGenerator & Sendable>: Sendable {
    /// Counters since the machine was made.
    public internal(set) var metrics = DiscoveryMetrics()

    /// Goes out with each datagram from now on.
    public var peerExchange = PeerExchangeDigest.empty
    /// The low bits of the version of our card for everybody; goes out too.
    public var card: UInt16 = 0
    /// Under which announcements go out from now on; nil: openly. A change is for after ``stop(now:)`` and before
    /// ``start(now:)``, but for the keys in it.
    public var veil: Veil?
    /// Of others.
    var veils = TagTable<[VeilOwner]>(label: VeiledDatagram.tagLabel, reach: DiscoveryLimits.veilEpochsApart)
    /// Of ours, lately: they come back to us.
    var ownTags: (epoch: VeilEpoch, tags: Set<[UInt8]>) = (VeilEpoch(rawValue: 0), [])
    /// Which of the pair keys is the next, of both kinds.
    var nextPair = 0
    var nextOther = 0
    /// Of what can't be read under a known tag: of its source, and beyond that of all.
    var brokenVeils: SourceBudgets
    var unreadVeils: DatagramLottery
    private var clock: (time: WallTime, at: Instant)
    let signer: DatagramSigner
    let own: DeviceID
    let incarnation: UInt32
    let port: UInt16
    let realm: RealmTag
    var random: Random

    var sequence: UInt32 = 0
    /// Moments of the HELLOs still to be sent, the next first; when there are none, the beacon's.
    var hellos: [Instant] = []
    var beaconAt: Instant?
    /// When to answer a suspicion of ourselves, and when that was done last.
    var refutationAt: Instant?
    var refutedAt: Instant?
    /// False after a goodbye: probes aren't answered then.
    private(set) var isSpeaking = false
    /// Nobody's time runs out before this.
    private var sweepAt: Instant?

    var table = SightingTable()
    private var hearing: HearingBudgets
    /// Draws lots among what floods: a generator without a system call, whose seed nobody learns.
    var lots: SeededGenerator
    var suspicionsBudget: RateLimiter
    /// Of what others have told.
    var introductions: RateLimiter
    var hearsay: RateLimiter
    var hearsaySources: SourceBudgets
    /// Where somebody else announces itself as this device.
    private var ownElsewhere: SocketAddress?
    private var questionsBudget: RateLimiter
    var prober = Prober()
    private let isProbing: Bool

    /// A silent machine.
    /// - Parameters:
    ///   - key: the device's key pair.
    ///   - incarnation: one more than at the last start, from the store: peers believe nothing older.
    ///   - port: where the daemon takes TCP connections; not 0.
    ///   - realm: from the realm key, if there is one.
    ///   - isProbing: whether to look for those who have crashed by probes of one's own.
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
        self.own = own
        self.signer = signer
        self.incarnation = incarnation
        self.port = port
        self.realm = realm
        self.random = random
        let salt: UInt64 = self.random.next()
        hearing = HearingBudgets(salt: salt, now: now)
        lots = SeededGenerator(seed: ~salt)
        brokenVeils = SourceBudgets(DiscoveryLimits.brokenVeils, salt: salt)
        unreadVeils = DatagramLottery(DiscoveryLimits.unreadVeils, now: now)
        introductions = RateLimiter(DiscoveryLimits.introductions)
        hearsay = RateLimiter(DiscoveryLimits.hearsay)
        hearsaySources = SourceBudgets(
            DiscoveryLimits.hearsayOfSource, six: DiscoveryLimits.hearsayOfSix, countsLoopback: true, salt: salt)
        questionsBudget = RateLimiter(DiscoveryLimits.questions)
        suspicionsBudget = RateLimiter(DiscoveryLimits.suspicionsOfOthers)
        self.isProbing = isProbing
        clock = (WallTime(milliseconds: 0), now)
    }

    /// When ``tick(now:)`` has something to do; nil: never, as things are.
    public var nextDeadline: Instant? {
        [hellos.first ?? beaconAt, refutationAt, sweepAt, prober.nextDeadline].compactMap(\.self).min()
    }

    /// Devices that are about, as far as was heard.
    public var presentCount: Int { table.presentCount }

    /// Contacts are remembered whatever a flood of strangers does.
    public mutating func setContacts(_ devices: Set<DeviceID>) {
        table.setContacts(devices)
    }

    /// By which keys others are recognised under their veils, and who they may be.
    public mutating func setVeils(_ keys: [SharedKey: [VeilOwner]]) { veils.set(keys) }

    /// The wall clock's time; to be told before each call if it may have been set meanwhile.
    public mutating func setClock(_ time: WallTime, now: Instant) { clock = (time, now) }

    func epoch(_ now: Instant) -> VeilEpoch { VeilEpoch(clock.time + (now - clock.at)) }

    /// Whether we answer others at all: under a veil that would show who we are.
    var isSpeakingOpenly: Bool { isSpeaking && veil == nil }

    // MARK: Speaking

    /// Begins to announce: HELLO three times, then beacons. Call it again when the network has changed (a new interface
    /// or address): the HELLOs start over.
    public mutating func start(now: Instant) -> [DiscoveryEffect] {
        let first = now + .random(in: DiscoveryLimits.firstHelloWithin, using: &random)
        hellos = [first] + DiscoveryLimits.repeatedHellos.map { first + $0 }
        beaconAt = nil
        isSpeaking = true
        prober.setOn(isProbing && veil == nil, now: now, using: &random)
        return tick(now: now)
    }

    /// Says goodbye, three times over, and goes silent. Others may still be heard.
    public mutating func stop(now: Instant) -> [DiscoveryEffect] {
        hellos = []
        beaconAt = nil
        refutationAt = nil
        isSpeaking = false
        prober.setOn(false, now: now, using: &random)
        return (0..<DiscoveryLimits.byes).flatMap { _ in announce(.bye, now: now) }
    }

    /// Does what is due: announces, gives up those who have been silent.
    public mutating func tick(now: Instant) -> [DiscoveryEffect] {
        var effects: [DiscoveryEffect] = []
        // After a suspended night several HELLOs are due: one will do.
        let dueHellos = hellos.prefix { $0 <= now }.count
        if dueHellos > 0 {
            hellos.removeFirst(dueHellos)
            effects += announce(.hello, now: now)
            if hellos.isEmpty { scheduleBeacon(now: now) }
        } else if let due = beaconAt, due <= now {
            effects += announce(.beacon, now: now)
            scheduleBeacon(now: now)
        }
        if let due = refutationAt, due <= now {
            refutationAt = nil
            refutedAt = now
            metrics.refutations += 1
            effects += announce(.beacon, now: now)
            if hellos.isEmpty { scheduleBeacon(now: now) }
        }
        effects += perform(prober.tick(now: now, table: table, using: &random), now: now)
        if let due = sweepAt, due <= now {
            let (expired, next) = table.sweep(interval: beaconInterval, now: now)
            effects += expired.map { .expired(device: $0) }
            sweepAt = next
        }
        return effects
    }

    /// Time between two beacons, before jitter: grows with the number of devices about, so that all of them together
    /// send ``DiscoveryLimits/beaconsPerSecond``.
    public var beaconInterval: Duration {
        let fair = Duration.seconds(table.presentCount + 1) / DiscoveryLimits.beaconsPerSecond
        return min(max(fair, DiscoveryLimits.shortestBeaconInterval), DiscoveryLimits.longestBeaconInterval)
    }

    private mutating func scheduleBeacon(now: Instant) {
        // Between 75 % and 125 %, so that devices that started together drift apart.
        let interval = beaconInterval
        beaconAt = now + interval * 3 / 4 + .random(in: interval / 2, using: &random)
    }

    private mutating func announce(_ kind: DiscoveryDatagram.Kind, now: Instant) -> [DiscoveryEffect] {
        guard let veil else { return [.broadcast(encoded(kind))] }
        return announce(kind, under: veil, now: now)
    }

    /// The next datagram.
    mutating func encoded(_ kind: DiscoveryDatagram.Kind, about subject: ProbeSubject? = nil) -> [UInt8] {
        sequence &+= 1
        metrics.sent += 1
        let datagram = DiscoveryDatagram(
            kind: kind, device: own, incarnation: incarnation, sequence: sequence, port: port, realm: realm,
            card: card, peerExchange: peerExchange, subject: subject)
        return datagram.encoded(by: signer)
    }

    // MARK: Hearing

    /// Takes a datagram, from anybody. The shell has checked that the source belongs to the interface's subnet.
    ///
    /// The checks go from cheap to dear, and the signature is the last. Whatever is wrong is counted and forgotten.
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

    /// The same for a datagram that was read already, by which a simulation saves reading it for each receiver.
    /// - Parameter isForUs: it came under a key that is for us alone.
    package mutating func receive(
        _ received: ReceivedDatagram, from source: SocketAddress, isForUs: Bool = false, now: Instant
    ) -> [DiscoveryEffect] {
        let content = received.content
        guard content.device != own else {
            metrics.own += 1
            // Of this run what we have not sent yet, or sent with another port, is somebody else's; of another run perhaps.
            let isEcho = content.incarnation == incarnation && content.sequence <= sequence && content.port == port
            if !isEcho { ownElsewhere = SocketAddress(source.host, port: content.port) }
            return []
        }
        guard content.realm == realm else {
            metrics.otherRealm += 1
            return []
        }
        let known = table[content.device]
        if let known {
            guard content.isNewer(than: known) else {
                metrics.stale += 1
                return []
            }
        } else if content.kind == .bye {
            metrics.idleByes += 1
            return []
        }
        guard
            isAnswer(content)
                || hearing.take(content.device, in: &table, from: source, now: now, using: &lots)
        else {
            metrics.overBudget += 1
            return ask(content.device, now: now)
        }
        guard signer.isAuthentic(received) else {
            metrics.forged += 1
            return []
        }
        metrics.believed += 1
        return believe(received, known, from: source, isForUs: isForUs, now: now)
    }

    /// Whether it answers a probe of ours by its nonce, which nobody knows who hasn't seen the probe.
    private mutating func isAnswer(_ content: DiscoveryDatagram) -> Bool {
        guard content.kind == .probeAck, let subject = content.subject else { return false }
        return prober.awaits(subject.device, from: content.device, nonce: subject.nonce)
    }

    /// More comes in the name of a known device than is looked at, and perhaps it is one that floods in its name: if it was not
    /// heard for a moment it is asked itself, where it was heard, and can answer as nobody else can.
    private mutating func ask(_ device: DeviceID, now: Instant) -> [DiscoveryEffect] {
        guard table.isOpen(device), let known = table[device], now - known.heardAt >= DiscoveryLimits.questionPause,
            prober.mayAsk(device), questionsBudget.take(now: now)
        else { return [] }
        return perform(prober.ask(device, now: now, using: &random), now: now)
    }

    /// Where somebody else has announced itself as this device since the last call: perhaps a copy of our data directory is in
    /// use there, perhaps somebody has sent an old datagram of ours again. No signature was checked.
    public mutating func takeOwnElsewhere() -> SocketAddress? { ownElsewhere.take() }

    /// Another copy of what was just believed has come from there.
    public mutating func heard(_ device: DeviceID, alsoFrom source: SocketAddress) {
        table.add(source, of: device)
    }

    mutating func believe(
        _ received: ReceivedDatagram, _ known: SightingTable.Sighting?, from source: SocketAddress,
        isForUs: Bool = false, toldBy: IPAddress? = nil, now: Instant
    ) -> [DiscoveryEffect] {
        let content = received.content
        let device = content.device
        if content.kind == .bye {
            table.leave(device, incarnation: content.incarnation, sequence: content.sequence, now: now)
            return known?.isPresent == true ? [.left(device: device)] : []
        }
        let isKnown = known.map { $0.isPresent && $0.isFrom(source.host) } ?? false
        var address = SocketAddress(source.host, port: content.port)
        var place = source
        var other = known?.source.host == source.host ? known?.other : known?.source
        if let known, isKnown, content.kind.hasSubject {
            // Only announcements move a device from one of its addresses to another.
            (address, place, other) = (known.address, known.source, known.other)
        }
        let isAnnouncement = !content.kind.hasSubject
        let sighting = SightingTable.Sighting(
            address: address, source: place, other: other,
            announcement: isAnnouncement ? received.announcement(from: source) : known?.announcement,
            card: isAnnouncement ? content.card : known?.card ?? 0,
            peerExchange: isAnnouncement ? content.peerExchange : known?.peerExchange ?? .empty,
            incarnation: content.incarnation,
            sequence: content.sequence, heardAt: now, interval: beaconInterval, isPresent: true,
            // Read anew: `known` was looked at before this datagram took its token.
            budget: table[device]?.budget ?? DatagramLottery(DiscoveryLimits.perKnownDevice, now: now),
            veilSkew: received.veiledIn.map { Int(clamping: $0.rawValue) - Int(clamping: epoch(now).rawValue) },
            isForUs: isForUs, toldBy: toldBy)
        let evicted = table.set(sighting, for: device)
        metrics.evicted += UInt64(evicted.count)
        let deadline = table.deadline(of: sighting, interval: beaconInterval)
        sweepAt = sweepAt.map { min($0, deadline) } ?? deadline
        let isNew = known.map { !$0.isPresent || content.incarnation > $0.incarnation } ?? true
        prober.heard(device, isNew: isNew, now: now, table: table, using: &random)
        var effects: [DiscoveryEffect] = []
        // A probe is no announcement: once a second it would be one too many.
        if isAnnouncement || isNew || !isKnown {
            effects.append(.heard(device: device, address: address, isNew: isNew))
        }
        effects += evicted.present.map { .expired(device: $0) }
        if let subject = content.subject {
            // Only of those who were known before, at an address where they were: who asks for something has to
            // introduce itself first.
            effects += isKnown ? probing(content, about: subject, from: source, now: now) : []
            if !isKnown { metrics.idleProbes += 1 }
        }
        return effects
    }
}

extension DiscoveryDatagram {
    /// Later start, or later datagram of the same start. Who has said BYE may speak again: to others, in another mode.
    func isNewer(than known: SightingTable.Sighting) -> Bool {
        (incarnation, sequence) > (known.incarnation, known.sequence)
    }
}

extension Duration {
    /// A random length from nothing to `longest`.
    static func random(in longest: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        .nanoseconds(Int64.random(in: 0...max(0, longest.nanoseconds), using: &random))
    }
}
