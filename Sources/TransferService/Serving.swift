import Basics
import Crypto
import Messaging
import Network
import PeerProtocol
import Reactor
import Runtime
import Store
import Threads
import Transfer

/// Takes bulk connections that peers dialled. A thread reads what each one is for, and then gives what is asked for or
/// takes what was accepted.
@ReactorActor final class Serving {
    private unowned let service: TransferService
    private let environment: Environment

    init(service: TransferService, environment: Environment) {
        self.service = service
        self.environment = environment
    }

    /// Takes a bulk connection that a peer dialled. A thread waits for its first message, which says what it is for.
    func accepted(_ connection: PeerConnection, from peer: PeerIdentity) {
        let account = peer.account
        let all = service.running.values.filter { $0.direction == .outgoing }
        let outgoing = all.filter { !$0.givesWay }
        let isFriend = service.contacts.relation(account) == .friend
        let isTrespasser = service.trespasses.areTooMany(by: account, now: environment.clocks.now)
        let place = ServingPlaces(outgoing.map(\.peer)).answer(to: account)
        let victim =
            if case .instead(let loser) = place { victim(of: loser, among: outgoing) } else { nil as RunningTransfer? }
        guard !service.isStopping, isFriend || service.members.isMate(account),
            !service.contacts.isSuspended(account), !isTrespasser, place == .free || victim != nil,
            // Those that are to end count until they have.
            all.count < TransferServiceLimits.activeTransfers * 3, let bulk = connection.detachBulk()
        else {
            environment.metrics.count(
                .bulkRefused,
                isTrespasser ? "violations" : isFriend || service.members.isMate(account) ? "busy" : "not_friends")
            connection.end(.closed)
            return
        }
        victim?.giveWay()
        // Until the greeting is there, the transfer has no name; any name will do that no other transfer has.
        var random = SodiumGenerator()
        let transfer = RunningTransfer(id: UUIDv7(at: environment.clocks.wallTime, using: &random), peer: account)
        service.running[transfer.id] = transfer
        transfer.isReady { bulk.cancel() }
        let (store, commits, members, sharedFiles, sent) = (
            environment.store, environment.commits, service.members, service.sharedFiles, service.sent
        )
        let parcels = service.parcels.directory
        let log = environment.log.labelled("transfer")
        transfer.onThread { () -> TransferRow? in
            let greeting = try BulkGreeting.read(
                bulk, from: account, isFriend: isFriend, store: store, members: members, parcels: parcels,
                sharedFiles: sharedFiles)
            switch greeting {
            case .share(let request, let sharedFile):
                let giving = SwarmUpload(
                    request, sharedFile, to: account, store: store, commits: commits, members: members,
                    parcels: parcels, sharedFiles: sharedFiles, log: log)
                Reactor.shared.post { transfer.isReady(giving.cancel) }
                try giving.run(bulk)
                return nil
            case .nothing: return nil
            case .take(let row): return row
            case .give(let request, let plan):
                let leftOut = TransferRecords.leftOutWriter(plan.transfer, store)
                let job = SendJob(plan, sent: sent.of(plan.transfer), leftOut: leftOut) { progress in
                    Reactor.shared.post { self.service.progressed(transfer, progress) }
                }
                Reactor.shared.post { self.identified(transfer, as: request.transfer, over: bulk, job.cancel) }
                try job.run(bulk, request: request)
                return nil
            }
        } then: { result in
            switch result {
            case .success(let row?):
                self.service.forget(transfer)
                if !transfer.isCancelled { self.called(row, over: bulk) }
            case .success(nil): self.service.ended(transfer, .success(()))
            case .failure(let failure): self.service.ended(transfer, .failure(failure))
            }
        }
    }

    /// The connection of an account that gives way: one that it has dialled, and one over which nothing moves if there is one.
    private func victim(of account: AccountID, among outgoing: [RunningTransfer]) -> RunningTransfer? {
        let theirs = outgoing.filter { $0.peer == account && $0.item == nil }
        let now = environment.clocks.now
        return theirs.first { $0.isSilent(now: now) } ?? theirs.first
    }

    private func identified(
        _ transfer: RunningTransfer, as id: UUIDv7, over line: BulkConnection, _ cancel: @escaping @Sendable () -> Void
    ) {
        guard service.running[transfer.id] === transfer else { return }
        transfer.isReady(cancel)
        service.running[transfer.id] = nil
        // A receiver that dials again knows better than we do that the old connection is dead, and no call is needed.
        service.halt(id)
        transfer.id = id
        transfer.moves(over: line, now: environment.clocks.now)
        service.running[id] = transfer
        // The transfer may have been cancelled or paused before it was known that this connection was for it.
        environment.commits.commit(.transfer(id)) {
            try TransferRecords.setActive(id, in: $0)
        } then: { isWanted in
            if !isWanted { transfer.cancel() }
        }
    }

    /// Takes the connection of a sender that has dialled because we have not or can't.
    private func called(_ row: TransferRow, over connection: BulkConnection) {
        if let transfer = service.running[row.id], transfer.direction == .incoming, !transfer.isCancelled {
            if !transfer.accept(connection, now: environment.clocks.now) { Self.refuse(connection, "it is under way") }
            return
        }
        guard service.running[row.id] == nil, let transfer = service.claim(row) else {
            return Self.refuse(connection, "too much is under way here")
        }
        _ = transfer.accept(connection, now: environment.clocks.now)
        service.fetch(transfer)
    }

    /// Refuses a connection, on a thread because that may block for a moment.
    static func refuse(_ connection: BulkConnection, _ detail: String) {
        _ = try? PlatformThread.spawn(name: "refuse") { connection.reject(.busy, detail: detail) }
    }
}
