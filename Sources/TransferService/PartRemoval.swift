import Basics
import Messaging
import Reactor
import Runtime
import Store
import Transfer

/// Removes the parts of incoming transfers that will not go on. Meanwhile it holds back those that start again, so that
/// none of them begins to write what is being removed.
@ReactorActor package final class PartRemoval {
    private let environment: Environment
    private let log: Logger
    private var underWay: Set<UUIDv7> = []
    /// Transfers among them that are to start again.
    private var postponed: [UUIDv7: TransferRow] = [:]

    package init(environment: Environment, log: Logger) {
        self.environment = environment
        self.log = log
    }

    /// Removes the part of a transfer. Call it only when no thread writes to the part any more.
    /// - Parameter resume: gets the transfer that was postponed meanwhile, if one was.
    package func start(_ id: UUIDv7, resume: @escaping @ReactorActor (TransferRow) -> Void) {
        guard underWay.insert(id).inserted else { return }
        let store = environment.store
        let files = environment.workers.files
        Reactor.shared.task { [self] in
            do {
                try await files.run {
                    try TransferRecords.receivePlan(id, from: store).discardPart()
                }
            } catch {
                // The next start tries again: the transfer still has its part.
                log.warning("a partial file may be left over", [("transfer", "\(id)"), ("error", "\(error)")])
                return ended(id, resume)
            }
            environment.commits.commit(.partRemoved(id)) {
                try $0.removeParts(of: id)
                try $0.setPartRemoved(of: id)
                try Tombstones.partRemoved(id, in: $0)
            } then: {
                self.ended(id, resume)
            }
        }
    }

    private func ended(_ id: UUIDv7, _ resume: @ReactorActor (TransferRow) -> Void) {
        underWay.remove(id)
        if let row = postponed.removeValue(forKey: id) { resume(row) }
    }

    package func isUnderWay(_ id: UUIDv7) -> Bool { underWay.contains(id) }

    /// True if the transfer has to wait; ``start(_:resume:)`` gives it back.
    func postpones(_ row: TransferRow) -> Bool {
        guard underWay.contains(row.id) else { return false }
        postponed[row.id] = row
        return true
    }

    /// Forgets a postponed transfer that is not to start again after all.
    package func forget(_ id: UUIDv7) { postponed[id] = nil }
}
