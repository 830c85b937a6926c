import Basics
import Crypto
import Messaging
import Reactor
import Runtime
import Store
import Threads
import Transfer

/// One attempt to fetch a transfer from a courier that has its file sealed, while the sender is away. What was fetched
/// from the sender before stays, and the sender gives the rest if it comes first. Whatever happens ends in
/// ``TransferService/ended(_:_:)``.
@ReactorActor final class CourierFetch {
    private let transfer: RunningTransfer
    private unowned let service: TransferService
    private let environment: Environment
    private let log: Logger

    init(_ transfer: RunningTransfer, service: TransferService, environment: Environment, log: Logger) {
        self.transfer = transfer
        self.service = service
        self.environment = environment
        self.log = log
    }

    func start(at courier: AccountID) {
        let (id, store, media) = (transfer.id, environment.store, service.media)
        let journal = SwarmJournal(base: StoreJournal(transfer: id, store: store, log: log))
        transfer.phase = .preparing
        transfer.courier = courier
        transfer.onThread { () -> (job: SwarmDownload, file: UUIDv7, isDone: Bool) in
            let plan = try TransferRecords.fetchPlan(id, from: store, media: media)
            let (row, bytesDone) = try store.readAndWait { transaction in
                (
                    try SealedFiles.coming(of: id, transaction).first { $0.courier == courier },
                    try transaction.transfer(id)?.bytesDone ?? 0
                )
            }
            guard let row, let root = TreeHash(row.root), let key = SharedKey(bytes: row.key) else {
                throw TransferFailure.interrupted("the courier hasn't got it")
            }
            guard SpaceCheck.hasRoom(for: plan, bytesDone: bytesDone) else { throw TransferFailure.noSpace }
            let opening = SealedDownload(
                seal: FileSeal(key: key),
                manifest: .single(size: plan.offer.size, mode: row.mode, modified: row.modified))
            let job = SwarmDownload(
                plan.sealed(as: row.id), fileRoot: root, leaves: nil, opening: opening, journal: journal,
                progress: { progress in
                    Reactor.shared.post { self.service.progressed(self.transfer, progress) }
                })
            Reactor.shared.post { self.transfer.isReady(job.cancel) }
            return (job, row.id, isDone: try job.prepare() != nil)
        } then: { result in
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success((_, _, isDone: true)): self.end(.success(()))
            case .success((let job, let file, isDone: false)): self.dial(job, file, at: courier)
            }
        }
    }

    private func dial(_ job: SwarmDownload, _ file: UUIDv7, at courier: AccountID) {
        guard !transfer.isCancelled else { return end(.failure(.cancelled)) }
        guard transfer.offered == nil, let address = service.sessions.address(of: courier) else {
            return end(.failure(.interrupted("the courier can't be dialled now")))
        }
        transfer.phase = .dialling
        let call = BulkDial(peer: courier) { result in
            self.transfer.call = nil
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success(let connection): self.receive(job, file, from: courier, over: connection)
            }
        }
        transfer.call = call
        call.connection = service.dialler.dial(for: courier, at: address, call)
    }

    private func receive(
        _ job: SwarmDownload, _ file: UUIDv7, from courier: AccountID, over connection: BulkConnection
    ) {
        let (id, transfer) = (transfer.id, transfer)
        transfer.moves(over: connection, now: environment.clocks.now)
        environment.commits.commit(.transfer(id)) {
            try TransferRecords.setActive(id, in: $0)
        } then: { isWanted in
            // The transfer was paused or given up while the connection was made.
            if !isWanted { transfer.interrupt() }
        }
        transfer.fetch(job, from: connection) { result, end in self.ended(result, end, file, courier) }
    }

    private func ended(
        _ result: Result<Void, TransferFailure>, _ end: SourceEnd, _ file: UUIDv7, _ courier: AccountID
    ) {
        switch end {
        case .lied(let what):
            log.warning(
                "a courier gave what is not the file, and is asked no more for it",
                [("id", "\(transfer.id)"), ("courier", "\(courier)"), ("what", what)])
            service.parcels.spurn(file, at: courier)
        case .ended(.peer(.notFound, _)): service.parcels.isNot(file, at: courier)
        case .complete, .ended: break
        }
        // The fetch was stopped because its only source had ended, unless the user has stopped it.
        guard case .failure(.cancelled) = result, end != .complete, !transfer.isCancelled else {
            return self.end(result)
        }
        guard case .ended(let failure) = end else {
            return self.end(.failure(.interrupted("the courier's file is another")))
        }
        switch failure {
        // What came was looked at here, or could not be written.
        case .refused, .noSpace, .io, .journal: self.end(.failure(failure))
        default: self.end(.failure(.interrupted("the courier gives no more of it")))
        }
    }

    private func end(_ result: Result<Void, TransferFailure>) {
        // The sender is here and has called: the transfer goes on over that connection.
        if case .failure(let failure) = result, transfer.offered != nil, !transfer.isCancelled,
            failure == .cancelled || failure.isRetryable
        {
            transfer.courier = nil
            return Fetch(transfer, service: service, environment: environment, log: log).start()
        }
        if let connection = transfer.detachOffered() { Serving.refuse(connection, "it can't be received now") }
        service.ended(transfer, result)
    }
}
