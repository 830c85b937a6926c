import Basics
import Reactor
import Store

/// Notices that the disk which holds the data is full, and that it has room again: then what could not be begun at the start is
/// begun, and all goes on without a restart.
@ReactorActor final class DiskWatch {
    private unowned let context: Context
    private let log: Logger
    private var look: TimerToken?
    private var isStopped = false

    init(context: Context) {
        self.context = context
        log = context.log.labelled("disk")
    }

    func start() {
        context.store.observeRoom { [weak self] isFull in
            Reactor.shared.post { self?.changed(isFull: isFull) }
        }
        // It may have been full at the start.
        if context.store.isFull { changed(isFull: true) }
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
            "the disk is full: nothing is stored, and nothing is taken from anybody, until there is room",
            [("data", context.directory.path)])
        lookLater()
    }

    /// What could not be begun at the start.
    private func openNetwork() {
        guard context.network == nil, context.account != nil else { return }
        context.store.submit {
            try $0.beginEpoch()
            return try $0.nextIncarnation(atLeast: StoredState.leastIncarnation(at: $0.wallTime))
        } completion: { [weak self] result in
            Reactor.shared.post { self?.openNetwork(result) }
        }
    }

    private func openNetwork(_ incarnation: Result<UInt32, any Error>) {
        guard !isStopped else { return }
        do {
            try context.openNetwork(incarnation: try incarnation.get())
        } catch StoreError.full {
            // The store has told, and tells again.
        } catch {
            log.error("the network can't be opened", [("error", "\(error)")])
        }
    }

    /// Any write shows whether there is room; the store tells then.
    private func lookLater() {
        guard !isStopped else { return }
        look = Reactor.shared.schedule(at: context.clocks.now + DaemonLimits.diskLook) { [weak self] in
            guard let self, !isStopped else { return }
            let data = context.directory.path
            _ = context.files.submit {
                let free = PlaceWatcher.place(data).freeBytes
                Reactor.shared.post { self.tryAgain(free) }
            }
        }
    }

    private func tryAgain(_ free: UInt64?) {
        guard !isStopped, context.store.isFull else { return }
        guard free ?? .max >= DaemonLimits.roomForData else { return lookLater() }
        context.store.submit {
            $0.tryRoom()
        } completion: { _ in
            Reactor.shared.post {
                if self.context.store.isFull { self.lookLater() }
            }
        }
    }
}
