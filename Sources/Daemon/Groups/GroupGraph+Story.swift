import Basics
import PeerProtocol

/// What people ask of a membership graph.
extension GroupGraph {
    /// The entry that took somebody out, if they are out: their own word first, if they have left and were removed too.
    func lastDeparture(of account: AccountID) -> MembershipEntry? {
        guard !state.has(account) else { return nil }
        var found: MembershipEntry?
        for entry in entries where isEffective(entry.hash) == true {
            switch entry.operation {
            case .leave where entry.author == account: found = entry
            case .remove(account) where found?.author != account: found = entry
            case .add(let seeds, _) where seeds.contains { $0.account == account }: found = nil
            default: continue
            }
        }
        return found
    }

    /// Entries that counted in an earlier graph of the group, and don't any more.
    func undone(since before: GroupGraph) -> [MembershipEntry] {
        before.entries.filter { before.isEffective($0.hash) == true && isEffective($0.hash) == false }
    }

    /// Whose device has signed an entry of the log, as the entry's author saw the group.
    func author(of entry: LogEntry) -> AccountID? {
        state(at: entry.heads)?.account(of: entry.device) ?? state.account(of: entry.device)
    }
}
