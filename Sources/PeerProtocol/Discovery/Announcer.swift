import Basics
import Crypto

/// The announcements of a daemon on its segment: when they are due, and their bytes, openly or under a veil.
struct Announcer: Sendable {
    /// Goes out with each datagram.
    var peerExchange = PeerExchangeDigest.empty
    /// The low bits of the version of our public card; they go out, too.
    var card: UInt16 = 0
    /// Under which announcements go out; nil: openly.
    var veil: Veil?

    let own: DeviceID
    let realm: RealmTag
    private let incarnation: UInt32
    private let port: UInt16
    private let signer: DatagramSigner

    private var sequence: UInt32 = 0
    /// Moments of the HELLOs still to be sent, the next first; when there are none, the beacon's.
    private var hellos: [Instant] = []
    private var beaconAt: Instant?
    /// When to answer a suspicion of ourselves, and when that was done last.
    private var refutationAt: Instant?
    private var refutedAt: Instant?
    /// False after a goodbye: probes aren't answered then.
    private(set) var isSpeaking = false
    /// Tags of our own announcements of this epoch: they come back to us.
    private var ownTags: (epoch: VeilEpoch, tags: Set<[UInt8]>) = (VeilEpoch(rawValue: 0), [])
    /// The next of the veil's pair keys, of both kinds.
    private var nextPair = 0
    private var nextOther = 0

    init(own: DeviceID, signer: DatagramSigner, incarnation: UInt32, port: UInt16, realm: RealmTag) {
        self.own = own
        self.signer = signer
        self.incarnation = incarnation
        self.port = port
        self.realm = realm
    }

    /// Whether we answer others at all: under a veil that would show who we are.
    var isSpeakingOpenly: Bool { isSpeaking && veil == nil }

    var nextDeadline: Instant? { [hellos.first ?? beaconAt, refutationAt].compactMap(\.self).min() }

    // MARK: When

    /// Plans three HELLOs, and beacons behind them.
    mutating func start(now: Instant, using random: inout some RandomNumberGenerator) {
        let first = now + .random(in: DiscoveryLimits.firstHelloWithin, using: &random)
        hellos = [first] + DiscoveryLimits.repeatedHellos.map { first + $0 }
        beaconAt = nil
        isSpeaking = true
    }

    /// Cancels everything that is planned.
    mutating func stop() {
        hellos = []
        beaconAt = nil
        refutationAt = nil
        isSpeaking = false
    }

    /// Brings the next beacon forward.
    mutating func speakSoon(now: Instant, using random: inout some RandomNumberGenerator) {
        guard isSpeaking, let due = beaconAt else { return }
        beaconAt = min(due, now + .random(in: DiscoveryLimits.firstHelloWithin, using: &random))
    }

    /// Plans an answer to a suspicion of ourselves.
    /// - Returns: whether it is due now; nil where the suspicion is not of this run, or no peer may hear us.
    mutating func suspected(incarnation suspect: UInt32, now: Instant) -> Bool? {
        guard isSpeakingOpenly, suspect == incarnation else { return nil }
        let earliest = refutedAt.map { max(now, $0 + DiscoveryLimits.refutationPause) } ?? now
        refutationAt = refutationAt.map { min($0, earliest) } ?? earliest
        return earliest == now
    }

    /// The announcements that are due.
    /// - Parameter interval: the time between two beacons, before jitter.
    mutating func tick(
        every interval: Duration, in epoch: VeilEpoch, now: Instant, _ metrics: inout DiscoveryMetrics,
        using random: inout some RandomNumberGenerator
    ) -> [DiscoveryEffect] {
        var effects: [DiscoveryEffect] = []
        // After a suspended night several HELLOs are due: one will do.
        let dueHellos = hellos.prefix { $0 <= now }.count
        if dueHellos > 0 {
            hellos.removeFirst(dueHellos)
            effects += announce(.hello, in: epoch, &metrics, using: &random)
            if hellos.isEmpty { scheduleBeacon(every: interval, now: now, using: &random) }
        } else if let due = beaconAt, due <= now {
            effects += announce(.beacon, in: epoch, &metrics, using: &random)
            scheduleBeacon(every: interval, now: now, using: &random)
        }
        if let due = refutationAt, due <= now {
            refutationAt = nil
            refutedAt = now
            metrics.refutations += 1
            effects += announce(.beacon, in: epoch, &metrics, using: &random)
            if hellos.isEmpty { scheduleBeacon(every: interval, now: now, using: &random) }
        }
        return effects
    }

    private mutating func scheduleBeacon(
        every interval: Duration, now: Instant, using random: inout some RandomNumberGenerator
    ) {
        // Between 75 % and 125 %, so that devices that started together drift apart.
        beaconAt = now + interval * 3 / 4 + .random(in: interval / 2, using: &random)
    }

    // MARK: What

    /// Whether this is what we have sent ourselves. A datagram of this run that we have not sent yet, or sent with another port,
    /// is another sender's; so may be one of another run.
    func isEcho(_ content: DiscoveryDatagram) -> Bool {
        content.incarnation == incarnation && content.sequence <= sequence && content.port == port
    }

    /// Whether an announcement of ours went out under this tag lately.
    func hasSent(under tag: [UInt8]) -> Bool { ownTags.tags.contains(tag) }

    func isAuthentic(_ received: ReceivedDatagram) -> Bool { signer.isAuthentic(received) }

    /// The subject of an answer to a probe of us.
    func subject(answering nonce: UInt64) -> ProbeSubject {
        ProbeSubject(device: own, incarnation: incarnation, nonce: nonce)
    }

    /// The next datagram in the open.
    mutating func datagram(
        _ kind: DiscoveryDatagram.Kind, about subject: ProbeSubject? = nil, _ metrics: inout DiscoveryMetrics
    ) -> [UInt8] {
        sequence &+= 1
        metrics.sent += 1
        let datagram = DiscoveryDatagram(
            kind: kind, device: own, incarnation: incarnation, sequence: sequence, port: port, realm: realm,
            card: card, peerExchange: peerExchange, subject: subject)
        return datagram.encoded(by: signer)
    }

    /// Makes the datagram with which the prober asks or tells others; nil if the device in question is gone.
    mutating func probe(
        _ action: Prober.Action, among table: SightingTable, _ metrics: inout DiscoveryMetrics
    ) -> DiscoveryEffect? {
        switch action {
        case .probe(let device, let nonce), .probeAgain(let device, let nonce):
            guard let there = table[device], there.isPresent, there.isOpen else { return nil }
            metrics.probes += 1
            let about = ProbeSubject(device: device, incarnation: there.incarnation, nonce: nonce)
            var place = there.source
            if case .probeAgain = action { place = there.other ?? place }
            return .send(datagram(.probe, about: about, &metrics), to: place)
        case .ask(let helper, let device, let nonce):
            guard let there = table[helper], there.isPresent, let sighting = table[device] else { return nil }
            let about = ProbeSubject(device: device, incarnation: sighting.incarnation, nonce: nonce)
            return .send(datagram(.probeRequest, about: about, &metrics), to: there.source)
        case .accuse(let device):
            guard let sighting = table[device] else { return nil }
            metrics.suspicions += 1
            let about = ProbeSubject(device: device, incarnation: sighting.incarnation, nonce: 0)
            return .broadcast(datagram(.suspect, about: about, &metrics))
        case .giveUp: return nil
        }
    }

    /// Makes one announcement: openly, or under the veil's shared key and under those of some of the friends who may
    /// not have it.
    mutating func announce(
        _ kind: DiscoveryDatagram.Kind, in epoch: VeilEpoch, _ metrics: inout DiscoveryMetrics,
        using random: inout some RandomNumberGenerator
    ) -> [DiscoveryEffect] {
        guard let veil else { return [.broadcast(datagram(kind, &metrics))] }
        if ownTags.epoch != epoch { ownTags = (epoch, []) }
        sequence &+= 1
        let inner = DiscoveryDatagram(
            kind: kind, device: own, incarnation: incarnation, sequence: sequence, port: port, realm: realm
        ).encoded(in: epoch, by: signer)
        let pairs = pairs(
            of: veil, count: kind == .hello ? DiscoveryLimits.helloPairs : DiscoveryLimits.veilPairs)
        return ([veil.shared] + pairs).map { key in
            let bytes = VeiledDatagram.sealed(inner, under: key, in: epoch, nonce: Self.nonce(using: &random))
            ownTags.tags.insert(VeiledDatagram.tag(key, epoch))
            metrics.sent += 1
            return .broadcast(bytes)
        }
    }

    /// Takes the next keys in turn. A quarter of them are for friends who need them less.
    private mutating func pairs(of veil: Veil, count: Int) -> [SharedKey] {
        let others = min(veil.others.count, max(count / 4, count - veil.pairs.count))
        return Self.next(count - others, of: veil.pairs, from: &nextPair)
            + Self.next(others, of: veil.others, from: &nextOther)
    }

    private static func next(_ count: Int, of keys: [SharedKey], from place: inout Int) -> [SharedKey] {
        guard !keys.isEmpty else { return [] }
        let count = min(count, keys.count)
        defer { place = (place + count) % keys.count }
        return (0..<count).map { keys[(place + $0) % keys.count] }
    }

    private static func nonce(using random: inout some RandomNumberGenerator) -> [UInt8] {
        var nonce: [UInt8] = []
        while nonce.count < CryptoLimits.longNonceBytes { nonce.appendBigEndian(random.next()) }
        return nonce
    }
}
