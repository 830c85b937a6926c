import Basics
import ControlProtocol
import Glibc
import Messaging
import PeerProtocol
import Reactor
import Store
import Threads
import Vocabulary

/// What the rooms of one daemon share. Holds no logic of its own beyond putting them together.
@ReactorActor final class Context {
    private(set) var options: Options
    let directory: DataDirectory
    let log: Logger
    let clocks: any Clocks = SystemClocks()
    let store: Store
    let contacts: ContactIndex
    let composer: ObjectComposer
    let events: EventHub
    let settings: Settings
    /// What has happened is stored by these, however often the disk refuses.
    let commits: StandingCommits
    /// For work that blocks on files: searching folders, writing keys.
    let files: WorkerThread
    /// For name look-ups, which may take seconds.
    let lookups: WorkerThread
    /// For address books: a large one takes seconds, and nobody else is to wait for it.
    let imports: WorkerThread
    /// For pictures of people, which are decoded in a child.
    let pictures: WorkerThread
    private let avatarFiles: AvatarFiles
    /// For commands that the person has set, each of which may take half a minute.
    let commands: WorkerThread
    let addressBook: AddressBookService
    private let places: PlaceWatcher
    /// Looks into files.
    let media: MediaProgram
    let startedAt: Instant
    private(set) lazy var handlers = Handlers(context: self)
    private(set) lazy var search = SearchIndexer(store: store, clocks: clocks, log: log)
    private(set) lazy var transfers = TransferService(context: self)
    private(set) lazy var typing = TypingService(context: self)
    private(set) lazy var groups = GroupService(context: self, index: groupIndex)
    private let groupIndex = GroupIndex()
    let graphs = GroupGraphs()
    let settledGroups = SettledGroups()
    private(set) lazy var profiles = ProfileService(context: self)
    private(set) lazy var avatars = AvatarService(context: self, files: avatarFiles, thread: pictures)
    private(set) lazy var reach = ReachService(context: self)
    let examinations = Examinations()
    var metrics = Metrics()
    private(set) lazy var retention = Retention(context: self)
    private(set) lazy var housekeeper = Housekeeper(context: self)
    private(set) lazy var disk = DiskWatch(context: self)
    /// Comes and goes with the account's keys.
    private(set) var network: PeerNetwork?
    /// Nil while there is none, and while it is locked.
    private(set) var account: LocalAccount?
    let accountState = AccountState()
    private(set) lazy var keeper = AccountKeeper(context: self, sealed: sealedAtStart)
    private let sealedAtStart: SealedKeys?
    /// What peers are shown of the account; there also while it is locked.
    private(set) var profile: AccountRow?
    private var isKeepingHouse = false
    var requestStop: @ReactorActor () -> Void = {}

    init(
        options: Options, directory: DataDirectory, log: Logger, store: Store, contacts: ContactIndex,
        account: AccountAtStart, state: StoredState
    ) throws(StartError) {
        self.options = options
        self.directory = directory
        self.log = log
        self.store = store
        self.contacts = contacts
        self.account = account.account
        sealedAtStart = account.sealed
        avatarFiles = AvatarFiles(data: directory.path)
        let matches = AddressBookMatches()
        composer = ObjectComposer(
            contacts: contacts, accountState: accountState, avatars: avatarFiles, matches: matches,
            groups: groupIndex)
        profile = state.account
        for group in state.groups { groupIndex.update(group) }
        startedAt = clocks.now
        events = EventHub(store: store, composer: composer, latest: state.latestEvent, clocks: clocks, log: log)
        addressBook = AddressBookService(
            matches: matches, store: store, events: events, clocks: clocks, entries: state.addressEntries,
            contacts: state.contacts, log: log)
        settings = Settings(store: store, stored: state.settings)
        commits = StandingCommits(store: store, clocks: clocks, log: log)
        incarnation = state.incarnation
        do {
            files = try WorkerThread(name: "files")
            lookups = try WorkerThread(name: "lookups")
            imports = try WorkerThread(name: "imports")
            pictures = try WorkerThread(name: "pictures")
            commands = try WorkerThread(name: "commands")
            places = try PlaceWatcher(link: options.configuration.interfaces == ["lo"] ? nil : MeteredLink())
            media = MediaProgram(log: log.labelled("media"))
        } catch {
            throw .failed("\(error)")
        }
    }

    private let incarnation: UInt32?

    // MARK: The account's keys

    /// What it takes to speak in groups; nil while the account is locked.
    var voice: GroupVoice? { account.map { GroupVoice(account: $0, graphs: graphs, settled: settledGroups) } }

    /// There is an account, and its keys are not in memory.
    var isLocked: Bool { account == nil && profile != nil }

    /// The keys are there: of a new account, or of one that was locked.
    func opened(_ account: LocalAccount, profile: AccountRow? = nil) {
        if let profile { self.profile = profile }
        self.account = account
    }

    /// From here on, what needs keys is refused. Those that the network has go with it.
    func dropKeys() { account = nil }

    /// Begins to listen and to announce, if there are keys for it.
    /// - Parameter incarnation: nil for the first time after the start.
    func openNetwork(incarnation: UInt32? = nil) throws(StartError) {
        guard network == nil, let account, let profile, let incarnation = incarnation ?? self.incarnation else {
            return
        }
        _ = profiles
        let network = try PeerNetwork(
            context: self, account: account, profile: profile, incarnation: incarnation)
        self.network = network
        network.start()
        groups.start()
        transfers.start()
        keepHouse()
    }

    /// Says goodbye to everybody and goes silent. Returns when nothing of the network has keys any more.
    func closeNetwork() async {
        guard let network else { return }
        transfers.stop()
        groups.stop()
        network.stop()
        network.presence.nobodyIsHere()
        self.network = nil
        await transfers.waitUntilStopped()
        await transfers.rest()
    }

    /// Removes what is to go, locked or not.
    func keepHouse() {
        guard !isKeepingHouse, profile != nil else { return }
        isKeepingHouse = true
        housekeeper.start()
        retention.start()
        // A crash may have left a picture that nobody has.
        avatars.sweep()
    }

    /// The account's row is another one since the last commit.
    func profileChanged(_ row: AccountRow) { profile = row }

    /// SIGHUP. Returns the keys whose change waits for the next start.
    func reload() throws(StartError) -> [String] {
        let before = options.configuration
        try options.reread()
        let after = options.configuration
        network?.setStaticPeers(after.peers ?? [])
        let changes = [
            ("listen", before.listen != after.listen), ("discoveryPort", before.discoveryPort != after.discoveryPort),
            ("interfaces", before.interfaces != after.interfaces), ("discovery", before.discovery != after.discovery),
            ("realmKeyFile", before.realmKeyFile != after.realmKeyFile),
        ]
        return changes.filter(\.1).map(\.0)
    }

    /// Ends the daemon once what was answered in this turn is on its way.
    func stopSoon() {
        _ = Reactor.shared.schedule(at: clocks.now + .milliseconds(20)) { [weak self] in self?.requestStop() }
    }

    /// A peer as clients see it.
    func peer(_ entry: PeerDirectory.Entry) -> Peer {
        Peer(
            account: entry.account?.description ?? "", device: entry.device.description,
            displayName: entry.displayName ?? entry.account.map(Names.placeholder) ?? "",
            address: entry.address?.description ?? "",
            relation: entry.account.map { contacts.relation($0) } ?? .none,
            lastHeard: entry.lastHeard.milliseconds, entry: entry.account.flatMap(addressBook.matches.entry))
    }

    /// Looks at where files go, for an offer that has come.
    func receivingPlace(then: @escaping @ReactorActor (ReceivingPlace) -> Void) {
        receivingPlace(at: settings[SettingsCatalogue.filesDownloadDirectory], then: then)
    }

    /// Looks at a directory where files could go.
    func receivingPlace(at directory: String, then: @escaping @ReactorActor (ReceivingPlace) -> Void) {
        places.look(at: directory, then: then)
    }

    // MARK: After a commit

    /// Commits a change of a contact and lets the other rooms know before anything that is committed later: a caller that
    /// waits for its commit may be woken after others.
    func commitContact(
        _ body: @escaping @Sendable (WriteTransaction) throws -> ContactRow
    ) async throws -> ContactRow {
        try await commitContacts { ContactOutcome(row: try body($0)) }.row
    }

    /// The same for what may change more than one row, and end transfers.
    func commitContacts(
        _ body: @escaping @Sendable (WriteTransaction) throws -> ContactOutcome
    ) async throws -> ContactOutcome {
        try await withCheckedThrowingContinuation { continuation in
            store.submit(body) { [self] result in
                Reactor.shared.post {
                    if case .success(let outcome) = result {
                        self.apply([outcome.row] + outcome.others, outcome.transfers, outcome.forgotten)
                    }
                    continuation.resume(with: result)
                }
            }
        }
    }

    /// A contact's row is another one since the last commit.
    func changed(_ row: ContactRow) {
        let before = contacts.entry(row.account)
        contacts.update(row)
        addressBook.contactChanged(row)
        network?.contactChanged(row, before: before)
    }

    private func apply(_ rows: [ContactRow], _ ended: [TransferRow], _ forgotten: [AccountID]) {
        for row in rows { changed(row) }
        for row in ended { transfers.peerChanged(row) }
        for account in forgotten { contacts.forget(account) }
    }

    /// What received frames did.
    /// - Parameter session: through which they came.
    func apply(_ result: IncomingResult, from session: PeerSession?) {
        apply(result.contacts, result.transfers, result.forgotten)
        groups.apply(result.groups, from: session)
    }
}
