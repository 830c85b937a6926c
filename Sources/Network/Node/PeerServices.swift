import Account
import Messaging
import Reactor

/// The services that a network tells of what it hears. They are there before it, and outlive it.
@ReactorActor package struct PeerServices {
    package let account: CurrentAccount
    package let contacts: ContactService
    package let profiles: ProfileService
    package let avatars: AvatarService
    package let groups: GroupService
    package let typing: TypingService
    package let reach: ReachService
    package let calls: any CallObserver
    package let destinations: any DownloadInspector
    package let choices: TransactionSettings
    package let transfers: any TransferRunner
    package let addressBook: any ProfileObserver
    package let clients: any NetworkObserver

    package init(
        account: CurrentAccount, contacts: ContactService, profiles: ProfileService, avatars: AvatarService,
        groups: GroupService, typing: TypingService, reach: ReachService, calls: any CallObserver,
        destinations: any DownloadInspector, choices: TransactionSettings,
        transfers: any TransferRunner, addressBook: any ProfileObserver, clients: any NetworkObserver
    ) {
        self.account = account
        self.contacts = contacts
        self.profiles = profiles
        self.avatars = avatars
        self.groups = groups
        self.typing = typing
        self.reach = reach
        self.calls = calls
        self.destinations = destinations
        self.choices = choices
        self.transfers = transfers
        self.addressBook = addressBook
        self.clients = clients
    }
}
