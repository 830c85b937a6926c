import Basics
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// The services that a network tells of what it hears. They are there before it, and outlive it.
@ReactorActor struct NetworkServices {
    let account: CurrentAccount
    let contacts: ContactService
    let profiles: ProfileService
    let avatars: AvatarService
    let groups: GroupService
    let typing: TypingService
    let reach: ReachService
    let places: PlaceWatcher
    let transfers: any TransferRunner
    let addressBook: any ProfileObserver
    let clients: any NetworkObserver
}

/// Runs transfers, as far as the network and the groups know it.
@ReactorActor protocol TransferRunner: AnyObject {
    /// A session with this account is open.
    func peerAppeared(_ account: AccountID)
    /// A commit has changed the state of a transfer.
    func peerChanged(_ row: TransferRow)
    /// A peer has dialled a connection for files.
    func accepted(_ connection: PeerConnection, from peer: PeerIdentity)
}

/// Follows what peers show of themselves.
@ReactorActor protocol ProfileObserver: AnyObject {
    /// The account's card has come.
    func met(_ account: AccountID, displayName: String, email: String?, phone: String?)
    /// The account is on the network, or not any more.
    func setHere(_ account: AccountID, _ isHere: Bool)
}

/// Is told what changes on the network and stands in no database.
@ReactorActor protocol NetworkObserver: AnyObject {
    func appeared(_ peer: PeerDirectory.Entry)
    func vanished(_ peer: PeerDirectory.Entry)
    /// - Parameter contact: the friend's row. Whether the friend is here stands in the ``ContactIndex``.
    func presenceChanged(_ contact: ContactRow)
    func typingChanged(_ account: AccountID, in conversation: UUIDv7, isTyping: Bool)
}

/// Dials connections for files.
@ReactorActor protocol BulkDialler: AnyObject {
    /// - Returns: nil while there is no network.
    func dial(
        for account: AccountID, at address: SocketAddress, _ owner: any PeerConnectionOwner
    ) -> PeerConnection?
}

/// Knows which devices are about, and has them dialled.
@ReactorActor protocol DeviceFinder: AnyObject {
    func isPresent(_ device: DeviceID) -> Bool
    /// Has the device dialled, if it may be.
    func seek(_ device: DeviceID)
}

/// Shows peers what this account shows of itself.
@ReactorActor protocol ProfilePublisher: AnyObject {
    /// Our cards say something else, or are for others, since the last commit.
    func cardChanged()
    /// Whether the user is here has changed.
    func presenceChanged(_ presence: Presence)
}
