import Account
import Basics
import Network
import Reactor
import Runtime
import Store

/// Notices when the disk with the data is full, and when it has room again. Then it opens the network if the start
/// could not: no restart is needed.
@ReactorActor final class DiskWatch {
    private let environment: Environment
    private let account: CurrentAccount
    private let online: OnlineServices
    private let log: Logger
    private var look: TimerToken?
    private var isStopped = false

    init(environment: Environment, account: CurrentAccount, online: OnlineServices) {
        self.environment = environment
        self.account = account
        self.online = online
        log = environment.log.labelled("disk")
    }

    func start() {
        environment.store.observeRoom { [weak self] isFull in
            Reactor.shared.post { self?.changed(isFull: isFull) }
        }
        // The disk may have been full at the start.
        if environment.store.isFull { changed(isFull: true) }
    }

    func stop() {
        isStopped = true
        look?.cancel()
    }

    private func changed(isFull: Bool) {
        guard !isStopped else { return }
        look?.cancel()
        guard isFull else {
            log.notice("there is room on the disk again")
            openNetwork()
            return
        }
        log.warning(
            "the disk is full: nothing is stored, and nothing is accepted from peers, until there is room",
            [("data", environment.directory)])
        lookLater()
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

    /// Reads the free bytes later. Once they may be enough, any write shows whether there is room, and the store
    /// reports it.
    private func lookLater() {
        guard !isStopped else { return }
        look = Reactor.shared.schedule(at: environment.clocks.now + DaemonLimits.diskLook) { [weak self] in
            guard let self, !isStopped else { return }
            let data = environment.directory
            _ = environment.workers.files.submit {
                let free = DestinationWatcher.destination(data).freeBytes
                Reactor.shared.post { self.tryAgain(free) }
            }
        }
    }

    private func tryAgain(_ free: UInt64?) {
        guard !isStopped, environment.store.isFull else { return }
        guard free ?? .max >= DaemonLimits.roomForData else { return lookLater() }
        environment.store.commit {
            $0.tryRoom()
        } then: { [self] _ in
            if environment.store.isFull { lookLater() }
        }
    }
}
