import Account
import Basics
import Control
import ControlProtocol
import Messaging
import Network
import Reactor
import Runtime
import Store

/// Notices when the disk with the data is full or short of room, and when it has room again, and tells clients. Then it
/// opens the network if the start could not: no restart is needed.
@ReactorActor final class DiskWatch: DiskControl {
    private let environment: Environment
    private let account: CurrentAccount
    private let online: OnlineServices
    private unowned let clients: EventHub
    private let log: Logger
    private(set) var state = DiskState()
    private var timer: TimerToken?
    private var isStopped = false

    init(environment: Environment, account: CurrentAccount, online: OnlineServices, clients: EventHub) {
        self.environment = environment
        self.account = account
        self.online = online
        self.clients = clients
        log = environment.log.labelled("disk")
    }

    func start() {
        environment.store.observeRoom { [weak self] isFull in
            Reactor.shared.post { self?.changed(isFull: isFull) }
        }
        environment.settings.onChange(SettingsCatalogue.filesFreeSpaceReserveBytes) { [weak self] _ in self?.look() }
        // The disk may have been full at the start.
        if environment.store.isFull { changed(isFull: true) }
        look()
    }

    func stop() {
        isStopped = true
        timer?.cancel()
    }

    private func changed(isFull: Bool) {
        guard !isStopped else { return }
        if isFull {
            log.warning(
                "the disk is full: nothing is stored, and nothing is accepted from peers, until there is room",
                [("data", environment.directory)])
        } else {
            log.notice("there is room on the disk again")
            openNetwork()
        }
        look()
    }

    /// Opens the network if the start could not.
    private func openNetwork() {
        guard !online.isOpen, account.keys != nil else { return }
        environment.store.commit {
            try $0.beginEpoch()
            return try $0.nextIncarnation()
        } then: { [weak self] in
            self?.openNetwork($0)
        }
    }

    private func openNetwork(_ incarnation: Result<UInt32, any Error>) {
        guard !isStopped else { return }
        do {
            try online.open(incarnation: try incarnation.get())
        } catch StoreError.full {
            // The store has reported the failure, and will report it again.
        } catch {
            log.error("the network can't be opened", [("error", "\(error)")])
        }
    }

    // MARK: Looking

    /// Reads the free bytes, and looks again later.
    private func look() {
        guard !isStopped else { return }
        timer?.cancel()
        timer = nil
        let data = environment.directory
        _ = environment.workers.files.submit {
            let free = Destination(at: data).freeBytes
            Reactor.shared.post { self.looked(free) }
        }
    }

    private func looked(_ free: UInt64?) {
        guard !isStopped else { return }
        if environment.store.isFull {
            say(.full, free)
            // Once there may be enough, any write shows whether there is room, and the store reports it.
            guard free ?? .max >= DaemonLimits.roomForData else { return }
            return environment.store.commit {
                $0.tryRoom()
            } then: { _ in
            }
        }
        guard let free, free < MessagingLimits.peerSpaceReserve else { return say(.enough, free) }
        environment.store.read {
            try DataSpace { free }.share(by: .stored, in: $0) != nil
        } then: { [weak self] isShort in
            guard let self, !environment.store.isFull else { return }
            say((try? isShort.get()) == true ? .short : .enough, free)
        }
    }

    private func say(_ room: DiskRoom, _ free: UInt64?) {
        let before = state.room
        state = DiskState(room: room, freeBytes: free.map { Int64(clamping: $0) })
        let (looks, now) = (DaemonLimits.diskLooks, environment.clocks.now)
        let pause = room == .full ? looks.full : room == .short ? looks.short : looks.enough
        timer?.cancel()
        timer = Reactor.shared.schedule(at: now + pause) { [weak self] in self?.look() }
        guard room != before else { return }
        if room == .short {
            log.warning("the disk is nearly full: others may have to wait", [("data", environment.directory)])
        }
        clients.ephemeral(.diskChanged, .update, state.json)
    }
}
