import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import Reactor
import Store
import Threads

/// The keys by which contacts recognise us, and those by which we recognise them, where nobody else does: for announcements under
/// a veil, and for knocks.
@ReactorActor final class KeyRing {
    private let context: Context
    private let log: Logger
    private let own: DiscoveryKeys
    /// Of our shared key; nil until the store has told.
    private var number: UInt32?
    private var held: [AccountID: DiscoveryKeyRow] = [:]
    /// The keys that we give to single accounts: made once.
    private var pairs: [AccountID: SharedKey] = [:]
    private let book = Lock(KnockBook())
    private weak var network: PeerNetwork?
    private var willRefresh = false
    /// When it was last decided that not everybody is let in.
    private var closedAt: Instant?

    /// By which the announcements of contacts are recognised.
    private(set) var veils: [SharedKey: DeviceID] = [:]
    /// Under which ours go where they are for contacts only; nil until it is known.
    private(set) var veil: Veil?

    init(_ account: LocalAccount, context: Context) {
        self.context = context
        log = context.log.labelled("keys")
        own = DiscoveryKeys(account.deviceKey)
    }

    /// Reads what the store knows; announcements for contacts begin after that.
    func start(network: PeerNetwork) {
        self.network = network
        context.settings.onChange(SettingsCatalogue.discoveryMode) { [weak self] _ in
            guard let self else { return }
            closedAt = isOpen ? nil : context.clocks.now
        }
        context.store.submitRead {
            (try $0.discoveryKeyNumber(), try $0.discoveryKeys())
        } completion: { [weak self] result in
            Reactor.shared.post { self?.loaded(result) }
        }
    }

    func stop() { network = nil }

    private func loaded(_ result: Result<(UInt32, [DiscoveryKeyRow]), any Error>) {
        guard let network else { return }
        switch result {
        case .success((let number, let rows)):
            self.number = number
            for row in rows where held[row.account] == nil { held[row.account] = row }
            refresh()
            for session in network.sessions.all { tell(session) }
        case .failure(let error):
            log.error(
                "the keys of contacts can't be read; nothing is announced to contacts only", [("error", "\(error)")])
        }
    }

    // MARK: Sessions

    /// Tells the peer its keys, if it is somebody who is given them; the session knows, and says the same only once.
    func tell(_ session: PeerSession) {
        guard let number else { return }
        let account = session.peer.account
        session.feed(
            .discoveryKeys(
                DiscoveryKeysBody(
                    number: number, shared: own.shared(number), pair: pair(with: account),
                    held: held[account]?.number ?? 0)))
    }

    /// The peer has told us its keys.
    func came(_ keys: DiscoveryKeysBody, from session: PeerSession) {
        let row = DiscoveryKeyRow(
            account: session.peer.account, number: keys.number, shared: keys.shared.bytes, pair: keys.pair.bytes,
            held: keys.held)
        guard held[row.account] != row else { return }
        // Whether it is anybody whom we want to recognise is for the store to say: a request that came just before may be on
        // its way to the disk.
        context.store.submit {
            try $0.save(row)
        } completion: { [weak self, weak session] result in
            Reactor.shared.post {
                guard let self else { return }
                switch result {
                case .success(true):
                    self.held[row.account] = row
                    self.refreshSoon()
                    // They learn that we have it.
                    if let session { self.tell(session) }
                case .success(false): break
                case .failure(let error):
                    self.log.error("a contact's keys can't be stored", [("error", "\(error)")])
                }
            }
        }
    }

    /// A contact's row is another one since the last commit.
    func contactChanged(_ row: ContactRow, before: ContactBook.Entry?) {
        guard row.relation != before?.relation || row.device != before?.device else { return }
        if row.relation == .none || row.relation == .blocked { held[row.account] = nil }
        refreshSoon()
        if row.relation.hasOurDiscoveryKey, let session = network?.session(with: row.account) { tell(session) }
        guard before?.relation.hasOurDiscoveryKey == true, !row.relation.hasOurDiscoveryKey else { return }
        // They have our key; the store has put another one in its place.
        context.store.submitRead {
            try $0.discoveryKeyNumber()
        } completion: { [weak self] result in
            Reactor.shared.post {
                guard let self, let network = self.network, case .success(let number) = result, number != self.number
                else { return }
                self.number = number
                self.refresh()
                for session in network.sessions.all { self.tell(session) }
            }
        }
    }

    // MARK: Knocks

    /// Lets in who knocks with a key that we gave them; nil where everybody is let in.
    var doorkeeper: Doorkeeper? {
        guard !isOpen else { return nil }
        return { [book] attempt, time in book.withLock { $0.admit(attempt, at: time) } }
    }

    private var isOpen: Bool { context.settings[SettingsCatalogue.discoveryMode] == .open }

    /// Whether a connection with a stranger was on its way when the door was closed: such a one is not for us any more.
    func isFromBefore(_ connection: PeerConnection, with account: AccountID) -> Bool {
        guard let closedAt, !context.contacts.relation(account).hasOurDiscoveryKey else { return false }
        return connection.beganAt <= closedAt
    }

    /// For the door of an account, if they have given us a key.
    func knock(for account: AccountID?) -> Knock? {
        guard let account, let row = held[account], let key = SharedKey(bytes: row.pair) else { return nil }
        return Knock(key: key, at: context.clocks.wallTime)
    }

    /// For the friend who was last met there.
    func knock(at address: SocketAddress) -> Knock? {
        context.contacts.friends(at: address).lazy.compactMap { self.knock(for: $0) }.first
    }

    // MARK: Tables

    private func pair(with account: AccountID) -> SharedKey {
        if let key = pairs[account] { return key }
        let key = own.pair(with: account)
        // Of strangers it may be anybody's.
        if context.contacts.relation(account).hasOurDiscoveryKey { pairs[account] = key }
        return key
    }

    /// Once for all that comes within a moment: each takes a walk through all contacts.
    private func refreshSoon() {
        guard !willRefresh else { return }
        willRefresh = true
        _ = Reactor.shared.schedule(at: context.clocks.now + .milliseconds(20)) { [weak self] in
            self?.willRefresh = false
            self?.refresh()
        }
    }

    private func refresh() {
        guard let network, let number else { return }
        var veils: [SharedKey: DeviceID] = [:]
        var guests: [SharedKey: AccountID] = [:]
        var behind: [AccountID] = []
        for (account, contact) in context.contacts.all {
            if let row = held[account], let device = contact.device {
                for bytes in [row.shared, row.pair] { SharedKey(bytes: bytes).map { veils[$0] = device } }
            }
            guard contact.relation.hasOurDiscoveryKey else {
                pairs[account] = nil
                continue
            }
            guests[pair(with: account)] = account
            if held[account]?.held != number { behind.append(account) }
        }
        self.veils = veils
        veil = Veil(shared: own.shared(number), pairs: behind.sorted().map { pair(with: $0) })
        book.withLock { [guests] in $0.set(guests) }
        network.discovery?.keysChanged()
    }
}
