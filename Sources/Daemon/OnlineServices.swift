import Account
import Basics
import CallService
import GuestService
import Network
import Reactor
import Runtime
import TransferService

/// The services that run only while the account's keys are in memory: the network, the groups on it, and the transfers.
@ReactorActor final class OnlineServices: OnlineControl {
    private let environment: Environment
    private let network: NetworkNode
    private let services: PeerServices
    private let calls: CallService
    private let transfers: TransferService
    private let housekeeper: Housekeeper
    private let retention: Retention
    private let roster: RosterService
    private let guests: GuestService
    /// The incarnation of the start; nil if it could not be stored.
    private let incarnation: UInt32?
    private var isKeepingHouse = false
    /// The timer for the next try to open the network.
    private var retry: TimerToken?

    init(
        environment: Environment, network: NetworkNode, services: PeerServices, calls: CallService,
        transfers: TransferService,
        housekeeper: Housekeeper,
        retention: Retention, roster: RosterService, guests: GuestService, incarnation: UInt32?
    ) {
        self.environment = environment
        self.network = network
        self.services = services
        self.calls = calls
        self.transfers = transfers
        self.housekeeper = housekeeper
        self.retention = retention
        self.roster = roster
        self.guests = guests
        self.incarnation = incarnation
    }

    func accountChanged() {
        housekeeper.lookAtClock()
        guests.accountChanged()
    }

    var isOpen: Bool { network.current != nil }

    /// Begins to listen and to announce, if there are keys. If the network can't be opened (another program has the
    /// port), it is tried again every few seconds, as long as there are keys.
    /// - Parameter incarnation: nil for that of the start.
    func open(incarnation: UInt32?) throws(StartError) {
        guard !isOpen, services.account.keys != nil, let incarnation = incarnation ?? self.incarnation else { return }
        retry?.cancel()
        do {
            try network.open(services, incarnation: incarnation)
        } catch {
            tryLater(incarnation)
            throw error
        }
        services.groups.start()
        calls.start()
        transfers.start()
        guests.start()
        keepHouse()
    }

    private func tryLater(_ incarnation: UInt32) {
        retry = Reactor.shared.schedule(at: environment.clocks.now + DaemonLimits.networkRetry) { [weak self] in
            guard let self, !isOpen else { return }
            do {
                try open(incarnation: incarnation)
                if isOpen { environment.log.notice("the network is open now") }
            } catch {
                environment.log.debug("the network still can't be opened", [("error", "\(error)")])
            }
        }
    }

    func flush() async {
        guard isOpen else { return }
        await withCheckedContinuation { continuation in network.flush { continuation.resume() } }
    }

    /// Says goodbye to all peers and goes silent. Returns when no part of the network has keys any more.
    func close() async {
        retry?.cancel()
        guard isOpen else { return }
        // Ringing and running calls end while there are still sessions that can say so.
        calls.stop()
        guests.stop()
        transfers.stop()
        services.groups.stop()
        network.close()
        await transfers.waitUntilStopped()
        await transfers.rest()
    }

    /// Starts to remove old data, also while the account is locked.
    func keepHouse() {
        guard !isKeepingHouse, services.account.profile != nil else { return }
        isKeepingHouse = true
        housekeeper.start()
        retention.start()
        roster.enrol()
        // A crash may have left an avatar that no row names.
        services.avatars.sweep()
    }
}
