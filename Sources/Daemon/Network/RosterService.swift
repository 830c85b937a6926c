import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import Reactor

/// Cards of strangers from others who have them, and ours of others for them: a ``Roster`` and a ``RosterPlanner`` joined with
/// sessions.
@ReactorActor final class RosterService {
    private let context: Context
    private let own: DeviceID
    private weak var network: PeerNetwork?
    private weak var discovery: DiscoveryService?
    private var cards = Roster()
    private var planner: RosterPlanner<SodiumGenerator>
    private var timer: TimerToken?

    init(own: DeviceID, context: Context) {
        self.own = own
        self.context = context
        planner = RosterPlanner(own: own, random: SodiumGenerator())
    }

    func start(network: PeerNetwork, discovery: DiscoveryService) {
        self.network = network
        self.discovery = discovery
        refresh()
        networkChanged()
    }

    func stop() {
        timer?.cancel()
        network = nil
        discovery = nil
    }

    /// There may be others of whom nothing was heard yet.
    func networkChanged() { plan { $0.start(now: $1) } }

    // MARK: What is heard

    func heard(_ device: DeviceID, _ digest: RosterDigest) {
        guard !context.contacts.isBlocked(device) else { return }
        // The session may have been there before its announcement.
        if !cards.has(device), let session = network?.sessions.with(device), let card = session.card,
            take(card, of: session)
        {
            refresh()
        }
        let differs = digest != .empty && digest != cards.digest
        plan { planner, now in
            planner.heard(device, differs: differs, now: now)
            // Whose name is in the database needs no card of others.
            if context.contacts.account(of: device) != nil { planner.known(device) }
        }
    }

    func left(_ device: DeviceID) {
        cards.remove(device)
        refresh()
        plan { planner, _ in planner.left(device) }
    }

    /// The card of whoever is at the other end of a session has come.
    func met(_ session: PeerSession, as card: Card) {
        let device = session.peer.device
        if discovery?.isOpen(device) == true, take(card, of: session) { refresh() }
        plan { planner, now in
            planner.known(device)
            planner.setConnected(device, true, now: now)
        }
    }

    /// Takes the card of whoever is at the other end of a session, if it is for everybody's eyes. Only of one that everybody can
    /// hear: who is under a veil, or silent, is not spoken of.
    private func take(_ card: Card, of session: PeerSession) -> Bool {
        Roster.isForAll(card, fromFriend: session.relation == .friend) && cards.insert(card)
    }

    func ended(with device: DeviceID) { plan { $0.setConnected(device, false, now: $1) } }

    // MARK: Pages

    func wanted(_ request: RosterRequestBody, by session: PeerSession) {
        guard let discovery else { return }
        session.giveRoster(
            cards.page(request, except: session.peer.device) { discovery.announcement(of: $0) })
    }

    func came(_ page: RosterBody, from session: PeerSession) {
        var news = 0
        for entry in page.entries where entry.device != own && !context.contacts.isBlocked(entry.device) {
            let wasHere = discovery?.announcement(of: entry.device) != nil
            if let announcement = entry.announcement { discovery?.introduced(announcement) }
            guard discovery?.announcement(of: entry.device) != nil else { continue }
            if take(entry) || !wasHere { news += 1 }
        }
        refresh()
        let effects = planner.received(page, from: session.peer.device, news: news, now: context.clocks.now)
        perform(effects)
        plan { _, _ in }
    }

    /// Takes the card of somebody who is about. Returns whether their name wasn't known.
    private func take(_ entry: RosterBody.Entry) -> Bool {
        guard !cards.has(entry.device), let bytes = entry.card, let card = try? Card(decoding: bytes),
            card.device == entry.device
        else { return false }
        // A contact's card is taken from themselves alone.
        guard context.contacts.entry(card.account) == nil else { return false }
        let wasNamed = network?.directory.entry(entry.device)?.displayName != nil
        cards.insert(card)
        planner.known(entry.device)
        guard !wasNamed else { return false }
        network?.presence.change {
            $0.introduced(card.device, account: card.account, displayName: card.profile.displayName, at: $1)
        }
        context.addressBook.met(
            card.account, displayName: card.profile.displayName, email: card.profile.email, phone: card.profile.phone)
        return true
    }

    /// Our own card is part of what we have, and the digest of all goes into announcements.
    private func refresh() {
        if let card = network?.identity.card(forFriend: false) { cards.insert(card) }
        discovery?.show(cards.digest)
    }

    // MARK: Planning

    private func plan(_ body: (inout RosterPlanner<SodiumGenerator>, Instant) -> Void) {
        guard network != nil else { return }
        let now = context.clocks.now
        body(&planner, now)
        perform(planner.tick(now: now))
        timer?.cancel()
        timer = planner.nextDeadline.map { deadline in
            Reactor.shared.schedule(at: deadline) { [weak self] in self?.plan { _, _ in } }
        }
    }

    private func perform(_ effects: [RosterEffect]) {
        for effect in effects {
            switch effect {
            case .ask(let device, let request): network?.sessions.with(device)?.askRoster(request)
            case .connect(let device):
                // Whoever isn't open dials no stranger.
                guard context.settings[SettingsCatalogue.discoveryMode] == .open else { continue }
                network?.dialler.look(at: device)
            }
        }
    }
}
