import Account
import AddressBookService
import Basics
import Control
import ControlProtocol
import Doctor
import GuestService
import Media
import Messaging
import Network
import Notifications
import Reactor
import Runtime
import Store
import Transfer
import TransferService

// Joins the control interface with the shells, which don't know each other.

/// Events about things that are in no database. The log doesn't keep them.
extension EventHub: NetworkObserver {
    package func appeared(_ peer: PeerDirectory.Entry) {
        ephemeral(.peerAppeared, .insert, composer.peer(NearbyDevice(peer)).json)
    }
    package func vanished(_ peer: PeerDirectory.Entry) {
        ephemeral(.peerVanished, .delete, composer.peer(NearbyDevice(peer)).json)
    }
    package func presenceChanged(_ contact: ContactRow) {
        ephemeral(.presenceChanged, .update, composer.contact(contact).json)
    }

    package func typingChanged(_ account: AccountID, in conversation: UUIDv7, isTyping: Bool) {
        ephemeral(
            .typingChanged, .update,
            Typing(conversation: conversation.description, account: account.description, typing: isTyping).json)
    }
}

extension EventHub: TransferObserver {
    package func progressed(_ row: TransferRow, rate: Int64, _ progress: TransferProgress?) {
        ephemeral(
            .transferProgress, .update,
            composer.transfer(
                row, rate: rate, bytesDone: progress.map { Int64(clamping: $0.bytesShown) },
                filesDone: progress.map { Int64($0.filesDone) }
            ).json)
    }
}

extension EventHub {
    /// Tells clients of devices that are no peers.
    func tell(_ news: GuestService.News) {
        switch news {
        case .changed(let devices, let waiting):
            ephemeral(
                .guestChanged, .update,
                ["devices": .integer(Int64(devices)), "waiting": .integer(Int64(waiting))])
        case .progress(let offer, let rate):
            ephemeral(
                .guestProgress, .update,
                [
                    "offer": .string(offer.id), "filesDone": .integer(offer.filesDone),
                    "bytesDone": .integer(offer.bytesDone), "rate": .integer(rate),
                ])
        case .offered, .noneWaits: break
        }
    }
}

extension NotificationService {
    /// Tells the user of what devices offer that are no peers.
    func tell(_ news: GuestService.News) {
        switch news {
        case .offered(let offer): guestOffers(offer)
        case .noneWaits: guestOffersNothing()
        case .changed, .progress: break
        }
    }
}

extension NearbyDevice {
    fileprivate init(_ entry: PeerDirectory.Entry) {
        self.init(
            device: entry.device, account: entry.account, displayName: entry.displayName, address: entry.address,
            lastHeard: entry.lastHeard)
    }
}

extension NetworkNode: NetworkAccess {
    package var open: (any NetworkView)? { current }
}

extension PeerNetwork: NetworkView {
    package var listenAddresses: [SocketAddress] { doorway.addresses }
    package var reachableAddresses: [SocketAddress] { doorway.reachableAddresses }
    package var interfaceNames: [String] { doorway.interfaceNames }
    package var sessionCount: Int { sessions.count }
    package var shown: [NearbyDevice] { directory.shown.map { NearbyDevice($0) } }
    package func nearby(_ account: AccountID) -> [NearbyDevice] {
        directory.devices(of: account).map { NearbyDevice($0) }
    }

    package func reach(_ address: SocketAddress) async -> Result<NearbyDevice, FailedDial> {
        await meet(address).map { NearbyDevice($0) }.mapError(\.dial)
    }

    package func look(at device: DeviceID) { discovery?.peerExchange.looked(at: device) }
    package func retry(_ account: AccountID) { outbox.retry(account) }
    package func couriersChanged() { couriers.changed() }
    package func prospect(of account: AccountID) -> DeliveryOutlook {
        outbox.prospect(of: account, isWithoutCouriers: couriers.hasGivenUp(on: account))
    }
    package func write(to text: inout MetricsText) { text.add(self) }
}

/// Looks at files before they are sent, and at the destinations of incoming ones.
struct FileWatch: FileInspector {
    let media: MediaProgram
    let store: Store
    let destinations: DestinationWatcher

    func scan(
        _ paths: [NamedPath], policy: FilePolicy, forGroup: Bool, ofGuest: Bool
    ) throws -> [PreparedSource] {
        try SourcePreparation.scan(paths, policy: policy, media: media, forGroup: forGroup) { path, size in
            guard !ofGuest else { return .guest }
            let size = Int64(clamping: size)
            return try store.readAndWait { transaction in
                if let sender = try transaction.senderOfFile(at: path, size: size) { return .peer(sender) }
                if try GuestFiles.mayHave(path, size: size, transaction) { return .guest }
                return try Self.origin(ofSize: size, transaction) ?? .own
            }
        }
    }

    /// Whose folder a file came in, if one of its size did: it may have been copied or moved out of it. The lists of folders that
    /// came long ago may have been dropped.
    private static func origin(ofSize size: Int64, _ transaction: ReadTransaction) throws -> MediaOrigin? {
        for folder in try ReceivedFolders.holding(size, transaction) {
            let pages = try transaction.pages(of: folder.transfer)
            guard let list = try? Manifest(pages: pages.map(\.entries)) else { continue }
            if (0..<list.count).contains(where: { list.kind($0) == .file && list.size($0) == UInt64(size) }) {
                return folder.sender.map { .peer($0) } ?? .guest
            }
        }
        return nil
    }

    func destination(_ directory: String) -> Destination { Destination(at: directory) }
    func folder(_ path: String) -> Destination { Destination(ofFolder: path) }

    @ReactorActor func look(at directory: String, then: @escaping @ReactorActor (Destination) -> Void) {
        destinations.look(at: directory, then: then)
    }
}

extension CurrentAccount: AccountView {}
extension AccountKeeper: AccountControl {}
extension ProfileService: ProfileControl {}
extension AvatarService: AvatarControl {}
extension TypingService: TypingControl {}
extension TransferService: TransferControl {}
extension SearchIndexer: SearchControl {}
extension Doctor: Examiner {}
extension AddressBookService: ProfileObserver {}
extension GuestService: GuestControl {}
