import Account
import AddressBookService
import BackupService
import Basics
import CallService
import Control
import Doctor
import GuestService
import Media
import Messaging
import Network
import Notifications
import Reactor
import Runtime
import Store
import TransferService

/// All services of one daemon, made in the order in which they need each other. Only the daemon's start knows all of them.
@ReactorActor struct Services {
    let environment: Environment
    let account: CurrentAccount
    let events: EventHub
    let addressBook: AddressBookService
    let contacts: ContactService
    let groups: GroupService
    let media: MediaProgram
    let search: SearchIndexer
    let uploads: UploadService
    let calls: CallService
    let network: NetworkNode
    let typing: TypingService
    let transfers: TransferService
    let retention: Retention
    let housekeeper: Housekeeper
    let online: OnlineServices
    let keeper: AccountKeeper
    let backups: BackupService
    let disk: DiskWatch
    let roster: RosterService
    let configuration: ConfigurationService
    let messages: MessageCounter
    let profiles: ProfileService
    let notifications: NotificationService
    let guests: GuestService
    /// The methods of the control interface.
    let handlers: Handlers

    init(
        options: Options, directory: String, sink: StandardErrorSink, log: Logger, store: Store,
        contacts index: ContactIndex,
        account atStart: AccountAtStart, state: StoredState, stop: @escaping @ReactorActor () -> Void,
        restart: @escaping @ReactorActor () -> Void
    ) throws(StartError) {
        let destinations: DestinationWatcher
        do {
            environment = try Environment(
                store: store, directory: directory, settings: state.settings, hostSettings: state.hostSettings,
                log: log)
            environment.settings.forcedByUser = options.forcedByUser
            let isLoopback = options.configuration.interfaces == ["lo"]
            destinations = try DestinationWatcher(
                link: isLoopback ? nil : MeteredLink(), settings: environment.settings)
        } catch {
            throw .failed("\(error)")
        }
        media = MediaProgram(log: log.labelled("media"))
        account = CurrentAccount(
            profile: state.account, keys: atStart.account, isRecovering: state.isRecovering)
        let accountState = AccountState()
        let groupIndex = GroupIndex()
        for group in state.groups { groupIndex.update(group) }
        contacts = ContactService(index: index)

        let avatarFiles = AvatarFiles(data: directory)
        let matches = AddressBookMatches()
        let composer = ObjectComposer(
            contacts: index, accountState: accountState, groups: groupIndex, avatarPath: avatarFiles.path,
            entry: matches.entry)
        events = EventHub(
            store: store, composer: composer, latest: state.latestEvent, clocks: environment.clocks, log: log)
        addressBook = AddressBookService(
            matches: matches, store: store, events: events, entries: state.addressEntries,
            contacts: state.contacts, log: log)
        uploads = UploadService(environment: environment, choices: .stored)
        search = SearchIndexer(store: store, clocks: environment.clocks, log: log)

        network = NetworkNode(environment: environment, configuration: options.network)
        profiles = ProfileService(
            environment: environment, account: account, contacts: index, publisher: network)
        let avatars = AvatarService(
            environment: environment, files: avatarFiles, media: media, account: account, contacts: index,
            sessions: network.sessions)
        typing = TypingService(
            environment: environment, sessions: network.sessions, groups: groupIndex, clients: events)
        groups = GroupService(
            environment: environment, account: account, index: groupIndex, contacts: index,
            sessions: network.sessions, destinations: destinations, choices: .stored, typing: typing,
            avatarService: avatars,
            finder: network)
        let reach = ReachService(environment: environment) { [weak network] in
            network?.current?.doorway.choice.way(to: $0)
        }
        transfers = TransferService(
            environment: environment, contacts: index, members: groupIndex, sessions: network.sessions,
            dialler: network, media: media, clients: events)
        calls = CallService(
            environment: environment, account: account, contacts: index, groups: groupIndex, network: network,
            events: events, remembered: state.calls)
        groups.onChange = { [weak calls] in calls?.watch.groupChanged($0) }
        notifications = NotificationService(
            environment: environment, events: events, socketPath: options.socketPath,
            isLocked: { [account] in account.isLocked })
        contacts.onForget = { [weak notifications] in notifications?.requestGone($0) }
        contacts.onChange = [
            { [weak addressBook] row, _ in addressBook?.contactChanged(row) },
            { [weak notifications] in notifications?.contactChanged($0, before: $1) },
            { [weak network] in network?.contactChanged($0, before: $1) },
            { [weak calls] row, _ in calls?.watch.contactChanged(row) },
        ]

        guests = GuestService(
            environment: environment, account: account, media: media, interfaces: options.configuration.interfaces
        ) { directory, then in destinations.look(at: directory, then: then) }
        retention = Retention(environment: environment, contacts: index)
        housekeeper = Housekeeper(environment: environment, account: account) { [network] in
            network.current?.recoveryEnded()
        }
        let networkServices = PeerServices(
            account: account, contacts: contacts, profiles: profiles, avatars: avatars, groups: groups,
            typing: typing, reach: reach, calls: calls.watch, destinations: destinations, choices: .stored,
            transfers: transfers,
            addressBook: addressBook,
            clients: events)
        roster = RosterService(environment: environment, account: account, roster: options.roster)
        configuration = ConfigurationService(
            options: options, environment: environment, sink: sink, roster: roster, network: network)
        messages = MessageCounter(environment: environment, after: state.latestMessage)
        online = OnlineServices(
            environment: environment, network: network, services: networkServices, calls: calls, transfers: transfers,
            housekeeper: housekeeper,
            retention: retention, roster: roster, guests: guests, incarnation: state.incarnation)
        keeper = AccountKeeper(
            environment: environment, current: account, state: accountState, atStart: atStart, online: online)
        backups = BackupService(
            environment: environment, current: account, state: accountState, keeper: keeper, choices: .stored,
            picturePath: avatarFiles.path, restart: restart)
        disk = DiskWatch(environment: environment, account: account, online: online, clients: events)
        let base = MethodBase(environment: environment, account: account, composer: composer)
        let firewall = FirewallCheck(environment: environment)
        let doctor = Doctor(
            environment: environment, contacts: index, current: account, network: network, reach: reach,
            socketPath: options.socketPath,
            more: { [weak configuration, weak notifications, weak calls, weak backups, weak guests] in
                [await backups?.check(), await configuration?.check()].compactMap(\.self)
                    + (notifications?.checks() ?? [])
                    + [
                        calls?.check,
                        await guests?.check { await firewall.look(.localSend(udp: $0, tcp: $1), goesOut: $2) },
                    ].compactMap(\.self)
            })
        let files = FileWatch(media: media, store: environment.store, destinations: destinations)
        handlers = Handlers(
            base: base, keeper: keeper, profiles: profiles, avatars: avatars, typing: typing, transfers: transfers,
            files: files,
            search: search, doctor: doctor, network: network, uploads: uploads,
            views: FileViews(environment: environment, media: media, picturePath: avatarFiles.path),
            codes: CodeReader(environment: environment, media: media), events: events,
            choices: .stored, configuration: configuration, disk: disk, stop: stop,
            more: [
                AddressBookHandlers(base: base, addressBook: addressBook), CallHandlers(base: base, calls: calls),
                BackupHandlers(base: base, backups: backups), CourierHandlers(base: base, network: network),
                GuestHandlers(base: base, guests: guests),
            ])
        environment.putOff.onBegin = { [weak notifications] in notifications?.putOff($0) }
        notifications.begin(actions: OwnCaller(handlers: handlers, events: events))
        let notes = DraftSender(base: base, files: files, choices: .stored)
        guests.note = {
            try await notes.note(
                text: $0.text, paths: $0.paths, sources: $0.sources, guest: $0.guest, givenTo: $0.givenTo, key: $0.key)
        }
        guests.hold = { [weak uploads] in uploads?.hold(paths: $0) ?? [] }
        guests.release = { [weak uploads] in uploads?.release($0, isSent: $1) }
        guests.scan = { try await notes.sources($0, anyType: $1) }
        guests.news = { [weak events, weak notifications] in
            events?.tell($0)
            notifications?.tell($0)
        }
        followRings()
    }

    /// Connects the calls with the windows and the desktop: which call rings, and whether anything here can ring.
    private func followRings() {
        calls.bells.desktopRings = { [weak notifications] in notifications?.canRing == true }
        calls.bells.changed = { [weak notifications] in notifications?.callChanged($0) }
        notifications.ringsChanged = { [weak calls] in calls?.ringersChanged() }
        events.ringsChanged = { [weak calls, weak notifications] in
            notifications?.ringersChanged()
            calls?.ringersChanged()
        }
    }
}

extension Options {
    /// The configuration of the network, with the key of the realm.
    var network: NetworkConfiguration {
        NetworkConfiguration(
            listen: configuration.listen, interfaces: configuration.interfaces,
            discovery: configuration.discovery ?? true, discoveryPort: configuration.discoveryPort,
            peers: configuration.peers ?? [], realmKey: realmKey)
    }
}
