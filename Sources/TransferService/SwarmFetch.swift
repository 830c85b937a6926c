import Basics
import Messaging
import Reactor
import Runtime
import Transfer

/// One attempt to fetch a group's file, from its author and some other members at the same time, as they come and go.
/// Whatever happens ends in ``TransferService/ended(_:_:)``.
@ReactorActor final class SwarmFetch {
    private let transfer: RunningTransfer
    private let conversation: UUIDv7
    private unowned let service: TransferService
    private let environment: Environment
    private let log: Logger
    private var calls: [AccountID: BulkDial] = [:]
    private var sources: Set<AccountID> = []
    /// The members that are left alone, and until when.
    private var pauses: [AccountID: Instant] = [:]
    private var timer: TimerToken?
    private var isOver = false

    init(
        _ transfer: RunningTransfer, in conversation: UUIDv7, service: TransferService, environment: Environment,
        log: Logger
    ) {
        self.transfer = transfer
        self.conversation = conversation
        self.service = service
        self.environment = environment
        self.log = log
    }

    func start() {
        let (id, store, media, sharedFiles) = (transfer.id, environment.store, service.media, service.sharedFiles)
        let journal = SwarmJournal(base: StoreJournal(transfer: id, store: store, log: log))
        transfer.phase = .preparing
        transfer.onThread {
            let plan = try TransferRecords.downloadPlan(id, from: store, media: media)
            let bytesDone = try store.readAndWait { try $0.transfer(id)?.bytesDone ?? 0 }
            guard SpaceCheck.hasRoom(for: plan.plan, bytesDone: bytesDone) else { throw TransferFailure.noSpace }
            let job = SwarmDownload(
                plan.plan, fileRoot: plan.fileRoot, leaves: plan.leaves, journal: journal, isReady: sharedFiles.show
            ) { progress in
                Reactor.shared.post { self.service.progressed(self.transfer, progress) }
            }
            Reactor.shared.post { self.transfer.isReady(job.cancel) }
            return (job, isDone: try job.prepare() != nil)
        } then: { result in
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success((_, isDone: true)): self.end(.success(()))
            case .success((let job, isDone: false)): self.run(job)
            }
        }
    }

    private func run(_ job: SwarmDownload) {
        guard !transfer.isCancelled else { return end(.failure(.cancelled)) }
        let id = transfer.id
        let transfer = transfer
        transfer.phase = .moving
        transfer.lastSign = environment.clocks.now
        environment.commits.commit(.transfer(id)) {
            try TransferRecords.setActive(id, in: $0)
        } then: { isWanted in
            // The transfer was paused or given up while it was prepared.
            if !isWanted { transfer.interrupt() }
        }
        transfer.onThread {
            _ = try job.run()
        } then: { result in
            self.end(result)
        }
        look(job)
    }

    /// Dials members that may have something of the file: its author, and others by chance.
    private func look(_ job: SwarmDownload) {
        guard !isOver, !transfer.isCancelled else { return }
        let now = environment.clocks.now
        let badSources = service.badSources[transfer.id] ?? []
        let here = service.members.members(of: conversation).filter { account in
            service.canBeDialled(account) && !sources.contains(account) && calls[account] == nil
                && !badSources.contains(account)
                && pauses[account].map { $0 <= now } ?? true
        }
        let author = transfer.peer
        let others = sources.union(calls.keys).count { $0 != author }
        var chosen = here.filter { $0 != author }.shuffled().prefix(
            max(0, TransferLimits.Swarm.sources - others))
        if here.contains(author) { chosen.append(author) }
        for account in chosen { dial(account, job) }
        timer = Reactor.shared.schedule(at: now + TransferServiceLimits.swarmLook) { [weak self] in self?.look(job) }
    }

    private func dial(_ account: AccountID, _ job: SwarmDownload) {
        guard let address = service.sessions.address(of: account) else { return }
        let call = BulkDial(peer: account) { [weak self] result in
            guard let self else { return }
            self.calls[account] = nil
            switch result {
            case .failure: self.pause(account, TransferServiceLimits.swarmPause.short)
            case .success(let connection): self.accept(from: account, connection, job)
            }
        }
        calls[account] = call
        call.connection = service.dialler.dial(for: account, at: address, call)
    }

    private func accept(from account: AccountID, _ connection: BulkConnection, _ job: SwarmDownload) {
        guard !isOver else { return }
        sources.insert(account)
        let isAuthor = account == transfer.peer
        transfer.onThread {
            job.fetch(from: connection, isAuthor: isAuthor)
        } then: { [weak self] result in
            guard let self else { return }
            self.sources.remove(account)
            switch result {
            case .failure, .success(.complete): self.pause(account, TransferServiceLimits.swarmPause.short)
            case .success(.ended(.peer)): self.pause(account, TransferServiceLimits.swarmPause.long)
            case .success(.ended): self.pause(account, TransferServiceLimits.swarmPause.short)
            case .success(.lied(let what)):
                self.service.badSources[self.transfer.id, default: []].insert(account)
                self.log.warning(
                    "a member gave what is not the file, and is asked no more for it",
                    [("id", "\(self.transfer.id)"), ("member", "\(account)"), ("what", what)])
            }
        }
    }

    private func pause(_ account: AccountID, _ time: Duration) { pauses[account] = environment.clocks.now + time }

    private func end(_ result: Result<Void, TransferFailure>) {
        isOver = true
        timer?.cancel()
        for call in calls.values { call.connection?.end(.closed) }
        calls = [:]
        if case .success = result {
            service.sharedFiles.settle(transfer.id, isWhole: true)
            service.badSources[transfer.id] = nil
        } else {
            service.sharedFiles.settle(transfer.id, isWhole: false)
        }
        service.ended(transfer, result)
    }
}
