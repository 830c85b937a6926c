import Basics
import Reactor
import Store
import Transfer

/// Decides which peers can be reached, and which way a transfer goes.
extension TransferService {
    /// Whether the transfer's peer has a session and can be dialled, and the user doesn't have to look at its key
    /// first.
    package func isHere(_ item: TransferQueue.Item) -> Bool {
        guard let group = item.group else {
            return sessions.address(of: item.peer) != nil && !contacts.isSuspended(item.peer)
        }
        return members.members(of: group).contains { sessions.address(of: $0) != nil }
    }

    package func fetch(_ transfer: RunningTransfer) {
        guard let group = transfer.item?.group else {
            return Fetch(transfer, service: self, environment: environment, log: log).start()
        }
        SwarmFetch(transfer, in: group, service: self, environment: environment, log: log).start()
    }

    /// Interrupts the transfers that have been silent: they go over a connection that belongs to an earlier session.
    func interruptSilent(_ account: AccountID) {
        let now = environment.clocks.now
        for transfer in running.values
        where transfer.peer == account && transfer.phase == .moving && transfer.item?.group == nil {
            if transfer.isSilent(now: now) { transfer.interrupt() }
        }
    }

    /// A sender has no checkpoints: how far it came is written down when a connection ends, for people to see.
    package func remember(_ progress: TransferProgress, of id: UUIDv7) {
        environment.commits.commit(.progress(id)) {
            guard let row = try $0.transfer(id), !row.state.isOver else { return }
            try $0.setProgress(
                of: id, bytesDone: Int64(clamping: progress.bytesDone), filesDone: Int64(progress.filesDone))
        }
    }
}
