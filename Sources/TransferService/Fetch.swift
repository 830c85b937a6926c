import Basics
import Messaging
import Reactor
import Runtime
import Transfer

/// One attempt to fetch a transfer. It prepares what can be prepared alone, then dials or takes the connection that the
/// sender has dialled, then receives. Whatever happens ends in ``TransferService/ended(_:_:)``.
@ReactorActor final class Fetch {
    private let transfer: RunningTransfer
    private unowned let service: TransferService
    private let environment: Environment
    private let journal: StoreJournal

    init(_ transfer: RunningTransfer, service: TransferService, environment: Environment, log: Logger) {
        self.transfer = transfer
        self.service = service
        self.environment = environment
        journal = StoreJournal(transfer: transfer.id, store: environment.store, log: log)
    }

    func start() {
        let id = transfer.id
        let journal = journal
        let media = service.media
        transfer.phase = .preparing
        transfer.onThread {
            let plan = try TransferRecords.fetchPlan(id, from: journal.store, media: media)
            let bytesDone = try journal.store.readAndWait { try $0.transfer(id)?.bytesDone ?? 0 }
            // Check this before reading or dialling anything, because a disk that is still full is checked often.
            guard SpaceCheck.hasRoom(for: plan, bytesDone: bytesDone) else { throw TransferFailure.noSpace }
            let job = ReceiveJob(plan, journal: journal) { progress in
                Reactor.shared.post { self.service.progressed(self.transfer, progress) }
            }
            Reactor.shared.post { self.transfer.isReady(job.cancel) }
            return (job, isDone: try job.prepare() != nil)
        } then: { result in
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success((_, isDone: true)): self.end(.success(()))
            case .success((let job, isDone: false)): self.connect(job)
            }
        }
    }

    private func connect(_ job: ReceiveJob) {
        guard !transfer.isCancelled else { return end(.failure(.cancelled)) }
        if let connection = transfer.detachOffered() { return receive(job, over: connection) }
        guard let address = service.sessions.address(of: transfer.peer) else {
            return end(.failure(.interrupted("the sender can't be dialled now")))
        }
        transfer.phase = .dialling
        let call = BulkDial(peer: transfer.peer) { result in
            self.transfer.call = nil
            switch result {
            case .failure(let failure):
                // The sender has called meanwhile.
                if let connection = self.transfer.detachOffered(), !self.transfer.isCancelled {
                    return self.receive(job, over: connection)
                }
                self.end(.failure(failure))
            case .success(let connection): self.receive(job, over: connection)
            }
        }
        transfer.call = call
        call.connection = service.dialler.dial(for: transfer.peer, at: address, call)
    }

    private func receive(_ job: ReceiveJob, over connection: BulkConnection) {
        let id = transfer.id
        let transfer = transfer
        transfer.moves(over: connection, now: environment.clocks.now)
        environment.commits.commit(.transfer(id)) {
            try TransferRecords.setActive(id, in: $0)
        } then: { isWanted in
            // The transfer was paused or given up while the connection was made.
            if !isWanted { transfer.interrupt() }
        }
        transfer.onThread {
            _ = try job.run(connection)
        } then: { result in
            self.end(result)
        }
    }

    private func end(_ result: Result<Void, TransferFailure>) {
        // If the sender's call has interrupted this attempt, the transfer goes on over that connection.
        if case .failure(let failure) = result, transfer.phase == .moving, transfer.offered != nil,
            !transfer.isCancelled, failure == .cancelled || failure.isRetryable
        {
            return start()
        }
        // A transfer that failed for another reason would fail over the offered connection too, and without a pause in
        // between.
        if let connection = transfer.detachOffered() { Serving.refuse(connection, "it can't be received now") }
        service.ended(transfer, result)
    }
}
