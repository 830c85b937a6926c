import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime

/// Gets cards of strangers from peers that have them, and gives peers ours: it joins a ``PeerExchange`` and a
/// ``PeerExchangePlanner`` with sessions.
@ReactorActor package final class PeerExchangeService {
    private let environment: Environment
    private let contacts: ContactIndex
    private let profiles: any ProfileObserver
    private let own: DeviceID
    private let groups: GroupIndex
    private let identity: OwnIdentity
    private let sessions: Sessions
    private let dialler: Dialler
    private let presence: PresencePublisher
    private weak var discovery: DiscoveryService?
    package private(set) var cards = PeerExchange()
    private var planner: PeerExchangePlanner<SodiumGenerator>
    private var meter: PeerExchangeMeter
    private var timer: TimerToken?
    /// The version of the card that announcements speak of, and when they last came early because of it.
    private var shown: UInt64?
    private var newsAt: Instant?
    private var newsTimer: TimerToken?
    /// When strangers were last looked at because a client asked for them.
    private var lookedAt: [DeviceID: Instant] = [:]

    init(
        own: DeviceID, environment: Environment, contacts: ContactIndex, groups: GroupIndex,
        profiles: any ProfileObserver, identity: OwnIdentity, sessions: Sessions, dialler: Dialler,
        presence: PresencePublisher
    ) {
        self.own = own
        self.groups = groups
        self.identity = identity
        self.sessions = sessions
        self.dialler = dialler
        self.presence = presence
        self.environment = environment
        self.contacts = contacts
        self.profiles = profiles
        var random = SodiumGenerator()
        meter = PeerExchangeMeter(salt: random.next())
        planner = PeerExchangePlanner(own: own, random: random)
    }

    package func start(discovery: DiscoveryService) {
        self.discovery = discovery
        refresh()
        networkChanged()
    }

    package func stop() {
        timer?.cancel()
        newsTimer?.cancel()
        discovery = nil
    }

    /// Call when there may be devices that we have not heard of yet.
    package func networkChanged() { plan { $0.start(now: $1) } }

    // MARK: What is heard

    package func heard(_ device: DeviceID, _ digest: PeerExchangeDigest) {
        guard !contacts.isBlocked(device) else { return }
        // The session may have been there before its announcement.
        if !cards.has(device), let session = sessions.with(device), let card = session.card,
            accept(card, of: session)
        {
            refresh()
        }
        let mark = discovery?.card(of: device) ?? 0
        if let card = cards.restore(device, mark: mark) {
            introduce(card)
            refresh()
        }
        let differs = digest != .empty && digest != cards.digest
        let isStale = mark != 0 && cards.mark(of: device).map { $0 != mark } ?? false
        plan { planner, now in
            planner.heard(device, differs: differs, isStale: isStale, now: now)
            // A device whose name is in the database needs no card from other peers, nor does one that was known when
            // it left.
            let isContact = contacts.account(of: device) != nil
            if isContact || (cards.has(device) && !isStale) { planner.known(device) }
        }
    }

    /// Call when a client looks at a stranger, whose card then has to be current.
    package func looked(at device: DeviceID) {
        let now = environment.clocks.now
        guard mayDial, sessions.with(device) == nil, !contacts.isBlocked(device) else { return }
        if let last = lookedAt[device], now - last < NetworkLimits.lookPause { return }
        if lookedAt.count >= NetworkLimits.rememberedLooks { lookedAt = [:] }
        lookedAt[device] = now
        dialler.look(at: device, atOnce: true)
    }

    /// Call when no host answers where a dial went.
    package func unreachable(_ device: DeviceID) { plan { $0.unreachable(device, now: $1) } }

    package func left(_ device: DeviceID) {
        cards.remove(device)
        refresh()
        plan { planner, _ in planner.left(device) }
    }

    /// The card of a session's peer has come.
    package func met(_ session: PeerSession, as card: Card) {
        let device = session.peer.device
        if discovery?.isOpen(device) == true, accept(card, of: session) { refresh() }
        plan { planner, now in
            planner.known(device)
            planner.setConnected(device, true, now: now)
        }
    }

    /// Takes the card of a session's peer, if all peers may see it. That needs a device that everyone can hear: we
    /// don't speak of devices that are under a veil, or silent.
    private func accept(_ card: Card, of session: PeerSession) -> Bool {
        PeerExchange.isForAll(card, fromFriend: session.relation == .friend) && cards.insert(card)
    }

    package func ended(with device: DeviceID) { plan { $0.setConnected(device, false, now: $1) } }

    // MARK: Pages

    package func wanted(_ request: PeerExchangeRequestBody, by session: PeerSession) {
        guard let discovery else { return }
        // A limit for each session would limit nothing, because opening sessions is free.
        let peer = session.peer.account
        let isOurs = contacts.isFriendOrGroupMate(peer, groups)
        let source = session.connection.remoteAddress?.host
        guard meter.pass(isOurs ? .friend(peer) : .stranger(source), now: environment.clocks.now) else {
            environment.metrics.count(.peerExchangePagesRefused)
            return
        }
        session.sendPeerExchange(
            cards.page(request, except: session.peer.device) { discovery.announcement(of: $0) })
    }

    package func came(_ page: PeerExchangeBody, from session: PeerSession) {
        var news = 0
        guard let teller = session.connection.remoteAddress?.host else { return }
        for entry in page.entries where entry.device != own && !contacts.isBlocked(entry.device) {
            guard planner.awaits(entry.device, from: session.peer.device) else { continue }
            let wasHere = discovery?.announcement(of: entry.device) != nil
            if let announcement = entry.announcement { discovery?.introduced(announcement, by: teller) }
            guard discovery?.announcement(of: entry.device) != nil else { continue }
            if accept(entry, wasHere: wasHere) || !wasHere { news += 1 }
        }
        refresh()
        let effects = planner.received(page, from: session.peer.device, news: news, now: environment.clocks.now)
        perform(effects)
        plan { _, _ in }
    }

    /// Takes the card of a device on the network, if it is newer than the known one. Returns whether it is news.
    private func accept(_ entry: PeerExchangeBody.Entry, wasHere: Bool) -> Bool {
        // Most are known: their cards needn't be read.
        if cards.has(entry.device), !planner.isMissing(entry.device) { return false }
        guard let bytes = entry.card, let card = try? Card(decoding: bytes), card.device == entry.device else {
            return false
        }
        // A contact's card is taken only from the contact: this may be its new device.
        guard contacts.entry(card.account) == nil else {
            if !wasHere, !contacts.isBlocked(card.device) { look(at: card.device) }
            return false
        }
        guard cards.insert(card, isFirstHand: false) else { return false }
        planner.known(card.device)
        dialler.spare(card.device)
        introduce(card)
        return true
    }

    /// Shows a device whose card is known though there is no session with it.
    private func introduce(_ card: Card) {
        presence.change {
            $0.introduced(card.device, account: card.account, displayName: card.profile.displayName, at: $1)
        }
        profiles.met(
            card.account, displayName: card.profile.displayName, email: card.profile.email, phone: card.profile.phone)
    }

    /// Makes our own card part of what we have, and puts the digest of all cards into announcements.
    private func refresh() {
        let card = identity.card(forFriend: false)
        if let card { cards.insert(card) }
        discovery?.show(cards.digest, card: card.map { PeerExchange.mark($0.version) } ?? 0)
        guard let version = card?.version, version != shown else { return }
        if shown != nil { tellSoon() }
        shown = version
    }

    /// What we show of ourselves has changed.
    package func cardChanged() { refresh() }

    /// Lets peers know of a new card at once or, if it changes often, some seconds later.
    private func tellSoon() {
        let now = environment.clocks.now
        let due = newsAt.map { max(now, $0 + DiscoveryLimits.newsPause) } ?? now
        newsTimer?.cancel()
        newsTimer = Reactor.shared.schedule(at: due) { [weak self] in
            guard let self, let discovery else { return }
            newsAt = environment.clocks.now
            discovery.speakSoon()
        }
    }

    // MARK: Planning

    private func plan(_ body: (inout PeerExchangePlanner<SodiumGenerator>, Instant) -> Void) {
        guard discovery != nil else { return }
        let now = environment.clocks.now
        body(&planner, now)
        perform(planner.tick(now: now))
        timer?.cancel()
        timer = planner.nextDeadline.map { deadline in
            Reactor.shared.schedule(at: deadline) { [weak self] in self?.plan { _, _ in } }
        }
    }

    private func perform(_ effects: [PeerExchangeEffect]) {
        for effect in effects {
            switch effect {
            case .ask(let device, let request): sessions.with(device)?.askPeerExchange(request)
            case .connect(let device): look(at: device, atOnce: true)
            case .look(let device): look(at: device)
            }
        }
    }

    /// Dials a stranger. A stranger that we didn't hear ourselves is dialled where peers say it is, within a budget.
    private func look(at device: DeviceID, atOnce: Bool = false) {
        guard mayDial, let discovery else { return }
        guard discovery.mayFollow(device) else { return }
        dialler.look(at: device, atOnce: atOnce)
    }

    /// In a mode that isn't open we dial no stranger.
    private var mayDial: Bool { environment.settings[SettingsCatalogue.discoveryMode] == .open }
}
