import Basics
import PeerProtocol

/// What people ask of a membership graph.
extension GroupGraph {
    /// The account whose device signed a log entry, according to the membership that the entry's author had seen.
    package func author(of entry: LogEntry) -> AccountID? {
        state(at: entry.heads)?.account(of: entry.device) ?? state.account(of: entry.device)
    }
}
