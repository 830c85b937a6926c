import Basics
import PeerProtocol
import Reactor
import Store
import Vocabulary

/// Runs transfers, as far as the network and the groups know it.
@ReactorActor package protocol TransferRunner: AnyObject {
    /// A session with this account is open.
    func peerAppeared(_ account: AccountID)
    /// A peer has dialled a connection for files.
    func accepted(_ connection: PeerConnection, from peer: PeerIdentity)
}

/// Carries calls, as far as the network knows them.
@ReactorActor package protocol CallObserver: AnyObject {
    /// A friend has said something about calls.
    func heard(_ body: CallStateBody, from session: PeerSession)
    func heard(_ body: CallSignalBody, from session: PeerSession)
    /// Whether the record of a call that the account sends is stored now. If not, the account is to send it again later.
    func acceptsRecord(of call: UUIDv7, from account: AccountID) -> Bool
    /// The card of a session's peer has come: it may be told something.
    func met(_ session: PeerSession)
    /// A session is over, and none with its device has taken its place.
    func ended(_ session: PeerSession)
    /// Addresses of this host have come or gone, or it has slept.
    func addressesChanged()
}

/// Follows what peers show of themselves.
@ReactorActor package protocol ProfileObserver: AnyObject {
    /// The account's card has come.
    func met(_ account: AccountID, displayName: String, email: String?, phone: String?)
    /// The account is on the network, or not any more.
    func setHere(_ account: AccountID, _ isHere: Bool)
}

/// An observer that is told what changes on the network and stands in no database.
@ReactorActor package protocol NetworkObserver: AnyObject {
    func appeared(_ peer: PeerDirectory.Entry)
    func vanished(_ peer: PeerDirectory.Entry)
    /// - Parameter contact: the friend's row. Whether the friend is here stands in the ``ContactIndex``.
    func presenceChanged(_ contact: ContactRow)
    func typingChanged(_ account: AccountID, in conversation: UUIDv7, isTyping: Bool)
}

/// Dials connections for files.
@ReactorActor package protocol BulkDialler: AnyObject {
    /// - Returns: nil while there is no network.
    func dial(
        for account: AccountID, at address: SocketAddress, _ owner: any PeerConnectionOwner
    ) -> PeerConnection?
}

/// Knows which devices are about, and has them dialled.
@ReactorActor package protocol DeviceFinder: AnyObject {
    func isPresent(_ device: DeviceID) -> Bool
    /// Has the device dialled, if it may be.
    func seek(_ device: DeviceID)
}

/// Shows peers what this account shows of itself.
@ReactorActor package protocol ProfilePublisher: AnyObject {
    /// Our cards say something else, or are for others, since the last commit.
    func cardChanged()
    /// Whether the user is here has changed.
    func presenceChanged(_ presence: Presence)
}
