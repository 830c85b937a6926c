import Basics
import Vocabulary

/// The part of a group's log that one member may be given, as its holder knows: what the member that added them last
/// lets them see, and what was written while they were a member. An account that isn't a member gets nothing.
public struct LogEntitlement: Sendable {
    private let account: AccountID
    private let floors: [DeviceID: UInt64]
    private let graph: GroupGraph

    /// Nil for an account that is not a member now.
    public init?(_ account: AccountID, in graph: GroupGraph) {
        guard let member = graph.state.members[account] else { return nil }
        self.account = account
        self.graph = graph
        floors = member.floors
    }

    /// Whether the member sees this place of a chain, and all after it, whatever is there.
    public func covers(_ place: LogPlace) -> Bool { place.sequence >= floors[place.device] ?? 1 }

    /// Whether that can be said without more work than one turn may cost.
    func mayJudge(_ entry: LogEntry) -> Bool { covers(entry.place) || graph.mayJudge(entry.heads) }

    /// Whether the member may have an entry.
    public func permits(_ entry: LogEntry) -> Bool {
        covers(entry.place) || graph.state(at: entry.heads)?.members[account] != nil
    }
}
