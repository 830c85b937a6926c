import Basics

/// What a ``RosterPlanner`` wants done.
public enum RosterEffect: Hashable, Sendable {
    /// Send this on the session with that device. The answer is to be reported.
    case ask(DeviceID, RosterRequestBody)
    /// Open a session with that device; when its card has come, report ``RosterPlanner/setConnected(_:_:now:)``.
    case connect(DeviceID)
}

/// Decides whom to ask for the cards of others, so that not everybody has to dial everybody: a newcomer asks one peer for
/// all; who hears somebody new among many asks one peer for the missing card, with all others that are missing. Only whom
/// nobody knows is dialled for the card.
///
/// Tell it what happens; after each input, and when ``nextDeadline`` comes, call ``tick(now:)``.
public struct RosterPlanner<Random: RandomNumberGenerator & Sendable>: Sendable {
    private struct Nameless: Sendable {
        var due: Instant
        var attempts = 0
    }

    private struct Exchange: Sendable {
        let partner: DeviceID
        var request: RosterRequestBody
        let isForAll: Bool
        var isAsked = false
        var until: Instant
        var pages = 0
        var news = 0
    }

    private let own: DeviceID
    private var random: Random
    /// Devices about whose card isn't known.
    private var nameless: [DeviceID: Nameless] = [:]
    /// Devices about whose card is known.
    private var named: Set<DeviceID> = []
    /// Devices with a session that has come as far as their card.
    private var connected: Set<DeviceID> = []
    private var exchange: Exchange?
    /// When to ask for everything.
    private var allAt: Instant?
    private var allPause = DiscoveryLimits.rosterPause.first
    private var allEarliest: Instant?

    public init(own: DeviceID, random: Random) {
        self.own = own
        self.random = random
    }

    /// Devices whose card is missing.
    public var namelessCount: Int { nameless.count }

    public var nextDeadline: Instant? {
        if let exchange { return exchange.until }
        let all = hasPartner ? allAt : nil
        return nameless.values.reduce(all) { least, wait in least.map { min($0, wait.due) } ?? wait.due }
    }

    private var hasPartner: Bool { !connected.isEmpty || !named.isEmpty }

    // MARK: Inputs

    /// The network is new: there may be others of whom nothing was heard yet.
    public mutating func start(now: Instant) {
        allPause = DiscoveryLimits.rosterPause.first
        allEarliest = nil
        allAt = now + .random(in: DiscoveryLimits.rosterDelay, using: &random)
    }

    /// - Parameter differs: whether the device's roster is another one than ours, as far as is known.
    public mutating func heard(_ device: DeviceID, differs: Bool, now: Instant) {
        guard device != own else { return }
        if !named.contains(device), nameless[device] == nil, nameless.count < DiscoveryLimits.strangers {
            let delay = DiscoveryLimits.namelessDelay
            nameless[device] = Nameless(due: now + delay + .random(in: delay * 3, using: &random))
        }
        if differs, named.contains(device), allAt == nil { allAt = max(now, allEarliest ?? now) }
    }

    public mutating func left(_ device: DeviceID) {
        nameless[device] = nil
        named.remove(device)
    }

    /// The device's card is known, from itself or from others.
    public mutating func known(_ device: DeviceID) {
        nameless[device] = nil
        named.insert(device)
    }

    public mutating func setConnected(_ device: DeviceID, _ isConnected: Bool, now: Instant) {
        if isConnected {
            connected.insert(device)
        } else {
            connected.remove(device)
            if exchange?.partner == device, exchange?.isAsked == true { finish(now: now) }
        }
    }

    /// A page has come.
    /// - Parameter news: how many devices in it were new to us, or nameless.
    public mutating func received(_ page: RosterBody, from device: DeviceID, news: Int, now: Instant) -> [RosterEffect]
    {
        guard var current = exchange, current.partner == device, current.isAsked else { return [] }
        current.pages += 1
        current.news += news
        exchange = current
        guard page.hasMore, let last = page.entries.last?.device, current.request.after.map({ $0 < last }) ?? true,
            current.pages < DiscoveryLimits.rosterPages
        else {
            finish(now: now)
            return []
        }
        current.request = RosterRequestBody(devices: current.request.devices, after: last)
        current.until = now + DiscoveryLimits.rosterAnswerTime
        exchange = current
        return [.ask(device, current.request)]
    }

    // MARK: Time

    public mutating func tick(now: Instant) -> [RosterEffect] {
        if let current = exchange {
            if !current.isAsked, connected.contains(current.partner) { return ask(current, now: now) }
            guard current.until <= now else { return [] }
            finish(now: now)
        }
        if let due = allAt, due <= now, let partner = partner(besides: []) {
            allAt = nil
            return begin(Exchange(partner: partner, request: RosterRequestBody(), isForAll: true, until: now), now: now)
        }
        let due = nameless.filter { $0.value.due <= now }
        guard !due.isEmpty else { return [] }
        let hopeless = due.filter { $0.value.attempts >= DiscoveryLimits.rosterAttempts }.map(\.key).sorted()
        for device in hopeless { wait(for: device, now: now) }
        // All that are missing at once: each exchange costs two handshakes' work, however much it brings.
        let missing = nameless.keys.filter { !hopeless.contains($0) }.sorted()
        var effects = hopeless.map { RosterEffect.connect($0) }
        guard !missing.isEmpty else { return effects }
        if let partner = partner(besides: Set(missing)) {
            let request = RosterRequestBody(devices: missing)
            effects += begin(Exchange(partner: partner, request: request, isForAll: false, until: now), now: now)
        } else {
            // Nobody to ask: the first one has to introduce itself.
            let device = missing[Int.random(in: missing.indices, using: &random)]
            for other in missing { wait(for: other, now: now) }
            effects.append(.connect(device))
        }
        return effects
    }

    private mutating func begin(_ new: Exchange, now: Instant) -> [RosterEffect] {
        var new = new
        new.until = now + DiscoveryLimits.rosterAnswerTime
        exchange = new
        return connected.contains(new.partner) ? ask(new, now: now) : [.connect(new.partner)]
    }

    private mutating func ask(_ current: Exchange, now: Instant) -> [RosterEffect] {
        exchange?.isAsked = true
        exchange?.until = now + DiscoveryLimits.rosterAnswerTime
        return [.ask(current.partner, current.request)]
    }

    /// Somebody with a session first: that costs nothing.
    private mutating func partner(besides missing: Set<DeviceID>) -> DeviceID? {
        let open = connected.subtracting(missing)
        return (open.isEmpty ? named.subtracting(missing) : open).sorted().randomElement(using: &random)
    }

    private mutating func finish(now: Instant) {
        guard let ended = exchange else { return }
        exchange = nil
        for device in ended.request.devices ?? [] where nameless[device] != nil { wait(for: device, now: now) }
        guard ended.isForAll else { return }
        if ended.pages == 0 {
            // Nobody has answered: somebody else may, soon.
            allAt = now + DiscoveryLimits.namelessDelay
        } else {
            let next = now + allPause * 3 / 4 + .random(in: allPause / 2, using: &random)
            allPause = min(allPause * 2, DiscoveryLimits.rosterPause.longest)
            allEarliest = next
            // Where there was news there may be more, with somebody else; where there was none, a digest has to say so.
            if ended.news > 0 { allAt = next }
        }
    }

    /// Twice as long each time.
    private mutating func wait(for device: DeviceID, now: Instant) {
        guard var missing = nameless[device] else { return }
        missing.attempts += 1
        let wait = min(
            DiscoveryLimits.namelessDelay * (1 << min(missing.attempts, 10)), DiscoveryLimits.longestNamelessPause)
        missing.due = now + wait + .random(in: wait / 2, using: &random)
        nameless[device] = missing
    }
}
