import Basics
import ControlProtocol
import Media
import Messaging
import Network
import Reactor
import Runtime
import Store
import Threads
import Transfers

/// What the methods of the control interface ask: the services that clients can reach.
@ReactorActor final class ControlContext {
    let environment: Environment
    let keeper: AccountKeeper
    let composer: ObjectComposer
    let events: EventHub
    let profiles: ProfileService
    let avatars: AvatarService
    let groups: GroupService
    let typing: TypingService
    let transfers: TransferService
    let places: PlaceWatcher
    let media: MediaProgram
    let addressBook: AddressBookService
    let search: SearchIndexer
    let doctor: Doctor
    let contactService: ContactService
    let networkService: NetworkService
    private let current: CurrentAccount
    /// Ends the daemon.
    var requestStop: @ReactorActor () -> Void = {}
    private(set) lazy var handlers = Handlers(context: self)

    init(
        environment: Environment, current: CurrentAccount, keeper: AccountKeeper, contactService: ContactService,
        composer: ObjectComposer, events: EventHub, network: NetworkService, profiles: ProfileService,
        avatars: AvatarService, groups: GroupService, typing: TypingService, transfers: TransferService,
        places: PlaceWatcher, media: MediaProgram, addressBook: AddressBookService, search: SearchIndexer,
        doctor: Doctor
    ) {
        self.environment = environment
        self.current = current
        self.keeper = keeper
        self.contactService = contactService
        self.composer = composer
        self.events = events
        networkService = network
        self.profiles = profiles
        self.avatars = avatars
        self.groups = groups
        self.typing = typing
        self.transfers = transfers
        self.places = places
        self.media = media
        self.addressBook = addressBook
        self.search = search
        self.doctor = doctor
    }

    var clocks: any Clocks { environment.clocks }
    var store: Store { environment.store }
    var settings: Settings { environment.settings }
    var commits: StandingCommits { environment.commits }
    var log: Logger { environment.log }
    var workers: Workers { environment.workers }
    var contacts: ContactIndex { contactService.index }
    var profile: AccountRow? { current.profile }
    var isLocked: Bool { current.isLocked }
    var voice: GroupVoice? { current.voice }
    /// Nil while there are no keys.
    var network: PeerNetwork? { networkService.current }

    /// Ends the daemon once what was answered in this turn is on its way.
    func stopSoon() {
        _ = Reactor.shared.schedule(at: clocks.now + .milliseconds(20)) { [weak self] in self?.requestStop() }
    }
}
