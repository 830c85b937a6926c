import Basics
import ControlProtocol
import Crypto
import PeerProtocol
import Reactor
import Store
import Threads
import Transfer

/// Runs transfers: decides which goes on when, dials, and follows the threads that do the work.
///
/// This room (`Transfers`) joins the Transfer module with the database and the network. A transfer's bytes never pass
/// through the reactor: each running one has a thread and a connection of its own. The receiver fetches; so it is the
/// receiver who begins again after a break.
@ReactorActor final class TransferService {
    unowned let context: Context
    private let log: Logger
    private var waiting = WaitingTransfers()
    private var running: [UUIDv7: RunningTransfer] = [:]
    private var timer: TimerToken?
    private var isStopping = false
    private let stopWait = StopWait()
    private let removal: PartRemoval

    init(context: Context) {
        self.context = context
        log = context.log.labelled("transfer")
        removal = PartRemoval(context: context, log: log)
    }

    /// Takes up what was accepted before the restart.
    func start() {
        context.store.submit { transaction in
            try TransferRecords.recoverAfterStart(in: transaction)
        } completion: {
            [weak self] result in
            Reactor.shared.post {
                guard let self else { return }
                switch result {
                case .success(let rows): for row in rows { self.enqueue(row) }
                case .failure(let error): self.log.error("open transfers can't be read", [("error", "\(error)")])
                }
            }
        }
    }

    func stop() {
        isStopping = true
        timer?.cancel()
        for transfer in running.values { transfer.cancel() }
    }

    func waitUntilStopped() async {
        guard !running.isEmpty else { return }
        await stopWait.wait { [log, weak self] in
            log.warning("transfers that did not stop in time are cut off", [("count", "\(self?.running.count ?? 0)")])
        }
    }

    // MARK: What others tell

    /// An incoming transfer was accepted or is to go on.
    func enqueue(_ row: TransferRow) {
        guard row.direction == .incoming, !isStopping else { return }
        if let transfer = running[row.id] {
            // One that was told to stop may take a while to do so; then it begins anew.
            if transfer.isCancelled { transfer.onEnd.append { [weak self] in self?.enqueue(row) } }
            return
        }
        if removal.postpones(row) { return }
        waiting.put(row.id, of: row.peer, at: context.clocks.now)
        pump()
    }

    /// A session with this account is open: what waits for it need not wait for its pause to end.
    func peerAppeared(_ account: AccountID) {
        waiting.hurry(account, now: context.clocks.now)
        pump()
    }

    /// The peer changed the state of a transfer; that was committed.
    func peerChanged(_ row: TransferRow) {
        if row.state.isOver {
            halt(row.id)
            removePart(of: row)
        } else if row.direction == .incoming, row.state == .queued {
            enqueue(row)
        }
    }

    /// Ends what runs or waits, here only.
    func halt(_ id: UUIDv7) {
        waiting.remove(id)
        removal.forget(id)
        running[id]?.cancel()
    }

    /// Removes what a transfer left behind that will not go on.
    func removePart(of row: TransferRow) {
        guard row.direction == .incoming, row.state != .done, row.state != .offered, row.path != nil else { return }
        let id = row.id
        let start: @ReactorActor () -> Void = { [weak self] in self?.removal.start(id) { self?.enqueue($0) } }
        // After the thread, which may still be writing, has let go.
        if let transfer = running[id] { transfer.onEnd.append(start) } else { start() }
    }

    /// How far a running transfer is beyond what the database knows.
    func progress(of id: UUIDv7) -> TransferProgress? { running[id]?.progress }

    // MARK: Fetching

    private func pump() {
        guard !isStopping else { return }
        let now = context.clocks.now
        while let item = waiting.takeDue(now: now, mayRun: { address(of: $0) != nil && hasRoom(for: $0) }) {
            guard let address = address(of: item.peer) else { continue }
            let transfer = RunningTransfer(id: item.id, peer: item.peer, direction: .incoming, pause: item.pause)
            running[item.id] = transfer
            Fetch(transfer, from: address, service: self, context: context, log: log).start()
        }
        timer?.cancel()
        timer = waiting.nextAttempt(after: now, isHere: { address(of: $0) != nil }).map {
            Reactor.shared.schedule(at: $0) { [weak self] in self?.pump() }
        }
    }

    /// Where a peer that has a session can be dialled.
    private func address(of peer: AccountID) -> SocketAddress? { context.network?.session(with: peer)?.dialAddress }

    private func hasRoom(for peer: AccountID) -> Bool {
        // What goes out has places of its own: how many there are is for the receivers to say, friendly or not.
        let incoming = running.values.filter { $0.direction == .incoming }
        return incoming.count < DaemonLimits.activeTransfers
            && incoming.count(where: { $0.peer == peer }) < DaemonLimits.activeTransfersPerPeer
    }

    // MARK: Serving

    /// Somebody dialled a bulk connection. Its first message says what for; a thread waits for it.
    func accepted(_ connection: PeerConnection, from peer: PeerIdentity) {
        let account = peer.account
        guard !isStopping, context.contacts.relation(account) == .friend,
            running.values.count(where: { $0.peer == account && $0.direction == .outgoing })
                < DaemonLimits.activeTransfersPerPeer * 2,
            running.values.count(where: { $0.direction == .outgoing }) < DaemonLimits.activeTransfers * 2,
            let bulk = connection.detachBulk()
        else {
            connection.end(.closed)
            return
        }
        // Until the greeting is there, the transfer has no name; any will do that nobody else has.
        var random = SodiumGenerator()
        let transfer = RunningTransfer(
            id: UUIDv7(at: context.clocks.wallTime, using: &random), peer: account, direction: .outgoing,
            pause: DaemonLimits.transferRetry.first)
        running[transfer.id] = transfer
        transfer.isReady { bulk.cancel() }
        let store = context.store
        transfer.onThread {
            let (request, plan) = try BulkGreeting.read(bulk, from: account, store: store)
            let leftOut = { @Sendable (files: [LeftOutFile]) in
                try store.writeAndWait {
                    try $0.appendProblems(files.map(TransferRecords.row), to: request.transfer)
                }
            }
            let job = SendJob(plan, leftOut: leftOut) { progress in
                Reactor.shared.post { self.progressed(transfer, progress) }
            }
            Reactor.shared.post { self.identified(transfer, as: request.transfer, job.cancel) }
            try job.run(bulk, request: request)
        } then: { result in
            self.ended(transfer, result)
        }
    }

    private func identified(_ transfer: RunningTransfer, as id: UUIDv7, _ cancel: @escaping @Sendable () -> Void) {
        guard running[transfer.id] === transfer else { return }
        transfer.isReady(cancel)
        running[transfer.id] = nil
        // A receiver that dials again knows better than we that the old connection is dead.
        running[id]?.cancel()
        transfer.id = id
        running[id] = transfer
        // It may have been cancelled while nobody knew that this connection was for it.
        context.store.submit {
            try TransferRecords.setActive(id, in: $0)
        } completion: { result in
            if case .success(false) = result { Reactor.shared.post { transfer.cancel() } }
        }
    }

    // MARK: Following

    func progressed(_ transfer: RunningTransfer, _ progress: TransferProgress) {
        guard running[transfer.id] === transfer else { return }
        transfer.report(progress)
        let composer = context.composer
        let id = transfer.id
        context.store.submitRead {
            try $0.transfer(id)
        } completion: { [weak context] result in
            guard case .success(let row?) = result else { return }
            let object = composer.transfer(
                row, rate: Int64(clamping: progress.bytesPerSecond), bytesDone: Int64(clamping: progress.bytesDone),
                filesDone: Int64(progress.filesDone))
            Reactor.shared.post { context?.events.ephemeral(.transferProgress, .update, object.json) }
        }
    }

    /// A thread is done.
    func ended(_ transfer: RunningTransfer, _ result: Result<Void, TransferFailure>) {
        if running[transfer.id] === transfer { running[transfer.id] = nil }
        for body in transfer.onEnd { body() }
        transfer.onEnd = []
        settle(transfer, result)
        pump()
        if running.isEmpty { stopWait.end() }
    }

    private func settle(_ transfer: RunningTransfer, _ result: Result<Void, TransferFailure>) {
        let id = transfer.id
        let text: String
        switch result {
        case .success: text = "done"
        case .failure(let failure): text = failure.detail
        }
        log.info("transfer stopped", [("id", "\(id)"), ("direction", "\(transfer.direction)"), ("because", text)])
        // Cancelling is written down by whoever cancels; stopping leaves everything to the next start.
        if isStopping || transfer.isCancelled { return }
        let pause = transfer.madeProgress ? DaemonLimits.transferRetry.first : transfer.pause
        context.store.submit {
            try TransferRecords.settle(id, result, in: $0)
        } completion: { [weak self] outcome in
            Reactor.shared.post {
                guard let self else { return }
                switch outcome {
                case .success(let settled):
                    if let row = settled.retry { self.retry(row, after: pause) }
                    if let row = settled.failed { self.removePart(of: row) }
                case .failure(let error):
                    self.log.error("a transfer's state can't be stored", [("error", "\(error)")])
                }
            }
        }
    }

    private func retry(_ row: TransferRow, after pause: Duration) {
        guard running[row.id] == nil, !waiting.contains(row.id), !isStopping else { return }
        waiting.put(
            row.id, of: row.peer, at: context.clocks.now + pause,
            pause: min(pause * 2, DaemonLimits.transferRetry.longest))
        pump()
    }
}
