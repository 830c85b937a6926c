import Messaging
import Reactor
import Runtime
import Transfer

/// One attempt to send to a receiver that has not dialled: we dial and say which transfer it is, and the receiver asks
/// for what it lacks. Whatever happens ends in ``TransferService/ended(_:_:)``.
@ReactorActor package final class OutboundSend {
    private let transfer: RunningTransfer
    private unowned let service: TransferService
    private let environment: Environment
    private var isActive = false

    package init(_ transfer: RunningTransfer, service: TransferService, environment: Environment) {
        self.transfer = transfer
        self.service = service
        self.environment = environment
    }

    package func start() {
        let (id, peer, store, sent) = (transfer.id, transfer.peer, environment.store, service.sent)
        transfer.onThread {
            let plan = try TransferRecords.sendPlan(id, to: peer, from: store)
            let leftOut = TransferRecords.leftOutWriter(id, store)
            let job = SendJob(plan, sent: sent.of(id), leftOut: leftOut) { progress in
                Reactor.shared.post { self.progressed(progress) }
            }
            Reactor.shared.post { self.transfer.isReady(job.cancel) }
            return job
        } then: { result in
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success(let job): self.dial(job)
            }
        }
    }

    private func dial(_ job: SendJob) {
        guard let address = service.sessions.address(of: transfer.peer), !transfer.isCancelled else {
            return end(.failure(transfer.isCancelled ? .cancelled : .interrupted("the receiver is away")))
        }
        transfer.phase = .dialling
        let call = BulkDial(peer: transfer.peer) { result in
            self.transfer.call = nil
            switch result {
            case .failure(let failure): self.end(.failure(failure))
            case .success(let connection): self.send(job, over: connection)
            }
        }
        transfer.call = call
        call.connection = service.dialler.dial(for: transfer.peer, at: address, call)
    }

    private func send(_ job: SendJob, over connection: BulkConnection) {
        transfer.moves(over: connection, now: environment.clocks.now)
        transfer.onThread {
            try job.run(connection, request: nil)
        } then: { result in
            self.end(result)
        }
    }

    /// Bytes move: only now is this more than an attempt.
    private func progressed(_ progress: TransferProgress) {
        let id = transfer.id
        let transfer = transfer
        if !isActive {
            isActive = true
            environment.commits.commit(.transfer(id)) {
                try TransferRecords.setActive(id, in: $0)
            } then: { isWanted in
                if !isWanted { transfer.interrupt() }
            }
        }
        service.progressed(transfer, progress)
    }

    private func end(_ result: Result<Void, TransferFailure>) {
        // An older receiver takes no calls: it will have to dial.
        if case .failure(.peer(.unsupported, let detail)) = result, !isActive {
            return service.ended(transfer, .failure(.interrupted("the receiver takes no calls: \(detail)")))
        }
        service.ended(transfer, result)
    }
}
