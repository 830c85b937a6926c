import Basics
import ControlProtocol
import Messaging
import Reactor
import Runtime
import Store
import Threads

/// What the methods of the control interface ask: the shells that clients can reach.
@ReactorActor package final class ControlContext {
    let environment: Environment
    /// What the user has chosen, for transactions.
    let choices: Choices
    let account: any AccountView
    let keeper: any AccountControl
    let composer: ObjectComposer
    let events: EventHub
    let profiles: any ProfileControl
    let avatars: any AvatarControl
    let contactService: any ContactControl
    let groups: any GroupControl
    let typing: any TypingControl
    let transfers: any TransferControl
    let files: any FileLooks
    let addressBook: AddressBookService
    let search: any SearchControl
    let doctor: any Examiner
    let networkAccess: any NetworkAccess
    /// Ends the daemon.
    package var requestStop: @ReactorActor () -> Void = {}

    package init(
        environment: Environment, choices: Choices, account: any AccountView,
        keeper: any AccountControl,
        composer: ObjectComposer, events: EventHub, profiles: any ProfileControl, avatars: any AvatarControl,
        contacts: any ContactControl, groups: any GroupControl, typing: any TypingControl,
        transfers: any TransferControl, files: any FileLooks, addressBook: AddressBookService,
        search: any SearchControl, doctor: any Examiner, network: any NetworkAccess
    ) {
        self.environment = environment
        self.choices = choices
        self.account = account
        self.keeper = keeper
        self.composer = composer
        self.events = events
        self.profiles = profiles
        self.avatars = avatars
        contactService = contacts
        self.groups = groups
        self.typing = typing
        self.transfers = transfers
        self.files = files
        self.addressBook = addressBook
        self.search = search
        self.doctor = doctor
        networkAccess = network
    }

    var clocks: any Clocks { environment.clocks }
    var store: Store { environment.store }
    var settings: Settings { environment.settings }
    var commits: StandingCommits { environment.commits }
    var log: Logger { environment.log }
    var workers: Workers { environment.workers }
    var profile: AccountRow? { account.profile }
    var isLocked: Bool { account.isLocked }
    var voice: GroupVoice? { account.voice }
    /// Nil while there are no keys.
    var network: (any NetworkView)? { networkAccess.open }

    /// Ends the daemon once what was answered in this turn is on its way.
    func stopSoon() {
        _ = Reactor.shared.schedule(at: clocks.now + .milliseconds(20)) { [weak self] in self?.requestStop() }
    }
}
