import Runtime
import Store
import Vocabulary

extension Metrics {
    /// Declares what this module counts.
    mutating func declareTransfers() {
        declare(.transfers, ["cancelled", "declined", "failed", "received", "sent"])
        declare(.bulkRefused, ["busy", "not_friends", "violations"])
    }

    /// Counts a transfer that is over; nothing for others.
    package mutating func count(_ state: TransferState, _ direction: TransferDirection) {
        let outcome: String
        switch state {
        case .done: outcome = direction == .incoming ? "received" : "sent"
        case .declined, .cancelled, .failed: outcome = state.rawValue
        case .offered, .queued, .active, .paused: return
        }
        count(.transfers, outcome)
    }
}
