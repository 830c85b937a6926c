import Basics
import ControlProtocol
import Crypto
import Messaging
import PeerProtocol
import Reactor
import Runtime
import Store
import Threads

/// The keys by which contacts, and no other peers, recognise us and we recognise them: for announcements under a veil,
/// and for knocks.
@ReactorActor package final class DiscoveryKeyStore {
    private let environment: Environment
    private let contacts: ContactIndex
    private let own: DiscoveryKeys
    /// The number of our shared key; nil until the store has told.
    private var number: UInt32?
    private var held: [AccountID: DiscoveryKeyRow] = [:]
    /// Contacts that have confirmed since this start that they have our shared key with this number. Values stored
    /// before this start are not trusted: the database may be older than what the contacts know.
    private var confirmed: Set<AccountID> = []
    /// The keys that we give to single accounts; each is made once.
    private var pairs: [AccountID: SharedKey] = [:]
    private let knocks = Lock(KnockTable())
    private let sessions: Sessions
    private var isRunning = false
    /// Called when the keys by which we recognise contacts, or they us, have changed.
    var onChange: @ReactorActor () -> Void = {}
    private var observation: SettingObservation?
    private var willRefresh = false
    private var refreshedAt: Instant?
    /// Which friend's key is the next to try where several friends were last met at one address.
    private var turns: [SocketAddress: Int] = [:]
    /// When we last decided not to let every peer in.
    private var closedAt: Instant?

    /// The keys by which the announcements of contacts are recognised.
    package private(set) var veils: [SharedKey: [VeilOwner]] = [:]
    /// The veil under which our announcements go where they are for contacts only; nil until it is known.
    package private(set) var veil: Veil?

    package init(_ account: LocalAccount, environment: Environment, contacts: ContactIndex, sessions: Sessions) {
        self.environment = environment
        self.sessions = sessions
        self.contacts = contacts
        own = DiscoveryKeys(account.deviceKey)
    }

    /// Reads what the store knows; announcements for contacts begin after that.
    package func start() {
        isRunning = true
        observation = environment.settings.onChange(SettingsCatalogue.discoveryMode) { [weak self] _ in
            guard let self else { return }
            closedAt = isOpen ? nil : environment.clocks.now
        }
        environment.commits.commit(.loadedKeys, readsOnly: true) {
            (try $0.discoveryKeyNumber(), try $0.discoveryKeys())
        } then: { [weak self] in
            self?.loaded($0, $1)
        }
    }

    package func stop() {
        isRunning = false
        observation?.cancel()
    }

    private func loaded(_ number: UInt32, _ rows: [DiscoveryKeyRow]) {
        guard isRunning else { return }
        self.number = number
        for row in rows where held[row.account] == nil { held[row.account] = row }
        refresh()
        for session in sessions.all {
            tell(session)
            if let keys = session.discoveryKeys { came(keys, from: session) }
        }
    }

    // MARK: Sessions

    /// Tells the peer its keys, if it gets any. The session knows what it has said, and says the same only once.
    package func tell(_ session: PeerSession) {
        guard let number else { return }
        let account = session.peer.account
        session.tell(
            .discoveryKeys(
                DiscoveryKeysBody(
                    number: number, shared: own.shared(number), pair: pair(with: account),
                    held: held[account]?.number ?? 0)))
    }

    /// Takes the keys that the peer has told us.
    package func came(_ keys: DiscoveryKeysBody, from session: PeerSession) {
        session.discoveryKeys = keys
        let account = session.peer.account
        // Any peer may send keys, and that is no reason to use the disk. If a request came just before, it may still be
        // on its way there: then the contact changes in a moment.
        guard contacts.relation(account) != .none else { return }
        let isConfirmed = keys.held == number
        if isConfirmed ? confirmed.insert(account).inserted : confirmed.remove(account) != nil { refreshSoon() }
        let row = DiscoveryKeyRow(
            account: account, number: keys.number, shared: keys.shared.bytes, pair: keys.pair.bytes,
            held: keys.held)
        guard held[row.account] != row else { return }
        environment.commits.commit(.discoveryKeys(account)) {
            try $0.save(row)
        } then: { [weak self, weak session] isKept in
            guard let self, isKept else { return }
            self.held[row.account] = row
            self.refreshSoon()
            // The contact learns that we have its key.
            if let session { self.tell(session) }
        }
    }

    /// A contact's row has changed with the last commit.
    package func contactChanged(_ row: ContactRow, before: ContactIndex.Entry?) {
        guard row.relation != before?.relation || row.device != before?.device else { return }
        if row.relation == .none || row.relation == .blocked {
            held[row.account] = nil
            confirmed.remove(row.account)
        }
        refreshSoon()
        if let session = sessions.with(row.account) {
            if row.relation.isGivenDiscoveryKeys { tell(session) }
            if held[row.account] == nil, let keys = session.discoveryKeys { came(keys, from: session) }
        }
        guard before?.relation.isGivenDiscoveryKeys == true, !row.relation.isGivenDiscoveryKeys else { return }
        // The contact has our key, so the store has given that a new number. Read it on the writing thread, where this
        // is tried until it succeeds.
        environment.commits.commit(.discoveryKeyNumber, readsOnly: true) {
            try $0.discoveryKeyNumber()
        } then: { [weak self] number in
            guard let self, isRunning, number != self.number else { return }
            self.number = number
            self.confirmed = []
            self.refresh()
            for session in sessions.all { tell(session) }
        }
    }

    // MARK: Knocks

    /// Lets in peers that knock with a key that we gave them; nil where every peer is let in.
    package var doorkeeper: Doorkeeper? {
        guard !isOpen else { return nil }
        return { [knocks] attempt, time in knocks.withLock { $0.admit(attempt, at: time) } }
    }

    private var isOpen: Bool { environment.settings[SettingsCatalogue.discoveryMode] == .open }

    /// Whether a connection with a stranger was already on its way when we stopped letting everyone in.
    func isFromBefore(_ connection: PeerConnection, with account: AccountID) -> Bool {
        guard let closedAt, !contacts.relation(account).isGivenDiscoveryKeys else { return false }
        return connection.beganAt <= closedAt
    }

    /// The knock for an account; nil if that has given us no key.
    package func knock(for account: AccountID?) -> Knock? {
        guard let account, let row = held[account], let key = SharedKey(bytes: row.pair) else { return nil }
        return Knock(key: key, at: environment.clocks.wallTime)
    }

    /// The knock for the friend that was last met at an address; if several friends were, for another one each time.
    package func knock(at address: SocketAddress) -> Knock? {
        let friends = contacts.friends(at: address).filter { held[$0] != nil }.sorted()
        guard friends.count > 1 else {
            turns[address] = nil
            return knock(for: friends.first)
        }
        let turn = turns[address, default: 0]
        turns[address] = (turn + 1) % friends.count
        return knock(for: friends[turn % friends.count])
    }

    /// Friends that have not confirmed that they have any key of ours; nil until the store has told.
    package var friendsWithoutOurs: [AccountID]? {
        guard number != nil else { return nil }
        return contacts.all.compactMap { account, contact in
            contact.relation == .friend && (held[account]?.held ?? 0) == 0 ? account : nil
        }
    }

    // MARK: Tables

    private func pair(with account: AccountID) -> SharedKey {
        if let key = pairs[account] { return key }
        let key = own.pair(with: account)
        // Don't keep a stranger's key, because anybody can be a stranger.
        if contacts.relation(account).isGivenDiscoveryKeys { pairs[account] = key }
        return key
    }

    /// One walk serves all changes that come within a moment, and there is at most one a second, because each goes
    /// through all contacts.
    private func refreshSoon() {
        guard !willRefresh else { return }
        willRefresh = true
        let soon = environment.clocks.now + .milliseconds(20)
        let due = refreshedAt.map { max($0 + NetworkLimits.keyRefreshPause, soon) } ?? soon
        _ = Reactor.shared.schedule(at: due) { [weak self] in
            self?.willRefresh = false
            self?.refresh()
        }
    }

    private func refresh() {
        guard isRunning, let number else { return }
        refreshedAt = environment.clocks.now
        var veils: [SharedKey: [VeilOwner]] = [:]
        var guests: [SharedKey: AccountID] = [:]
        var (behind, unsure): ([AccountID], [AccountID]) = ([], [])
        for (account, contact) in contacts.all {
            if let row = held[account], let device = contact.device {
                // An account may claim another's key as its own, so a key may have several owners.
                SharedKey(bytes: row.shared).map { veils[$0, default: []].append(VeilOwner(device)) }
                SharedKey(bytes: row.pair).map { veils[$0, default: []].append(VeilOwner(device, isPair: true)) }
            }
            guard contact.relation.isGivenDiscoveryKeys else {
                pairs[account] = nil
                continue
            }
            guests[pair(with: account)] = account
            // A contact with which we never had a session has none of our keys.
            guard let row = held[account], !confirmed.contains(account) else { continue }
            if row.held == number { unsure.append(account) } else { behind.append(account) }
        }
        self.veils = veils
        veil = Veil(
            shared: own.shared(number), pairs: behind.sorted().map { pair(with: $0) },
            others: unsure.sorted().map { pair(with: $0) })
        knocks.withLock { [guests] in $0.set(guests) }
        onChange()
    }
}
