import Basics

/// An effect that a ``PeerExchangePlanner`` wants carried out.
public enum PeerExchangeEffect: Hashable, Sendable {
    /// Send this on the session with that device. The answer is to be reported.
    case ask(DeviceID, PeerExchangeRequestBody)
    /// Open a session with that device at once; when its card has come, report ``PeerExchangePlanner/setConnected(_:_:now:)``, else
    /// ``PeerExchangePlanner/unreachable(_:now:)``.
    case connect(DeviceID)
    /// Dial that device for its card, unless it dials first.
    case look(DeviceID)
}

/// Decides from which peers the cards of strangers come, so that not all have to dial all: a newcomer asks one peer for
/// all; a device that hears a newcomer among many asks one of the newcomer's *sponsors*, the few devices that dial it,
/// for the card, with all others that are missing. Among few devices all are sponsors.
///
/// Tell it what happens; after each input, and when ``nextDeadline`` comes, call ``tick(now:)``.
public struct PeerExchangePlanner<Random: RandomNumberGenerator & Sendable>: Sendable {
    private struct Nameless: Sendable {
        var due: Instant
        var attempts = 0
        /// The device that was asked for it last.
        var asked: DeviceID?
    }

    private struct Exchange: Sendable {
        let partner: DeviceID
        var request: PeerExchangeRequestBody
        /// The device whose card it is for; nil: for all.
        let subject: DeviceID?
        var isAsked = false
        var until: Instant
        var pages = 0
        var news = 0

        /// The most pages that it may take. Only the last page can be empty, so there can't be more pages than
        /// requested cards.
        var longest: Int { min(request.devices?.count ?? .max, DiscoveryLimits.peerExchangePages) }
    }

    private let own: DeviceID
    private var random: Random
    /// Devices that announce themselves.
    private var about: Set<DeviceID> = []
    /// The devices whose card isn't known, or not as it is now; and a moment before which none of them is due.
    private var nameless: [DeviceID: Nameless] = [:]
    private var namelessDue: Instant?
    /// The devices that we are to dial, and when.
    private var looks: [DeviceID: Instant] = [:]
    /// Devices whose card is known, and those of them that are about.
    private var named: Set<DeviceID> = []
    private var acquainted: Set<DeviceID> = []
    /// The devices whose card is known and that have not announced themselves.
    private var unheard: Set<DeviceID> = []
    /// Devices with a session that has come as far as their card.
    private var connected: Set<DeviceID> = []
    /// Devices whose peer exchange was another one than ours when they were heard last.
    private var differing: Set<DeviceID> = []
    private var exchange: Exchange?
    /// Peers that did not answer, which are not asked again for a while.
    private var silent = SilentPeers()
    /// The next exchange for missing cards comes no sooner.
    private var gapUntil: Instant?
    /// When to ask for everything, and whether a digest is the only reason.
    private var allAt: Instant?
    private var isForDigest = false
    private var allPause = DiscoveryLimits.peerExchangePause.first
    private var allEarliest: Instant?

    public init(own: DeviceID, random: Random) {
        self.own = own
        self.random = random
    }

    /// Whether the device's card isn't known, or not as it is now.
    public func isMissing(_ device: DeviceID) -> Bool { nameless[device] != nil }

    /// Devices whose card is missing.
    public var namelessCount: Int { nameless.count }

    /// Devices whose card is known here.
    var knownCount: Int { named.count }

    public var nextDeadline: Instant? {
        var deadline = looks.values.min()
        func earlier(_ moment: Instant?) { if let moment { deadline = deadline.map { min($0, moment) } ?? moment } }
        if let exchange {
            earlier(exchange.until)
        } else {
            earlier(allDue)
            if !nameless.isEmpty { earlier(namelessDue.map { due in gapUntil.map { max($0, due) } ?? due }) }
        }
        return deadline
    }

    /// When everything is to be asked for, and a peer can be asked; nil while there is no such peer.
    private var allDue: Instant? {
        guard let allAt else { return nil }
        var first: Instant?
        for peers in [connected, acquainted] {
            for peer in peers {
                guard let pause = silent.pause(of: peer) else { return allAt }
                first = first.map { min($0, pause) } ?? pause
            }
        }
        return first.map { isForDigest ? allAt : max(allAt, $0) }
    }

    // MARK: Inputs

    /// The network is new: there may be devices that were not heard yet.
    public mutating func start(now: Instant) {
        allPause = DiscoveryLimits.peerExchangePause.first
        allEarliest = nil
        isForDigest = false
        silent.clear()
        allAt = now + .random(in: DiscoveryLimits.peerExchangeDelay, using: &random)
    }

    /// - Parameters:
    ///   - differs: whether the device's peer exchange is another one than ours, as far as is known.
    ///   - isStale: whether it shows a newer card than the one that is known.
    public mutating func heard(_ device: DeviceID, differs: Bool, isStale: Bool = false, now: Instant) {
        guard device != own else { return }
        about.insert(device)
        unheard.remove(device)
        if isStale { named.remove(device) }
        if named.contains(device) { acquainted.insert(device) } else { acquainted.remove(device) }
        if !named.contains(device), nameless[device] == nil, nameless.count < DiscoveryLimits.strangers {
            var wait = DiscoveryLimits.namelessDelay
            if isStale {
                wait = DiscoveryLimits.staleDelay + .random(in: DiscoveryLimits.staleDelay * 3, using: &random)
            } else {
                let jitter = max(wait, DiscoveryLimits.namelessJitterPerPeer * about.count)
                wait = wait + .random(in: min(jitter, DiscoveryLimits.longestNamelessJitter), using: &random)
            }
            if isSponsor(of: device) {
                looks[device] = now + .random(in: DiscoveryLimits.lookDelay, using: &random)
                // We dial first, even if the larger key has to wait and a dial must be repeated.
                wait = wait + DiscoveryLimits.namelessDelay * 2
            }
            miss(device, Nameless(due: now + wait))
        }
        if differs { differing.insert(device) } else { differing.remove(device) }
        if differs, named.contains(device), allAt == nil {
            let patience = DiscoveryLimits.digestPatience
            allAt = max(now + patience + .random(in: patience, using: &random), allEarliest ?? now)
            isForDigest = true
        }
    }

    public mutating func left(_ device: DeviceID) {
        about.remove(device)
        found(device)
        named.remove(device)
        unheard.remove(device)
        acquainted.remove(device)
        differing.remove(device)
    }

    /// The device's card is known, from itself or from others.
    public mutating func known(_ device: DeviceID) {
        found(device)
        named.insert(device)
        guard !about.contains(device) else {
            acquainted.insert(device)
            return
        }
        // A peer that is only connected comes and goes with any number of keys.
        unheard.insert(device)
        if unheard.count > DiscoveryLimits.departedCards, let any = unheard.popFirst() { named.remove(any) }
    }

    private mutating func found(_ device: DeviceID) {
        nameless[device] = nil
        looks[device] = nil
        if nameless.isEmpty { namelessDue = nil }
    }

    public mutating func setConnected(_ device: DeviceID, _ isConnected: Bool, now: Instant) {
        if isConnected {
            connected.insert(device)
        } else {
            connected.remove(device)
            if exchange?.partner == device, exchange?.isAsked == true { finish(isAnswered: false, now: now) }
        }
    }

    /// Notes that a dial of the device has failed. Another device is asked at once.
    public mutating func unreachable(_ device: DeviceID, now: Instant) {
        if exchange?.partner == device, exchange?.isAsked == false { finish(isAnswered: false, now: now) }
    }

    /// Whether the device's entry in a page of that partner is what was asked for.
    public func awaits(_ device: DeviceID, from partner: DeviceID) -> Bool {
        guard let exchange, exchange.partner == partner, exchange.isAsked else { return false }
        if let after = exchange.request.after, device <= after { return false }
        return exchange.request.devices?.contains(device) ?? true
    }

    /// A page has come.
    /// - Parameter news: how many devices in it were new to us, or nameless.
    public mutating func received(
        _ page: PeerExchangeBody, from device: DeviceID, news: Int, now: Instant
    ) -> [PeerExchangeEffect] {
        guard var current = exchange, current.partner == device, current.isAsked else { return [] }
        current.pages += 1
        current.news += news
        exchange = current
        guard page.hasMore, let last = page.entries.last?.device, current.request.after.map({ $0 < last }) ?? true,
            current.pages < current.longest
        else {
            finish(isAnswered: true, now: now)
            return []
        }
        current.request = PeerExchangeRequestBody(devices: current.request.devices, after: last)
        current.until = now + DiscoveryLimits.peerExchangeAnswerTime
        exchange = current
        return [.ask(device, current.request)]
    }

    // MARK: Time

    public mutating func tick(now: Instant) -> [PeerExchangeEffect] {
        var effects: [PeerExchangeEffect] = []
        for device in looks.filter({ $0.value <= now }).keys.sorted() {
            looks[device] = nil
            effects.append(.look(device))
        }
        if let current = exchange {
            if !current.isAsked, connected.contains(current.partner) { return effects + ask(current, now: now) }
            guard current.until <= now else { return effects }
            finish(isAnswered: false, now: now)
        }
        if let due = allAt, due <= now {
            let partner = partnerForAll(now)
            // If no peer that differs is left, the reason is gone. If there is no peer at all, or none that answers, the
            // next one that comes is asked.
            if partner != nil || isForDigest { allAt = nil }
            if let partner {
                let all = Exchange(partner: partner, request: PeerExchangeRequestBody(), subject: nil, until: now)
                return effects + begin(all, now: now)
            }
        }
        return effects + askForMissing(now: now)
    }

    private mutating func askForMissing(now: Instant) -> [PeerExchangeEffect] {
        guard let earliest = namelessDue, max(earliest, gapUntil ?? earliest) <= now else { return [] }
        defer { namelessDue = nameless.values.map(\.due).min() }
        let due = nameless.filter { $0.value.due <= now }.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
        guard !due.isEmpty else { return [] }
        var effects: [PeerExchangeEffect] = []
        // No peer seems to have these cards: their devices have to introduce themselves.
        let hopeless = due.filter { $0.value.attempts >= DiscoveryLimits.peerExchangeAttempts }.map(\.key)
        for (index, device) in hopeless.enumerated() {
            if index < DiscoveryLimits.hopelessLooks {
                effects.append(.look(device))
                wait(for: device, now: now)
            } else {
                nameless[device]?.due = now + .seconds(1)
            }
        }
        guard let subject = due.first(where: { $0.value.attempts < DiscoveryLimits.peerExchangeAttempts }) else {
            return effects
        }
        guard let partner = partner(for: subject.key, subject.value, now) else {
            wait(for: subject.key, now: now)
            return effects + [.look(subject.key)]
        }
        // We ask for all missing cards at once, because each exchange costs the work of two handshakes, however much it
        // brings.
        var missing = Set(due.prefix(PeerLimits.peerExchangeDevices).map(\.key)).union([subject.key])
        for device in nameless.keys where missing.count < PeerLimits.peerExchangeDevices { missing.insert(device) }
        missing.remove(partner)
        let request = PeerExchangeRequestBody(devices: missing.sorted())
        return effects
            + begin(Exchange(partner: partner, request: request, subject: subject.key, until: now), now: now)
    }

    private mutating func begin(_ new: Exchange, now: Instant) -> [PeerExchangeEffect] {
        var new = new
        new.until = now + DiscoveryLimits.peerExchangeAnswerTime
        exchange = new
        return connected.contains(new.partner) ? ask(new, now: now) : [.connect(new.partner)]
    }

    private mutating func ask(_ current: Exchange, now: Instant) -> [PeerExchangeEffect] {
        exchange?.isAsked = true
        exchange?.until = now + DiscoveryLimits.peerExchangeAnswerTime
        return [.ask(current.partner, current.request)]
    }

    /// - Parameter isAnswered: whether the peer gave all that it was asked for.
    private mutating func finish(isAnswered: Bool, now: Instant) {
        guard let ended = exchange else { return }
        exchange = nil
        if isAnswered {
            silent.answered(ended.partner)
        } else {
            silent.failed(ended.partner, now: now, using: &random)
        }
        if let subject = ended.subject {
            nameless[subject]?.asked = ended.partner
            wait(for: subject, now: now)
            gapUntil =
                now + DiscoveryLimits.peerExchangeGap + .random(in: DiscoveryLimits.peerExchangeGap, using: &random)
        } else if ended.pages == 0 {
            // The peer has not answered: another may, soon.
            allAt = now + DiscoveryLimits.peerExchangeDelay
        } else {
            let next = now + allPause * 3 / 4 + .random(in: allPause / 2, using: &random)
            allPause = min(allPause * 2, DiscoveryLimits.peerExchangePause.longest)
            allEarliest = next
            // If there was news, another peer may have more. If there was none, only a digest can be a reason to ask
            // again.
            isForDigest = false
            if ended.news > 0 { allAt = next }
        }
    }

    private mutating func miss(_ device: DeviceID, _ missing: Nameless) {
        nameless[device] = missing
        namelessDue = namelessDue.map { min($0, missing.due) } ?? missing.due
    }

    /// At first a sponsor may just not have got the card yet; from the first dial on twice as long each time.
    private mutating func wait(for device: DeviceID, now: Instant) {
        guard var missing = nameless[device] else { return }
        let pause = DiscoveryLimits.namelessPause
        let isDialled = missing.attempts >= DiscoveryLimits.peerExchangeAttempts
        let wait = isDialled ? min(pause.first * (1 << min(missing.attempts, 10)), pause.longest) : pause.first
        missing.attempts += 1
        missing.due = now + wait + .random(in: wait / 2, using: &random)
        miss(device, missing)
    }

    // MARK: Who to ask

    /// Whether we are one of those that dial the device, as far as we know which devices are about.
    private func isSponsor(of device: DeviceID) -> Bool {
        // The device itself is among them.
        if about.count <= DiscoveryLimits.dialledStrangers { return true }
        let distance = own.distance(to: device)
        var nearer = 0
        for other in about where other != device && other.distance(to: device) < distance {
            nearer += 1
            if nearer == DiscoveryLimits.sponsors { return false }
        }
        return true
    }

    /// The others who dial the device.
    private func sponsors(of device: DeviceID) -> [DeviceID] {
        var nearest: [(distance: UInt64, device: DeviceID)] = []
        for other in about where other != device {
            let distance = other.distance(to: device)
            if nearest.count == DiscoveryLimits.sponsors, let last = nearest.last, last.distance <= distance {
                continue
            }
            let place = nearest.firstIndex { (distance, other) < ($0.distance, $0.device) } ?? nearest.endIndex
            nearest.insert((distance, other), at: place)
            if nearest.count > DiscoveryLimits.sponsors { nearest.removeLast() }
        }
        return nearest.map(\.device)
    }

    /// A sponsor that was not asked last; where there is none, any device. A device with a session goes first: that
    /// costs nothing.
    private mutating func partner(for device: DeviceID, _ missing: Nameless, _ now: Instant) -> DeviceID? {
        var others = sponsors(of: device).filter { $0 != missing.asked && silent.mayAsk($0, now: now) }
        if others.isEmpty { others = partners(now, except: device) }
        let open = others.filter(connected.contains)
        return (open.isEmpty ? others : open).randomElement(using: &random)
    }

    private mutating func partnerForAll(_ now: Instant) -> DeviceID? {
        guard isForDigest else { return partners(now).randomElement(using: &random) }
        return differing.filter { silent.mayAsk($0, now: now) }.sorted().randomElement(using: &random)
    }

    /// The devices that can be asked, in order: those with a session; where none of them answers, all whose card is known.
    private func partners(_ now: Instant, except device: DeviceID? = nil) -> [DeviceID] {
        for peers in [connected, acquainted] {
            let open = peers.filter { $0 != device && silent.mayAsk($0, now: now) }
            if !open.isEmpty { return open.sorted() }
        }
        return []
    }
}

extension DeviceID {
    /// How far two keys are from each other, in the manner of Kademlia: the same for both, and no two devices are equally far
    /// from a third but by chance.
    fileprivate func distance(to other: DeviceID) -> UInt64 { key.leading ^ other.key.leading }
}
