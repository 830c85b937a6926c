import Basics

/// What became of one entry that came.
public enum LogAdmission: Hashable, Sendable {
    case delivered
    /// Was here without its content, which has come now.
    case completed
    /// Kept until what it refers to is delivered. What of that isn't here: entries of the log, and of the membership; ask whoever
    /// gave the entry.
    case held(missing: [LogReference], membership: [EntryHash])
    case duplicate
    /// Not kept. For good, or for now (``ReasonKind/isPassing``).
    case refused(Refusal)
}

/// What one admission changed.
public struct LogOutcome: Sendable {
    /// An entry that wasn't taken, with why.
    public struct Refused: Sendable {
        public let entry: LogEntry
        public let refusal: Refusal
    }

    /// What is to be shown now, each entry behind those it refers to.
    public internal(set) var delivered: [LogEntry] = []
    /// Delivered before without their content, which is here now.
    public internal(set) var completed: [LogEntry] = []
    public internal(set) var forks: [LogFork] = []
    public internal(set) var refused: [Refused] = []
    /// What new held entries refer to and is not here.
    public internal(set) var missing: [LogReference] = []
    /// Membership entries that new held entries name and that are not in the graph.
    public internal(set) var membership: Set<EntryHash> = []

    /// Nothing changed.
    public init() {}
}

/// An answer's entries, checked: what costs time and needs neither graph nor disk.
public struct LogPage: Sendable {
    /// Signed by their devices.
    public let entries: [LogEntry]
    /// Why some are not here, in their order.
    public let errors: [WireError]
    public let withheld: [LogRange]
    public let unavailable: [EntryHash]

    /// - Parameter question: what was asked. If it settles, what the last page of the answer doesn't hold of it can't be had.
    public init(checking body: GroupEntriesBody, asked question: GroupQuestion) {
        var entries: [LogEntry] = []
        var errors: [WireError] = []
        for item in body.entries {
            do { entries.append(try item.entry()) } catch { errors.append(error) }
        }
        self.entries = entries
        self.errors = errors
        let isLast = question.settles && !body.hasMore
        withheld = body.withheld + (isLast ? question.want.ranges : [])
        unavailable = isLast ? question.want.hashes : question.settles ? body.unavailable : []
    }
}
