import Basics
import PeerProtocol

/// What people ask of a membership graph.
extension GroupGraph {
    /// The account whose device has signed an entry of the log, as the entry's author saw the group.
    package func author(of entry: LogEntry) -> AccountID? {
        state(at: entry.heads)?.account(of: entry.device) ?? state.account(of: entry.device)
    }
}
