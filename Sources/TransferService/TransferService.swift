import Basics
import Media
import Messaging
import Network
import PeerProtocol
import Reactor
import Runtime
import Store
import Transfer

/// Runs transfers: it decides which one goes on when, dials, and follows the threads that do the work.
///
/// It joins the module Transfer with the database and the network. A transfer's bytes never pass through the reactor:
/// each running one has a thread and a connection of its own. The receiver fetches, and begins again after a break; a
/// sender that no receiver dials calls by itself.
@ReactorActor package final class TransferService: TransferRunner {
    package let environment: Environment
    package let contacts: ContactIndex
    package let sessions: Sessions
    package let media: MediaProgram
    /// The members of groups, who share files with us besides friends.
    package let members: any GroupMembership
    package unowned let dialler: any BulkDialler
    private unowned let clients: any TransferObserver
    package let log: Logger
    private var queue = TransferQueue()
    package var running: [UUIDv7: RunningTransfer] = [:]
    private var timer: TimerToken?
    package private(set) var isStopping = false
    private let stopWait = StopWait()
    private let removal: PartRemoval
    private lazy var memory = MemoryTrim(environment: environment)
    let (sharedFiles, sent) = (SharedFiles(), SentFiles())
    /// Members that gave wrong chunks, by transfer. They are kept until the next start.
    var badSources: [UUIDv7: Set<AccountID>] = [:]
    var trespasses = ProtocolViolations()
    private(set) lazy var parcels = ParcelFiles(service: self, environment: environment, log: log)
    /// Whether the last attempt of a transfer that couriers have was with its sender, and brought nothing.
    private var failedAtSender: Set<UUIDv7> = []
    private var courierChoice = CourierChoice()
    private lazy var serving = Serving(service: self, environment: environment)
    private lazy var events = ProgressEvents(environment: environment, clients: clients) { [weak self] in
        self.map { Array($0.running.values) } ?? []
    }

    package init(
        environment: Environment, contacts: ContactIndex, members: any GroupMembership, sessions: Sessions,
        dialler: any BulkDialler, media: MediaProgram, clients: any TransferObserver
    ) {
        self.environment = environment
        self.contacts = contacts
        self.members = members
        self.sessions = sessions
        self.dialler = dialler
        self.media = media
        self.clients = clients
        log = environment.log.labelled("transfer")
        removal = PartRemoval(environment: environment, log: log)
        environment.metrics.declareTransfers()
    }

    /// Resumes transfers that were accepted before the restart or before the account was locked, and removes what a
    /// crash left of others.
    package func start() {
        isStopping = false
        queue = TransferQueue()
        parcels.start()
        environment.commits.commit(.openTransfers) { transaction in
            let left = try transaction.leftOverParts(limit: TransferServiceLimits.leftOverParts)
            return (open: try TransferRecords.recoverAfterStart(in: transaction), left: left)
        } then: { [weak self] found in
            guard let self, !self.isStopping else { return }
            for row in found.left { self.removePart(of: row) }
            for row in found.open { self.enqueue(row) }
        }
    }

    package func stop() {
        isStopping = true
        timer?.cancel()
        parcels.stop()
        events.stop()
        for transfer in running.values { transfer.cancel() }
    }

    package func waitUntilStopped() async {
        guard !running.isEmpty else { return }
        await stopWait.wait { [log, weak self] in
            log.warning("transfers that did not stop in time are cut off", [("count", "\(self?.running.count ?? 0)")])
        }
    }

    /// Stores that no transfer runs, while the daemon goes on.
    package func rest() async {
        do { _ = try await environment.store.commit { try TransferRecords.recoverAfterStart(in: $0) } } catch {
            environment.commits.commit(.openTransfers) { _ = try TransferRecords.recoverAfterStart(in: $0) }
        }
    }

    // MARK: Changes

    /// Ends the pause of a transfer that waits, because the user doesn't want to wait.
    package func hurry(_ id: UUIDv7) {
        queue.hurry(id, now: environment.clocks.now)
        pump()
    }

    /// Queues a transfer that was accepted or resumed. An outgoing one gives its receiver time to fetch it first.
    package func enqueue(_ row: TransferRow) {
        guard !isStopping, row.fileRoot == nil || row.direction == .incoming else { return }
        if let transfer = running[row.id] {
            // A transfer that was told to stop may take a while to do so; then it starts again.
            if transfer.isCancelled { transfer.onEnd.append { [weak self] in self?.enqueue(row) } }
            return
        }
        if removal.postpones(row) { return }
        let delay = row.direction == .incoming ? Duration.zero : TransferServiceLimits.transferCall
        queue.put(TransferQueue.Item(row, at: environment.clocks.now + delay))
        pump()
    }

    /// Call when a session with this account is open. Transfers that wait for the account need not wait for their pause
    /// to end. Transfers that have been silent use a connection of an earlier session, and are interrupted.
    package func peerAppeared(_ account: AccountID) {
        let now = environment.clocks.now
        queue.hurry(
            account, sharing: { [members] in members.members(of: $0).contains(account) },
            keeping: { [parcels] in parcels.couriers(of: $0).contains(account) }, now: now)
        pump()
        parcels.appeared(account)
        // A connection that has outlived a cut needs time to show it. The second look finds one that fell silent just now.
        for pause in [
            TransferServiceLimits.transferGrace,
            TransferServiceLimits.transferGrace + TransferServiceLimits.transferSilence,
        ] {
            _ = Reactor.shared.schedule(at: now + pause) { [weak self] in self?.interruptSilent(account) }
        }
    }

    /// Call with a transfer to which a commit has given another state: by a peer, by the user, or with something that it
    /// belonged to.
    package func committed(_ row: TransferRow) {
        environment.metrics.count(row.state, row.direction)
        switch row.state {
        case .queued: enqueue(row)
        case .paused: halt(row.id)
        case .offered, .active: break
        case .done, .declined, .cancelled, .failed:
            halt(row.id)
            removePart(of: row)
            parcels.over(row.id)
        }
    }

    /// Call when a commit has changed something about files that go with parcels.
    package func sealedFilesChanged() { parcels.look() }

    /// What couriers have of our files is known, or another than before.
    func couriersChanged() { pump() }

    /// Ends a transfer that runs or waits, here only.
    package func halt(_ id: UUIDv7) {
        queue.remove(id)
        removal.forget(id)
        running[id]?.cancel()
    }

    /// Removes the part of a transfer that will not go on.
    package func removePart(of row: TransferRow) {
        guard row.direction == .incoming, row.state != .done, row.state != .offered, row.path != nil else { return }
        let id = row.id
        let start: @ReactorActor () -> Void = { [weak self] in self?.removal.start(id) { self?.enqueue($0) } }
        // Wait until the thread, which may still be writing, has let go.
        if let transfer = running[id] { transfer.onEnd.append(start) } else { start() }
    }

    /// How far a running transfer is beyond what the database knows, and how fast it goes.
    package func progress(of id: UUIDv7) -> (progress: TransferProgress, rate: Int64)? {
        guard let transfer = running[id], let progress = transfer.progress else { return nil }
        return (progress, events.rate(of: transfer))
    }

    /// Interrupts the transfers that have been silent: they go over a connection that belongs to an earlier session.
    private func interruptSilent(_ account: AccountID) {
        let now = environment.clocks.now
        for transfer in running.values where transfer.peer == account && transfer.item?.group == nil {
            if transfer.phase == .moving, transfer.isSilent(now: now) { transfer.interrupt() }
        }
    }

    /// A peer dialled a bulk connection.
    package func accepted(_ connection: PeerConnection, from peer: PeerIdentity) {
        serving.accepted(connection, from: peer)
    }

    // MARK: Slots

    private func pump() {
        guard !isStopping else { return }
        let now = environment.clocks.now
        let reachability = Reachability(service: self)
        while let item = queue.next(now: now, isHere: reachability.isHere) {
            let transfer = RunningTransfer(item)
            running[item.id] = transfer
            switch item.direction {
            case .incoming: fetch(transfer)
            case .outgoing: OutboundSend(transfer, service: self, environment: environment).start()
            }
        }
        timer?.cancel()
        timer = queue.nextAttempt(after: now, isHere: reachability.isHere).map {
            Reactor.shared.schedule(at: $0) { [weak self] in self?.pump() }
        }
    }

    func fetch(_ transfer: RunningTransfer) {
        guard let group = transfer.item?.group else {
            if transfer.offered == nil, let courier = courier(for: transfer) {
                return CourierFetch(transfer, service: self, environment: environment, log: log).start(at: courier)
            }
            return Fetch(transfer, service: self, environment: environment, log: log).start()
        }
        SwarmFetch(transfer, in: group, service: self, environment: environment, log: log).start()
    }

    /// The courier from which a transfer is fetched now; nil if the sender is here, or no courier has it.
    private func courier(for transfer: RunningTransfer) -> AccountID? {
        guard !canBeDialled(transfer.peer) || failedAtSender.remove(transfer.id) != nil else { return nil }
        return courierChoice.choose(among: parcels.couriers(of: transfer.id).filter(canBeDialled))
    }

    /// Whether an account has a session and can be dialled, and is not a suspended contact.
    func canBeDialled(_ account: AccountID) -> Bool {
        sessions.address(of: account) != nil && !contacts.isSuspended(account)
    }

    /// Gives a slot to a transfer that the sender has dialled for; nil if none is free.
    package func claim(_ row: TransferRow) -> RunningTransfer? {
        let item = TransferQueue.Item(row, at: environment.clocks.now)
        guard !isStopping, !removal.isUnderWay(row.id), queue.claim(item) else { return nil }
        let transfer = RunningTransfer(item)
        running[row.id] = transfer
        return transfer
    }

    // MARK: Following

    package func progressed(_ transfer: RunningTransfer, _ progress: TransferProgress) {
        guard running[transfer.id] === transfer else { return }
        transfer.report(progress, now: environment.clocks.now)
        events.noted(transfer)
    }

    /// Forgets a transfer whose thread is done.
    package func forget(_ transfer: RunningTransfer) {
        if running[transfer.id] === transfer { running[transfer.id] = nil }
        transfer.letGo()
        guard running.isEmpty else { return }
        stopWait.end()
        memory.rest { [weak self] in self?.running.isEmpty == true }
    }

    /// Handles the end of a transfer's thread.
    package func ended(_ transfer: RunningTransfer, _ result: Result<Void, TransferFailure>) {
        if transfer.item != nil { queue.ended(transfer.id) }
        if case .failure = result, !transfer.madeProgress, transfer.courier == nil,
            !parcels.couriers(of: transfer.id).isEmpty
        {
            failedAtSender.insert(transfer.id)
        } else {
            failedAtSender.remove(transfer.id)
        }
        if let courier = transfer.courier, !transfer.isCancelled {
            let hasFailed = if case .failure = result { true } else { false }
            courierChoice.ended(
                courier, gaveNothing: hasFailed && !transfer.madeProgress, at: environment.clocks.now)
        }
        forget(transfer)
        if transfer.direction == .outgoing {
            if case .failure(.invalid) = result { trespasses.note(transfer.peer, now: environment.clocks.now) }
            sent.ended(transfer.id, result)
        }
        settle(transfer, result)
        pump()
    }

    private func settle(_ transfer: RunningTransfer, _ result: Result<Void, TransferFailure>) {
        let id = transfer.id
        let text = if case .failure(let failure) = result { failure.detail } else { "done" }
        log.info("transfer stopped", [("id", "\(id)"), ("direction", "\(transfer.direction)"), ("because", text)])
        // Cancelling is written down by the code that cancels; stopping leaves everything to the next start.
        if isStopping { return }
        if let progress = transfer.progress, transfer.direction == .outgoing {
            environment.commits.commit(.progress(id)) { try TransferRecords.keep(progress, of: id, in: $0) }
        }
        if transfer.isCancelled { return events.ended(transfer) }
        environment.commits.commit(.transfer(id)) {
            try TransferRecords.settle(id, result, in: $0)
        } then: { [weak self] settled in
            guard let self else { return }
            self.events.ended(transfer)
            if let state = settled.over { environment.metrics.count(state, transfer.direction) }
            if let row = settled.retry { self.retry(row, transfer) }
            if let row = settled.failed {
                self.removePart(of: row)
                self.parcels.over(row.id)
            }
        }
    }

    private func retry(_ row: TransferRow, _ transfer: RunningTransfer) {
        let now = environment.clocks.now
        guard running[row.id] == nil, !isStopping else { return }
        queue.again(
            transfer.item ?? TransferQueue.Item(row, at: now), madeProgress: transfer.madeProgress,
            isOutOfSpace: row.state == .paused, now: now)
        pump()
    }
}
