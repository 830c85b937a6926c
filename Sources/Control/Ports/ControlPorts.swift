import Basics
import ControlProtocol
import Crypto
import Messaging
import Reactor
import Runtime
import Store
import Transfer
import Vocabulary

// What the control interface needs from the other shells. They don't know it, and it knows no more of them than this.

/// The account of this daemon as it is now.
@ReactorActor package protocol AccountView: AnyObject {
    /// Nil while there is no account.
    var profile: AccountRow? { get }
    /// There is an account, and its keys are not in memory.
    var isLocked: Bool { get }
    /// The means to write in groups; nil while the account is locked.
    var voice: GroupVoice? { get }
}

/// Makes, locks and unlocks the account. What can't be done is thrown as ``ControlError``.
@ReactorActor package protocol AccountControl: AnyObject {
    func create(
        displayName: String, deviceName: String, passphrase: Passphrase?, remember: Bool
    ) async throws -> AccountRow
    func recover(_ accountKey: SigningKey, displayName: String, deviceName: String) async throws -> AccountRow
    func recoveryCode(_ passphrase: Passphrase?) async throws -> String
    func unlock(_ passphrase: Passphrase, remember: Bool?) async throws
    func lock() async throws
    func change(from old: Passphrase?, to new: Passphrase?) async throws
}

/// The disk that holds the data.
@ReactorActor package protocol DiskControl: AnyObject {
    /// How much room it has.
    var state: DiskState { get }
}

/// The configuration of this host's daemon.
@ReactorActor package protocol ConfigurationControl: AnyObject {
    /// Reads it again, and applies what can change in a running daemon.
    /// - Returns: the names whose change takes effect at the next start.
    /// - Throws: ``ControlError`` with what is wrong with it; then it stays as it was.
    func reload() async throws -> [String]
    /// Adds how it stands to the counters.
    func write(to text: inout MetricsText)
}

/// Changes what others see of the account.
@ReactorActor package protocol ProfileControl: AnyObject {
    /// What friends see now.
    var state: Presence { get }
    func update(_ change: @escaping @Sendable (inout AccountRow) -> Void) async throws -> AccountRow
    func say(_ state: Presence, statusText: String?) async throws
    /// Notes that a client's user is idle, or active again.
    func noticed(idle isIdle: Bool, by client: ObjectIdentifier)
    /// Call when the client's connection has ended.
    func left(_ client: ObjectIdentifier)
}

/// Makes and keeps avatars.
@ReactorActor package protocol AvatarControl: AnyObject {
    /// Makes an avatar of a picture file and holds it until ``release(_:)``.
    /// - Returns: its digest.
    func importPicture(_ path: String) async throws -> [UInt8]
    func release(_ digest: [UInt8])
    /// Removes avatars that no row names.
    func sweep()
}

/// Tells peers that the user is typing.
@ReactorActor package protocol TypingControl: AnyObject {
    func set(_ account: AccountID, isTyping: Bool)
    func set(in group: EntryHash, isTyping: Bool)
}

/// Runs transfers.
@ReactorActor package protocol TransferControl: AnyObject {
    /// Has a transfer that waits tried at once.
    func hurry(_ id: UUIDv7)
    /// Nil if it does not run.
    func progress(of id: UUIDv7) -> (progress: TransferProgress, rate: Int64)?
}

/// Takes what devices offer that are no peers, such as phones with LocalSend.
@ReactorActor package protocol GuestControl: AnyObject {
    /// Whether the user has switched it on.
    var isOn: Bool { get }
    /// What this host is called in the lists of others.
    var name: String { get }
    /// Its TCP port; nil while it doesn't listen.
    var port: UInt16? { get }
    /// Why it doesn't work, in words for people; nil if it does, or is off.
    var problem: String? { get }
    /// The devices that are near, by name.
    var devices: [GuestDevice] { get }
    /// The offers, the oldest first.
    var offers: [GuestOffer] { get }
    /// Asks all devices who they are.
    func announce()
    /// Asks each address of the networks in use whether a device is there.
    /// - Parameter address: the only one that is asked.
    /// - Returns: how many addresses were asked, and how many devices have answered.
    func scan(address: String?) async throws -> (asked: Int, found: Int)
    /// Takes an offer.
    /// - Parameter items: the numbers of the files that are wanted; nil for all that may be taken.
    func take(_ id: UUIDv7, items: [Int]?) async throws
    /// Declines an offer, ends one whose files come, or takes one back that goes out.
    func decline(_ id: UUIDv7) throws
    /// What this user gives to devices, the oldest first.
    var given: [GuestOffer] { get }
    /// Offers files or a text to a device.
    /// - Parameters:
    ///   - device: its `id`.
    ///   - text: nil for files.
    ///   - pin: what the device asks for.
    func give(
        to device: String, text: String?, paths: [NamedPath], anyType: Bool, pin: String?
    ) async throws
        -> GuestOffer
}

/// Looks at files and folders.
package protocol FileInspector: Sendable {
    /// Looks at files before they are sent. It blocks, and throws ``ControlError`` for a file that can't be sent.
    /// - Parameter ofGuest: whether a device gave them that is no peer.
    func scan(_ paths: [NamedPath], policy: FilePolicy, forGroup: Bool, ofGuest: Bool) throws -> [PreparedSource]
    /// Looks at a directory for received files. It blocks.
    func destination(_ directory: String) -> Destination
    /// Does the same for a folder that has to be there. It blocks.
    func folder(_ path: String) -> Destination
    /// Does the same on a thread of its own, and answers after a few seconds at the latest.
    @ReactorActor func look(at directory: String, then: @escaping @ReactorActor (Destination) -> Void)
}

/// Keeps the index of words.
@ReactorActor package protocol SearchControl: AnyObject {
    /// Returns when what was committed before can be found.
    func catchUp() async throws
}

/// Examines what may keep users from reaching each other.
@ReactorActor package protocol Examiner {
    func examine() async -> [DoctorCheck]
}

/// The network, which comes with the account's keys and goes with them.
@ReactorActor package protocol NetworkAccess: AnyObject {
    /// Nil while there are no keys.
    var open: (any NetworkView)? { get }
    /// What was counted so far.
    var counted: Metrics { get }
}

/// The network while it is open.
@ReactorActor package protocol NetworkView: AnyObject {
    var listenAddresses: [SocketAddress] { get }
    /// Where others can dial this host.
    var reachableAddresses: [SocketAddress] { get }
    var interfaceNames: [String] { get }
    var sessionCount: Int { get }
    /// The devices whose account and name are known.
    var shown: [NearbyDevice] { get }
    /// The devices of an account that are here.
    func nearby(_ account: AccountID) -> [NearbyDevice]
    /// Opens a session with the device at an address, or finds the one that is open.
    func reach(_ address: SocketAddress) async -> Result<NearbyDevice, FailedDial>
    /// Asks for the card of a stranger's device again, unless that was done a moment ago.
    func look(at device: DeviceID)
    /// Dials an account at once, because items wait for it.
    func retry(_ account: AccountID)
    /// The user has named a courier, or taken one back.
    func couriersChanged()
    /// The prospect of what waits for an account.
    func prospect(of account: AccountID) -> DeliveryOutlook
    /// Writes the network's states and counters.
    func write(to text: inout MetricsText)
}

/// A device on the network, as far as it is known.
package struct NearbyDevice: Sendable {
    package let device: DeviceID
    package let account: AccountID?
    package let displayName: String?
    package let address: SocketAddress?
    package let lastHeard: WallTime

    package init(
        device: DeviceID, account: AccountID?, displayName: String?, address: SocketAddress?, lastHeard: WallTime
    ) {
        self.device = device
        self.account = account
        self.displayName = displayName
        self.address = address
        self.lastHeard = lastHeard
    }
}

extension FailedDial {
    /// By these a client is told.
    var parameters: JSONObject {
        var parameters: JSONObject = ["problem": problem.json]
        if let detail { parameters["detail"] = .string(detail) }
        return parameters
    }
}
