import Basics
import Reactor
import Store
import Transfer

/// One attempt to fetch a transfer: prepares what can be prepared alone, then dials, then receives. Whatever happens
/// ends in ``TransferService/ended(_:_:)``.
@ReactorActor final class Fetch {
    private let transfer: RunningTransfer
    private let address: SocketAddress
    private unowned let service: TransferService
    private let context: Context
    private let journal: StoreJournal

    init(
        _ transfer: RunningTransfer, from address: SocketAddress, service: TransferService, context: Context,
        log: Logger
    ) {
        self.transfer = transfer
        self.address = address
        self.service = service
        self.context = context
        journal = StoreJournal(transfer: transfer.id, store: context.store, log: log)
    }

    func start() {
        let id = transfer.id
        let journal = journal
        let media = context.media
        transfer.onThread {
            let plan = try TransferRecords.fetchPlan(id, from: journal.store, media: media)
            let job = ReceiveJob(plan, journal: journal) { progress in
                Reactor.shared.post { self.service.progressed(self.transfer, progress) }
            }
            Reactor.shared.post { self.transfer.isReady(job.cancel) }
            return (job, isDone: try job.prepare() != nil)
        } then: { result in
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success((_, isDone: true)): self.end(.success(()))
            case .success((let job, isDone: false)): self.call(job)
            }
        }
    }

    private func call(_ job: ReceiveJob) {
        guard let network = context.network, !transfer.isCancelled else {
            end(.failure(.cancelled))
            return
        }
        let call = BulkCall(peer: transfer.peer) { result in
            self.transfer.call = nil
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success(let connection): self.receive(job, over: connection)
            }
        }
        transfer.call = call
        call.connection = network.dial(address, purpose: .bulk, owner: call)
    }

    private func receive(_ job: ReceiveJob, over connection: BulkConnection) {
        let id = transfer.id
        context.store.submit {
            try TransferRecords.setActive(id, in: $0)
        } completion: { _ in
        }
        transfer.onThread {
            _ = try job.run(connection)
        } then: { result in
            self.end(result)
        }
    }

    private func end(_ result: Result<Void, TransferFailure>) { service.ended(transfer, result) }
}
